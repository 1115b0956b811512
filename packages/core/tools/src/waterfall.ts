import type { ListenerEntry } from '@sluice/core-context';
import type { Call } from './call.ts';
import { codes } from './errors.ts';
import type { FailureParts } from './outcome.ts';
import { thrownMessage } from './thrown.ts';

/** A listener, guard or wrapper threw or answered nonsense. Carries who and where; the original error goes to the logger. */
export class HookFailure extends Error {
  readonly hook: string;
  readonly plugin: string;

  constructor(hook: string, plugin: string, cause: unknown) {
    super(thrownMessage(cause), { cause });
    this.hook = hook;
    this.plugin = plugin;
  }
}

/** Thrown for an answer that is no answer; caught where the answering plugin is known. */
export class Nonsense extends Error {}

export function logFailure(call: Call, failure: HookFailure): void {
  call.ctx.logger.error(`core-tools: ${failure.hook} of plugin "${failure.plugin}" failed on call "${call.exec.callId}"`, failure.cause);
}

export function pipelineFailed(failure: HookFailure): FailureParts {
  return {
    code: codes.PIPELINE_FAILED,
    message: `${failure.hook} of plugin "${failure.plugin}" failed: ${failure.message}`,
    causeCode: foreignCode(failure.cause),
    listener: failure.plugin,
  };
}

/** The last step of a waterfall, or whatever `next` leads to. */
export type Step<D> = () => D | Promise<D>;

/**
 * Runs the listeners as they were when the call entered the hook, first one outermost. `next` is addressed by index, so a
 * second call runs everything inside anew. Each answer is parsed where it is given. The first failure sticks: an outer
 * listener that swallows it cannot turn it into an answer, or a broken policy would count as no policy.
 *
 * @throws HookFailure
 */
export async function runWaterfall<D>(
  hook: string,
  entries: readonly ListenerEntry[],
  args: readonly unknown[],
  last: Step<D>,
  parse: (answer: unknown) => D,
): Promise<D> {
  let failure: HookFailure | undefined;
  const enter = async (index: number): Promise<D> => {
    const entry = entries[index];
    if (entry === undefined) return last();
    const next = (): Promise<D> => quiet(enter(index + 1));
    try {
      return parse(await entry.invoke(...args, next));
    } catch (error) {
      failure ??= new HookFailure(hook, entry.plugin, error);
      throw error;
    }
  };
  try {
    const answer = await enter(0);
    if (failure === undefined) return answer;
  } catch (error) {
    failure ??= new HookFailure(hook, 'core-tools', error);
  }
  throw failure;
}

/** A listener may drop the promise that `next` gave it; its rejection must not end the process. */
export function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/** An answer's own data as a record. @throws Nonsense */
export function answerRecord(answer: unknown, expected: string): Readonly<Record<string, unknown>> {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) {
    throw new Nonsense(`it answered ${answer === null ? 'null' : typeof answer} instead of ${expected}`);
  }
  return answer as Readonly<Record<string, unknown>>;
}

function foreignCode(cause: unknown): string | undefined {
  try {
    const code = (cause as { code?: unknown } | null | undefined)?.code;
    return typeof code === 'string' && code !== '' ? code.slice(0, 200) : undefined;
  } catch {
    return undefined;
  }
}
