import {
  definePlugin,
  namePattern,
  type AdditionalContext,
  type Context,
  type PostToolDecision,
  type ToolExecution,
} from '@sluice/core-tools';
import { adviceFor, type AdviceConfig } from './advice.ts';
import { CallHistory } from './call-history.ts';
import { traceOf } from './trace.ts';

export interface RepeatToolReminderConfig extends AdviceConfig {
  /** Counts at which advice is given: integers of 2 or more, ascending whatever the order given. Default [3, 5, 8]. */
  readonly thresholds: readonly number[];
  /** Past the last threshold, advice again every so many calls. Default 5. */
  readonly repeatEvery: number;
  /** Names or patterns (`*`) of tools to watch. Default: all. */
  readonly include: readonly string[];
  /** Names or patterns not to watch; wins over `include`. Such calls neither count nor interrupt a row. */
  readonly exclude: readonly string[];
  /** UTF-16 code units of the arguments that detailed advice quotes. Default 500. */
  readonly argumentsPreviewChars: number;
  /** Longest cycle of different calls that is noticed; 1 looks for identical calls only. Default 3. */
  readonly cycleLength: number;
  /** Failures of one tool in a row with the same text at which advice is given. Default 3. */
  readonly sameErrorThreshold: number;
  /** From this count on the result is blocked, with the advice as feedback. Default: never. */
  readonly escalate?: { readonly blockAt: number };
}

const count = { type: 'integer', minimum: 1 } as const;
const atLeastTwo = { type: 'integer', minimum: 2 } as const;
const names = { type: 'array', items: { type: 'string', minLength: 1 }, default: [] } as const;
const config = {
  type: 'object',
  additionalProperties: false,
  properties: {
    thresholds: { type: 'array', items: atLeastTwo, minItems: 1, uniqueItems: true, default: [3, 5, 8] },
    repeatEvery: { ...count, default: 5 },
    include: names,
    exclude: names,
    argumentsPreviewChars: { ...count, default: 500 },
    cycleLength: { ...count, maximum: 20, default: 3 },
    sameErrorThreshold: { ...atLeastTwo, default: 3 },
    escalate: { type: 'object', additionalProperties: false, required: ['blockAt'], properties: { blockAt: atLeastTwo } },
  },
} as const;

/** `ctx.repeatToolReminder`, for harnesses whose loop does not emit `agent/pre-step`. */
export interface RepeatToolReminder {
  /** A person has spoken: the row of calls in this scope is over. Default: the scope of the context it is read from. */
  reset(scope?: Pick<Context, 'scopePath'>): void;
}

declare module '@sluice/core-context' {
  interface Services {
    repeatToolReminder: RepeatToolReminder;
  }
}

const SOURCE = 'repeat-tool-reminder';

/**
 * Tells a model that it goes in circles. Advisory: it adds a message after the result and touches nothing else, unless told
 * to escalate. Denied, invalid and failed calls count too. Rows are counted per scope and die with it.
 *
 * Source: dsh guard/repeat-tool-reminder. Differs: cycles, same errors, advice past the last threshold, keys of a tool's own.
 */
export const repeatToolReminder = definePlugin<RepeatToolReminderConfig>({
  name: SOURCE,
  inject: ['tools'],
  config,
  apply(ctx, { include, exclude, cycleLength, escalate, ...given }) {
    const advice: AdviceConfig = { ...given, thresholds: [...given.thresholds].sort((a, b) => a - b) };
    const isWatched = watcher(include, exclude);
    // A scope's path is one frozen array for as long as the scope lives; a new scope of the same name starts anew.
    const histories = new WeakMap<readonly string[], CallHistory>();
    const historyOf = (scopePath: readonly string[]): CallHistory => {
      const known = histories.get(scopePath);
      if (known !== undefined) return known;
      const history = new CallHistory(cycleLength);
      histories.set(scopePath, history);
      return history;
    };

    ctx.provide('repeatToolReminder', {
      bind: (caller) => ({
        reset(scope = caller) {
          histories.delete(scope.scopePath);
        },
      }),
    });
    ctx.on('agent/pre-step', (step, next) => {
      const isSpokenTo = step.incoming.some(({ role, source }) => role === 'user' && source === undefined);
      if (isSpokenTo) histories.delete(step.scopePath);
      return next();
    });
    ctx.on('tools/post-execute', (exec, result, next) => {
      // Counted before anybody downstream decides, so that a row goes on whatever they say.
      const trace = isWatched(exec) ? traceOf(exec, result) : undefined;
      if (trace === undefined) return next();
      const findings = historyOf(exec.scopePath).add(trace);
      const words = adviceFor(findings, trace, advice);
      const isTooMuch = escalate !== undefined && Math.max(findings.identical, findings.cycle?.times ?? 0) >= escalate.blockAt;
      if (isTooMuch) {
        const said = words ?? `You have repeated the same call ${findings.identical} times; its result is withheld.`;
        return next().then((decision) => blocked(decision, said));
      }
      return words === undefined ? next() : next().then((decision) => withReminder(decision, words));
    });
  },
});
export default repeatToolReminder;

function watcher(include: readonly string[], exclude: readonly string[]): (exec: ToolExecution) => boolean {
  const included = include.map(namePattern);
  const excluded = exclude.map(namePattern);
  if (included.length + excluded.length === 0) return () => true;
  return ({ name }) => (included.length === 0 || included.some((matches) => matches(name))) && !excluded.some((matches) => matches(name));
}

function withReminder(decision: PostToolDecision, words: string): PostToolDecision {
  const reminder: AdditionalContext = { source: SOURCE, content: [{ type: 'text', text: words }] };
  return { ...decision, additionalContexts: [reminder, ...(decision.additionalContexts ?? [])] };
}

/** A block of somebody downstream stays as it is: its feedback matters more. */
function blocked(decision: PostToolDecision, words: string): PostToolDecision {
  if (decision.kind === 'block') return withReminder(decision, words);
  const contexts = decision.additionalContexts;
  return {
    kind: 'block',
    feedback: [{ type: 'text', text: words }],
    ...(contexts === undefined ? {} : { additionalContexts: contexts }),
  };
}
