import { defineTool, type JsonValue, type SchemaSource, type ToolCallInput, type ToolDefinition, type ToolRun } from '@sluice/core-tools';

export interface ToolOverrides extends Partial<Omit<ToolDefinition, 'execute'>> {
  /** Default: gives the arguments back. */
  readonly execute?: (args: Readonly<Record<string, JsonValue>>, exec: ToolRun) => unknown;
}

/** Overrides are typed as loosely as a foreign definition, so that a test can say what is wrong; the tool is our own all the same. */
type OwnDefinition = ToolDefinition & { readonly parameters: SchemaSource; readonly output: { readonly schema: SchemaSource } };

/** A tool named `echo` that gives its arguments back, with whatever matters to the test overridden. A fresh definition each time. */
export function aTool(overrides: ToolOverrides = {}): ToolDefinition {
  const echo = defineTool({
    name: 'echo',
    description: 'Gives the arguments back.',
    parameters: { type: 'object' },
    output: { schema: {}, render: (_args, value) => [{ type: 'text', text: JSON.stringify(value) }] },
    execute: (args: unknown) => args as JsonValue,
  });
  return defineTool({ ...echo, ...overrides } as OwnDefinition);
}

/** A call of `echo` with one argument, with whatever matters to the test overridden. */
export function aCall(overrides: Partial<ToolCallInput> = {}): ToolCallInput {
  const args = overrides.argumentsText === undefined ? { arguments: { message: 'hello' } } : {};
  return { name: 'echo', ...args, ...overrides };
}

export interface Gate {
  /** Resolves when the gate is opened. */
  readonly opened: Promise<void>;
  /** Opening it again does nothing. */
  readonly open: () => void;
}

/** A promise that the test opens by hand: bodies wait on `opened`. */
export function aGate(): Gate {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
