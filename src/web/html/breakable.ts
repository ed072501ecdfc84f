// Line break opportunities in URLs, hosts and email addresses.
import { type Html, html } from './html.ts';

const BREAK_OPPORTUNITY = /(?<=@|(?<!\/)\.|(?<![:/])\/)(?!\/|$)/;

export const breakable = (text: string): Html =>
  html`${text.split(BREAK_OPPORTUNITY).map((part, index) => (index === 0 ? part : html`<wbr>${part}`))}`;
