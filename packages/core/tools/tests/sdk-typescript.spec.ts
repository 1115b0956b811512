import ts from 'typescript';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aTool } from '@sluice/testing';
import type { JsonObject } from '../src/index.ts';
import { inProcessRuntime } from './in-process-runtime.ts';
import { setup } from './support.ts';

interface Described {
  readonly name?: string;
  readonly description?: string;
  readonly parameters?: object;
  readonly output?: object;
}

/** The section that declares these tools. */
function sectionOf(tools: readonly Described[]): string {
  const { ctx } = setup({ config: { mode: 'code', sdkBudgetChars: 10_000_000 } });
  ctx.provide('codeRuntime', inProcessRuntime());
  for (const { name = 'echo', description = '', parameters = { type: 'object' }, output = {} } of tools) {
    // A foreign definition: any keyword is tolerated.
    const { execute } = aTool();
    ctx.tools.register({ name, description, parameters, output: { schema: output, render: () => [] }, execute });
  }
  return ctx.tools.presentation().sections[1]?.text ?? '';
}

const blockOf = (section: string): string => section.slice(section.indexOf('```ts\n') + 6, section.lastIndexOf('```'));

/** What a property of this schema is declared as. */
function typeOf(schema: JsonObject | boolean, root: JsonObject = {}): string {
  const block = blockOf(sectionOf([{ parameters: { type: 'object', properties: { it: schema }, required: ['it'], ...root } }]));
  return /it: ([^]*?);\n {2}\}\)/.exec(block)?.[1] ?? block;
}

