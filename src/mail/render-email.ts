// Renders emails as plain text and HTML. The HTML has no remote content.

import { deriveAccent } from '../branding/accent.ts';
import type { Config } from '../config.ts';
import { type Messages, messagesFor } from '../i18n/index.ts';
import { type Branding, type BrandingLink, brandingLinks, supportContact } from '../web/html/branding.ts';
import { sanitizeName, toGreetingName } from './display-names.ts';
import type { Email, RenderedEmail } from './email.ts';
import { type EmailParts, renderHtml } from './email-html.ts';
import type { EmailImage } from './logo.ts';
import { parseSender } from './sender.ts';

export type Sender = Branding & Pick<Config, 'baseUrl' | 'accentColor'> & { mailFrom: string };

type DetailRow = [label: string, value: string];

type Content = Omit<EmailParts, 'greeting' | 'footer' | 'links' | 'support'> & {
  showsSupport?: true;
};

export function renderEmail(
  email: Email,
  sender: Sender,
  logo: EmailImage | undefined,
  date: Date,
): RenderedEmail {
  const { baseUrl, serviceName, mailFrom } = sender;
  const { locale } = email;
  const messages = messagesFor(locale);
  const { serviceLinks } = messages;
  const { showsSupport, ...content } = buildContent(email, messages, serviceName);
  const supportLink = supportContact(messages, sender);
  const name = toGreetingName(email.to.name);
  const parts: EmailParts = {
    ...content,
    greeting: messages.mail.greeting(name),
    support: showsSupport && supportLink && { label: serviceLinks.supportLabel, link: supportLink },
    footer: messages.mail.footer(serviceName, new URL(baseUrl).host),
    links: brandingLinks(messages, sender),
  };
  return {
    from: parseSender(mailFrom, serviceName),
    to: { name, address: email.to.email },
    subject: content.subject,
    text: renderText(parts, messages),
    html: renderHtml(parts, { locale, serviceName, accent: deriveAccent(sender.accentColor), logo }),
    images: logo === undefined ? [] : [logo],
    date,
  };
}

interface EmailMessages {
  subject: (service: string) => string;
  text: (service: string, email: string) => string;
  action?: string;
  closing: string;
}

function buildContent(email: Email, messages: Messages, serviceName: string): Content {
  const { mail } = messages;
  switch (email.kind) {
    case 'offered': {
      const offer = mail.offered;
      const resource = offer.what[email.what];
      const [name, from] = [email.name, email.from].map(sanitizeName);
      return {
        subject: offer.subject(resource, serviceName),
        paragraphs: [offer.text(resource, name ? mail.quoted(name) : mail.unnamed, serviceName)],
        details: [
          [offer.from, from || mail.unnamed],
          [offer.until, messages.instant(email.until)],
        ],
        action: { text: offer.action, link: email.link },
        closing: offer.closing(resource),
      };
    }
    case 'mfa_reset_requested':
      return {
        subject: mail.mfa_reset_requested.subject(serviceName),
        paragraphs: [
          email.passkeys ? mail.mfa_reset_requested.textWithPasskeys : mail.mfa_reset_requested.text,
        ],
        details: [
          [mail.at, messages.instant(email.at)],
          [mail.mfa_reset_requested.until, messages.instant(email.until)],
        ],
        action: { text: mail.mfa_reset_requested.action, link: email.link },
        closing: mail.mfa_reset_requested.closing,
        showsSupport: true,
      };
    case 'activity_reported':
      return {
        subject: mail.activity_reported.subject(serviceName),
        paragraphs: [mail.activity_reported.text, ...(email.taken ? [mail.activity_reported.taken] : [])],
        lists: buildReportLists(email, messages),
        // If another account has the former email address, this account is suspended.
        ...(!email.taken && { action: { text: mail.activity_reported.action, link: email.link } }),
        closing: [
          !email.taken && mail.activity_reported.closing,
          email.review.length > 0 && mail.activity_reported.reviewText,
        ]
          .filter((text) => text !== false)
          .join(' '),
        ...(email.taken && { showsSupport: true as const }),
      };
    case 'notice': {
      const { notice, link } = email;
      const details: Partial<Record<string, string>> = mail.details;
      const texts = [ADMIN_DECISIONS.test(notice) ? mail.decided : undefined, details[notice]];
      return {
        subject: { ...mail.notices, ...mail.announcements }[notice](serviceName),
        paragraphs: texts.filter((text) => text !== undefined),
        details: [...buildAboutRows(email, messages), ...buildActivityRows(email, messages)],
        ...(link === undefined
          ? { closing: mail.announcementClosing, showsSupport: true }
          : { action: { text: mail.notMe, link, quiet: true }, closing: mail.notMeClosing }),
      };
    }
    default: {
      const texts: EmailMessages = mail[email.kind];
      return {
        subject: texts.subject(serviceName),
        paragraphs: [texts.text(serviceName, email.to.email)],
        closing: texts.closing,
        ...('ip' in email && { details: buildActivityRows(email, messages) }),
        ...('link' in email && texts.action && { action: { text: texts.action, link: email.link } }),
        ...('code' in email && { code: { text: mail.codeText, code: email.code } }),
        ...(email.kind === 'without_password' && { showsSupport: true }),
      };
    }
  }
}

