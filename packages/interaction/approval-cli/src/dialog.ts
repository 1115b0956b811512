import type { ApprovalOutcome, ApprovalRequest, Remember } from '@sluice/approval';
import { visible, visibleLines } from '@sluice/terminal-text';
import type { Offer } from './always.ts';
import { bodyOf, type Block } from './body.ts';
import { previewOf } from './preview.ts';
import { allRows, columnsOf, cut, rowsOf, type Row } from './rows.ts';

export interface DialogOptions {
  /** Absent where "always" is not on offer. */
  readonly always: ((remember: Remember) => Offer) | undefined;
  /** Questions that wait behind this one. */
  readonly waiting: number;
}

/** What can be pressed, by name: a character as it is, or one of these. */
export type Press = string;
type Mode = 'choose' | 'view' | 'confirm' | 'message';

const CANCELLED: ApprovalOutcome = { kind: 'cancelled' };
const MIN_COLUMNS = 16;

/**
 * One question from drawing to decision, without a terminal: keys in, rows out. Only `y`, alone and after it was drawn, or
 * `s` and `p` with a `y` to the rule that they show, is consent. Everything else is no, or nothing.
 */
export class Dialog {
  outcome: ApprovalOutcome | undefined;
  /** What the person has typed so far; kept by whoever reads the keys. */
  message = '';
  /** Where the cursor is in it, in UTF-16 code units; undefined where the terminal shows that itself. */
  caret: number | undefined;
  #isWithdrawn = false;
  #mode: Mode = 'choose';
  #hint: string | undefined;
  #top = 0;
  /** Rows of the page that was drawn last. */
  #page = 1;
  #pageCount = 1;
  #offer: Offer | undefined;
  #pages: { readonly columns: number; readonly of: readonly Block[]; readonly rows: readonly Row[] } | undefined;
  readonly #request: ApprovalRequest;
  readonly #options: DialogOptions;
  readonly #body: readonly Block[];

  constructor(request: ApprovalRequest, options: DialogOptions) {
    this.#request = request;
    this.#options = options;
    this.#body = bodyOf(request);
  }

  /** The outcome, as soon as there is one. */
  decided(): ApprovalOutcome | undefined {
    return this.outcome;
  }

  /** True while the person types text and not keys. */
  get takesText(): boolean {
    return this.#mode === 'message';
  }

  press(key: Press): void {
    this.#hint = undefined;
    switch (this.#mode) {
      case 'choose':
        if (key === 'v' || key === ' ') this.#open('view');
        else this.#choose(key);
        break;
      case 'view':
        if (key === 'v' || key === 'q') this.#mode = 'choose';
        else if (!this.#turn(key)) this.#choose(key);
        break;
      case 'confirm':
        if (key === 'y' && this.#offer !== undefined) this.outcome = { kind: 'allowed-always', rule: this.#offer.rule };
        else if (key === 'n' || key === 'q' || key === 's' || key === 'p') this.#mode = 'choose';
        else if (!this.#turn(key)) this.#hint = 'Press y to agree to this rule, n to go back.';
        break;
      case 'message':
        if (key === 'enter') this.#reject(this.message);
    }
  }

  /** Keys that came in one go: pasted, or not typed by a person. */
  refuseBurst(): void {
    this.#hint = 'Several keys came at once; nothing was decided. Press one key.';
  }

  cancel(): void {
    this.outcome ??= CANCELLED;
  }

  /** It is decided elsewhere, or need not be decided any more. */
  withdraw(): void {
    this.#isWithdrawn = this.outcome === undefined;
    this.cancel();
  }

  /** Rows that fit: what it is about first, what can be pressed last. */
  frame(columns: number, height: number): Row[] {
    const width = Math.max(MIN_COLUMNS, columns);
    const head = this.#head(width);
    const foot = this.#foot(width);
    const room = Math.max(1, height - head.length - foot.length);
    return [...head, ...this.#middle(width, room), ...foot];
  }

  /** One line for when it is over. */
  echo(columns: number): Row {
    const { toolName, view } = this.#request;
    const title: unknown = view.title;
    const what = typeof title !== 'string' || title === toolName ? visible(toolName) : `${visible(toolName)} (${visible(title)})`;
    const said = this.#isWithdrawn ? 'withdrawn' : decisionText(this.outcome ?? CANCELLED);
    const tone = this.outcome?.kind.startsWith('allowed') === true ? 'added' : 'removed';
    return { text: `${cut(what, Math.max(8, columns - columnsOf(said) - 2))}: ${cut(said, Math.max(8, columns - 10))}`, tone };
  }

  #choose(key: Press): void {
    const { always } = this.#options;
    if (key === 'y') this.outcome = { kind: 'allowed-once' };
    else if (key === 'n' || key === 'enter') this.outcome = { kind: 'rejected' };
    else if (key === 'm') this.#mode = 'message';
    else if (key === 's' || key === 'p') {
      if (always === undefined) this.#hint = 'Nobody here would remember an "always" for this.';
      else {
        this.#offer = always(key === 's' ? 'session' : 'project');
        this.#open('confirm');
      }
    }
  }

  #reject(message: string): void {
    const feedback = message.trim();
    this.outcome = feedback === '' ? { kind: 'rejected' } : { kind: 'rejected', feedback };
  }

  #open(mode: 'view' | 'confirm'): void {
    this.#mode = mode;
    this.#top = 0;
  }

  /** Whether it is a key that turns pages. */
  #turn(key: Press): boolean {
    const last = Math.max(0, this.#pageCount - this.#page);
    const moves: Readonly<Record<string, number>> = {
      ' ': this.#top + this.#page,
      pagedown: this.#top + this.#page,
      b: this.#top - this.#page,
      pageup: this.#top - this.#page,
      down: this.#top + 1,
      up: this.#top - 1,
      g: 0,
      home: 0,
      G: last,
      end: last,
    };
    if (!Object.hasOwn(moves, key)) return false;
    this.#top = Math.min(last, Math.max(0, moves[key] as number));
    return true;
  }

  #head(width: number): Row[] {
    const { waiting } = this.#options;
    const more = waiting > 0 ? ` (${waiting} more waiting)` : '';
    return [...rowsOf({ text: `Allow ${visible(this.#request.toolName)}?${more}`, tone: 'bold', prefix: '? ', continued: '  ' }, width)].slice(0, 4);
  }

