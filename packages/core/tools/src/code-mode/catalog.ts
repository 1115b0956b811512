import type { JsonValue } from '@sluice/core-schema';
import { closestNames } from '../registry/name.ts';
import type { SdkRenderer, SdkTool } from './sdk/sdk-renderer.ts';
import { summaryOf } from './sdk/typescript.ts';
import { ToolCallError } from './tool-call-error.ts';

/** Most tools that one search gives. */
const MAX_FOUND = 20;

/** Functions by which a program looks tools up. No tool can have their names. */
export function lookups(tools: readonly SdkTool[], renderer: SdkRenderer): Record<string, (args: JsonValue) => Promise<JsonValue>> {
  return {
    $describe: (name) => settled(() => describe(tools, renderer, name)),
    $search: (words) => settled(() => search(tools, words)),
  };
}

function describe(tools: readonly SdkTool[], renderer: SdkRenderer, name: JsonValue): JsonValue {
  if (typeof name !== 'string') throw new ToolCallError('$describe', 'INVALID_ARGS', '$describe takes the name of a tool, a string');
  const tool = tools.find((each) => each.name === name);
  if (tool !== undefined) return renderer.describe(tool);
  const near = closestNames(name, tools.map((each) => each.name));
  const hint = near.length === 0 ? '; $search finds names' : `; did you mean ${near.join(' or ')}?`;
  throw new ToolCallError('$describe', 'UNKNOWN_TOOL', `there is no tool ${JSON.stringify(name.slice(0, 80))}${hint}`);
}

/** Tools with most of the words in name or description first, by name among equals. */
function search(tools: readonly SdkTool[], query: JsonValue): JsonValue {
  if (typeof query !== 'string') throw new ToolCallError('$search', 'INVALID_ARGS', '$search takes words, a string');
  const words = query.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const score = ({ name, description }: SdkTool): number => {
    const title = name.toLowerCase();
    const text = description.toLowerCase();
    return words.reduce((sum, word) => sum + (title.includes(word) ? 3 : 0) + (text.includes(word) ? 1 : 0), 0);
  };
  return tools
    .map((tool) => ({ tool, score: score(tool) }))
    .filter((each) => each.score > 0)
    .sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
    .slice(0, MAX_FOUND)
    .map(({ tool }) => ({ name: tool.name, summary: summaryOf(tool.description) }));
}

function settled(work: () => JsonValue): Promise<JsonValue> {
  return new Promise((resolve) => { resolve(work()); });
}
