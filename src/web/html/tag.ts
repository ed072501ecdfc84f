// Tags: short status labels. The text states the meaning, so color and icon are redundant.
import { type Html, html } from './html.ts';
import { type IconName, icon } from './icons.ts';

export type TagMeaning = 'good' | 'waiting' | 'stopped';

/** The trailing space separates adjacent tags. */
export const tag = (text: Html | string, meaning?: TagMeaning, iconName?: IconName): Html =>
  html`<span class="${meaning === undefined ? 'tag' : `tag tag--${meaning}`}">${iconName && icon(iconName, 14)}${text}</span> `;
