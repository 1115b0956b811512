import { areLinesAlike, commonHead, commonTail, FORMAT_BYTES, wholeLines, type FsTextFormat, type ReplacedBytes } from '@sluice/fs';
import { Moved } from './handles.ts';
import type { Asked, Place } from './locate.ts';
import { os, type OsStat } from './os.ts';
import { openRegular, readBytes, readInto, type OpenFile } from './reading.ts';
import { versionOf } from './version.ts';
import type { Workspace } from './workspace.ts';

/** Bytes that are compared at once. */
const CHUNK_BYTES = 131_072;

/** The file that is there, for whoever makes its new content of the old. Opened when it is first looked into; `close` must be called. */
export class OldFile {
  readonly size: number;
  readonly #ws: Workspace;
  readonly #place: Place;
  readonly #old: OsStat;
  readonly #asked: Asked;
  #file: OpenFile | undefined;

  constructor(ws: Workspace, place: Place, old: OsStat, asked: Asked) {
    this.#ws = ws;
    this.#place = place;
    this.#old = old;
    this.#asked = asked;
    this.size = Number(old.size);
  }

  /** From an offset; to the end if no length is given. @throws `Moved` when it is another version by now */
  async read(offset = 0, length = Infinity): Promise<Uint8Array> {
    return readBytes(await this.#open(), offset, length, this.#asked);
  }

  /** What is not alike in it and in what will replace it. Reads all of it, and keeps no more than that. */
  async comparedWith(written: Uint8Array, format: FsTextFormat): Promise<ReplacedBytes> {
    const begin = await this.read(0, FORMAT_BYTES);
    if (!areLinesAlike(begin, format)) return { old: await this.read(), begin, head: 0, tail: 0 };
    const file = await this.#open();
    const room = new Uint8Array(Math.min(CHUNK_BYTES, this.size));
    const most = Math.min(this.size, written.length);
    const chunk = async (offset: number, length: number): Promise<Uint8Array> => {
      await readInto(file, room, offset, length, this.#asked);
      return room.subarray(0, length);
    };
    let common = 0;
    for (let isAlike = true; isAlike && common < most; ) {
      const length = Math.min(CHUNK_BYTES, most - common);
      const same = commonHead(await chunk(common, length), written.subarray(common, common + length));
      common += same;
      isAlike = same === length;
    }
    let end = 0;
    for (let isAlike = true; isAlike && end < most - common; ) {
      const length = Math.min(CHUNK_BYTES, most - common - end);
      const from = written.length - end - length;
      const same = commonTail(await chunk(this.size - end - length, length), written.subarray(from, from + length));
      end += same;
      isAlike = same === length;
    }
    const { head, tail } = wholeLines(written, common, end);
    return { old: await this.read(head, this.size - tail - head), begin, head, tail };
  }

  async close(): Promise<void> {
    if (this.#file !== undefined) await os.close(this.#file.fd);
  }

  async #open(): Promise<OpenFile> {
    this.#file ??= await openRegular(this.#ws, this.#place.real, this.#asked);
    if (this.#file.version !== versionOf(this.#old)) throw new Moved();
    return this.#file;
  }
}
