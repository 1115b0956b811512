import type { SdkRenderer, SdkTool } from './sdk-renderer.ts';
import { camelCase, cut, docComment, propertyKey, TsTypes } from './ts-type.ts';

/** Characters of a tool's line in a summary. */
const SUMMARY = 120;

/** How tools are described to the author of a TypeScript program. */
export const typescriptSdk: SdkRenderer = {
  codeDescription:
    'Body of an async TypeScript function: `await` and `return` work at its top level, `import` does not. Types are erased, not checked.',

  section(tools, catalog) {
    const block = catalog === 'full' ? declarations(tools) : summaries(tools);
    return `${INSTRUCTIONS}\n${catalog === 'full' ? '' : `${LARGE}\n`}\n\`\`\`ts\n${block}\`\`\``;
  },

  describe: (tool) => declarations([tool]),
};

const INSTRUCTIONS = `## Tools as functions

Call the tool \`run_code\` with two arguments: \`code\`, a program, and \`description\`, a few words on what it does.
The program is the body of an async function. It finds every tool as a function of \`tools\`: \`await tools.name({ … })\`, or
\`await tools["other-name"]({ … })\` where the name is no identifier.

- A call takes one argument, lossless JSON (no undefined, NaN or Date), and gives the tool's value, typed as declared below.
- A call that fails, or that policy denies, rejects with a \`ToolCallError\`: \`toolName\`, \`message\` and \`code\`.
- Calls that only read may overlap (\`Promise.all\`); make changes one after another.
- Only what you \`return\` and what you print with \`console.log\` comes back. Images come back by themselves.`;

const LARGE = `There are too many tools to declare here. Look one up before its first use: \`await tools.$describe("name")\` gives its
declaration as text, \`await tools.$search("words")\` the names and summaries that match.`;

const HEAD = `type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
declare class ToolCallError extends Error { readonly name: "ToolCallError"; readonly toolName: string; readonly code: string }
`;

function declarations(tools: readonly SdkTool[]): string {
  const named: string[] = [];
  const taken = new Set(['Json', 'ToolCallError']);
  const members = tools.map((tool) => {
    const prefix = camelCase(tool.name);
    const args = new TsTypes(tool.parameters, `${prefix}Args`, taken);
    const output = new TsTypes(tool.output, `${prefix}Output`, taken);
    const takes = indented(args.root);
    const gives = indented(output.root);
    named.push(...args.declarations, ...output.declarations);
    return `${docComment(tool.description, '  ')}  ${propertyKey(tool.name)}(args: ${takes}): Promise<${gives}>;\n`;
  });
  const types = named.length === 0 ? '' : `${named.join('\n')}\n`;
  return `${HEAD}${types}declare const tools: {\n${members.join('')}};\n`;
}

function summaries(tools: readonly SdkTool[]): string {
  const lines = tools.map((tool) => `  ${propertyKey(tool.name)}: Tool;${summary(tool)}\n`);
  return (
    `${HEAD}type Tool = (args: { [key: string]: Json }) => Promise<Json>;\n` +
    `declare const tools: {\n  $describe(name: string): Promise<string>;\n  $search(words: string): Promise<{ name: string; summary: string }[]>;\n` +
    `${lines.join('')}};\n`
  );
}

function summary({ description }: SdkTool): string {
  const text = summaryOf(description);
  return text === '' ? '' : ` // ${text}`;
}

/** The first sentence or so of a description, on one line. */
export function summaryOf(description: string): string {
  const line = description.replace(/[\s\u2028\u2029]+/g, ' ').trim();
  const end = line.search(/[.!?] /);
  return cut(end < 0 ? line : line.slice(0, end + 1), SUMMARY);
}

function indented(type: string): string {
  return type.replaceAll('\n', '\n  ');
}
