import type { AssistantPart, SessionMessage, ToolMessage, UserMessage } from '@sluice/core-session';
import type { ContentBlock, JsonObject, ToolSchema } from '@sluice/core-tools';
import type { SpecificationVersion } from './model.ts';

/** The conversation in the AI SDK's words. */
export function promptOf(system: string, messages: readonly SessionMessage[], version: SpecificationVersion): object[] {
  const prompt: object[] = system === '' ? [] : [{ role: 'system', content: system }];
  let results: object[] | undefined;
  for (const message of messages) {
    if (message.role === 'tool') {
      // The results of one reply are one message.
      if (results === undefined) prompt.push({ role: 'tool', content: (results = []) });
      results.push(resultPart(message, version));
      continue;
    }
    results = undefined;
    prompt.push(message.role === 'user' ? userMessage(message, version) : { role: 'assistant', content: message.content.map((part) => assistantPart(part, version)) });
  }
  return prompt;
}

export function toolsOf(tools: readonly ToolSchema[]): object[] {
  return tools.map(({ name, description, parameters }) => ({ type: 'function', name, description, inputSchema: parameters }));
}

function userMessage({ content }: UserMessage, version: SpecificationVersion): object {
  return { role: 'user', content: content.map((block) => userPart(block, version)) };
}

function userPart(block: ContentBlock, version: SpecificationVersion): object {
  if (block.type === 'image' || block.type === 'audio') return filePart(block.data, block.mimeType, version);
  return { type: 'text', text: textOf(block) };
}

/** From `v4` on, data says what it is. */
function filePart(data: string, mediaType: string, version: SpecificationVersion): object {
  if (version !== 'v4') return { type: 'file', data, mediaType };
  return { type: 'file', data: /^https?:/.test(data) ? { type: 'url', url: new URL(data) } : { type: 'data', data }, mediaType };
}

function assistantPart(part: AssistantPart, version: SpecificationVersion): object {
  const more: { providerOptions?: JsonObject } = part.providerOptions === undefined ? {} : { providerOptions: part.providerOptions };
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, text: part.text, ...more };
    case 'file':
      return { ...filePart(part.data, part.mediaType, version), ...more };
    case 'tool-call': {
      const own = part.providerExecuted === true ? { providerExecuted: true } : {};
      return { type: 'tool-call', toolCallId: part.callId, toolName: part.name, input: inputOf(part.argumentsText), ...own, ...more };
    }
    case 'tool-result': {
      const output = { type: part.isError === true ? 'error-json' : 'json', value: part.value };
      return { type: 'tool-result', toolCallId: part.callId, toolName: part.name, output, ...more };
    }
  }
}

/** Providers take objects only; what was none goes back inside one, so that it does not fail every request from then on. */
function inputOf(argumentsText: string): unknown {
  if (argumentsText.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(argumentsText);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Below.
  }
  return { invalidArguments: argumentsText };
}

function resultPart({ callId, name, content, isError }: ToolMessage, version: SpecificationVersion): object {
  const isText = content.every(({ type }) => type === 'text' || type === 'resource_link');
  const output =
    isText || content.length === 0
      ? { type: isError ? 'error-text' : 'text', value: content.map(textOf).join('\n') }
      : { type: 'content', value: content.map((block) => mediaPart(block, version)) };
  return { type: 'tool-result', toolCallId: callId, toolName: name, output };
}

function mediaPart(block: ContentBlock, version: SpecificationVersion): object {
  if (block.type !== 'image' && block.type !== 'audio') return { type: 'text', text: textOf(block) };
  const { data, mimeType: mediaType } = block;
  if (version === 'v2') return { type: 'media', data, mediaType };
  if (version === 'v4') return filePart(data, mediaType, version);
  return { type: block.type === 'image' ? 'image-data' : 'file-data', data, mediaType };
}

/** What can be said of a block in words. */
function textOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource_link':
      return `[${block.name}](${block.uri})`;
    case 'resource':
      return block.resource.text ?? `[${block.resource.mimeType ?? 'binary'} content of ${block.resource.uri}]`;
    default:
      return `[${block.type} content]`;
  }
}
