import type { Logger } from '@sluice/core-context';
import { describeIssues, snapshotJson, type JsonValue, type SnapshotLimits } from '@sluice/core-schema';
import type { ToolCallView, ToolResultView } from './cards.ts';
import { checkContent } from './content.ts';
import { disown } from './disown.ts';
import type { RegisteredTool } from './registry/registered-tool.ts';
import type { PresentableResult } from './types.ts';

/** A call as it is to be drawn. Without `arguments` it is one without arguments, as for `execute`. */
export interface PresentableCall {
  readonly name: string;
  readonly arguments?: unknown;
}

interface Surroundings {
  readonly limits: SnapshotLimits;
  readonly logger: Logger;
}

/** The tool's own card, or a generic one: unknown tools, bad arguments and throwing presenters are no errors here. */
export function pendingCard(tool: RegisteredTool | undefined, call: PresentableCall, around: Surroundings): ToolCallView {
  const args = readArguments(call, around.limits);
  const own = card(tool, args, around.logger, 'needs title', (checked) => tool?.presentCall?.(checked));
  if (own !== undefined) return own as unknown as ToolCallView;
  const title = tool?.facts.annotations?.title ?? call.name;
  return Object.freeze(args === undefined ? { card: 'generic', title } : { card: 'generic', title, rawInput: args });
}

export function completedCard(
  tool: RegisteredTool | undefined,
  call: PresentableCall,
  result: PresentableResult,
  around: Surroundings,
): ToolResultView {
  const seen = readResult(result, around.limits);
  const args = readArguments(call, around.limits);
  const own = card(tool, args, around.logger, 'title optional', (checked) => tool?.presentResult?.(checked, seen));
  return own === undefined ? Object.freeze({ card: 'generic', content: seen.content }) : (own as unknown as ToolResultView);
}

/** A card is for a person to look at. Depth: as deep as arguments may be configured to be, since cards show them. */
const CARD_LIMITS: SnapshotLimits = { maxDepth: 10_000, maxNodes: 100_000 };

type TitleRule = 'needs title' | 'title optional';

function card(
  tool: RegisteredTool | undefined,
  args: JsonValue | undefined,
  logger: Logger,
  title: TitleRule,
  present: (args: JsonValue) => unknown,
): JsonValue | undefined {
  if (tool === undefined || args === undefined) return undefined;
  try {
    if (tool.parameters.validate(args).length > 0) return undefined;
    const view = present(args);
    if (view === undefined) return undefined;
    disown(view);
    const copy = snapshotJson(withoutUndefined(view), CARD_LIMITS);
    if (copy.ok && isCard(copy.value, title)) return copy.value;
    const why = copy.ok ? 'a card has a tag, "card", and a "title", both text' : describeIssues([copy.issue], 'the card');
    logger.warn(`core-tools: a presenter of tool "${tool.name}" gave no card: ${why}; drawing the generic one`);
  } catch (error) {
    logger.warn(`core-tools: a presenter of tool "${tool.name}" failed; drawing the generic card`, error);
  }
  return undefined;
}

/** Replayed from somebody's log, perhaps: what is no content, is no JSON or cannot be read is left out. */
function readResult(result: PresentableResult, limits: SnapshotLimits): PresentableResult {
  const given = readOr(undefined, () => result.meta);
  const content = checkContent(readOr([], () => result.content));
  const meta = given === undefined ? undefined : snapshotJson(given, limits);
  return Object.freeze({
    content: content.ok ? content.content : [],
    isError: readOr(true, () => result.isError),
    ...(meta?.ok === true ? { meta: meta.value } : {}),
  });
}

function readOr<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

export function readArguments(call: PresentableCall, limits: SnapshotLimits): JsonValue | undefined {
  try {
    const snapshot = snapshotJson('arguments' in call ? call.arguments : {}, limits);
    return snapshot.ok ? snapshot.value : undefined;
  } catch {
    return undefined;
  }
}

/** Values of a card that are looked at for undefined members. A shared reference counts each time, or a small card could take for ever. */
const MAX_TIDIED = CARD_LIMITS.maxNodes;

/** `description: args.description` is how optional members of a card are written; left undefined, they are absent. */
function withoutUndefined(view: unknown): unknown {
  let left = MAX_TIDIED;
  const tidy = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || --left < 0) return value;
    if (Array.isArray(value)) return value.length > left ? value : value.map(tidy);
    if (Object.getPrototypeOf(value) !== Object.prototype) return value;
    const kept = Object.entries(value).filter(([, member]) => member !== undefined);
    return Object.fromEntries(kept.map(([key, member]) => [key, tidy(member)]));
  };
  return tidy(view);
}

/** Tags are open, so all that is asked of a card is what can be drawn where its tag is not known. */
function isCard(value: JsonValue, rule: TitleRule): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { card: tag, title } = value as Readonly<Record<string, JsonValue | undefined>>;
  return typeof tag === 'string' && (typeof title === 'string' || (title === undefined && rule === 'title optional'));
}
