import type { Logger } from '@sluice/core-tools';

export type LogLevel = keyof Logger;

export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  /** What was logged beside the message, such as the original error. */
  readonly data?: unknown;
}

export interface RecordingLogger extends Logger {
  /** Oldest first; grows as things are logged. */
  readonly entries: readonly LogEntry[];
  /** Messages of one level, oldest first. */
  messages(level: LogLevel): string[];
}

/** A logger that prints nothing and keeps everything. */
export function aLogger(): RecordingLogger {
  const entries: LogEntry[] = [];
  const log = (level: LogLevel) => (message: string, data?: unknown): void => {
    entries.push(data === undefined ? { level, message } : { level, message, data });
  };
  return {
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
    entries,
    messages: (level) => entries.filter((entry) => entry.level === level).map(({ message }) => message),
  };
}
