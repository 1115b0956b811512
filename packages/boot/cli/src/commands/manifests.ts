import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** The package.json of this package: every package of Sluice is released in the same version. */
export function ownManifest(): Manifest {
  // One level up from dist/, two from src/commands/.
  for (const path of ['../package.json', '../../package.json']) {
    try {
      const manifest = JSON.parse(readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8')) as Manifest;
      if (manifest.name === '@sluice/cli') return manifest;
    } catch {
      // The other one, then.
    }
  }
  throw new Error('cli: its own package.json is not where it should be');
}

const BLOCK = 512;

/** The package.json inside a packed package. @throws Error when it has none */
export function manifestOf(tarball: string): Manifest {
  const tar = gunzipSync(readFileSync(tarball));
  for (let at = 0; at + BLOCK <= tar.length;) {
    const name = tar.toString('utf8', at, at + 100).replace(/\0.*$/s, '');
    const size = Number.parseInt(tar.toString('latin1', at + 124, at + 136), 8) || 0;
    if (name === 'package/package.json') return JSON.parse(tar.toString('utf8', at + BLOCK, at + BLOCK + size)) as Manifest;
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  throw new Error(`cli: ${tarball} is no packed package`);
}
