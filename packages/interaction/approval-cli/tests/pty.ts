import { spawn, type IPty } from '@lydell/node-pty';
import headless from '@xterm/headless';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import type { Report, Scenario } from './program/scenario.ts';

/** Milliseconds after which a test gives up on the program. */
const PATIENCE_MS = 15_000;

/** Where core-schema finds Ajv, which it loads when it first needs it; that escapes a bundler. */
const AJV = join(import.meta.dirname, '../../../core/schema/node_modules');

export interface Size {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input is a pipe that nobody writes to and nobody closes; the rest is the terminal. */
  readonly hasSilentInput?: boolean;
}

/** Bundles the test program from the source, so that plain Node.js can run it. Call it once per spec file. */
export async function aProgram(): Promise<{ start(scenario: Scenario, size?: Size): Run; remove(): void }> {
  const dir = mkdtempSync(join(tmpdir(), 'approval-cli-'));
  await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['@sluice/source'] },
    ssr: { noExternal: true, resolve: { conditions: ['@sluice/source', 'module', 'node'] } },
    build: { ssr: join(import.meta.dirname, 'program/main.ts'), outDir: dir, minify: false, rolldownOptions: { output: { entryFileNames: 'main.mjs' } } },
  });
  return {
    start: (scenario, size) => new Run(dir, scenario, size),
    remove: () => {
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

let count = 0;

/** The program on a pseudo-terminal, and what is to be seen there. */
export class Run {
  readonly pty: IPty;
  /** Everything that was written, control sequences included. */
  transcript = '';
  readonly #screen: headless.Terminal;
  readonly #report: string;
  readonly #watchers = new Set<() => void>();
  #isOver = false;
  #isClosed = false;

  constructor(dir: string, scenario: Scenario, { columns = 80, rows = 24, env = {}, hasSilentInput = false }: Size = {}) {
    count += 1;
    this.#report = join(dir, `report-${count}.json`);
    this.#screen = new headless.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 10_000 });
    const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(NO_COLOR|FORCE_COLOR|TERM|COLORTERM|CI|VITEST.*|NODE_.*)$/.test(name)));
    const program = join(dir, 'main.mjs');
    // A pipe that is open for writing too never ends.
    const silent = ['-c', 'mkfifo "$1"; exec "$2" "$3" <>"$1"', 'sh', join(dir, `pipe-${count}`), process.execPath, program];
    this.pty = spawn(hasSilentInput ? '/bin/sh' : process.execPath, hasSilentInput ? silent : [program], {
      name: env['TERM'] ?? 'xterm-256color',
      cols: columns,
      rows,
      env: { ...inherited, NODE_PATH: AJV, TERM: 'xterm-256color', ...env, SCENARIO: JSON.stringify(scenario), REPORT: this.#report },
    });
    this.pty.onData((data) => {
      this.transcript += data;
      this.#screen.write(data, () => this.#look());
    });
    this.pty.onExit(() => {
      this.#isOver = true;
      this.#look();
    });
  }

  /** The rows on the screen now, without trailing blanks. */
  screen(): string[] {
    const { active } = this.#screen.buffer;
    return Array.from({ length: this.#screen.rows }, (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '');
  }

  /** All that is on the screen, and above it. */
  history(): string[] {
    const { active } = this.#screen.buffer;
    return Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? '');
  }

  sees(text: string): boolean {
    return this.screen().join('\n').includes(text);
  }

  /** Resolves when it holds; looks each time something is drawn. Rejects with the screen when it never does. */
  until(holds: () => boolean, what = 'what was waited for'): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        clearInterval(polling);
        this.#watchers.delete(look);
      };
      const look = (): void => {
        if (!holds()) return;
        end();
        resolve();
      };
      const timer = setTimeout(() => {
        end();
        reject(new Error(`${what} did not come; on the screen is:\n${this.screen().join('\n')}`));
      }, PATIENCE_MS);
      const polling = setInterval(look, 50);
      this.#watchers.add(look);
      look();
    });
  }

  untilSeen(text: string): Promise<void> {
    return this.until(() => this.sees(text), JSON.stringify(text));
  }

  /** The question about this tool is drawn, keys included. */
  async untilAsked(tool: string): Promise<void> {
    await this.until(() => this.sees(`Allow ${tool}?`) && this.sees('y once'), `the question about ${tool}`);
  }

  type(text: string): void {
    this.pty.write(text);
  }

  /** As when the window changes. */
  resize(columns: number, rows: number): void {
    this.#screen.resize(columns, rows);
    this.pty.resize(columns, rows);
  }

  /** The window is closed: the terminal is gone for the program. */
  close(): void {
    this.#isClosed = true;
    (this.pty as unknown as { destroy(): void }).destroy();
  }

  /** What the program reported at its end. */
  async report(): Promise<Report> {
    let report: Report | undefined;
    // Not at its exit: after its terminal was closed that is not told.
    await this.until(() => {
      if (existsSync(this.#report)) report = JSON.parse(readFileSync(this.#report, 'utf8')) as Report;
      return report !== undefined && (this.#isOver || this.#isClosed || this.transcript.includes('OVER'));
    }, 'the end of the program');
    await new Promise<void>((resolve) => {
      this.#screen.write('', resolve);
    });
    return report as unknown as Report;
  }

  kill(): void {
    try {
      this.pty.kill('SIGKILL');
    } catch {
      // It is over already.
    }
    this.#screen.dispose();
  }

  #look(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }
}
