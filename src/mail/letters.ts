// A letter in words: subject, plain text, and the same as simple HTML that loads nothing.

import { type Messages, messagesFor } from '../i18n/index.ts';
import { type Html, html, render } from '../web/html/html.ts';
import type { Letter, Mail } from './letter.ts';
import { greetingName, nameForMail } from './names.ts';

interface Sender {
  baseUrl: string;
  serviceName: string;
  mailFrom: string;
}

type Facts = [label: string, value: string][];

/** What every letter is made of, in this order; what is absent is left out. */
interface Content {
  subject: string;
  paragraphs: string[];
  facts?: Facts;
  action?: { text: string; link: string };
  code?: { text: string; code: string };
  closing: string;
}

/** Writes a letter in the language of the person it goes to. */
export function composeMail(letter: Letter, { baseUrl, serviceName, mailFrom }: Sender, date: Date): Mail {
  const messages = messagesFor(letter.locale);
  const content = contentOf(letter, messages, serviceName);
  const name = greetingName(letter.to.name);
  const greeting = messages.mail.greeting(name);
  const footer = messages.mail.footer(serviceName, new URL(baseUrl).host);
  return {
    from: mailFrom,
    to: { name, address: letter.to.email },
    subject: content.subject,
    text: asText(greeting, content, footer),
    html: asHtml(letter.locale, greeting, content, footer),
    date,
  };
}

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
      const offered = letter.kind === 'reset_password' && letter.offered;
      const words = offered ? mail.password_offered : mail[letter.kind];
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
    case 'sign_in':
      return {
        subject: mail.sign_in.subject(serviceName),
        paragraphs: [mail.sign_in.text(serviceName)],
        facts: factsOf(letter, messages),
        action: { text: mail.sign_in.action, link: letter.link },
        code: { text: mail.codeText, code: letter.code },
        closing: mail.sign_in.closing,
      };
    case 'notice': {
      const words = mail.notices[letter.notice];
      return {
        subject: words.subject(serviceName),
        paragraphs: [words.text(subjectOf(letter, messages))],
        facts: factsOf(letter, messages),
        action: { text: mail.notMe, link: letter.link },
        closing: mail.notMeClosing,
      };
    }
    case 'announcement': {
      const words = mail.announcements[letter.announcement];
      return {
        subject: words.subject(serviceName),
        paragraphs: [words.text(subjectOf(letter, messages))],
        facts: factsOf(letter, messages),
        closing: mail.announcementClosing,
      };
    }
  }
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

function asText(greeting: string, content: Content, footer: string): string {
  const { paragraphs, facts, action, code, closing } = content;
  const parts = [
    greeting,
    ...paragraphs,
    facts?.map(([label, value]) => `${label} ${value}`).join('\n'),
    action && `${action.text}\n${action.link}`,
    code && `${code.text}\n${code.code}`,
    closing,
    `-- \n${footer}`,
  ];
  return `${parts.filter((part) => part !== undefined).join('\n\n')}\n`;
}

// Styles stand in the elements: many mail programs take no others. Light only: what is dark makes its own of it.
const BODY =
  'margin:0;padding:24px;background:#ffffff;color:#1e1b33;font-family:system-ui,-apple-system,Segoe UI,Roboto,sans-serif;font-size:16px;line-height:1.5';
const COLUMN = 'max-width:36rem;margin:0 auto;overflow-wrap:anywhere';
const TITLE = 'margin:0 0 16px;font-size:20px;line-height:1.3';
const BUTTON =
  'display:inline-block;padding:12px 20px;border-radius:10px;background:#4f46e5;color:#ffffff;font-weight:600;text-decoration:none';
const CODE =
  'font-size:28px;letter-spacing:0.2em;font-family:ui-monospace,Consolas,monospace;margin:4px 0 16px';
const QUIET = 'font-size:14px;color:#5a566e';
const LINK = 'color:#4338ca';

function asHtml(locale: string, greeting: string, content: Content, footer: string): string {
  const { subject, paragraphs, facts, action, code, closing } = content;
  const paragraph = (text: string): Html => html`<p>${text}</p>
`;
  return render(html`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<title>${subject}</title>
</head>
<body style="${BODY}">
<div role="main" style="${COLUMN}">
<h1 style="${TITLE}">${subject}</h1>
${[greeting, ...paragraphs].map(paragraph)}${
  facts &&
  html`<p>${facts.map(
    ([label, value]) => html`${label} <strong>${value}</strong><br>
`,
  )}</p>
`
}${
  action &&
  html`<p><a href="${action.link}" style="${BUTTON}">${action.text}</a></p>
<p style="${QUIET}"><a href="${action.link}" style="${LINK}">${action.link}</a></p>
`
}${
  code &&
  html`<p>${code.text}</p>
<p style="${CODE}">${code.code}</p>
`
}<p>${closing}</p>
<p style="${QUIET}">${footer}</p>
</div>
</body>
</html>
`);
}
