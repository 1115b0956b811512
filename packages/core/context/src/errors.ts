import { SluiceError } from '@sluice/core-schema';

/** Some cleanups threw; all of them were run. `errors` holds what they threw, in the order of running. */
export class DisposeError extends SluiceError {
  readonly errors: readonly unknown[];

  constructor(name: string, errors: readonly unknown[]) {
    const messages = errors.map(messageOf).join('; ');
    super('DISPOSE_FAILED', `core-context: ending ${name}: ${errors.length} cleanup${errors.length === 1 ? '' : 's'} failed: ${messages}`, {
      cause: new AggregateError(errors, messages),
    });
    this.errors = errors;
  }
}

export function contextDisposed(name: string, action: string): SluiceError {
  return new SluiceError('CONTEXT_DISPOSED', `core-context: cannot ${action}: ${name} is disposed; use a context that is alive`);
}

export function pluginDisposed(name: string): SluiceError {
  return new SluiceError('PLUGIN_DISPOSED', `core-context: plugin "${name}" is disposed; mount it again with ctx.plugin()`);
}

/** The text of an error, for a message. Never throws. */
export function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return 'a value that cannot be printed';
  }
}
