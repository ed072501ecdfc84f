// Tags: short status labels. The text always states the meaning, which the colour only repeats.
import { type Html, html } from './html.ts';

export type TagMeaning = 'good' | 'waiting' | 'stopped';

/** The markup ends with a space, which separates the tag from the next tag. */
export const tag = (text: Html | string, meaning?: TagMeaning): Html =>
  html`<span class="${meaning === undefined ? 'tag' : `tag tag--${meaning}`}">${text}</span> `;
