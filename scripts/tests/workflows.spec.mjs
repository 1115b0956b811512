import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createServer, createServerModuleRunner } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../root.mjs';

const folder = join(root, '.github', 'workflows');

let server, runner, parser;
beforeAll(async () => {
  // GitHub's own parser imports JSON as a bundler would, so a bundler has to load it.
  server = await createServer({
    root,
    configFile: false,
    logLevel: 'silent',
    appType: 'custom',
    server: { middlewareMode: true, watch: null, ws: false, hmr: false },
    optimizeDeps: { noDiscovery: true, include: [] },
    ssr: { noExternal: ['@actions/workflow-parser'] },
  });
  runner = createServerModuleRunner(server.environments.ssr, { hmr: false });
  parser = await runner.import('@actions/workflow-parser');
});
afterAll(async () => {
  await runner.close();
  await server.close();
});

/** What GitHub's own parser has against a workflow. */
async function problemsOf(name, content) {
  const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = parser;
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  const errors = context.errors.getErrors().map(({ message }) => message);
  if (value === undefined) return errors;
  const template = await convertWorkflowTemplate(context, value);
  return [...errors, ...(template.errors ?? []).map(({ Message }) => Message)];
}

describe('workflow files', () => {
  it.each(readdirSync(folder))('%s is what GitHub can run', async (name) => {
    expect(await problemsOf(name, readFileSync(join(folder, name), 'utf8'))).toEqual([]);
  });

  it('are refused for what GitHub would refuse', async () => {
    const workflow = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    stepz:\n      - run: true\n';
    expect(await problemsOf('bad.yml', workflow)).not.toEqual([]);
    expect(await problemsOf('bad.yml', 'on: push\njobs: [\n')).not.toEqual([]);
  });

  it('give no job more than it asks for: nothing is writable by default, and only publishing has an identity', () => {
    for (const name of readdirSync(folder)) {
      const text = readFileSync(join(folder, name), 'utf8');
      expect(text).toMatch(/^permissions:( \{\}|\n {2}contents: read)$/m);
      if (name !== 'release.yml') expect(text).not.toContain('id-token');
    }
  });
});
