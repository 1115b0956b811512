import { randomUUID } from 'node:crypto';
import { realpathSync, readFileSync, statSync } from 'node:fs';
import { mkdir, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { compileSchema, describeIssues, parseJsonText, SluiceError } from '@sluice/core-schema';
import { compileRule, type CompiledRule, type RuleSettings } from '../compile-rule.ts';
import { ruleProperties } from '../config.ts';
import type { RememberedRule, Rule } from '../types.ts';
import { withFileLock } from './file-lock.ts';

/** One rule as it is stored. */
export interface StoredRule extends Rule {
  readonly id: string;
  readonly remember: 'project' | 'user';
  readonly rememberedAt: string;
  /** With `project`: the root it holds for. */
  readonly root?: string;
}

export interface StoredEntry {
  readonly remembered: RememberedRule;
  readonly compiled: CompiledRule;
}

const VERSION = 1;
const MAX_BYTES = 16_000_000;
const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['version', 'rules'],
  properties: {
    version: { const: VERSION },
    rules: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['id', 'remember', 'rememberedAt', 'tool', 'decision'],
        properties: {
          ...ruleProperties,
          id: { type: 'string', minLength: 1 },
          remember: { enum: ['project', 'user'] },
          rememberedAt: { type: 'string', minLength: 1 },
          root: { type: 'string', minLength: 1 },
        },
      },
    },
  },
} as const;

/** The JSON file of remembered rules. No file is no rules; any other file that is not exactly right is an error. */
export class RuleFile {
  readonly path: string;
  readonly #settings: RuleSettings;
  #stamp: string | undefined;
  #entries: readonly StoredEntry[] = [];
  #problem: SluiceError | undefined;

  constructor(path: string, settings: RuleSettings) {
    this.path = path;
    this.#settings = settings;
  }

  /**
   * What the file says now. Looks at its date, size and identity each time, and reads it only when they have changed, so
   * that what another process revoked is gone at once.
   * @throws SluiceError `RULES_FILE` that says what is wrong with it and what to do
   */
  read(): readonly StoredEntry[] {
    const stamp = this.#look();
    if (stamp !== this.#stamp) {
      this.#stamp = stamp;
      this.#problem = undefined;
      try {
        this.#entries = stamp === '' ? [] : this.#parse(readFileSync(this.path));
      } catch (error) {
        this.#entries = [];
        this.#problem = this.#invalid(error instanceof Error ? error.message : String(error), error);
      }
    }
    if (this.#problem !== undefined) throw this.#problem;
    return this.#entries;
  }

  /** Changes the file, on top of whatever others have written meanwhile. @throws SluiceError `RULES_FILE`, `RULES_LOCKED` */
  async change(edit: (rules: readonly StoredRule[]) => readonly StoredRule[]): Promise<void> {
    try {
      await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
      await withFileLock(this.path, async (isHeld) => {
        const before = this.read().map(({ remembered }) => storedForm(remembered));
        const after = edit(before);
        if (after === before) return;
        await this.#write(after, isHeld);
      });
    } catch (error) {
      if (error instanceof SluiceError) throw error;
      throw new SluiceError('RULES_FILE', `permission-rules: ${this.path} could not be written: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Whole or not at all, also when the power goes: written beside it, flushed, then renamed over it. */
  async #write(rules: readonly StoredRule[], isHeld: () => Promise<boolean>): Promise<void> {
    const target = realPath(this.path);
    const beside = `${target}.${randomUUID()}.tmp`;
    const handle = await open(beside, 'wx', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify({ version: VERSION, rules }, undefined, 2)}\n`);
      await handle.sync();
      await handle.close();
      if (!(await isHeld())) throw new SluiceError('RULES_LOCKED', `permission-rules: lost the lock on ${this.path} before it was written; try again`);
      await rename(beside, target);
    } catch (error) {
      await handle.close().catch(() => undefined);
      await unlink(beside).catch(() => undefined);
      throw error;
    }
    await syncDirectory(dirname(target));
  }

  #look(): string {
    try {
      const { mtimeNs, ctimeNs, size, ino } = statSync(this.path, { bigint: true });
      return `${mtimeNs}:${ctimeNs}:${size}:${ino}`;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
      return `error:${(error as Error).message}`;
    }
  }

  #parse(bytes: Buffer): readonly StoredEntry[] {
    if (bytes.length > MAX_BYTES) throw new Error(`it has ${bytes.length} bytes, more than ${MAX_BYTES}`);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (text.trim() === '') throw new Error('it is empty');
    const parsed = parseJsonText(text);
    if (!parsed.ok) throw new Error(parsed.issue.message);
    const issues = compileSchema(schema, { origin: 'own', label: 'permission-rules: the rule file' }).validate(parsed.value);
    if (issues.length > 0) throw new Error(describeIssues(issues, 'file'));
    const { rules } = parsed.value as unknown as { readonly rules: readonly StoredRule[] };
    const ids = new Set<string>();
    return rules.map((stored) => {
      if (ids.has(stored.id)) throw new Error(`two rules have the id ${JSON.stringify(stored.id)}`);
      ids.add(stored.id);
      if ((stored.remember === 'project') !== (stored.root !== undefined)) throw new Error(`rule ${JSON.stringify(stored.id)}: a project rule, and no other, says its root`);
      const compiled = compileRule(ruleOf(stored), stored.id, 'remembered', this.#settings);
      return { remembered: Object.freeze({ ...stored, text: compiled.shown.text }), compiled };
    });
  }

  #invalid(what: string, cause: unknown): SluiceError {
    return new SluiceError('RULES_FILE', `permission-rules: ${this.path} cannot be used: ${what}. Nothing is allowed until it is repaired or deleted`, { cause });
  }
}

/** Only what makes the rule, without where it is kept. */
export function ruleOf({ tool, when, decision, reason }: Rule): Rule {
  return { tool, ...(when === undefined ? {} : { when }), decision, ...(reason === undefined ? {} : { reason }) };
}

/** The same, as it stands in the file. */
export function storedForm(remembered: RememberedRule): StoredRule {
  const { id, remember, rememberedAt, root } = remembered;
  return { id, remember: remember === 'user' ? 'user' : 'project', rememberedAt, ...(root === undefined ? {} : { root }), ...ruleOf(remembered) };
}

/** Through a link, so that the link stays one. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

async function syncDirectory(path: string): Promise<void> {
  // Not every system can; the rename has happened either way.
  const handle = await open(path, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