/** Omits redirect URIs because an intruder may have chosen them. */
function buildReportLists(
  { removed, review }: Extract<Email, { kind: 'activity_reported' }>,
  { mail, account, operations }: Messages,
): NonNullable<Content['lists']> {
  const formatResourceName = (resourceName: string | null) =>
    resourceName === null ? mail.activity_reported.account : sanitizeName(resourceName) || mail.unnamed;
  const { items } = account.credentials.report;
  const formatName = ({ kind, name }: (typeof removed)[number]) =>
    kind === 'redirect_uri' ? '' : sanitizeName(name ?? '');
  const removedTexts = removed.map(
    (item) =>
      `${formatResourceName(item.resourceName)}${mail.colon}${items[item.kind](formatName(item)).trim()}`,
  );
  const lists = [
    { heading: mail.activity_reported.removed, lines: [...new Set(removedTexts)].map((text) => ({ text })) },
    {
      heading: mail.activity_reported.review,
      lines: review.map(({ kind, holder, link: href }) => ({
        text: `${formatResourceName(holder)}${mail.colon}${operations.events[kind]}`,
        href,
      })),
    },
  ];
  return lists.filter(({ lines }) => lines.length > 0);
}

const ADMIN_DECISIONS =
  /^(password_set|access_ended|mfa_reset|admin_.*|(session_ended|consent_revoked)_by_admin|(account|application|api)_(suspended|unsuspended|removed|updated)|(api_)?secret_(replaced|removed))$/;

function buildAboutRows(
  { notice, subject }: Extract<Email, { kind: 'notice' }>,
  { mail }: Messages,
): DetailRow[] {
  if (subject === undefined) return [];
  const name = sanitizeName(subject);
  const quoted = name === '' ? mail.unnamed : mail.quoted(name);
  return [[mail.about, notice.startsWith('email_') ? subject : quoted]];
}

function buildActivityRows(
  email: Extract<Email, { kind: 'notice' | 'sign_in' }>,
  messages: Messages,
): DetailRow[] {
  const { mail, account } = messages;
  const details: DetailRow[] = [[mail.at, messages.instant(email.at)]];
  if (email.ip !== '') details.push([mail.address, email.ip]);
  const { browser, system } = email.device;
  const device = browser && system ? account.sessions.device(browser, system) : (browser ?? system);
  if (device !== undefined) details.push([mail.browser, device]);
  return details;
}

function renderText({ greeting, ...email }: EmailParts, { serviceLinks }: Messages): string {
  const { subject, paragraphs, details, lists = [], action, code, closing, footer, links, support } = email;
  const parts = [
    greeting,
    ...(paragraphs.length > 0 ? paragraphs : [`${subject}.`]),
    details?.map(([label, value]) => `${label} ${value}`).join('\n'),
    ...lists.map(({ heading, lines }) =>
      [
        heading,
        ...lines.map(({ text, href }) => (href === undefined ? `- ${text}` : `- ${text}\n  ${href}`)),
      ].join('\n'),
    ),
    action && `${action.text}\n${action.link}`,
    code && `${code.text}\n${code.code}`,
    closing,
    support && `${support.label} ${formatLinkTarget(support.link)}`,
    [
      '-- ',
      footer,
      ...links.map(({ text, href }) => serviceLinks.labeledLink(text, formatLinkTarget({ text, href }))),
    ].join('\n'),
  ];
  return `${parts.filter((part) => part !== undefined).join('\n\n')}\n`;
}

const formatLinkTarget = ({ href }: BrandingLink): string =>
  href.startsWith('mailto:') ? decodeURIComponent(href.slice('mailto:'.length)) : href;
