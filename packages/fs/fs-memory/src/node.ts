/** What has a name in a volume. `id` is never used twice; `revision` grows with every change. */
interface Base {
  readonly id: number;
  revision: number;
  mtimeMs: number;
}
export interface FileNode extends Base {
  readonly kind: 'file';
  /** Never changed in place: readers may still have it. */
  bytes: Uint8Array;
  isReadOnly: boolean;
}
export interface DirectoryNode extends Base {
  readonly kind: 'directory';
  readonly children: Map<string, Node>;
}
export interface LinkNode extends Base {
  readonly kind: 'link';
  /** As it was given: absolute, or relative to the directory that the link is in. */
  readonly target: string;
}
export type Node = FileNode | DirectoryNode | LinkNode;

export function versionOf(node: Node): string {
  return `${node.kind}-${node.id}-${node.revision}`;
}
