import type { Logger } from '@sluice/core-context';
import pc from 'picocolors';

/** Where a command reads and writes. */
export interface Io {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly paint: ReturnType<typeof pc.createColors>;
  readonly paintErr: ReturnType<typeof pc.createColors>;
  readonly isDebug: boolean;
}

/** Colours on a terminal that shows them, never with NO_COLOR; always with FORCE_COLOR. */
function hasColors(stream: NodeJS.WriteStream): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '0') return true;
  return (stream.isTTY as boolean | undefined) === true && TERM !== 'dumb';
}

export function processIo(isDebug: boolean): Io {
  return {
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
    paint: pc.createColors(hasColors(process.stdout)),
    paintErr: pc.createColors(hasColors(process.stderr)),
    isDebug,
  };
}

/** Whoever reads may stop reading, as `head` does: then there is nobody to write for, and that is no error. */
export function endQuietlyOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit(process.exitCode ?? 0);
    });
  }
}

/**
 * Messages of the host and of plugins, on standard error. While a deployment is loaded errors are kept back: if loading fails,
 * the failure says the same and more.
 */
export function terminalLogger(io: Io): Logger & { readonly release: () => void } {
  let kept: string[] | undefined = [];
  const write = (text: string): void => {
    if (kept === undefined) io.err(text);
    else kept.push(text);
  };
  const say = (level: 'warn' | 'error') => (message: string, data?: unknown) => {
    const detail = io.isDebug && data instanceof Error && data.stack !== undefined ? `\n${data.stack}` : '';
    write(`${io.paintErr[level === 'warn' ? 'yellow' : 'red'](`${level}:`)} ${message}${detail}`);
  };
  const debug = (message: string): void => {
    if (io.isDebug) io.err(io.paintErr.dim(`debug: ${message}`));
  };
  return {
    debug,
    info: debug,
    warn: say('warn'),
    error: say('error'),
    release: () => {
      const texts = kept ?? [];
      kept = undefined;
      texts.forEach(io.err);
    },
  };
}
