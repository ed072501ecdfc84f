// Tags: short status labels. The text always states the meaning, so the color is redundant.
import { type Html, html } from './html.ts';

export type TagMeaning = 'good' | 'waiting' | 'stopped';

/** The markup ends with a space that separates adjacent tags. */
export const tag = (text: Html | string, meaning?: TagMeaning): Html =>
  html`<span class="${meaning === undefined ? 'tag' : `tag tag--${meaning}`}">${text}</span> `;
