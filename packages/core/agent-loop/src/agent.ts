import type { Context } from '@sluice/core-context';
import type { Session } from '@sluice/core-session';
import { checkContent, onAbort, SluiceError, type ContentBlock } from '@sluice/core-tools';
import { EventQueue } from './agent-run.ts';
import type { Batch } from './batch.ts';
import { Conversation } from './conversation.ts';
import { Turn, type TurnParts } from './turn.ts';
import type { Agent, AgentInput, AgentRun, RunOptions, TurnResult } from './types.ts';

export type AgentParts = Omit<TurnParts, 'ctx' | 'conversation' | 'takeSteering' | 'onBatch'> & {
  readonly name: string;
  /** Its scope; ends with the agent. */
  readonly ctx: Context;
  readonly session: Session;
};

export class LoopAgent implements Agent {
  readonly name: string;
  readonly ctx: Context;
  readonly session: Session;
  readonly #turnParts: TurnParts;
  readonly #conversation: Conversation;
  #steering: (readonly ContentBlock[])[] = [];
  #batch: Batch | undefined;
  #running: Promise<unknown> | undefined;

  constructor({ name, ctx, session, ...rest }: AgentParts) {
    this.name = name;
    this.ctx = ctx;
    this.session = session;
    this.#conversation = new Conversation(session);
    this.#turnParts = {
      ...rest,
      ctx,
      conversation: this.#conversation,
      takeSteering: () => this.#steering.splice(0),
      onBatch: (batch) => { this.#batch = batch; },
    };
    ctx.on('tools/call', (exec) => { if (exec.scopePath === ctx.scopePath) this.#batch?.entered(exec); }, { prepend: true });
    ctx.on('tools/progress', (exec, progress) => {
      if (exec.scopePath === ctx.scopePath) this.#conversation.watch({ type: 'tool-progress', callId: exec.callId, progress });
    });
    // Ends before everything that was mounted so far: the log stays open until the turn has written its end.
    ctx.effect(() => () => this.#running?.then(() => undefined), 'turn');
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  run(input: AgentInput, { signal }: RunOptions = {}): AgentRun {
    const content = contentOf(input);
    if (signal !== undefined && !isSignal(signal)) throw new TypeError('core-agent-loop: signal must be an AbortSignal');
    if (this.ctx.signal.aborted) throw new SluiceError('AGENT_DISPOSED', `core-agent-loop: agent "${this.name}" was disposed; create another one`);
    if (this.isRunning) {
      throw new SluiceError('AGENT_BUSY', `core-agent-loop: agent "${this.name}" is in a turn; wait for its end, or add to it with agent.steer()`);
    }
    const controller = new AbortController();
    const abort = (reason?: unknown): void => { controller.abort(reason); };
    return new EventQueue((watch) => this.#turn(content, { signal, controller, watch }), abort);
  }

  steer(input: AgentInput): void {
    this.#steering.push(contentOf(input));
  }

  dispose(): Promise<void> {
    return this.ctx.dispose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  #turn(content: readonly ContentBlock[], { signal, controller, watch }: { signal: AbortSignal | undefined; controller: AbortController; watch: Conversation['watch'] }): Promise<TurnResult> {
    const unwatch = [signal, this.ctx.signal].map((each) => follow(each, controller));
    this.#conversation.watch = watch;
    const turn = new Turn(this.#turnParts, this.session.turn.number + 1, controller.signal);
    // Not before this agent counts as running.
    const ended = Promise.resolve().then(() => turn.run(content)).finally(() => {
      for (const stop of unwatch) stop();
      this.#conversation.watch = () => undefined;
      this.#running = undefined;
    });
    this.#running = ended;
    return ended;
  }
}

/** Aborts with `signal`, until the returned function is called. */
function follow(signal: AbortSignal | undefined, controller: AbortController): () => void {
  if (signal === undefined) return () => undefined;
  const abort = (): void => { controller.abort(signal.reason); };
  if (!signal.aborted) return onAbort(signal, abort);
  abort();
  return () => undefined;
}

/** @throws TypeError */
function contentOf(input: AgentInput): readonly ContentBlock[] {
  const checked = checkContent(typeof input === 'string' ? [{ type: 'text', text: input }] : input);
  if (checked.ok && checked.content.length > 0) return checked.content;
  const problem = checked.ok ? 'it is empty' : checked.problem;
  throw new TypeError(`core-agent-loop: a message is a string or an array of content blocks: ${problem}`);
}

/** By shape, so that one of another realm is one. */
function isSignal(value: Partial<AbortSignal>): value is AbortSignal {
  return typeof value.aborted === 'boolean' && typeof value.addEventListener === 'function';
}
