import { createHash } from 'node:crypto';
import { SluiceError } from '@sluice/core-schema';
import { canonicalJson, type JsonValue } from '@sluice/core-tools';
import { compileRule, type CompiledRule, type RuleSettings } from '../compile-rule.ts';
import type { RememberableRule, RememberedRule, Rule } from '../types.ts';
import { ruleOf, storedForm, type RuleFile, type StoredEntry } from './rule-file.ts';

/** Where a call is, for rules that do not hold everywhere. */
export interface Place {
  readonly scopePath: readonly string[];
  readonly rootCallId: string | undefined;
}

type Entry = StoredEntry;

/** Enough for every argument that a person can have read. UTF-16 code units of the rule as JSON. */
const MAX_RULE = 65_536;

/**
 * All rules that people have agreed to: those of this process, and those in the file. What is asked of it holds at once;
 * the file follows. A change that could not be stored is tried again with the next one, and holds here meanwhile.
 */
export class Remembered {
  readonly #settings: RuleSettings;
  readonly #file: RuleFile | undefined;
  readonly #warn: (message: string) => void;
  readonly #own = new Map<string, Entry>();
  /** Not yet in the file: additions, and removals as undefined. */
  readonly #pending = new Map<string, Entry | undefined>();
  #writing: Promise<void> = Promise.resolve();

  /** @param warn told when a rule will not last as long as it says, because there is no file */
  constructor(settings: RuleSettings, file: RuleFile | undefined, warn: (message: string) => void) {
    this.#warn = warn;
    this.#settings = settings;
    this.#file = file;
  }

  /** Nothing is remembered here, and there is no file in which something may be. */
  get isEmpty(): boolean {
    return this.#own.size === 0 && this.#file === undefined;
  }

  /** Rules that hold at a place. @throws SluiceError `RULES_FILE` */
  rulesAt(place: Place): CompiledRule[] {
    const rules: CompiledRule[] = [];
    for (const { remembered, compiled } of this.#entries()) if (holdsAt(remembered, place)) rules.push(compiled);
    return rules;
  }

  /** Oldest first. @throws SluiceError `RULES_FILE` */
  list(): readonly RememberedRule[] {
    return [...this.#entries()].map(({ remembered }) => remembered).sort((a, b) => (a.rememberedAt < b.rememberedAt ? -1 : a.rememberedAt > b.rememberedAt ? 1 : 0));
  }

  /** @throws SluiceError `INVALID_RULE` */
  add(rule: RememberableRule, place: { readonly scopePath: readonly string[]; readonly callId: string | undefined }): { entry: RememberedRule; stored: Promise<void> } {
    const entry = this.#compile(rule, place);
    const { id, remember } = entry.remembered;
    if (remember === 'call' || remember === 'session' || this.#file === undefined) {
      if (remember === 'project' || remember === 'user') this.#warn(`permission-rules: no file is configured, so rule ${id} (${entry.remembered.text}) lasts no longer than this process`);
      if (!this.#own.has(id)) this.#own.set(id, entry);
      return { entry: entry.remembered, stored: Promise.resolve() };
    }
    this.#pending.set(id, entry);
    return { entry: entry.remembered, stored: this.#flush() };
  }

  /** @throws SluiceError `RULES_FILE` */
  remove(id: string): { found: boolean; stored: Promise<void> } {
    if (this.#own.delete(id)) return { found: true, stored: Promise.resolve() };
    const isKnown = [...this.#entries()].some(({ remembered }) => remembered.id === id);
    if (!isKnown) return { found: false, stored: Promise.resolve() };
    this.#pending.set(id, undefined);
    return { found: true, stored: this.#flush() };
  }

  /** Forgets what was remembered for one call. */
  endCall(callId: string): void {
    if (this.#own.size === 0) return;
    for (const [id, { remembered }] of this.#own) if (remembered.callId === callId) this.#own.delete(id);
  }

  /** Resolves when nothing is being written any more. */
  idle(): Promise<void> {
    return this.#writing;
  }

  *#entries(): Generator<Entry> {
    yield* this.#own.values();
    if (this.#file === undefined) return;
    const pending = this.#pending;
    for (const entry of this.#file.read()) {
      const { id, root } = entry.remembered;
      if (!pending.has(id) && (root === undefined || root === this.#settings.roots[0])) yield entry;
    }
    for (const entry of pending.values()) if (entry !== undefined) yield entry;
  }

  #flush(): Promise<void> {
    const done = this.#writing.then(() => this.#store());
    this.#writing = done.catch(() => undefined);
    return done;
  }

  async #store(): Promise<void> {
    const changes = new Map(this.#pending);
    if (changes.size === 0) return;
    await this.#file?.change((rules) => {
      const kept = rules.filter(({ id }) => !(changes.has(id) && changes.get(id) === undefined));
      const known = new Set(kept.map(({ id }) => id));
      const added = [...changes.values()].filter((entry) => entry !== undefined && !known.has(entry.remembered.id)) as Entry[];
      if (added.length === 0 && kept.length === rules.length) return rules;
      return [...kept, ...added.map(({ remembered }) => storedForm(remembered))];
    });
    for (const [id, entry] of changes) if (this.#pending.get(id) === entry) this.#pending.delete(id);
  }

  #compile(rule: RememberableRule, { scopePath, callId }: { readonly scopePath: readonly string[]; readonly callId: string | undefined }): Entry {
    const where =
      rule.remember === 'session' ? { scopePath: Object.freeze([...scopePath]) }
      : rule.remember === 'project' ? { root: this.#settings.roots[0] }
      : rule.remember === 'call' ? { callId: callIdOf(callId), scopePath: Object.freeze([...scopePath]) }
      : {};
    const plain = ruleOf(rule);
    const id = idOf(plain, rule.remember, where);
    const compiled = compileRule(plain, id, 'remembered', this.#settings);
    if (JSON.stringify(compiled.rule).length > MAX_RULE) {
      throw new SluiceError('INVALID_RULE', `permission-rules: the rule is longer than ${MAX_RULE} characters, more than a person can have read; allow the call once instead`);
    }
    const remembered = { ...compiled.rule, id, remember: rule.remember, rememberedAt: new Date().toISOString(), ...where, text: compiled.shown.text };
    return { remembered: Object.freeze(remembered), compiled };
  }
}

function callIdOf(callId: string | undefined): string {
  if (typeof callId === 'string' && callId !== '') return callId;
  throw new SluiceError('INVALID_RULE', 'permission-rules: a rule for one call needs the callId of that call');
}

function holdsAt({ remember, scopePath, callId }: RememberedRule, place: Place): boolean {
  // Ids of calls need not be unique; a nested call has the scope of its root.
  if (remember === 'call') return callId === place.rootCallId && scopePath?.length === place.scopePath.length && isBelow(place.scopePath, scopePath);
  return remember !== 'session' || isBelow(place.scopePath, scopePath ?? []);
}

function isBelow(path: readonly string[], above: readonly string[]): boolean {
  return above.every((name, index) => path[index] === name);
}

/** A short hash of everything that makes it this rule in this place; its reason is only words. */
function idOf({ tool, when, decision }: Rule, remember: string, where: Readonly<Record<string, JsonValue>>): string {
  const meaning = { tool, decision, remember, ...(when === undefined ? {} : { when: when as unknown as JsonValue }), ...where };
  return createHash('sha256').update(canonicalJson(meaning)).digest('hex').slice(0, 16);
}
