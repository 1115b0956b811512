import { codeRuntimeQuickjs } from '@sluice/code-runtime-quickjs';
import { createContext, defineTool, tools, type Context, type JsonValue } from '@sluice/core-tools';
import { fsMemory } from '@sluice/fs-memory';
import { toolFs } from '@sluice/tool-fs';
import { toolFsSearch } from '@sluice/tool-fs-search';
import { toolTodo } from '@sluice/tool-todo';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mcpTools } from '../src/mcp-schemas.ts';

/** One right call of each tool of ours, in an order in which each can be made. */
const ours: readonly (readonly [string, JsonValue])[] = [
  ['write_file', { path: 'b.txt', content: 'one\ntwo\n' }],
  ['read_file', { path: 'a.txt', limit: 1 }],
  ['edit_file', { path: 'a.txt', old: 'first', new: 'second', all: true }],
  ['list_directory', { path: '.' }],
  ['glob', { pattern: '*.txt' }],
  ['grep', { pattern: 'second', path: '.', include: '*.txt' }],
  ['todo_write', { todos: [{ content: 'look', status: 'pending' }] }],
];

/** What tools with an output schema give; the others give their arguments back. */
const values: Readonly<Record<string, JsonValue>> = {
  get_file_contents: { type: 'dir', entries: ['a'] },
  list_commits: [{ sha: 'x', commit: { message: 'm', author: {} } }],
  fs_read_text_file: { content: 'x' },
  fs_directory_tree: { name: 'a', type: 'directory', children: [{ name: 'b', type: 'file' }] },
  fs_get_file_info: { size: 1, permissions: '644' },
  fs_read_media_file: { content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }] },
  pg_query: { rows: [{ a: null }], rowCount: null },
  pg_describe_table: [{ column_name: 'a', is_nullable: 'NO' }],
  maps_geocode: { location: { lat: 1, lng: 2 } },
  memory_read_graph: { entities: [], relations: [1, null] },
  aws_s3_list: { Contents: [{ Key: 'a', Size: 1 }] },
  grafana_query_prometheus: [{ metric: { a: 'b' }, values: [[1, 'x']] }],
  figma_get_node: {},
  everything_get_resource: { uri: 'x://y', text: 'z' },
  expression_eval: 7,
};

const world: { ctx: Context } = { ctx: createContext() };
beforeAll(async () => {
  const { ctx } = world;
  ctx.plugin(tools, { mode: 'code', sdkBudgetChars: 1_000_000 });
  ctx.plugin(codeRuntimeQuickjs, { spares: 0 });
  ctx.plugin(fsMemory, { files: { 'a.txt': 'first\n' } });
  ctx.plugin(toolFs);
  ctx.plugin(toolFsSearch);
  ctx.plugin(toolTodo, { allowParallelInProgress: false });
  for (const { name, schema, output } of mcpTools) {
    ctx.tools.register(
      defineTool({
        name,
        description: `Does ${name}.`,
        parameters: schema as never,
        output: { schema: (output ?? {}) as never, render: () => [{ type: 'text', text: name }] },
        execute: (args) => Promise.resolve((values[name] ?? args) as never),
      }),
    );
  }
  await ctx.ready();
});
afterAll(() => world.ctx.dispose());

function declarations(): string {
  const text = world.ctx.tools.presentation().sections.find(({ name }) => name === 'tools:sdk')?.text ?? '';
  return /```ts\n([\s\S]*)```/.exec(text)?.[1] ?? '';
}

const call = (name: string, args: JsonValue): string => `await tools[${JSON.stringify(name)}](${JSON.stringify(args)})`;

/** What `tsc --strict` says of one file. */
function complaints(source: string): string[] {
  const options: ts.CompilerOptions = { strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, lib: ['lib.es2022.d.ts'], types: [], skipLibCheck: true };
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...rest) => (name === 'sdk.ts' ? ts.createSourceFile(name, source, ts.ScriptTarget.ES2022) : getSourceFile.call(host, name, ...rest));
  const program = ts.createProgram(['sdk.ts'], options, host);
  const lines = source.split('\n');
  return ts.getPreEmitDiagnostics(program).map(({ messageText, start }) => {
    const line = start === undefined ? 0 : source.slice(0, start).split('\n').length;
    return `${ts.flattenDiagnosticMessageText(messageText, ' ')} | ${lines[line - 1] ?? ''}`.slice(0, 400);
  });
}

describe('the SDK text of every tool of ours and of a hundred in the manner of MCP servers', { timeout: 120_000 }, () => {
  const examples = [...ours, ...mcpTools.map(({ name, example }) => [name, example] as const)];

  it('has an example for each tool that there is', () => {
    const names = world.ctx.tools.schemas().map(({ name }) => name).filter((name) => name !== 'run_code');
    expect(examples.map(([name]) => name).sort()).toEqual([...names].sort());
    expect(mcpTools).toHaveLength(100);
    expect(new Set(mcpTools.map(({ name }) => name)).size).toBe(100);
  });

  it('is TypeScript that tsc --strict accepts, with every example call [U259] [W27]', () => {
    expect(complaints(`${declarations()}\nasync function program() {\n${examples.map(([name, args]) => `  ${call(name, args)};`).join('\n')}\n}\nvoid program;\nexport {};\n`)).toEqual([]);
  });

  it('is no text that accepts whatever comes: a wrong call is refused [W26]', () => {
    const wrong = [
      call('browser_click', { element: 'x' }),
      call('create_issue', { owner: 1, repo: 'r', title: 't' }),
      call('kubectl_get', { resourceType: 'pods', output: 'xml' }),
      call('redis_zadd', { key: 'k', members: [['a', 1]] }),
      call('notion_query_database', { database_id: 'd', filter: { and: [{ nor: [] }] } }),
      call('jira_batch_create', { issues: [{ summary: 'a', parent: { parent: null } }] }),
      call('nobody', {}),
    ];
    for (const each of wrong) expect(complaints(`${declarations()}\nasync function program() { ${each}; }\nvoid program;\nexport {};\n`), each).not.toEqual([]);
  });

  it('is right: each example call runs, through the whole pipeline, and gives its tool’s value', async () => {
    const code = `const failed: string[] = []; let count = 0;\n${examples
      .map(([name, args]) => `try { ${call(name, args)}; count += 1; } catch (e: any) { failed.push(${JSON.stringify(name)} + ': ' + e.message); }`)
      .join('\n')}\nreturn { failed, count };`;
    const result = await world.ctx.tools.execute({ name: 'run_code', arguments: { code, description: 'every example' } });
    expect(result).toMatchObject({ isError: false, value: { result: { failed: [], count: examples.length } } });
  });
});
