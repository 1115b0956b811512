export { renderSession, sessionRows, type RenderOptions } from './render-session.ts';
export type { LoggedEvent } from './story/from-session.ts';
export type { Presenter } from './story/story.ts';
