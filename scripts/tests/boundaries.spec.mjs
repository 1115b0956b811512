import { describe, expect, it } from 'vitest';
import { objection } from '../eslint/boundaries.mjs';

const src = (id, file = 'index.ts') => `/repo/packages/${id}/src/${file}`;
const refused = (file, specifier, isType = false) => objection(file, specifier, isType);

describe('package boundaries', () => {
  it('lets a relative import go anywhere inside its package and nowhere else', () => {
    expect(refused(src('core/tools', 'stages/execute.ts'), '../compose.ts')).toBeUndefined();
    expect(refused(src('core/tools'), '../examples.ts')).toBeUndefined();
    expect(refused(src('core/tools'), '../../context/src/index.ts')).toContain('inside its package');
    expect(refused('/repo/packages/core/tools/tests/a.spec.ts', '../../context/src/index.ts')).toContain('inside its package');
    expect(refused('/repo/packages/core/tools/tests/a.spec.ts', '../src/index.ts')).toBeUndefined();
  });

  it('refuses TypeBox in src, types included, and allows it in tests and examples', () => {
    for (const name of ['typebox', 'typebox/value', '@sinclair/typebox']) {
      expect(refused(src('core/schema'), name, true), name).toContain('TypeBox');
    }
    expect(refused('/repo/packages/core/schema/tests/a.spec.ts', 'typebox')).toBeUndefined();
    expect(refused('/repo/packages/core/schema/examples.ts', 'typebox')).toBeUndefined();
  });

  it('refuses the inside of another package, from anywhere', () => {
    for (const file of [src('todo/tool-todo'), '/repo/packages/todo/tool-todo/tests/a.spec.ts']) {
      for (const inside of ['src/index.ts', 'dist/index.js', 'tests/fixtures.ts']) {
        expect(refused(file, `@sluice/core-tools/${inside}`), inside).toContain('internal');
      }
    }
  });

  it('keeps the core in its order', () => {
    expect(refused(src('core/schema'), '@sluice/core-context', true)).toContain('may not import');
    expect(refused(src('core/context'), '@sluice/core-schema')).toBeUndefined();
    expect(refused(src('core/context'), '@sluice/core-tools', true)).toContain('may not import');
    expect(refused(src('core/tools'), '@sluice/core-context')).toBeUndefined();
    expect(refused(src('core/tools'), '@sluice/approval')).toContain('types');
    expect(refused(src('core/tools'), '@sluice/approval', true)).toBeUndefined();
    expect(refused(src('core/agent-loop'), '@sluice/core-session')).toBeUndefined();
  });

  it('lets plugins import a library that imports nothing of ours', () => {
    expect(refused(src('interaction/approval-cli'), '@sluice/terminal-text')).toBeUndefined();
    expect(refused(src('core/tools'), '@sluice/terminal-text')).toContain('may not import');
    expect(refused(src('interaction/terminal-text'), '@sluice/core-tools', true)).toContain('may not import');
  });

  it('lets plugins import core and seams, never another plugin', () => {
    const plugin = src('guard/tool-retry-policy');
    expect(refused(plugin, '@sluice/core-tools')).toBeUndefined();
    expect(refused(src('fs/tool-fs'), '@sluice/fs')).toBeUndefined();
    expect(refused(plugin, '@sluice/tool-call-timeout-policy', true)).toContain('may not import');
    expect(refused(src('fs/fs'), '@sluice/fs-local')).toContain('may not import');
    expect(refused('/repo/packages/guard/tool-retry-policy/tests/a.spec.ts', '@sluice/tool-call-timeout-policy')).toBeUndefined();
  });

  it('lets boot and the testing kit know everyone', () => {
    expect(refused(src('boot/cli'), '@sluice/tool-fs')).toBeUndefined();
    expect(refused(src('test-support/testing'), '@sluice/core-tools')).toBeUndefined();
  });
});
