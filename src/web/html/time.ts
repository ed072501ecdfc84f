// Owns how a moment is marked up: its words, in UTC, and for machines the moment itself. public/page.js says it again in
// the reader's zone, and lately « five minutes ago », with UTC in the title.
import type { Messages } from '../../i18n/index.ts';
import { type Html, html } from './html.ts';

export const day = (at: Date, { date }: Messages): Html =>
  html`<time datetime="${at.toISOString()}" data-as="day">${date(at)}</time>`;

/** A moment, to the minute. */
export const moment = (at: Date, { instant }: Messages): Html =>
  html`<time datetime="${at.toISOString()}">${instant(at)}</time>`;

/** A moment among others, one below the other: as short as it can be understood, in one line. */
export const briefMoment = (at: Date, { brief }: Messages): Html =>
  html`<time datetime="${at.toISOString()}" data-as="brief">${brief(at)}</time>`;

/** The same to the second: of what is looked for in another log. */
export const briefExactMoment = (at: Date, { briefExact }: Messages): Html =>
  html`<time datetime="${at.toISOString()}" data-as="brief-exact">${briefExact(at)}</time>`;

/** A moment that has passed, of which people ask how long ago: to the minute where no script can say that. */
export const ago = (at: Date, { instantAgo }: Messages): Html =>
  html`<time datetime="${at.toISOString()}" data-as="ago">${instantAgo(at)}</time>`;
