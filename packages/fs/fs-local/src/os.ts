import * as fs from 'node:fs';
import { promisify } from 'node:util';

/** File calls by descriptor: as plain numbers they cost a third of what `FileHandle`s do, and close when we say so. */
export const os = {
  open: promisify(fs.open),
  close: promisify(fs.close),
  fsync: promisify(fs.fsync),
  fchown: promisify(fs.fchown),
  fchmod: promisify(fs.fchmod),
  futimes: promisify(fs.futimes),
  access: promisify(fs.access),
  mkdir: promisify(fs.mkdir),
  rmdir: promisify(fs.rmdir),
  link: promisify(fs.link),
  unlink: promisify(fs.unlink),
  rename: promisify(fs.rename),
  readlink: promisify(fs.readlink) as (path: OsPath) => Promise<string>,
  realpath: promisify(fs.realpath.native) as (path: string) => Promise<string>,
  statfs: promisify(fs.statfs) as (path: OsPath) => Promise<fs.StatsFs>,
  fstat: (fd: number): Promise<OsStat> => fstat(fd, { bigint: true }),
  lstat: (path: OsPath): Promise<OsStat> => lstat(path, { bigint: true }),
  names: promisify(fs.readdir) as unknown as (path: string, options: { encoding: 'buffer' }) => Promise<Buffer[]>,
  /** Bytes that were read; fewer than asked for at the end of the file. */
  read: (fd: number, buffer: Uint8Array, offset: number, length: number, position: number): Promise<number> =>
    new Promise((resolve, reject) => {
      fs.read(fd, buffer, offset, length, position, (error, bytesRead) => {
        if (error === null) resolve(bytesRead);
        else reject(error);
      });
    }),
  write: (fd: number, buffer: Uint8Array, offset: number, length: number): Promise<number> =>
    new Promise((resolve, reject) => {
      fs.write(fd, buffer, offset, length, null, (error, written) => {
        if (error === null) resolve(written);
        else reject(error);
      });
    }),
};

export type OsPath = string | Buffer;
export type OsStat = fs.BigIntStats;

const fstat = promisify(fs.fstat) as (fd: number, options: { bigint: true }) => Promise<OsStat>;
const lstat = promisify(fs.lstat) as (path: OsPath, options: { bigint: true }) => Promise<OsStat>;

export function codeOf(error: unknown): string | undefined {
  const code: unknown = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** What the call gives, or undefined when nothing is at that path. */
export async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
