// Line break opportunities in URLs, hosts and email addresses.
import { type Html, html } from './html.ts';

const BREAK = /(?<=@|(?<!\/)\.|(?<![:/])\/)(?!\/|$)/;

/** Lets a long URL, host or email address break after `@`, `.` and `/` instead of within a word. */
export const breakable = (text: string): Html =>
  html`${text.split(BREAK).map((part, index) => (index === 0 ? part : html`<wbr>${part}`))}`;
