const JAVASCRIPT =
  'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for ' +
  'function if implements import in instanceof interface let new null package private protected public return static super switch ' +
  'this throw true try typeof undefined var void while with yield NaN Infinity globalThis';
const PYTHON = 'False None True and as assert async def del elif except from global is lambda match nonlocal not or pass raise type';
/** Names that a runtime of either language needs for itself. */
const RUNTIMES = 'console Import Error Promise Object Function Array print __builtins__ __name__ __file__ __doc__';

const RESERVED = new Set(`${JAVASCRIPT} ${PYTHON} ${RUNTIMES}`.split(' '));
const ERROR_MEMBERS = new Set(['name', 'message', 'stack', 'cause', 'args', 'with_traceback', 'add_note', 'constructor', 'prototype']);
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Whether a name can be a global in programs of any language: ASCII letters, digits and `_`, not a digit first, and no word that
 * JavaScript, Python or a runtime needs for itself. Source: dsh code-runtime.
 */
export function isPortableIdentifier(name: string): boolean {
  return IDENTIFIER.test(name) && !RESERVED.has(name);
}

/** The same for a property of an error, which must not hide what every error has. */
export function isErrorMember(name: string): boolean {
  return IDENTIFIER.test(name) && !ERROR_MEMBERS.has(name) && !(name.startsWith('__') && name.endsWith('__'));
}
