import { posix } from 'node:path';
import { decodings, fold, isOrdinary } from '../encoding.ts';
import { globPattern } from '../glob.ts';
import { anyText, type Judge } from './condition.ts';

/** Longer is no path on any system. UTF-16 code units. */
const MAX_PATH = 4_096;
const EVERYTHING = new Set(['**', '**/*', '.']);
const PLAIN = /^[\w/-][\w./-]*$/;

/**
 * A path that the glob describes, relative to the root or absolute inside it. Judged by its text alone: links are not followed.
 * @param root absolute, with `/`
 * @throws SyntaxError for a glob that could never match, or not what it seems to
 */
export function pathInside(glob: string, root: string): Judge {
  checkGlob(glob);
  const strict = globPattern(glob.normalize('NFC'), { dot: false });
  const loose = [...new Set([glob.toLowerCase(), fold(glob)])].map((each) => globPattern(each, { dot: true }));
  const prefix = root.endsWith('/') ? root : `${root}/`;
  const foldedRoot = fold(root);
  const takesRoot = EVERYTHING.has(glob);
  return {
    surely(value) {
      if (typeof value !== 'string') return false;
      const path = plainPath(value, prefix);
      return path !== undefined && (path === '.' ? takesRoot : strict.surelyMatches(path));
    },
    possibly: (value) =>
      anyText(value, (text) => {
        if (text.length > MAX_PATH) return true;
        return readings(text, foldedRoot).some((path) => (path === '.' ? takesRoot : loose.some((pattern) => pattern.possiblyMatches(path))));
      }),
  };
}

function checkGlob(glob: string): void {
  const problem =
    glob === '' ? 'is empty'
    : glob.startsWith('/') || /^[a-z]:/i.test(glob) ? 'is absolute; it is taken relative to the root'
    : glob.includes('\\') ? 'has a backslash; separate names with /'
    : glob.split('/').some((part) => part === '..' || (part === '.' && glob !== '.') || (part === '' && !glob.endsWith('/'))) ? 'has a part that is "..", "." or empty'
    : glob.endsWith('/') ? 'ends with /; write /** for what is inside'
    : !isOrdinary(glob) ? 'is oddly encoded'
    : undefined;
  if (problem !== undefined) throw new SyntaxError(`the path glob ${JSON.stringify(glob)} ${problem}`);
}

/** The path relative to the root (`.` for the root), or undefined when it is written in any but the plain way, or outside. */
function plainPath(text: string, prefix: string): string | undefined {
  if (text === '' || text.length > MAX_PATH || !isOrdinary(text) || text.startsWith('~') || text.startsWith('//')) return undefined;
  let inside = text;
  if (text.startsWith('/')) {
    if (!`${text}/`.startsWith(prefix)) return undefined;
    inside = text.slice(prefix.length);
  }
  const parts = inside.split('/').filter((part) => part !== '' && part !== '.');
  // Windows drops such ends, and a colon begins a drive or a stream.
  if (parts.some((part) => part.endsWith('.') || part.endsWith(' ') || part.startsWith(' ') || part.includes(':'))) return undefined;
  return parts.length === 0 ? '.' : parts.join('/');
}

/** Every path inside the root that some system may take this text for, folded; `.` is the root. */
function readings(text: string, root: string): readonly string[] {
  const texts = PLAIN.test(text) ? [text.toLowerCase()] : spellings(text);
  const paths = new Set<string>();
  for (const each of texts) {
    const path = posix.resolve(root, each);
    if (path === root) paths.add('.');
    else if (root === '/') paths.add(path.slice(1));
    else if (path.startsWith(`${root}/`)) paths.add(path.slice(root.length + 1));
  }
  return [...paths];
}

function spellings(text: string): readonly string[] {
  const all = new Set<string>();
  for (const decoded of decodings(text)) {
    for (const whole of [decoded, decoded.split('\0')[0] as string]) {
      for (const slashed of [whole, whole.replaceAll('\\', '/')]) {
        const folded = fold(slashed);
        // Folding may bring forth a backslash that was in disguise.
        for (const path of [folded, folded.replaceAll('\\', '/')]) {
          const bare = path.trim().replace(/^file:\/\/(?:localhost(?=\/))?/, '');
          all.add(path).add(bare).add(withoutEnds(bare)).add(withoutEnds(bare.replace(/^[a-z]:/, '')));
        }
      }
    }
  }
  return [...all];
}

/** As Windows reads it: no spaces and dots at the end of a name, no streams. */
function withoutEnds(path: string): string {
  return path
    .split('/')
    .map((part) => {
      const dots = part.trim();
      return dots === '.' || dots === '..' ? dots : (part.split(':')[0] as string).replace(/[. ]+$/, '');
    })
    .join('/');
}
