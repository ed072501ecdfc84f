// Renders dates and times in UTC. public/page.js converts them to local or relative times.
// The tooltip always shows the exact time.
import type { Messages } from '../../i18n/index.ts';
import { type Html, html } from './html.ts';

const time = (at: Date, { instantExact }: Messages, kind: string, text: string): Html =>
  html`<time datetime="${at.toISOString()}" data-as="${kind}" title="${instantExact(at)}">${text}</time>`;

export const day = (at: Date, messages: Messages): Html => time(at, messages, 'day', messages.date(at));

export const dateTime = (at: Date, messages: Messages): Html =>
  time(at, messages, 'minute', messages.instant(at));

export const dateTimeSeconds = (at: Date, messages: Messages): Html =>
  time(at, messages, 'second', messages.instantExact(at));

export const timeAgo = (at: Date, messages: Messages): Html =>
  time(at, messages, 'ago', messages.instantAgo(at));
