import type { Findings } from './call-history.ts';

export interface AdviceConfig {
  readonly thresholds: readonly number[];
  readonly repeatEvery: number;
  readonly sameErrorThreshold: number;
  readonly argumentsPreviewChars: number;
}

/** The call that advice is about. */
export interface Subject {
  readonly toolName: string;
  /** Canonical JSON. */
  readonly argumentsText: string;
}

/** A cycle is noticed when it comes round for the second time. */
const FIRST_CYCLE = 2;

/** Words for the model when it is time for some: gentle the first time, with details after. */
export function adviceFor(findings: Findings, subject: Subject, config: AdviceConfig): string | undefined {
  const { identical, cycle, sameError } = findings;
  const { thresholds, repeatEvery, sameErrorThreshold } = config;
  if (isDue(identical, thresholds, repeatEvery)) {
    return identical === thresholds[0] ? GENTLE : detailed(`the identical call ${identical} times in a row`, subject, config);
  }
  if (cycle !== undefined && (cycle.times === FIRST_CYCLE || isDue(cycle.times, thresholds, repeatEvery))) {
    return cycle.times === FIRST_CYCLE
      ? `The last ${cycle.length * 2} calls are the same ${cycle.length} calls, twice over. ${CHANGE}`
      : detailed(`the same ${cycle.length} calls ${cycle.times} times over, this one last`, subject, config);
  }
  if (sameError > 1 && isDue(sameError, [sameErrorThreshold], repeatEvery)) {
    return `${subject.toolName} has failed ${sameError} times in a row with the same error, with different arguments. The arguments may not be what is wrong. ${CHANGE}`;
  }
  return undefined;
}

const CHANGE = 'Look at the latest result again, then try something else, or finish with what you know.';
const GENTLE = `You have repeated an identical call. ${CHANGE}`;

function detailed(what: string, { toolName, argumentsText }: Subject, config: AdviceConfig): string {
  return [
    'You are repeating yourself.',
    `Tool: ${toolName}`,
    `Repeated: ${what}`,
    `Arguments: ${preview(argumentsText, config.argumentsPreviewChars)}`,
    `Stop. ${CHANGE}`,
  ].join('\n');
}

/** At a threshold, and every `repeatEvery` counts past the last one. */
function isDue(count: number, thresholds: readonly number[], repeatEvery: number): boolean {
  const last = thresholds[thresholds.length - 1] as number;
  return count > last ? (count - last) % repeatEvery === 0 : thresholds.includes(count);
}

/** At most `max` UTF-16 code units, never half a surrogate pair, and how many were left out. */
export function preview(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? max - 1 : max;
  return `${text.slice(0, end)}… (${text.length - end} more characters)`;
}
