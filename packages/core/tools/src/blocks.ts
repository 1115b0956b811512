import type { JsonObject } from '@sluice/core-schema';

interface BlockBase {
  readonly annotations?: JsonObject;
  readonly _meta?: JsonObject;
}
export interface TextBlock extends BlockBase {
  readonly type: 'text';
  readonly text: string;
}
/** `data` is base64. */
export interface ImageBlock extends BlockBase {
  readonly type: 'image';
  readonly data: string;
  readonly mimeType: string;
}
/** `data` is base64. */
export interface AudioBlock extends BlockBase {
  readonly type: 'audio';
  readonly data: string;
  readonly mimeType: string;
}
export interface ResourceLinkBlock extends BlockBase {
  readonly type: 'resource_link';
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
}
/** Holds `text` or base64 `blob`, never both. */
export interface ResourceBlock extends BlockBase {
  readonly type: 'resource';
  readonly resource: { readonly uri: string; readonly mimeType?: string; readonly text?: string; readonly blob?: string };
}
/** What a model reads. Source: the content blocks of the Model Context Protocol. */
export type ContentBlock = TextBlock | ImageBlock | AudioBlock | ResourceLinkBlock | ResourceBlock;
