import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isErrorMember, isPortableIdentifier } from '../src/index.ts';

describe('names of globals', () => {
  it('are ASCII letters, digits and underscores, and no digit first', () => {
    fc.assert(fc.property(fc.string(), (name) => !isPortableIdentifier(name) || /^[A-Za-z_]\w*$/.test(name)));
    for (const name of ['tools', '_', 'a1', 'snake_case', 'ToolCallError']) expect(isPortableIdentifier(name), name).toBe(true);
  });

  it('are no words of JavaScript, Python or the runtimes [S15.5]', () => {
    for (const name of ['class', 'await', 'lambda', 'None', 'nonlocal', 'console', 'Import', 'undefined', '__name__', 'arguments', '']) {
      expect(isPortableIdentifier(name), name).toBe(false);
    }
  });
});

describe('names of properties of errors', () => {
  it('hide nothing that every error has [S15.5]', () => {
    for (const name of ['name', 'message', 'stack', 'cause', 'args', 'with_traceback', 'add_note', '__class__', '__proto__', 'constructor']) {
      expect(isErrorMember(name), name).toBe(false);
    }
    for (const name of ['toolName', 'code', '_x']) expect(isErrorMember(name), name).toBe(true);
  });
});
