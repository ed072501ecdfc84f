// Branding of pages and emails: service name, support contact, footer links.

import type { Config } from '../../config.ts';
import type { Messages } from '../../i18n/index.ts';
import { type Html, html } from './html.ts';

export type Branding = Pick<
  Config,
  'serviceName' | 'support' | 'privacyUrl' | 'termsUrl' | 'legalNoticeUrl' | 'accessibilityUrl'
>;

export interface BrandingLink {
  text: string;
  href: string;
}

export function brandingLinks({ serviceLinks: text }: Messages, branding: Branding): BrandingLink[] {
  const links: [string, string | undefined][] = [
    [isUrl(branding.support) ? text.help : text.write, branding.support && supportUrl(branding.support)],
    [text.accessibility, branding.accessibilityUrl],
    [text.terms, branding.termsUrl],
    [text.privacy, branding.privacyUrl],
    [text.legalNotice, branding.legalNoticeUrl],
  ];
  return links.flatMap(([label, href]) => (href === undefined ? [] : [{ text: label, href }]));
}

export const externalLink = ({ text, href }: BrandingLink): Html =>
  html`<a href="${href}" rel="noopener noreferrer">${text}</a>`;

export const supportContact = (
  { serviceLinks: text }: Messages,
  { support }: Branding,
): BrandingLink | undefined =>
  support === undefined
    ? undefined
    : { text: isUrl(support) ? text.helpPage : support, href: supportUrl(support) };

export const supportLink = ({
  support,
}: Branding): { href: string; text: (messages: Messages) => string } | undefined =>
  support === undefined
    ? undefined
    : {
        href: supportUrl(support),
        text: ({ serviceLinks }) =>
          isUrl(support) ? serviceLinks.openHelpPage : serviceLinks.writeTo(support),
      };

export function supportNote(messages: Messages, branding: Branding): Html | undefined {
  const contact = supportContact(messages, branding);
  return (
    contact &&
    html`<p class="support-contact">${messages.serviceLinks.supportLabel} ${externalLink(contact)}</p>`
  );
}

const isUrl = (support: string | undefined): boolean => support !== undefined && /^https?:/.test(support);
const supportUrl = (support: string): string =>
  isUrl(support) ? support : `mailto:${support.split('@').map(encodeURIComponent).join('@')}`;
