// A letter in words: subject, plain text, and the same as HTML that loads nothing.

import { accentFrom } from '../branding/accent.ts';
import type { Config } from '../config.ts';
import { type Messages, messagesFor } from '../i18n/index.ts';
import { type House, type HouseLink, houseLinks, wayToOperators } from '../web/html/house.ts';
import type { Letter, Mail } from './letter.ts';
import { type LetterParts, letterView } from './letter-view.ts';
import type { MailImage } from './logo.ts';
import { greetingName, nameForMail } from './names.ts';

export type Sender = House & Pick<Config, 'baseUrl' | 'accentColor'> & { mailFrom: string };

type Facts = [label: string, value: string][];

type Content = Omit<LetterParts, 'greeting' | 'footer' | 'links' | 'reach'> & {
  sendsToOperators?: true;
};

/** Writes a letter in the language of the person it goes to. */
export function composeMail(letter: Letter, sender: Sender, logo: MailImage | undefined, date: Date): Mail {
  const { baseUrl, serviceName, mailFrom } = sender;
  const { locale } = letter;
  const messages = messagesFor(locale);
  const { house } = messages;
  const { sendsToOperators, ...content } = contentOf(letter, messages, serviceName);
  const way = wayToOperators(messages, sender);
  const name = greetingName(letter.to.name);
  const parts: LetterParts = {
    ...content,
    greeting: messages.mail.greeting(name),
    reach: sendsToOperators && way && { text: house.reach, way },
    footer: messages.mail.footer(serviceName, new URL(baseUrl).host),
    links: houseLinks(messages, sender),
  };
  return {
    from: senderOf(mailFrom, serviceName),
    to: { name, address: letter.to.email },
    subject: content.subject,
    text: asText(parts, messages),
    html: letterView(parts, { locale, serviceName, accent: accentFrom(sender.accentColor), logo }),
    images: logo === undefined ? [] : [logo],
    date,
  };
}

/** The texts of a letter that differs from others by them alone. */
interface LetterWords {
  subject: (service: string) => string;
  text: (service: string, email: string) => string;
  action?: string;
  closing: string;
}

function contentOf(letter: Letter, messages: Messages, serviceName: string): Content {
  const { mail } = messages;
  switch (letter.kind) {
    case 'offered': {
      const words = mail.offered;
      const what = words.what[letter.what];
      const [name, from] = [letter.name, letter.from].map(nameForMail);
      return {
        subject: words.subject(what, serviceName),
        paragraphs: [words.text(what, name ? mail.quoted(name) : mail.unnamed, serviceName)],
        facts: [
          [words.from, from || mail.unnamed],
          [words.until, messages.instant(letter.until)],
        ],
        action: { text: words.action, link: letter.link },
        closing: words.closing(what),
      };
    }
    case 'reset_asked':
      return {
        subject: mail.reset_asked.subject(serviceName),
        paragraphs: [letter.passkeys ? mail.reset_asked.textWithPasskeys : mail.reset_asked.text],
        facts: [
          [mail.at, messages.instant(letter.at)],
          [mail.reset_asked.until, messages.instant(letter.until)],
        ],
        action: { text: mail.reset_asked.action, link: letter.link },
        closing: mail.reset_asked.closing,
        sendsToOperators: true,
      };
    case 'activity_reported':
      return {
        subject: mail.activity_reported.subject(serviceName),
        paragraphs: [mail.activity_reported.text, ...(letter.taken ? [mail.activity_reported.taken] : [])],
        lists: reportLists(letter, messages),
        action: { text: mail.activity_reported.action, link: letter.link },
        closing: [
          mail.activity_reported.closing,
          letter.review.length > 0 && mail.activity_reported.reviewText,
        ]
          .filter((text) => text !== false)
          .join(' '),
        ...(letter.taken && { sendsToOperators: true as const }),
      };
    case 'notice': {
      const { notice, link } = letter;
      const details: Partial<Record<string, string>> = mail.details;
      const texts = [DECIDED.test(notice) ? mail.decided : undefined, details[notice]];
      return {
        subject: { ...mail.notices, ...mail.announcements }[notice](serviceName),
        paragraphs: texts.filter((text) => text !== undefined),
        facts: [...aboutOf(letter, messages), ...factsOf(letter, messages)],
        ...(link === undefined
          ? { closing: mail.announcementClosing, sendsToOperators: true }
          : { action: { text: mail.notMe, link, quiet: true }, closing: mail.notMeClosing }),
      };
    }
    default: {
      const words: LetterWords = mail[letter.kind];
      return {
        subject: words.subject(serviceName),
        paragraphs: [words.text(serviceName, letter.to.email)],
        closing: words.closing,
        ...('address' in letter && { facts: factsOf(letter, messages) }),
        ...('link' in letter && words.action && { action: { text: words.action, link: letter.link } }),
        ...('code' in letter && { code: { text: mail.codeText, code: letter.code } }),
        ...(letter.kind === 'without_password' && { sendsToOperators: true }),
      };
    }
  }
}