/** Problems that a strict compiler has with a text. */
function problems(text: string): string[] {
  const name = 'sdk.ts';
  const options: ts.CompilerOptions = { strict: true, noEmit: true, noLib: true, types: [] };
  const lib = 'interface Array<T> {} interface Boolean {} interface CallableFunction {} interface Function {} interface IArguments {} interface NewableFunction {} interface Number {} interface Object {} interface RegExp {} interface String {} interface Error { name: string; message: string } declare var Error: { new (m?: string): Error }; interface Promise<T> { then(f: (v: T) => void): void } type Record<K extends keyof any, T> = { [P in K]: T };';
  const files: Record<string, string> = { [name]: text, 'lib.d.ts': lib };
  const host: ts.CompilerHost = {
    ...ts.createCompilerHost(options),
    getSourceFile: (file, target) => (files[file] === undefined ? undefined : ts.createSourceFile(file, files[file], target)),
    fileExists: (file) => file in files,
    readFile: (file) => files[file],
  };
  const program = ts.createProgram([name, 'lib.d.ts'], options, host);
  const found = [...program.getSyntacticDiagnostics(), ...program.getSemanticDiagnostics()];
  return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('the declarations', () => {
  it('are the same text for the same tools, in whatever order they came [F257]', () => {
    const tools = [{ name: 'b_tool' }, { name: 'Zeta' }, { name: 'a_tool' }];
    const text = sectionOf(tools);
    expect(sectionOf([...tools].reverse())).toBe(text);
    expect([...blockOf(text).matchAll(/^ {2}(\w+)\(/gm)].map((match) => match[1])).toEqual(['Zeta', 'a_tool', 'b_tool']);
  });

  it('come after words that say how to call, what comes back and how failures look [F258]', () => {
    const text = sectionOf([{ name: 'with-dash' }]);
    for (const said of ['`code`', '`description`', 'await', 'lossless JSON', 'ToolCallError', '`toolName`', '`code`', 'Promise.all', 'one after another', 'console.log', 'Images']) {
      expect(text).toContain(said);
    }
    expect(blockOf(text)).toContain('"with-dash"(args: ');
  });

  it.each<[JsonObject | boolean, string]>([
    [{ type: 'string' }, 'string'],
    [{ type: 'integer' }, 'number'],
    [{ type: 'null' }, 'null'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ const: 'a' }, '"a"'],
    [{ enum: ['a', 1, null, true] }, '"a" | 1 | null | true'],
    [{ type: 'array', items: { type: 'string' } }, 'string[]'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, '("a" | "b")[]'],
    [{ type: 'array' }, 'Json[]'],
    [{ prefixItems: [{ type: 'string' }, { type: 'number' }], items: false, minItems: 1 }, '[string, number?]'],
    [{ type: 'array', prefixItems: [{ type: 'string' }] }, '[string?, ...Json[]]'],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 'string | number'],
    [{ oneOf: [{ type: 'string' }, { type: 'string' }] }, 'string'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>'],
    [{ type: 'object', additionalProperties: false }, 'Record<string, never>'],
    [{ type: 'object' }, 'Record<string, Json>'],
    [{ allOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { required: ['a'] }] }, '{\n      a?: string;\n    }'],
    [{}, 'Json'],
    [true, 'Json'],
    [{ if: {}, then: {} }, 'Json'],
  ])('say %j as %s [F260 F261 F262 W26]', (schema, type) => {
    expect(typeOf(schema)).toBe(type);
  });

  it('name what is referred to, recursion included, once for each place it stands in [W26]', () => {
    const tree = { $ref: '#/$defs/node' };
    const defs = { $defs: { node: { type: 'object', properties: { label: { type: 'string' }, children: { type: 'array', items: tree } }, required: ['label'] } } };
    expect(typeOf(tree, defs)).toBe('EchoArgsNode');
    const parameters = { type: 'object', properties: { it: tree }, ...defs };
    const text = blockOf(sectionOf([{ name: 'a_b', parameters }, { name: 'a-b', parameters }]));
    expect(text).toContain('type ABArgsNode = {\n  label: string;\n  children?: ABArgsNode[];\n};');
    expect(text).toContain('type ABArgsNode_2 = {');
    expect(problems(text)).toEqual([]);
  });

  it('lose nothing but the node that TypeScript cannot say [F265 W27]', () => {
    const parameters = { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', properties: { known: { type: 'string' }, odd: { not: { type: 'string' } } }, required: ['known'] };
    expect(blockOf(sectionOf([{ parameters }]))).toContain('known: string;\n    odd?: Json;');
  });

  it('carry descriptions and bounds as comments that nothing gets out of [F264]', () => {
    const parameters = { type: 'object', properties: { path: { type: 'string', description: 'Where.\n\n*/ export {} /*', format: 'uri', minLength: 1 } } };
    const text = blockOf(sectionOf([{ description: 'Reads */\u2028 a file.', parameters }]));
    expect(text).toContain('/** Where. *\\/ export {} /* @format "uri" @minLength 1 */');
    expect(text).toContain('/** Reads *\\/ a file. */');
    expect(problems(text)).toEqual([]);
  });

  it('compile under a strict compiler, whatever the schemas and texts are', () => {
    const leaf = fc.oneof(
      fc.constantFrom<JsonObject>({ type: 'string' }, { type: 'integer', minimum: 1 }, { type: 'null' }, {}, { $ref: '#/$defs/self' }, { $ref: '#' }, { not: {} }),
      fc.record({ enum: fc.array(fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)), { minLength: 1, maxLength: 4 }).map((list) => [...new Set(list)]) }),
    );
    const schema = fc.letrec<{ node: JsonObject }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        leaf,
        fc.record({ type: fc.constant('array'), items: tie('node') }),
        fc.record({ anyOf: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
        fc.record({ allOf: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
        fc.record({ prefixItems: fc.array(tie('node'), { minLength: 1, maxLength: 3 }), minItems: fc.integer({ min: 0, max: 4 }) }),
        fc.record({
          type: fc.constant('object'),
          description: fc.string({ unit: 'binary' }),
          properties: fc.dictionary(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a', 'class', 'constructor')), tie('node'), { maxKeys: 3 }),
          additionalProperties: fc.oneof(fc.boolean(), tie('node')),
        }),
      ),
    })).node;
    fc.assert(
      fc.property(fc.array(fc.record({ description: fc.string({ unit: 'binary' }), it: schema, self: schema }), { minLength: 1, maxLength: 3 }), (tools) => {
        const text = blockOf(sectionOf(tools.map(({ description, it, self }, index) => ({
          name: `tool${'_'.repeat(index)}`,
          description,
          parameters: { type: 'object', properties: { it }, $defs: { self: { type: 'object', properties: { self } } } },
        }))));
        expect(problems(text)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
