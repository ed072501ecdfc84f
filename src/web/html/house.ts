// Owns what the operator has put in place of ours: the name, the ways to reach the operators, the links that every page and mail ends with.

import type { Config } from '../../config.ts';
import type { Messages } from '../../i18n/index.ts';
import { type Html, html } from './html.ts';

/** What pages and mails know of whoever runs the service. */
export type House = Pick<
  Config,
  | 'serviceName'
  | 'supportEmail'
  | 'supportUrl'
  | 'privacyUrl'
  | 'termsUrl'
  | 'legalNoticeUrl'
  | 'accessibilityUrl'
>;

export interface HouseLink {
  text: string;
  href: string;
}

/** What the foot of every page and mail leads to, in this order; nothing where the operator has set nothing. */
export function houseLinks({ house: text }: Messages, house: House): HouseLink[] {
  const links: [string, string | undefined][] = [
    [text.help, house.supportUrl],
    [text.write, house.supportEmail && mailto(house.supportEmail)],
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

/** How the operators are reached: by mail, on a page of theirs, both, or not at all. */
export const waysToOperators = ({ house: text }: Messages, house: House): HouseLink[] => [
  ...(house.supportEmail === undefined
    ? []
    : [{ text: house.supportEmail, href: mailto(house.supportEmail) }]),
  ...(house.supportUrl === undefined ? [] : [{ text: text.helpPage, href: house.supportUrl }]),
];

/** The first of these ways, for a fault that sends somebody there. */
export function wayToOperators({
  supportEmail,
  supportUrl,
}: House): { href: string; text: (messages: Messages) => string } | undefined {
  if (supportEmail !== undefined)
    return { href: mailto(supportEmail), text: ({ house }) => house.writeTo(supportEmail) };
  return supportUrl === undefined ? undefined : { href: supportUrl, text: ({ house }) => house.openHelpPage };
}

/** Where to reach the operators: goes with every text that sends somebody to them. Nothing where no way is set. */
export function reachOperators(messages: Messages, house: House): Html | undefined {
  const { reach, or } = messages.house;
  const [first, second] = waysToOperators(messages, house).map(houseLink);
  return first && html`<p class="reach">${reach} ${first}${second && html` ${or} ${second}`}</p>`;
}

const mailto = (address: string): string => `mailto:${address.split('@').map(encodeURIComponent).join('@')}`;
