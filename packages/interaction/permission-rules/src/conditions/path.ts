import { posix } from 'node:path';
import { decodings, fold, isOrdinary, unmask } from '../encoding.ts';
import { globPattern } from '../glob.ts';
import { anyText, type Judge } from './condition.ts';

/** Longer is no path on any system. UTF-16 code units. */
const MAX_PATH = 4_096;
const EVERYTHING = new Set(['**', '**/*', '.']);
const DRIVE = /^\/[a-z]:/;
/** How Windows also calls a file with a long name: it may be any. */
const SHORT_NAME = /^[^~./]{1,6}~\d{1,3}(?:\.[^.]{0,3})?$/;
const PLAIN = /^(?!.*\.(?:\/|$))[\w./-]+$/;

/**
 * A path that the glob describes, relative to the root or absolute inside it. Judged by its text alone: links are not followed.
 * @param roots names of the one root, absolute, with `/`
 * @throws SyntaxError for a glob that could never match, or not what it seems to
 */
export function pathInside(glob: string, roots: readonly string[]): Judge {
  checkGlob(glob);
  const strict = globPattern(glob.normalize('NFC'), { dot: false });
  const loose = [...new Set([glob.toLowerCase(), fold(glob)])].map((each) => globPattern(each, { dot: true }));
  const foldedRoots = [...new Set(roots.flatMap((root) => [root.toLowerCase(), fold(root)]).map(withLeadingSlash))];
  const takesRoot = EVERYTHING.has(glob);
  return {
    surely(value) {
      if (typeof value !== 'string') return false;
      const path = plainPath(value, roots);
      return path !== undefined && (path === '.' ? takesRoot : strict.surelyMatches(path));
    },
    possibly: (value) =>
      anyText(value, (text) => {
        if (text.length > MAX_PATH) return true;
        return readings(text, foldedRoots).some((path) => {
          if (path === '.') return takesRoot;
          return loose.some((pattern) => pattern.possiblyMatches(path)) || path.split('/').some((part) => SHORT_NAME.test(part));
        });
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
function plainPath(text: string, roots: readonly string[]): string | undefined {
  if (text === '' || text.length > MAX_PATH || !isOrdinary(text) || text.startsWith('~') || text.startsWith('//')) return undefined;
  const root = roots.find((each) => isWithin(text, each));
  if (root === undefined && text.startsWith('/')) return undefined;
  const inside = text.slice(root?.length ?? 0);
  const parts = inside.split('/').filter((part) => part !== '' && part !== '.');
  return parts.some(isTreacherous) ? undefined : parts.join('/') || '.';
}

/** Windows drops dots and spaces at an end, a colon begins a drive or a stream, and a short name may be any file. */
function isTreacherous(part: string): boolean {
  return /^ |[. ]$|:/.test(part) || SHORT_NAME.test(part);
}

/** Every path inside the root that some system may take this text for, in lower case; `.` is the root. */
function readings(text: string, roots: readonly string[]): readonly string[] {
  const paths = new Set<string>();
  for (const spelling of PLAIN.test(text) ? [text.toLowerCase()] : spellings(text)) {
    for (const root of roots) {
      // Without a drive, as Windows takes a path, it is on that of the root.
      const drive = DRIVE.exec(root)?.[0] ?? '';
      for (const path of new Set([posix.resolve(root, spelling), posix.resolve(root, spelling.startsWith('/') ? drive + spelling : spelling)])) {
        if (isWithin(path, root)) paths.add(path.slice(root.length).replace(/^\//, '') || '.');
      }
    }
  }
  return [...paths];
}

/** Every absolute path with one slash in front, one that begins with a drive too: `/c:/work`. */
function withLeadingSlash(path: string): string {
  return posix.resolve('/', path);
}

function isWithin(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith('/') ? root : `${root}/`);
}

function spellings(text: string): readonly string[] {
  const all = new Set<string>();
  for (const decoded of decodings(text)) {
    for (const whole of new Set([decoded, decoded.split('\0')[0] as string])) {
      // A wildcard counts characters, and folding may change their number; and it may bring forth a backslash in disguise.
      for (const spelling of new Set([whole.toLowerCase(), unmask(whole).toLowerCase(), fold(whole)])) {
        for (const path of new Set([spelling, spelling.replaceAll('\\', '/')])) {
          const bare = path.trim().replace(/^file:\/\/(?:localhost(?=\/))?/, '').replace(/^\/\/[?.]\//, '/').replace(/^(?=[a-z]:\/)/, '/');
          all.add(path).add(bare).add(withoutEnds(bare)).add(withoutEnds(bare.replace(/^\/?[a-z]:/, '')));
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
    .map((part, index) => {
      if (index === 1 && /^[a-z]:$/.test(part)) return part;
      const dots = part.trim();
      return dots === '.' || dots === '..' ? dots : (part.split(':')[0] as string).replace(/[. ]+$/, '');
    })
    .join('/');
}
