export { renderTerminal, renderTerminal as default, type RenderTerminalConfig } from './plugin.ts';
export { renderSession, sessionRows, type RenderOptions } from './render-session.ts';
export type { Output } from './live/screen.ts';
export type { LoggedEvent } from './story/from-session.ts';
export type { Presenter } from './story/story.ts';
