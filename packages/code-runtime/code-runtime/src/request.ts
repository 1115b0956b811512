import { isErrorMember, isPortableIdentifier } from './identifiers.ts';
import type { CodeNamespace, CodeRunRequest } from './types.ts';

type BindingFunction = CodeNamespace['functions'][string];

/** One namespace, read once. */
export interface ValidNamespace {
  readonly global: string;
  readonly functions: ReadonlyMap<string, BindingFunction>;
  readonly errorClass?: NonNullable<CodeNamespace['errorClass']>;
}

/**
 * Reads and checks the bindings of a request, so that a provider need not look at the caller's objects again.
 *
 * @throws TypeError naming what is wrong: with the request, never with the program
 */
export function validateRequest(request: CodeRunRequest): readonly ValidNamespace[] {
  const { program, bindings, signal, limits } = request as { [K in keyof CodeRunRequest]: unknown };
  if (typeof program !== 'string') throw new TypeError('code-runtime: program must be a string');
  if (!(signal instanceof AbortSignal)) throw new TypeError('code-runtime: signal must be an AbortSignal');
  if (!Array.isArray(bindings)) throw new TypeError('code-runtime: bindings must be a list of namespaces');
  checkLimits(limits);
  const taken = new Set<string>();
  const claim = (name: unknown, what: string): string => {
    if (typeof name !== 'string' || !isPortableIdentifier(name)) {
      throw new TypeError(`code-runtime: ${what} ${described(name)} is no portable identifier: ASCII letters, digits and _, and no reserved word`);
    }
    if (taken.has(name)) throw new TypeError(`code-runtime: the name "${name}" is given to two globals`);
    taken.add(name);
    return name;
  };
  return (bindings as readonly CodeNamespace[]).map(({ global, functions, errorClass }) => {
    const namespace = { global: claim(global, 'global'), functions: functionsOf(global, functions) };
    if (errorClass === undefined) return namespace;
    const { name, memberNameProperty, properties = [] } = errorClass;
    claim(name, 'error class');
    for (const member of [memberNameProperty, ...properties]) {
      if (typeof member !== 'string' || !isErrorMember(member)) {
        throw new TypeError(`code-runtime: errors of "${global}" cannot have a property ${described(member)}`);
      }
    }
    return { ...namespace, errorClass: { name, memberNameProperty, properties: [...properties] } };
  });
}

function functionsOf(global: string, functions: unknown): ReadonlyMap<string, BindingFunction> {
  if (typeof functions !== 'object' || functions === null) throw new TypeError(`code-runtime: functions of "${global}" must be an object`);
  const found = new Map<string, BindingFunction>();
  for (const [name, call] of Object.entries(functions)) {
    if (typeof call !== 'function') throw new TypeError(`code-runtime: "${global}.${name}" is no function`);
    found.set(name, call as BindingFunction);
  }
  return found;
}

const LIMITS = ['computeMs', 'wallMs', 'heapMb', 'outputBytes'];
const MAX_TIMER_MS = 2_147_483_647;

function checkLimits(limits: unknown): void {
  if (limits === undefined) return;
  if (typeof limits !== 'object' || limits === null) throw new TypeError('code-runtime: limits must be an object');
  for (const [name, value] of Object.entries(limits) as [string, unknown][]) {
    if (!LIMITS.includes(name)) throw new TypeError(`code-runtime: there is no limit "${name}"; limits are ${LIMITS.join(', ')}`);
    if (value === undefined) continue;
    const isFine = typeof value === 'number' && value > 0 && value <= MAX_TIMER_MS && (name.endsWith('Ms') || Number.isInteger(value));
    if (!isFine) throw new TypeError(`code-runtime: limit ${name} must be a positive number, is ${described(value)}`);
  }
}

function described(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : typeof value === 'number' ? `${value}` : typeof value;
}
