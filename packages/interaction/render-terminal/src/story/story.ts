import type { PresentableResult, ToolCallView, ToolResultView } from '@sluice/core-tools';
import type { Section } from '../text/line.ts';
import type { Beat, CallBeat, ResultBeat } from './beat.ts';
import { callSections, type CallLimits, type CallNode } from './call.ts';
import { speech } from './speech.ts';

/** Where cards come from: `ctx.tools` is one. */
export interface Presenter {
  present(call: { readonly name: string; readonly arguments?: unknown }): ToolCallView;
  present(call: { readonly name: string; readonly arguments?: unknown }, result: PresentableResult): ToolResultView;
}

export interface StoryOptions extends CallLimits {
  /** Asked for each card. Undefined: every card is the generic one. */
  readonly presenter: () => Presenter | undefined;
}

/**
 * A session, folded from its beats one by one into what stays on the screen and what is still going on. A call stays on the
 * screen when it has its result, with everything that it did below it; so calls that overlap do not mix.
 */
export class Story {
  readonly #options: StoryOptions;
  /** Calls without a result that nobody else made, in order. */
  readonly #roots = new Set<CallNode>();
  readonly #open = new Map<string, CallNode>();

  constructor(options: StoryOptions) {
    this.#options = options;
  }

  /** What is to be added to the screen. */
  take(beat: Beat): Section[] {
    switch (beat.kind) {
      case 'call':
        this.#enter(beat);
        return [];
      case 'result':
        return this.#settle(beat);
      case 'progress': {
        const node = this.#open.get(beat.id);
        if (node !== undefined) node.progress = beat.progress;
        return [];
      }
      case 'asked':
      case 'decided': {
        const sections = speech(beat, this.#options.maxRows, (about) => this.#asked(about)?.view.title);
        const node = this.#asked(beat);
        if (node !== undefined) node.isAsked = beat.kind === 'asked';
        return sections;
      }
      default:
        return speech(beat, this.#options.maxRows, () => undefined);
    }
  }

  /** What has begun and has no result. */
  pending(): Section[] {
    return [...this.#roots].flatMap((node) => callSections(node, this.#options));
  }

  get hasPending(): boolean {
    return this.#roots.size > 0;
  }

  /** Id of a call of the model's that is open and has no other id here yet. */
  openCall(callId: string, name: string, isTaken: (id: string) => boolean): string | undefined {
    for (const [id, { call }] of this.#open) if (call.callId === callId && call.name === name && !isTaken(id)) return id;
    return undefined;
  }

  #enter(call: CallBeat): void {
    const node: CallNode = { call, view: this.#pendingView(call), children: [] };
    const parent = call.parentCallId === undefined ? undefined : this.#latest(call.parentCallId);
    if (parent === undefined) this.#roots.add(node);
    else parent.children.push(node);
    this.#open.set(call.id, node);
  }

  #settle(beat: ResultBeat): Section[] {
    const node = this.#open.get(beat.id) ?? this.#neverEntered(beat);
    this.#open.delete(beat.id);
    node.result = { beat, view: this.#completedView(node, beat) };
    if (!this.#roots.delete(node)) return [];
    for (const child of node.children) this.#forget(child);
    return callSections(node, this.#options);
  }

  #neverEntered({ id, name }: ResultBeat): CallNode {
    const call: CallBeat = { kind: 'call', id, callId: id, name };
    const node: CallNode = { call, view: { card: 'generic', title: name }, children: [] };
    this.#roots.add(node);
    return node;
  }

  /** A child that outlives its parent has been drawn with it. */
  #forget(node: CallNode): void {
    this.#open.delete(node.call.id);
    for (const child of node.children) this.#forget(child);
  }

  /** Ids of calls need not be unique; who makes calls or asks is the one that began last. */
  #latest(callId: string): CallNode | undefined {
    let latest: CallNode | undefined;
    for (const node of this.#open.values()) if (node.call.callId === callId) latest = node;
    return latest;
  }

  #asked({ id, callId }: { id: string; callId: string }): CallNode | undefined {
    return this.#open.get(id) ?? this.#latest(callId);
  }

  #pendingView({ name, arguments: args, argumentsText }: CallBeat): ToolCallView {
    if (args === undefined) return { card: 'generic', title: name, ...(argumentsText === undefined ? {} : { rawInput: argumentsText }) };
    try {
      const view = this.#options.presenter()?.present({ name, arguments: args });
      if (typeof view?.title === 'string') return view;
    } catch {
      // A card is no reason not to draw the call.
    }
    return { card: 'generic', title: name, rawInput: args };
  }

  #completedView({ call: { name, arguments: args } }: CallNode, { content, isError, meta }: ResultBeat): ToolResultView {
    const result = { content, isError, ...(meta === undefined ? {} : { meta }) };
    try {
      const view = args === undefined ? undefined : this.#options.presenter()?.present({ name, arguments: args }, result);
      if (isObject(view)) return view;
    } catch {
      // The same.
    }
    return { card: 'generic', content };
  }
}

function isObject(view: unknown): view is object {
  return typeof view === 'object' && view !== null;
}
