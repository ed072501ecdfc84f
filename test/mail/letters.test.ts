// Letters in words: both languages, text and HTML alike, whatever names hold.
import { describe, expect, test } from 'vitest';
import { messagesFor } from '../../src/i18n/index.ts';
import type { Announcement, Letter, SecurityNotice } from '../../src/mail/letter.ts';
import { composeMail } from '../../src/mail/letters.ts';
import { markupFaults } from '../support/markup.ts';

const SENDER = {
  baseUrl: 'https://signin.example',
  serviceName: 'Sésame & <Cie>',
  mailFrom: 'no-reply@signin.example',
};
const NOW = new Date('2026-11-20T12:34:00Z');
const link = `https://signin.example/security/confirm?token=${'A'.repeat(43)}`;
const PLAIN = "Zoé O'Hara & co";

const notices = Object.keys(messagesFor('fr').mail.notices) as SecurityNotice[];
const announcements = Object.keys(messagesFor('fr').mail.announcements) as Announcement[];
const letters = (locale: 'fr' | 'en'): Letter[] => {
  const addressed = { to: { name: PLAIN, email: 'zoe@example.org' }, locale };
  return [
    { ...addressed, kind: 'verify_email', link, code: '012345' },
    { ...addressed, kind: 'change_email', link, code: '012345' },
    { ...addressed, kind: 'reset_password', link },
    {
      ...addressed,
      kind: 'sign_in',
      at: NOW,
      address: '203.0.113.7',
      device: { browser: 'Firefox', system: 'Linux' },
      link,
      code: '012345',
    },
    ...notices.map(
      (notice): Letter => ({
        ...addressed,
        kind: 'notice',
        notice,
        at: NOW,
        address: '203.0.113.7',
        device: { browser: 'Firefox', system: 'Linux' },
        subject: '<i>Carnet</i>',
        link,
      }),
    ),
    ...announcements.map(
      (announcement): Letter => ({
        ...addressed,
        kind: 'announcement',
        announcement,
        at: NOW,
        address: '203.0.113.7',
        device: { browser: undefined, system: 'Linux' },
        subject: '<i>Carnet</i>',
      }),
    ),
  ];
};

const nameOf = (letter: Letter): string =>
  letter.kind === 'notice'
    ? letter.notice
    : letter.kind === 'announcement'
      ? letter.announcement
      : letter.kind;

describe.each(['fr', 'en'] as const)('in %s', (locale) => {
  test.each(letters(locale).map((letter) => [nameOf(letter), letter]))(
    '%s says the same in text and HTML, and escapes what came from outside',
    (_, letter) => {
      const mail = composeMail(letter, SENDER, NOW);
      expect(mail.to).toEqual({ name: PLAIN, address: 'zoe@example.org' });
      expect(mail.subject).not.toMatch(/[\r\n]/);
      const links = letter.kind === 'announcement' ? 0 : 1;
      expect(mail.text.split('\n').filter((line) => line === link)).toHaveLength(links);
      expect(mail.html.includes(`href="${link}"`)).toBe(links === 1);
      if ('code' in letter) for (const form of [mail.text, mail.html]) expect(form).toContain('012345');
      if ('at' in letter) expect(mail.text).toContain('203.0.113.7');
      expect(mail.html).not.toMatch(/<b>|<i>|<script/);
      const strange = markupFaults(mail.html).filter((fault) => !/ style="/.test(fault));
      expect(strange).toEqual([]);
      expect(mail.html).toContain(`<html lang="${locale}">`);
    },
  );

  test('nothing is loaded from anywhere', () => {
    for (const letter of letters(locale)) {
      const { html } = composeMail(letter, SENDER, NOW);
      expect(html).not.toMatch(/src=|url\(|@import|<link|<img|<iframe|<form/);
      const addresses = [...html.matchAll(/https?:\/\/[^"<\s]+/g)].map(([address]) => new URL(address).host);
      expect(new Set(addresses)).toEqual(new Set(letter.kind === 'announcement' ? [] : ['signin.example']));
    }
  });
});

test.each([
  'Win a prize http://evil.example',
  'www.evil.example',
  'Call evil.example now',
  'mail me@evil.example',
  'evil: call +33 6 12 34 56 78',
])('a name that reads as a link, %j, is left out: no mail of ours advertises anything', (name) => {
  const [, , reset] = letters('en') as [Letter, Letter, Letter];
  const mail = composeMail({ ...reset, to: { name, email: 'zoe@example.org' } }, SENDER, NOW);
  for (const text of [mail.to.name, mail.subject, mail.text, mail.html]) expect(text).not.toContain('evil');
  expect(mail.text).toContain('Hello,\n');
});

test.each(['J.R.R. Tolkien', 'Siân O’Connor-Łuksza', 'Dr. Ada'])('the name %j is not', (name) => {
  const [, , reset] = letters('en') as [Letter, Letter, Letter];
  const mail = composeMail({ ...reset, to: { name, email: 'zoe@example.org' } }, SENDER, NOW);
  expect(mail.text).toContain(`Hello ${name},`);
});

describe.each(['fr', 'en'] as const)('an application’s name, in %s', (locale) => {
  const about = (subject: string) =>
    letters(locale)
      .filter((letter) => 'subject' in letter && !nameOf(letter).startsWith('email_'))
      .map((letter) => composeMail({ ...letter, subject } as Letter, SENDER, NOW));

  test('is quoted and shortened, and is neither a number to call nor an address to open', () => {
    const mails = about(
      'Call +33 6 12 34 56 78 or open http://evil.example now, or nothing will ever be good again',
    );
    for (const { subject, text, html } of mails)
      for (const form of [subject, text, html]) {
        expect(form).not.toMatch(/evil\.example|33 6|12 34|good again/);
        expect(form.includes('Call')).toBe(
          /[«“]\u202f?Call \+ or open http evil example now, o…\u202f?[»”]/.test(form),
        );
      }
    expect(mails.filter(({ text }) => text.includes('Call')).length).toBeGreaterThan(8);
  });

  test('of which nothing is left is said to be missing', () => {
    const words = messagesFor(locale).mail.unnamed;
    expect(about('0612345678').filter(({ text }) => text.includes(words)).length).toBeGreaterThan(8);
  });
});
