import type { Logger } from '@sluice/core-context';
import { snapshotJson, type JsonValue } from '@sluice/core-schema';
import type { ToolCallView, ToolResultView } from './cards.ts';
import type { RegisteredTool } from './registry/registered-tool.ts';
import type { PresentableResult } from './types.ts';

/** The tool's own card, or a generic one: unknown tools, bad arguments and throwing presenters are no errors here. */
export function pendingCard(tool: RegisteredTool | undefined, name: string, args: unknown, logger: Logger): ToolCallView {
  const own = card(tool, args, logger, (checked) => tool?.definition.presentCall?.(checked));
  return own ?? genericCall(tool, name, args);
}

export function completedCard(
  tool: RegisteredTool | undefined,
  args: unknown,
  result: PresentableResult,
  logger: Logger,
): ToolResultView {
  const seen: PresentableResult =
    result.meta === undefined
      ? { content: result.content, isError: result.isError }
      : { content: result.content, isError: result.isError, meta: result.meta };
  const own = card(tool, args, logger, (checked) => tool?.definition.presentResult?.(checked, seen));
  return own ?? { card: 'generic', content: result.content };
}

function card<V extends { readonly card: string }>(
  tool: RegisteredTool | undefined,
  args: unknown,
  logger: Logger,
  present: (args: JsonValue) => V | undefined,
): V | undefined {
  if (tool === undefined) return undefined;
  try {
    const snapshot = snapshotJson(args);
    if (!snapshot.ok || tool.parameters.validate(snapshot.value).length > 0) return undefined;
    const view: unknown = present(snapshot.value);
    if (view === undefined) return undefined;
    const copy = snapshotJson(view);
    if (copy.ok && isCard(copy.value)) return copy.value as unknown as V;
    logger.warn(`core-tools: a presenter of tool "${tool.name}" gave no card; drawing the generic one`);
  } catch (error) {
    logger.warn(`core-tools: a presenter of tool "${tool.name}" failed; drawing the generic card`, error);
  }
  return undefined;
}

function genericCall(tool: RegisteredTool | undefined, name: string, args: unknown): ToolCallView {
  const snapshot = snapshotJson(args);
  const title = tool?.facts.annotations?.title ?? name;
  return snapshot.ok ? { card: 'generic', title, rawInput: snapshot.value } : { card: 'generic', title };
}

function isCard(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && typeof (value as { card?: unknown }).card === 'string';
}
