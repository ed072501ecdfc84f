// Owns the tags: a word or two about the state of something, whose colour means something and never stands alone.
import { type Html, html } from './html.ts';

/** What a tag means: put in order, still to be done, or stopped; absent where it only names something. */
export type TagMeaning = 'good' | 'waiting' | 'stopped';

/** A tag, with the space that parts it from the next one. */
export const tag = (text: Html | string, meaning?: TagMeaning): Html =>
  html`<span class="${meaning === undefined ? 'tag' : `tag tag--${meaning}`}">${text}</span> `;
