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

const passwordWords = (letter: Extract<Letter, { kind: 'reset_password' | 'invitation' }>) => {
  if (letter.kind === 'invitation') return 'invitation';
  if (letter.offered) return 'password_offered';
  return letter.first ? 'first_password' : 'reset_password';
};

function contentOf(letter: Letter, messages: Messages, serviceName: string): Content {
  const { mail } = messages;
  switch (letter.kind) {
    case 'verify_email':
    case 'change_email':
      return {
        subject: mail[letter.kind].subject(serviceName),
        paragraphs: [mail[letter.kind].text(letter.to.email, serviceName)],
        action: { text: mail[letter.kind].action, link: letter.link },
        code: { text: mail.codeText, code: letter.code },
        closing: mail[letter.kind].closing,
      };
    case 'reset_password':
    case 'invitation': {
      const words = mail[passwordWords(letter)];
      return {
        subject: words.subject(serviceName),
        paragraphs: [words.text(serviceName)],
        action: { text: words.action, link: letter.link },
        closing: words.closing,
      };
    }
    case 'address_taken':
      return {
        subject: mail.address_taken.subject(serviceName),
        paragraphs: [mail.address_taken.text(letter.to.email, serviceName)],
        closing: mail.address_taken.closing,
      };
    case 'without_password':
      return {
        subject: mail.without_password.subject(serviceName),
        paragraphs: [mail.without_password.text(serviceName)],
        action: { text: mail.without_password.action, link: letter.link },
        closing: mail.without_password.closing,
        sendsToOperators: true,
      };
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
    case 'sign_in':
      return {
        subject: mail.sign_in.subject(serviceName),
        paragraphs: [mail.sign_in.text(serviceName)],
        facts: factsOf(letter, messages),
        action: { text: mail.sign_in.action, link: letter.link },
        code: { text: mail.codeText, code: letter.code },
        closing: mail.sign_in.closing,
      };
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
    case 'notice':
    case 'announcement': {
      const words =
        letter.kind === 'notice' ? mail.notices[letter.notice] : mail.announcements[letter.announcement];
      return {
        subject: words.subject(serviceName),
        paragraphs: [words.text(subjectOf(letter, messages))],
        facts: factsOf(letter, messages),
        ...(letter.kind === 'notice'
          ? { action: { text: mail.notMe, link: letter.link, quiet: true }, closing: mail.notMeClosing }
          : { closing: mail.announcementClosing, sendsToOperators: true }),
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

/** What it is about: a mail address as it is, an application by its name and in quotation marks. */
function subjectOf(
  { subject = '', ...letter }: Letter & { kind: 'notice' | 'announcement' },
  { mail }: Messages,
): string {
  if (letter.kind === 'notice' && letter.notice.startsWith('email_')) return subject;
  const name = nameForMail(subject);
  return name === '' ? mail.unnamed : mail.quoted(name);
}

/** When, where from and with what, as far as that is known. */
function factsOf(
  letter: Letter & { kind: 'notice' | 'announcement' | 'sign_in' },
  messages: Messages,
): Facts {
  const { mail, account } = messages;
  const facts: Facts = [[mail.at, messages.instant(letter.at)]];
  if (letter.address !== '') facts.push([mail.address, letter.address]);
  const { browser, system } = letter.device;
  const device = browser && system ? account.sessions.device(browser, system) : (browser ?? system);
  if (device !== undefined) facts.push([mail.browser, device]);
  return facts;
}

function asText({ greeting, ...letter }: LetterParts, { house }: Messages): string {
  const { paragraphs, facts, lists = [], action, code, closing, footer, links, reach } = letter;
  const parts = [
    greeting,
    ...paragraphs,
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
