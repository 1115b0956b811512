import type { FsProvider, FsStat } from '../src/index.ts';

/** One file, `a`, that takes every change and keeps the latest. */
export class OneFile implements FsProvider {
  readonly info = { provider: 'one-file', roots: [{ name: '', path: '/', isReadOnly: false }], isCaseSensitive: true };
  text = 'one';
  revision = 1;
  calls: string[] = [];
  fault: unknown;

  #did(what: string): void {
    this.calls.push(what);
    if (this.fault !== undefined) throw this.fault;
  }
  get #facts() {
    return { path: 'a', key: 'a', version: String(this.revision), size: this.text.length };
  }
  async resolve(): ReturnType<FsProvider['resolve']> {
    return { path: 'a', key: 'a' };
  }
  async stat(): Promise<FsStat> {
    this.#did('stat');
    return { ...this.#facts, type: 'file', isLink: false, mtimeMs: 1, isReadOnly: false };
  }
  async readRange(): ReturnType<FsProvider['readRange']> {
    return { ...this.#facts, offset: 0, bytes: new Uint8Array() };
  }
  async readText(): ReturnType<FsProvider['readText']> {
    this.#did('readText');
    return { ...this.#facts, text: this.text, encoding: 'utf-8', hasBom: false, lineEndings: 'none' };
  }
  async write(_path: string, content: string | Uint8Array): ReturnType<FsProvider['write']> {
    this.#did('write');
    this.text = String(content);
    this.revision += 1;
    return { ...this.#facts, isNew: false };
  }
  async edit(): ReturnType<FsProvider['edit']> {
    this.#did('edit');
    return { ...this.#facts, isNew: false };
  }
  async list(): ReturnType<FsProvider['list']> {
    return [];
  }
  async *walk(): ReturnType<FsProvider['walk']> {
    this.#did('walk');
    yield* [];
  }
  async remove(): Promise<void> {
    this.#did('remove');
  }
  async move(): ReturnType<FsProvider['move']> {
    this.#did('move');
    return { path: 'b', key: 'b' };
  }
  async mkdir(): ReturnType<FsProvider['mkdir']> {
    return { path: 'a', key: 'a', isNew: false };
  }
}
