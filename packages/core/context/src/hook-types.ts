import type { Hooks } from './index.ts';

/**
 * A hook that wraps something: each listener gets the arguments and `next`, and answers `R` itself or through `next()`.
 * `next()` runs everything further in, anew each time it is called.
 */
export interface Waterfall<Args extends readonly unknown[], R> {
  readonly kind: 'waterfall';
  readonly args: Args;
  readonly result: R;
}

/**
 * A waterfall whose `next` takes a patch for the layers further in. The package that owns the hook runs it itself, over
 * `ctx.listeners(hook)`, because only it knows what a patch means.
 */
export interface WaterfallWithPatch<Args extends readonly unknown[], R, P> {
  readonly kind: 'waterfall-with-patch';
  readonly args: Args;
  readonly result: R;
  readonly patch: P;
}

/** A hook that only tells: what a listener returns is not looked at, and what it throws is logged. */
export interface Notification<Args extends readonly unknown[]> {
  readonly kind: 'notification';
  readonly args: Args;
}

/**
 * What a notification listener may return: anything but a promise, so that `(e) => seen.push(e)` is fine and an async
 * listener, which nobody would wait for, is a type error.
 */
export type NoPromise = void | null | boolean | number | string | bigint | symbol | (object & { readonly then?: never });

/** The function that listens on a hook of this description. */
export type ListenerOf<H> =
  H extends Notification<infer Args extends readonly unknown[]> ? (...args: Args) => NoPromise
  : H extends WaterfallWithPatch<infer Args extends readonly unknown[], infer R, infer P> ?
    (...args: [...Args, next: (patch?: P) => Promise<R>]) => R | Promise<R>
  : H extends Waterfall<infer Args extends readonly unknown[], infer R> ? (...args: [...Args, next: () => Promise<R>]) => R | Promise<R>
  : never;

/** The names of all hooks that some package in the program has declared. */
export type HookName = Extract<keyof Hooks, string>;

/** The function that listens on the hook of this name. */
export type Listener<K extends HookName> = ListenerOf<Hooks[K]>;

type HookNameOfKind<Kind extends string> = {
  [K in HookName]: Hooks[K] extends { readonly kind: Kind } ? K : never;
}[HookName];

/** The names of the hooks that `ctx.emit` takes. */
export type NotificationName = HookNameOfKind<'notification'>;

/** The names of the hooks that `ctx.waterfall` takes. */
export type WaterfallName = HookNameOfKind<'waterfall'>;

/** The arguments of the hook of this name, without `next`. */
export type HookArgs<K extends HookName> = Hooks[K] extends { readonly args: infer Args extends readonly unknown[] } ? Args : never;

/** What the waterfall of this name resolves to. */
export type HookResult<K extends HookName> = Hooks[K] extends { readonly result: infer R } ? R : never;
