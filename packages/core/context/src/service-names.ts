import { SluiceError } from '@sluice/core-schema';

/** What messages suggest when one of these services is missing. */
const PROVIDERS: Readonly<Record<string, readonly string[]>> = {
  tools: ['@sluice/core-tools'],
  approval: ['@sluice/approval'],
  fs: ['@sluice/fs-local', '@sluice/fs-memory'],
  codeRuntime: ['@sluice/code-runtime-worker-thread', '@sluice/code-runtime-quickjs'],
  systemPrompt: ['@sluice/core-system-prompt'],
  agents: ['@sluice/core-agent-loop'],
  rules: ['@sluice/permission-rules'],
  repeatToolReminder: ['@sluice/repeat-tool-reminder'],
};

export const WELL_KNOWN_SERVICES: readonly string[] = Object.keys(PROVIDERS);

/**
 * Names that runtimes, test frameworks and printers look for on any object. Reading them from a context is no mistake, so
 * they are undefined there, and no service can have them.
 */
const PROBED = new Set([
  'then', 'catch', 'finally', 'toJSON', 'inspect', 'asymmetricMatch', 'nodeType', 'nodeName', 'tagName', 'hasAttribute', 'isEqualNode',
  'ownerDocument', 'window', 'document', 'jquery', 'size', 'length', 'name', 'message', 'stack', 'code', 'prototype', 'default',
  'sample', 'className', 'innerHTML', 'isMock', 'href', 'isMockFunction', 'splice', 'callee', 'toStringTag',
]);

const IDENTIFIER = /^[A-Za-z][A-Za-z0-9_]*$/;

/** Whether reading this name from a context, where there is nothing of it, is a mistake that should be told. */
export function isServiceLike(name: string): boolean {
  return IDENTIFIER.test(name) && !PROBED.has(name);
}

/** Throws for a name that no service can have: `reserved` holds the members of a context. */
export function assertServiceName(name: unknown, reserved: ReadonlySet<string>): asserts name is string {
  if (typeof name !== 'string') throw new TypeError(`core-context: a service name must be a string, received ${typeof name}`);
  if (!reserved.has(name) && isServiceLike(name)) return;
  const why = IDENTIFIER.test(name) ? 'every context has something of that name, or programs look for it on any object' : 'it is no identifier that starts with a letter';
  throw new SluiceError('SERVICE_NAME_RESERVED', `core-context: "${name}" cannot be the name of a service: ${why}; choose another name`);
}

export function serviceMissing(name: string, title: string, available: readonly string[]): SluiceError {
  const here = available.length === 0 ? 'no services' : available.join(', ');
  return new SluiceError('SERVICE_MISSING', `core-context: ${title} has no service "${name}"; ${suggestion(name)} (in view here: ${here})`);
}

function suggestion(name: string): string {
  const packages = PROVIDERS[name];
  if (packages === undefined) return 'mount a plugin that provides it, name it in "inject" to wait for it, or use ctx.get() where it may be absent';
  return `it is provided by ${packages.join(' or ')}: mount that plugin, and name "${name}" in "inject" to wait for it`;
}

/** A missing service with who provides it, for a list of what a plugin waits for. */
export function describeMissing(name: string): string {
  const packages = PROVIDERS[name];
  return packages === undefined ? `"${name}"` : `"${name}" (provided by ${packages.join(' or ')})`;
}
