import type { Logger } from './types.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

const quiet = (): void => undefined;

/** Warnings and errors to the console, the rest nowhere. */
export const consoleLogger: Logger = {
  debug: quiet,
  info: quiet,
  warn: (message, data) => print('warn', message, data),
  error: (message, data) => print('error', message, data),
};

function print(level: 'warn' | 'error', message: string, data: unknown): void {
  if (data === undefined) console[level](message);
  else console[level](message, data);
}

/** The same logger, except that what it throws or rejects with is ignored: logging must not change what happens. */
export function containedLogger(logger: Logger): Logger {
  for (const level of LEVELS) {
    if (typeof logger[level] !== 'function') throw new TypeError(`core-context: logger.${level} must be a function, received ${typeof logger[level]}`);
  }
  const contained = (level: (typeof LEVELS)[number]) => (...args: [message: string, data?: unknown]): void => {
    try {
      const result = (logger[level] as (...args: unknown[]) => unknown)(...args);
      if (result instanceof Promise) result.catch(quiet);
    } catch {
      // There is nowhere left to report it.
    }
  };
  return Object.freeze({ debug: contained('debug'), info: contained('info'), warn: contained('warn'), error: contained('error') });
}
