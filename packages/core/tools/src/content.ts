import { snapshotJson, type JsonValue } from '@sluice/core-schema';
import type { ContentBlock } from './blocks.ts';
import { disown } from './disown.ts';
import type { AdditionalContext } from './types.ts';

/** Blocks that passed the check, deep-frozen, or why they did not. */
export type CheckedContent = { ok: true; content: readonly ContentBlock[] } | { ok: false; problem: string };

/** Every place where blocks enter a result calls this; nothing unchecked reaches a model. */
export function checkContent(blocks: unknown): CheckedContent {
  const snapshot = snapshotJson(blocks);
  if (!snapshot.ok) {
    disown(blocks);
    return { ok: false, problem: at(snapshot.issue.path, snapshot.issue.message) };
  }
  const copy = snapshot.value;
  if (!Array.isArray(copy)) return { ok: false, problem: 'content must be an array of content blocks' };
  for (let i = 0; i < copy.length; i += 1) {
    const problem = blockProblem(copy[i] as JsonValue);
    if (problem !== undefined) return { ok: false, problem: `content[${String(i)}] ${problem}` };
  }
  return { ok: true, content: copy as unknown as readonly ContentBlock[] };
}

function blockProblem(block: JsonValue): string | undefined {
  if (typeof block !== 'object' || block === null || Array.isArray(block)) return 'must be an object with a type';
  const b = block as Readonly<Record<string, JsonValue | undefined>>;
  switch (b['type']) {
    case 'text':
      return strings(b, 'text');
    case 'image':
    case 'audio':
      return strings(b, 'data', 'mimeType');
    case 'resource_link':
      return strings(b, 'uri', 'name');
    case 'resource': {
      const r = b['resource'];
      if (typeof r !== 'object' || r === null || Array.isArray(r)) return 'needs a resource object';
      const resource = r as Readonly<Record<string, JsonValue | undefined>>;
      if (typeof resource['uri'] !== 'string') return 'needs resource.uri, a string';
      if ((typeof resource['text'] === 'string') === (typeof resource['blob'] === 'string')) {
        return 'needs resource.text or resource.blob, a string';
      }
      return undefined;
    }
    default:
      return `has an unknown type; use text, image, audio, resource_link or resource`;
  }
}

function strings(block: Readonly<Record<string, JsonValue | undefined>>, ...keys: string[]): string | undefined {
  for (const key of keys) {
    if (typeof block[key] !== 'string') return `needs ${key}, a string`;
  }
  return undefined;
}

const NO_CONTEXTS: readonly AdditionalContext[] = Object.freeze([]);

/** The contexts as frozen data, or why not. `undefined` is none. */
export function checkContexts(
  contexts: unknown,
): { ok: true; contexts: readonly AdditionalContext[] } | { ok: false; problem: string } {
  if (contexts === undefined) return { ok: true, contexts: NO_CONTEXTS };
  if (!Array.isArray(contexts)) {
    disown(contexts);
    return { ok: false, problem: 'additionalContexts must be an array' };
  }
  const checked: AdditionalContext[] = [];
  for (const context of contexts as unknown[]) {
    const one = checkContext(context);
    if (!one.ok) return one;
    checked.push(one.context);
  }
  return { ok: true, contexts: checked };
}

export function checkContext(
  context: unknown,
): { ok: true; context: AdditionalContext } | { ok: false; problem: string } {
  const snapshot = snapshotJson(context);
  if (!snapshot.ok) {
    disown(context);
    return { ok: false, problem: `an additional context: ${at(snapshot.issue.path, snapshot.issue.message)}` };
  }
  const copy = snapshot.value;
  if (typeof copy !== 'object' || copy === null || Array.isArray(copy)) {
    return { ok: false, problem: 'an additional context must be { source, content, meta? }' };
  }
  const c = copy as Readonly<Record<string, JsonValue | undefined>>;
  if (typeof c['source'] !== 'string' || c['source'] === '') {
    return { ok: false, problem: 'an additional context needs a source, a non-empty string' };
  }
  const content = checkContent(c['content']);
  if (!content.ok) return { ok: false, problem: `an additional context: ${content.problem}` };
  return { ok: true, context: copy as unknown as AdditionalContext };
}

/** The text of blocks, one per line; `[image content]` and the like for the rest. */
export function contentText(content: readonly ContentBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type} content]`)).join('\n');
}

function at(path: string, message: string): string {
  return path === '' || message.includes(path) ? message : `${path}: ${message}`;
}