  #middle(width: number, room: number): readonly Row[] {
    switch (this.#mode) {
      case 'choose':
      case 'message': {
        const preview = previewOf(this.#body, width, room);
        if (preview.isComplete) return preview.rows;
        const note = [...rowsOf({ text: 'Not all of it fits here: v shows the rest.', tone: 'notice' }, width)];
        return [...previewOf(this.#body, width, Math.max(1, room - note.length)).rows, ...note];
      }
      case 'view':
        return this.#paged(this.#body, width, room);
      case 'confirm':
        return this.#paged([ruleBlock(this.#offer)], width, room);
    }
  }

  #paged(blocks: readonly Block[], width: number, room: number): readonly Row[] {
    if (this.#pages?.columns !== width || this.#pages.of[0] !== blocks[0]) {
      this.#pages = { columns: width, of: blocks, rows: allRows(blocks.flat(), width) };
    }
    const { rows } = this.#pages;
    this.#page = Math.max(1, room - 1);
    this.#pageCount = rows.length;
    this.#top = Math.min(this.#top, Math.max(0, rows.length - this.#page));
    const end = Math.min(rows.length, this.#top + this.#page);
    if (rows.length <= this.#page) return rows;
    const where = `${this.#top + 1}-${end} of ${rows.length}`;
    const how = end === rows.length ? 'the end; b back' : 'space next, b back, g G ends';
    return [...rows.slice(this.#top, end), { text: cut(`── ${where}, ${how} `, width), tone: 'notice' }];
  }

  #foot(width: number): Row[] {
    const keys = this.#keys();
    const rows: Row[] = [{ text: '', tone: 'plain' }];
    let row = '';
    for (const key of keys.map((text) => cut(text, width))) {
      const longer = row === '' ? key : `${row} · ${key}`;
      if (row !== '' && columnsOf(longer) > width) {
        rows.push({ text: row, tone: 'bold' });
        row = key;
      } else row = longer;
    }
    rows.push({ text: cut(row, width), tone: 'bold' });
    if (this.#hint !== undefined) rows.push(...rowsOf({ text: this.#hint, tone: 'notice' }, width));
    if (this.takesText) rows.push(...[...rowsOf({ text: this.#typed(), prefix: '> ', continued: '  ' }, width - 1)].slice(-3));
    return rows;
  }

  #typed(): string {
    if (this.caret === undefined) return visible(this.message);
    return `${visible(this.message.slice(0, this.caret))}▏${visible(this.message.slice(this.caret))}`;
  }

  #keys(): readonly string[] {
    switch (this.#mode) {
      case 'confirm':
        return ['y agree and allow', 'n back'];
      case 'message':
        return ['Say no and why, then Enter (Esc cancels)'];
      default: {
        const always = this.#options.always === undefined ? [] : ['s always, this session', 'p always, this project'];
        return ['y once', ...always, 'n no (Enter)', 'm no, and say why', this.#mode === 'view' ? 'v close' : 'v view all'];
      }
    }
  }
}

const ruleBlocks = new WeakMap<Offer, Block>();

function ruleBlock(offer: Offer | undefined): Block {
  if (offer === undefined) return [];
  let block = ruleBlocks.get(offer);
  if (block === undefined) {
    block = [{ text: 'This rule would be remembered:', tone: 'dim' }, ...visibleLines(offer.text).map((text) => ({ text, prefix: '│ ', continued: '┆ ' }))];
    ruleBlocks.set(offer, block);
  }
  return block;
}

function decisionText(outcome: ApprovalOutcome): string {
  switch (outcome.kind) {
    case 'allowed-once':
      return 'allowed once';
    case 'allowed-always':
      return `allowed, always (${(outcome.rule as { remember: string }).remember})`;
    case 'rejected':
      return outcome.feedback === undefined ? 'no' : `no, ${visible(outcome.feedback)}`;
    case 'cancelled':
      return 'cancelled';
    case 'unavailable':
      return 'nobody asked';
  }
}
