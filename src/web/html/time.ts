// Renders dates and times in UTC. The script public/page.js converts them to the local time zone.
// It also replaces recent times with relative times ("five minutes ago").
import type { Messages } from '../../i18n/index.ts';
import { type Html, html } from './html.ts';

export const day = (at: Date, { date }: Messages): Html =>
  html`<time datetime="${at.toISOString()}" data-as="day">${date(at)}</time>`;

/** A date and time with minute precision. */
export const dateTime = (at: Date, { instant }: Messages): Html =>
  html`<time datetime="${at.toISOString()}">${instant(at)}</time>`;

/** A short date and time for tables, with minute precision. */
export const shortDateTime = (at: Date, { brief }: Messages): Html =>
  html`<time datetime="${at.toISOString()}" data-as="brief">${brief(at)}</time>`;

/** A short date and time for tables, with second precision. */
export const shortDateTimeSeconds = (at: Date, { briefExact }: Messages): Html =>
  html`<time datetime="${at.toISOString()}" data-as="brief-exact">${briefExact(at)}</time>`;

/** A past time, which the script shows relative to now. */
export const timeAgo = (at: Date, { instantAgo }: Messages): Html =>
  html`<time datetime="${at.toISOString()}" data-as="ago">${instantAgo(at)}</time>`;
