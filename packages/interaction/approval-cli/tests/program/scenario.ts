import type { JsonValue, ToolCallView } from '@sluice/core-tools';
import type { ApprovalConfig } from '@sluice/approval';

export interface AskedCall {
  readonly tool: string;
  readonly args: JsonValue;
  readonly callId?: string;
  readonly scope?: string;
  readonly reason?: string;
  readonly view?: ToolCallView;
}

/** What the program that runs on the pseudo-terminal does. Handed to it as JSON. */
export interface Scenario {
  readonly ask: readonly AskedCall[];
  /** All at once instead of one after the other. */
  readonly concurrent?: boolean;
  /** Asks when it gets SIGUSR2, not at once. */
  readonly waits?: boolean;
  /** Provides rules that remember what "always" was said to. */
  readonly rules?: boolean;
  readonly approval?: Partial<ApprovalConfig>;
  /** Unmounts the answerer when it gets SIGUSR2. */
  readonly unmounts?: boolean;
}

/** What it writes to its report at its end. */
export interface Report {
  /** By call id: `allow`, or `deny` with the code and the message. */
  readonly decisions: Readonly<Record<string, { readonly decision: 'allow' | 'deny'; readonly code?: string; readonly message?: string }>>;
  readonly outcomes: readonly { readonly id: string; readonly outcome: unknown; readonly afterMs: number }[];
  readonly bodyArguments: readonly JsonValue[];
  readonly isRaw: boolean;
  readonly listeners: Readonly<Record<string, number>>;
  readonly bytesRead: number;
  readonly unhandled: readonly string[];
}
