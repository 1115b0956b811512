import { defineTool, ToolError, type ToolDefinition } from '@sluice/core-tools';
import { recordOf, type JsonRecord, wordOf } from './case.ts';

/** Files in memory, and neutral tools over them, until a package of ours brings real ones. */
export class MemoryFiles {
  readonly #texts = new Map<string, string>();

  /** From the `files` of a case's workspace; text only. */
  constructor(files: JsonRecord = {}) {
    for (const [path, file] of Object.entries(files)) this.#texts.set(path, wordOf(recordOf(file)['text']));
  }

  text(path: string): string | undefined {
    return this.#texts.get(path);
  }

  /** `write` and `edit`. Without `locks`, edits of one file step on each other, as they would on a disk. */
  tools({ locks = true } = {}): ToolDefinition[] {
    const declared = locks ? { locks: ({ path }: { path: string }) => ({ write: [path] }) } : { isConcurrencySafe: () => true };
    const output = { schema: { type: 'string' }, render: (_args: unknown, said: string) => [{ type: 'text' as const, text: said }] } as const;
    return [
      defineTool({
        name: 'write',
        description: 'Writes a file.',
        parameters: { path: { type: 'string', required: true }, content: { type: 'string', required: true } },
        output,
        ...declared,
        execute: async ({ path, content }: { path: string; content: string }) => {
          await pause();
          this.#texts.set(path, content);
          return `wrote ${path}`;
        },
      }),
      defineTool({
        name: 'edit',
        description: 'Replaces one piece of a file.',
        parameters: {
          path: { type: 'string', required: true },
          old: { type: 'string', required: true },
          new: { type: 'string', required: true },
        },
        output,
        ...declared,
        execute: async ({ path, old, new: replacement }: { path: string; old: string; new: string }) => {
          const before = this.#texts.get(path);
          if (before?.includes(old) !== true) throw new ToolError(`${path} does not contain the old text`);
          await pause();
          this.#texts.set(path, before.replace(old, () => replacement));
          return `edited ${path}`;
        },
      }),
    ];
  }
}

/** What a disk takes. */
async function pause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 5));
}
