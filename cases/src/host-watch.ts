import { turn } from './clock.ts';

/** What happens to the host process while a case runs. */
export interface HostWatch {
  readonly unhandledRejections: readonly unknown[];
  readonly warnings: readonly Error[];
  /** Keys of `Object.prototype` that were not there before. */
  newPrototypeKeys(): PropertyKey[];
}

/** Runs `use` under watch; the watch ends with it. */
export async function watchingHost<T>(use: (watch: HostWatch) => Promise<T>): Promise<T> {
  const unhandledRejections: unknown[] = [];
  const warnings: Error[] = [];
  const onRejection = (reason: unknown): void => { unhandledRejections.push(reason); };
  const onWarning = (warning: Error): void => { warnings.push(warning); };
  const keys = new Set(Reflect.ownKeys(Object.prototype));
  process.on('unhandledRejection', onRejection);
  process.on('warning', onWarning);
  try {
    return await use({
      unhandledRejections,
      warnings,
      newPrototypeKeys: () => Reflect.ownKeys(Object.prototype).filter((key) => !keys.has(key)),
    });
  } finally {
    await turn();
    process.off('unhandledRejection', onRejection);
    process.off('warning', onWarning);
  }
}
