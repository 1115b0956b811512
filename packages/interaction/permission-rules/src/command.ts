import { decodings, fold } from './encoding.ts';

const WORD = String.raw`[A-Za-z0-9_./@:,+=-]+`;
const SIMPLE = new RegExp(`^(?![=+])${WORD}(?: +(?:${WORD}|"[A-Za-z0-9_./@:,+= -]*"|'[A-Za-z0-9_./@:,+= -]*'))*$`);
const ASSIGNMENT = /^[a-z_]\w*\+?=/i;
/** Longer is not read. UTF-16 code units. */
const MAX_COMMAND = 100_000;

/**
 * Whether a text is one simple command in every shell there is: plain words and nothing else. Not a parser but a list of
 * what is harmless, because a shell that reads the text is a stranger. Quotes may enclose a whole later word of plain
 * characters. No `;`, `&`, `|`, newline, substitution, redirection, variable, wildcard, escape, comment or assignment.
 */
export function isSingleCommand(text: string): boolean {
  return text.length <= MAX_COMMAND && SIMPLE.test(text) && !ASSIGNMENT.test(text);
}

const SEPARATOR = /(?:[;&|\n\r()`]|\{(?=\s)|(?<=\s)\}|^\})+/;
const REDIRECTION = /&?\d{0,3}[<>]{1,3}[&|]? {0,9}[^\s;&|<>()]*/g;
/** A word that only the shell knows: it expands to something else, perhaps to several words. */
const UNKNOWN = /[$`*?[{%!]/;
const KNOWN = new Set(['!', '[', '[[', '{', '?']);
/** As many words are looked at behind one that runs others; a line that goes on may run anything. */
const MAX_CARRIED = 500;
const ENDING = /\.(?:exe|cmd|bat|com|ps1|sh)$/;
/** After one of these, a later word of the same part may be the one that runs. */
const CARRIERS = new Set(
  ('sudo doas su env command exec builtin eval nohup nice ionice time timeout xargs parallel watch setsid stdbuf unbuffer chroot chrt taskset strace ' +
    'ltrace script busybox toybox ssh find fd start cmd call sh bash zsh dash ksh ash fish csh tcsh pwsh powershell if then else elif while until do for ' +
    'case in function coproc ! { trap source . npx bunx pnpx docker podman kubectl runuser pkexec flock unshare nsenter proxychains tsocks torsocks dbus-run-session').split(' '),
);

/**
 * The parts of a command line that some shell may run on their own, each as its words, folded; undefined when the text is too
 * long to be read. Reads quotes and escapes in several ways at once and keeps every result.
 */
function fragmentsOf(text: string): readonly (readonly string[])[] | undefined {
  if (text.length > MAX_COMMAND) return undefined;
  const fragments = new Map<string, readonly string[]>();
  for (const reading of readings(text)) {
    // Once with the targets of redirections as words, once without them.
    for (const line of /[<>]/.test(reading) ? [reading.replace(/[<>]/g, ' '), reading.replace(REDIRECTION, ' ')] : [reading]) {
      for (const part of line.split(SEPARATOR)) {
        const words = part.split(/\s+/).filter((word) => word !== '');
        const start = words.findIndex((word) => !ASSIGNMENT.test(word));
        if (start >= 0) fragments.set(words.slice(start).join(' '), words.slice(start));
      }
    }
  }
  return [...fragments.values()];
}

function* readings(text: string): Generator<string> {
  for (const decoded of decodings(text).flatMap(spaced)) {
    const folded = foldLines(decoded);
    const joined = foldLines(decoded.replace(/[\\^`]\r?\n/g, ''));
    // The old spelling of a substitution, in the new one.
    yield folded.replace(/`([^`]*)`/g, '$$($1)');
    if (!/["'\\^`\n]/.test(folded)) continue;
    // As the shell removes them, inside words; and as boundaries, for a shell that gets the inside as its own command line.
    yield joined.replace(/["'\\^`]/g, '');
    yield folded.replace(/["'\\^`]/g, '');
    yield folded.replace(/["']/g, '\n').replace(/[\\^`]/g, '');
    yield folded.replace(/["']/g, ' ').replaceAll('\\', '/');
  }
}

const UNUSUAL_ENDS = /[\0\u0085\u2028\u2029]/g;

/** With ordinary spaces; and what some take for a space, some for an end and some for nothing, as each. */
function spaced(text: string): readonly string[] {
  const spaces = text.replace(/[\t\v\f]/g, ' ');
  return spaces.search(UNUSUAL_ENDS) >= 0 ? [spaces.replace(UNUSUAL_ENDS, '\n'), spaces.replace(UNUSUAL_ENDS, ' '), spaces.replace(UNUSUAL_ENDS, '')] : [spaces];
}

/** Line by line, because folding drops what ends a line. */
function foldLines(text: string): string {
  return text.split(/[\n\r]/).map(fold).join('\n');
}

/** Whether a shell that gets this text may run a command that begins with these words. */
export function mayRun(text: string, prefix: readonly string[]): boolean {
  const fragments = fragmentsOf(text);
  return fragments === undefined || fragments.some((words) => runs(words, prefix));
}

function runs(words: readonly string[], prefix: readonly string[]): boolean {
  let isCarried = false;
  for (const [index, word] of words.entries()) {
    if (index > 0 && !isCarried) return false;
    if (index > MAX_CARRIED) return true;
    const name = programOf(word);
    if (isUnknown(word) || (isProgram(word, name, prefix[0] as string) && hasRest(words.slice(index + 1), prefix.slice(1)))) return true;
    isCarried ||= CARRIERS.has(name);
  }
  return false;
}

/** Whether the text is, or has among its parts, exactly one of these commands (words folded, one space between them). */
export function hasCommand(text: string, commands: ReadonlySet<string>): boolean {
  const fragments = fragmentsOf(text);
  if (fragments === undefined) return true;
  return fragments.some((words) => {
    const whole = words.join(' ');
    if (commands.has(whole)) return true;
    return words.some((word) => CARRIERS.has(programOf(word))) && [...commands].some((command) => whole.endsWith(` ${command}`));
  });
}

function isProgram(word: string, name: string, wanted: string): boolean {
  return word === wanted || name === programOf(wanted);
}

function isUnknown(word: string): boolean {
  return UNKNOWN.test(word) && !KNOWN.has(word);
}

function programOf(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1).replace(ENDING, '');
}

/** The rest of the words in this order, whatever stands between them; or a word in their place that only the shell knows. */
function hasRest(words: readonly string[], rest: readonly string[]): boolean {
  let found = 0;
  let isNext = true;
  for (const word of words) {
    if (found === rest.length) break;
    if (word === rest[found]) {
      found += 1;
      isNext = true;
    } else if (!word.startsWith('-')) {
      if (isNext && isUnknown(word)) return true;
      isNext = false;
    }
  }
  return found === rest.length;
}
