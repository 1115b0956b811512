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
    prompt.push(message.role === 'user' ? userMessage(message) : { role: 'assistant', content: message.content.map(assistantPart) });
  }
  return prompt;
}

export function toolsOf(tools: readonly ToolSchema[]): object[] {
  return tools.map(({ name, description, parameters }) => ({ type: 'function', name, description, inputSchema: parameters }));
}

function userMessage({ content }: UserMessage): object {
  return { role: 'user', content: content.map(userPart) };
}

function userPart(block: ContentBlock): object {
  if (block.type === 'image' || block.type === 'audio') return { type: 'file', data: block.data, mediaType: block.mimeType };
  return { type: 'text', text: textOf(block) };
}

function assistantPart(part: AssistantPart): object {
  const more: { providerOptions?: JsonObject } = part.providerOptions === undefined ? {} : { providerOptions: part.providerOptions };
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, text: part.text, ...more };
    case 'file':
      return { type: 'file', data: part.data, mediaType: part.mediaType, ...more };
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
