import { contextOf, definePlugin, type Context } from '@sluice/core-context';
import { isFsError, type FileSystem, type FsDecision, type FsEditIntent, type FsPrecondition, type FsTarget, type FsVersion, type FsWriteIntent } from '@sluice/fs';
import { fingerprintOf, isSame, type Fingerprint } from './content.ts';
import { hasSeenAll, Memory, type Known } from './memory.ts';
import { covers } from './ranges.ts';

export interface FsObservationPolicyConfig {
  /**
   * `shown`: a change needs the part that it changes to have been shown, and an overwrite all of the file. `any`: having seen any part of
   * the file will do. Default `shown`.
   */
  readonly coverage: 'shown' | 'any';
  /** Files that are remembered for each scope; those that were longest not used are forgotten, and have to be read again. Default 2,000. */
  readonly maxFiles: number;
  /** Bytes of a file that is read again to see whether a new version is a new content; of a larger one it is. Default 16 MiB. */
  readonly maxBytes: number;
}

const config = {
  type: 'object',
  additionalProperties: false,
  properties: {
    coverage: { enum: ['shown', 'any'], default: 'shown' },
    maxFiles: { type: 'integer', minimum: 1, default: 2_000 },
    maxBytes: { type: 'integer', minimum: 0, default: 16_777_216 },
  },
} as const;

type Deny = Extract<FsDecision, { kind: 'deny' }>;
const STALE: Deny = { kind: 'deny', code: 'FS_STALE', reason: 'has changed since it was read' };
const UNREAD: Deny = { kind: 'deny', code: 'FS_NOT_OBSERVED', reason: 'has not been read' };
const UNREAD_OVERWRITE: Deny = { kind: 'deny', code: 'FS_NOT_OBSERVED', reason: 'exists already, and has not been read', hint: 'Read all of it first, then repeat the change; or choose another name.' };
const PART_OVERWRITE: Deny = {
  kind: 'deny', code: 'FS_NOT_OBSERVED', reason: 'has been read in part only, and would be replaced as a whole', hint: 'Read the rest of it first, or edit only the part that you have read.',
};
const PART_EDIT: Deny = { kind: 'deny', code: 'FS_NOT_OBSERVED', reason: 'has not been read where it would be changed', hint: 'Read that part first, then repeat the change.' };
const NOT_AS_TEXT: Deny = { kind: 'deny', code: 'FS_NOT_OBSERVED', reason: 'is no text, and text would replace it', hint: 'Choose another name; or remove it first, if it is not needed any more.' };

/**
 * Lets a scope change only what it has seen, as it saw it: an edit or overwrite of a file that it has not read, or that has changed since,
 * is denied with the remedy. Creating a file is never denied.
 */
export const fsObservationPolicy = definePlugin<FsObservationPolicyConfig>({
  name: 'fs-observation-policy',
  gate: true,
  config,
  apply(ctx, { coverage, maxFiles, maxBytes }) {
    // A scope's path is one array for as long as the scope lives, and so is what is known of it.
    const memories = new WeakMap<readonly string[], Memory>();
    const filesOf = (scopePath: readonly string[]): FileSystem | undefined => contextOf(scopePath)?.get('fs') ?? ctx.get('fs');

    ctx.on('fs/observed', (observed) => {
      const { scopePath } = observed;
      let memory = memories.get(scopePath);
      if (memory === undefined) {
        memory = new Memory(maxFiles, maxBytes, (path, version) => fingerprintAt(filesOf(scopePath), path, version, maxBytes, ctx.signal).catch(() => undefined));
        memories.set(scopePath, memory);
      }
      memory.observe(observed);
    });

    ctx.on('fs/write-intent', async (intent, next) => {
      const { operation, current, ifVersion, scopePath, signal } = intent;
      if (operation === 'write' && current?.type === 'file' && ifVersion !== null) {
        const refused = await overwrite(intent, current.version, typeof intent.content === 'string');
        return refused ?? narrowed(await next(), current.version);
      }
      // Whatever comes in between is not overwritten either.
      if (operation === 'write' && current === undefined) return narrowed(await next(), ifVersion ?? null);
      if (operation === 'move' && intent.isSweeping === true && intent.to !== undefined) {
        const replaced = await filesOf(scopePath)?.stat(intent.to.path, { followLink: false, signal });
        const refused = replaced?.type === 'file' && replaced.key !== intent.key ? await overwrite({ ...intent, ...intent.to }, replaced.version, false) : undefined;
        return refused ?? next();
      }
      return next();
    });

    ctx.on('fs/edit-intent', async (intent, next) => {
      const { key, ifVersion, spans, scopePath } = intent;
      const known = memories.get(scopePath)?.get(key);
      if (known === undefined) return UNREAD;
      if (!(await isStill(known, intent, ifVersion))) return STALE;
      if (coverage === 'shown' && !spans.every(({ start, end }) => covers(known.seen, start, end)) && !hasSeenAll(known.seen, await known.fingerprint)) return PART_EDIT;
      return next();
    });

    async function overwrite(intent: FsWriteIntent, version: FsVersion, withText: boolean): Promise<Deny | undefined> {
      const known = memories.get(intent.scopePath)?.get(intent.key);
      if (known === undefined) return UNREAD_OVERWRITE;
      if (!(await isStill(known, intent, version))) return STALE;
      const fingerprint = await known.fingerprint;
      if (withText && fingerprint?.kind === 'bytes') return NOT_AS_TEXT;
      return coverage === 'any' || hasSeenAll(known.seen, fingerprint) ? undefined : PART_OVERWRITE;
    }

    /** Whether that version has the content that the scope knows; a version alone says too much: touching a file makes a new one. */
    async function isStill(known: Known, { path, scopePath, signal }: Pick<FsWriteIntent | FsEditIntent, 'path' | 'scopePath' | 'signal'> & FsTarget, version: FsVersion): Promise<boolean> {
      if (known.version === version) return true;
      const before = await known.fingerprint;
      if (before === undefined) return false;
      const now = await fingerprintAt(filesOf(scopePath), path, version, maxBytes, signal);
      if (now === undefined || !isSame(before, now)) return false;
      known.version = version;
      return true;
    }
  },
});
export default fsObservationPolicy;

/** Of a version, if it is still there and not too large. Rejects only when cancelled. */
async function fingerprintAt(fs: Context['fs'] | undefined, path: string, version: FsVersion, maxBytes: number, signal: AbortSignal | undefined): Promise<Fingerprint | undefined> {
  try {
    const stat = await fs?.stat(path, { signal });
    if (stat?.version !== version || stat.size > maxBytes) return undefined;
    return fingerprintOf((await (fs as FileSystem).readRange(path, { ifVersion: version, signal })).bytes);
  } catch (error) {
    if (isFsError(error) && error.code === 'FS_CANCELLED') throw error;
    return undefined;
  }
}

/** Holds an allowed change to the version that was looked at. Two that cannot both hold are for the provider to refuse. */
function narrowed(decision: FsDecision, ifVersion: FsPrecondition): FsDecision {
  if (decision.kind !== 'allow' || decision.ifVersion === ifVersion) return decision;
  return decision.ifVersion === undefined ? { kind: 'allow', ifVersion } : STALE;
}