/** What a report removed, and what is to be reviewed. An intruder chose names and URLs: no URL is shown. */
function reportLists(
  { removed, review }: Extract<Letter, { kind: 'activity_reported' }>,
  { mail, account, operations }: Messages,
): NonNullable<Content['lists']> {
  const of = (holder: string | null) =>
    holder === null ? mail.activity_reported.account : nameForMail(holder) || mail.unnamed;
  const { items } = account.credentials.report;
  const nameOf = ({ kind, name }: (typeof removed)[number]) =>
    kind === 'redirect_uri' ? '' : nameForMail(name ?? '');
  const gone = removed.map(
    (item) => `${of(item.holder)}${mail.colon}${items[item.kind](nameOf(item)).trim()}`,
  );
  const lists = [
    { heading: mail.activity_reported.removed, lines: [...new Set(gone)].map((text) => ({ text })) },
    {
      heading: mail.activity_reported.review,
      lines: review.map(({ kind, holder, link: href }) => ({
        text: `${of(holder)}${mail.colon}${operations.events[kind]}`,
        href,
      })),
    },
  ];
  return lists.filter(({ lines }) => lines.length > 0);
}

/** What administrators do. */
const DECIDED =
  /^(password_set|access_ended|second_factor_reset|operator_.*|(account|application|api)_(suspended|unsuspended|removed|updated)|(api_)?secret_(replaced|removed))$/;

/** What it is about: an email address as it is, a name in quotation marks. */
function aboutOf({ notice, subject }: Extract<Letter, { kind: 'notice' }>, { mail }: Messages): Facts {
  if (subject === undefined) return [];
  const name = nameForMail(subject);
  const quoted = name === '' ? mail.unnamed : mail.quoted(name);
  return [[mail.about, notice.startsWith('email_') ? subject : quoted]];
}

/** When, where from and with what, as far as that is known. */
function factsOf(letter: Extract<Letter, { kind: 'notice' | 'sign_in' }>, messages: Messages): Facts {
  const { mail, account } = messages;
  const facts: Facts = [[mail.at, messages.instant(letter.at)]];
  if (letter.address !== '') facts.push([mail.address, letter.address]);
  const { browser, system } = letter.device;
  const device = browser && system ? account.sessions.device(browser, system) : (browser ?? system);
  if (device !== undefined) facts.push([mail.browser, device]);
  return facts;
}

function asText({ greeting, ...letter }: LetterParts, { house }: Messages): string {
  const { subject, paragraphs, facts, lists = [], action, code, closing, footer, links, reach } = letter;
  const parts = [
    greeting,
    ...(paragraphs.length > 0 ? paragraphs : [`${subject}.`]),
    facts?.map(([label, value]) => `${label} ${value}`).join('\n'),
    ...lists.map(({ heading, lines }) =>
      [
        heading,
        ...lines.map(({ text, href }) => (href === undefined ? `- ${text}` : `- ${text}\n  ${href}`)),
      ].join('\n'),
    ),
    action && `${action.text}\n${action.link}`,
    code && `${code.text}\n${code.code}`,
    closing,
    reach && `${reach.text} ${asAddress(reach.way)}`,
    ['-- ', footer, ...links.map(({ text, href }) => house.line(text, asAddress({ text, href })))].join('\n'),
  ];
  return `${parts.filter((part) => part !== undefined).join('\n\n')}\n`;
}

const asAddress = ({ href }: HouseLink): string =>
  href.startsWith('mailto:') ? decodeURIComponent(href.slice('mailto:'.length)) : href;

/** Whom a mail says it comes from: a bare address goes by the name of the service. */
function senderOf(mailFrom: string, serviceName: string): Mail['from'] {
  const [, name, address] = /^(.+?)\s*<([^<>]+)>$/.exec(mailFrom) ?? [];
  return name === undefined || address === undefined
    ? { name: serviceName, address: mailFrom }
    : { name, address };
}
