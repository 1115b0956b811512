// node scripts/check-type-cost.mjs
// What 100 typed tools cost a type checker, in type instantiations, for each notation that parameters may be written in. A
// count, so the same on every machine. The schemas alone are counted too: what remains is what defineTool adds.
import { join } from 'node:path';
import ts from 'typescript';
import { root } from './root.mjs';
import { scratchProject } from './scratch-project.mjs';

const TOOLS = 100;
const LIMIT = 25_000;
// A zod object has to be looked at before anything is known of it, and one look at its `~standard` makes the type checker work
// out all its methods: 26,000 for a function that does nothing else.
const ZOD_LIMIT = 50_000;

/** Three properties whose names differ from tool to tool, so that nothing is inferred once for all. */
const notations = {
  'JSON Schema': {
    imports: '',
    schema: (i) => `{ type: 'object', properties: { path${i}: { type: 'string' }, limit${i}: { type: 'integer' }, tags${i}: { type: 'array', items: { type: 'string' } } }, required: ['path${i}'] }`,
  },
  shorthand: {
    imports: '',
    schema: (i) => `{ path${i}: { type: 'string', required: true }, limit${i}: { type: 'integer' }, tags${i}: { type: 'array', items: { type: 'string' } } }`,
  },
  TypeBox: {
    imports: "import { Type } from 'typebox';",
    schema: (i) => `Type.Object({ path${i}: Type.String(), limit${i}: Type.Optional(Type.Integer()), tags${i}: Type.Optional(Type.Array(Type.String())) })`,
  },
  zod: {
    limit: ZOD_LIMIT,
    imports: "import { z } from 'zod';",
    schema: (i) => `z.object({ path${i}: z.string(), limit${i}: z.int().optional(), tags${i}: z.array(z.string()).optional() })`,
  },
};

const tool = (schema, i) => `defineTool({
  name: 'tool_${i}',
  description: 'One of many.',
  parameters: ${schema},
  output: { schema: { type: 'object', properties: { line${i}: { type: 'string' } }, required: ['line${i}'] }, render: (_args, value) => [{ type: 'text', text: value.line${i} }] },
  execute: async (args) => ({ line${i}: args.path${i}.slice(0, args.limit${i}) + (args.tags${i} ?? []).join() }),
});`;

const work = scratchProject('type-cost');
const { options } = ts.parseJsonConfigFileContent({ extends: join(root, 'tsconfig.base.json'), files: [] }, ts.sys, work);
const parsed = new Map();

/** Instantiations made to check one file of this text; nothing else is checked, so our own source is not counted. */
function instantiations(text) {
  const name = join(work, 'tools.ts');
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (file) => file === name || fileExists(file);
  host.getSourceFile = (file, target, ...rest) => {
    if (file === name) return ts.createSourceFile(file, text, target);
    if (!parsed.has(file)) parsed.set(file, getSourceFile.call(host, file, target, ...rest));
    return parsed.get(file);
  };
  const program = ts.createProgram([name], options, host);
  const wrong = program.getSemanticDiagnostics(program.getSourceFile(name));
  if (wrong.length > 0) throw new Error(`the tools do not compile: ${ts.flattenDiagnosticMessageText(wrong[0].messageText, '\n')}`);
  return program.getInstantiationCount();
}

const each = (make) => Array.from({ length: TOOLS }, (_, i) => make(i)).join('\n');
let failed = false;
for (const [notation, { imports, schema, limit = LIMIT }] of Object.entries(notations)) {
  const head = `${imports}\nimport { defineTool } from '@sluice/core-tools';\nvoid defineTool;\n`;
  const schemas = instantiations(`${head}${each((i) => `export const s${i} = ${schema(i)};`)}`);
  const tools = instantiations(`${head}${each((i) => `export const t${i} = ${tool(schema(i), i)}`)}`);
  const fits = tools - schemas <= limit;
  failed ||= !fits;
  console.log(`${fits ? 'ok    ' : 'FAILED'} ${notation}: ${TOOLS} tools ${tools} instantiations, ${schemas} of them for the schemas alone; the limit is ${limit} above these`);
}
process.exitCode = failed ? 1 : 0;
