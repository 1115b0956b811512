/** A tracked call, reduced to what makes it "the same" as another. */
export interface Trace {
  /** Tool and arguments, or the tool's own key. */
  readonly identity: string;
  readonly toolName: string;
  /** What the failure said; undefined for a success. */
  readonly errorText: string | undefined;
}

/** What the history shows after the latest call. */
export interface Findings {
  /** How often in a row the identical call has been made, this one included. */
  readonly identical: number;
  /** The shortest cycle of two or more different calls that has just been completed again. */
  readonly cycle: { readonly length: number; readonly times: number } | undefined;
  /** How often in a row this tool has failed with this text, whatever the arguments. */
  readonly sameError: number;
}

/**
 * The recent calls of one scope. For each cycle length it counts how many calls in a row equal the one that many calls
 * before, so a call costs a few comparisons and the memory is bounded by the longest cycle looked for.
 */
export class CallHistory {
  readonly #recent: string[] = [];
  /** At index n: calls in a row that equal the call n before. */
  readonly #matches: number[];
  #lastError: { toolName: string; text: string } | undefined;
  #errors = 0;

  constructor(cycleLength: number) {
    this.#matches = Array.from({ length: cycleLength + 1 }, () => 0);
  }

  add({ identity, toolName, errorText }: Trace): Findings {
    let cycle: Findings['cycle'];
    for (let length = 1; length < this.#matches.length; length += 1) {
      const matches = this.#recent[this.#recent.length - length] === identity ? (this.#matches[length] as number) + 1 : 0;
      this.#matches[length] = matches;
      // A run of one and the same call is a cycle of every length; the shortest names it.
      const isOwn = length > 1 && (this.#matches[1] as number) === 0;
      if (cycle === undefined && isOwn && matches > 0 && matches % length === 0) cycle = { length, times: matches / length + 1 };
    }
    this.#recent.push(identity);
    if (this.#recent.length >= this.#matches.length) this.#recent.shift();
    return { identical: (this.#matches[1] as number) + 1, cycle, sameError: this.#countError(toolName, errorText) };
  }

  #countError(toolName: string, text: string | undefined): number {
    if (text === undefined) {
      if (this.#lastError?.toolName === toolName) this.#lastError = undefined;
      return 0;
    }
    const isSame = this.#lastError?.toolName === toolName && this.#lastError.text === text;
    this.#errors = isSame ? this.#errors + 1 : 1;
    this.#lastError = { toolName, text };
    return this.#errors;
  }
}
