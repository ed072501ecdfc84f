// Owns what the operator has put in place of ours: the name, the ways to reach the operators, the links that every page and mail ends with.

import type { Config } from '../../config.ts';
import type { Messages } from '../../i18n/index.ts';
import { type Html, html } from './html.ts';

/** What pages and mails know of whoever runs the service. */
export type House = Pick<
  Config,
  'serviceName' | 'support' | 'privacyUrl' | 'termsUrl' | 'legalNoticeUrl' | 'accessibilityUrl'
>;

export interface HouseLink {
  text: string;
  href: string;
}

/** The links at the foot of every page and mail, in this order. */
export function houseLinks({ house: text }: Messages, house: House): HouseLink[] {
  const links: [string, string | undefined][] = [
    [isPage(house.support) ? text.help : text.write, house.support && supportUrl(house.support)],
    [text.accessibility, house.accessibilityUrl],
    [text.terms, house.termsUrl],
    [text.privacy, house.privacyUrl],
    [text.legalNotice, house.legalNoticeUrl],
  ];
  return links.flatMap(([words, href]) => (href === undefined ? [] : [{ text: words, href }]));
}

/** A link of the house: it leaves the service, and tells nobody from where. */
export const houseLink = ({ text, href }: HouseLink): Html =>
  html`<a href="${href}" rel="noopener noreferrer">${text}</a>`;

/** Where to reach the administrator: an email address or a help page. */
export const wayToOperators = ({ house: text }: Messages, { support }: House): HouseLink | undefined =>
  support === undefined
    ? undefined
    : { text: isPage(support) ? text.helpPage : support, href: supportUrl(support) };

/** The same as a link after an error. */
export const supportLink = ({
  support,
}: House): { href: string; text: (messages: Messages) => string } | undefined =>
  support === undefined
    ? undefined
    : {
        href: supportUrl(support),
        text: ({ house }) => (isPage(support) ? house.openHelpPage : house.writeTo(support)),
      };

/** The same as a sentence, for every text that sends somebody to the administrator. */
export function reachOperators(messages: Messages, house: House): Html | undefined {
  const way = wayToOperators(messages, house);
  return way && html`<p class="reach">${messages.house.reach} ${houseLink(way)}</p>`;
}

const isPage = (support: string | undefined): boolean => support !== undefined && /^https?:/.test(support);
const supportUrl = (support: string): string =>
  isPage(support) ? support : `mailto:${support.split('@').map(encodeURIComponent).join('@')}`;
