// Letters in words: both languages, text and HTML alike, whatever names hold.

import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { messagesFor } from '../../src/i18n/index.ts';
import type { Letter } from '../../src/mail/letter.ts';
import { composeMail } from '../../src/mail/letters.ts';
import { elementsOf, markupFaults } from '../support/markup.ts';
import { HOUSE } from '../support/service.ts';

const SENDER = {
  ...readConfig({ ...HOUSE, BASE_URL: 'https://signin.example', SERVICE_NAME: 'Sésame & <Cie>' }),
  mailFrom: 'no-reply@signin.example',
};
const BARE = { ...readConfig({ BASE_URL: 'https://signin.example' }), mailFrom: 'no-reply@signin.example' };
const LOGO = { cid: 'logo', content: Buffer.from('light') };
const NOW = new Date('2026-11-20T12:34:00Z');
const link = `https://signin.example/security/confirm?token=${'A'.repeat(43)}`;
const PLAIN = "Zoé O'Hara & co";

const { mail: words } = messagesFor('fr');
const notices = Object.keys({ ...words.notices, ...words.announcements }) as (keyof typeof words.notices)[];
/** One of each kind; alerts have the link that reports them. */
const letters = (locale: 'fr' | 'en'): Letter[] => {
  const addressed = { to: { name: PLAIN, email: 'zoe@example.org' }, locale };
  const code = '012345';
  const at = {
    ...{ at: NOW, address: '203.0.113.7' },
    device: { browser: 'Firefox', system: 'Linux' },
  };
  const told = { ...addressed, ...at, kind: 'notice', subject: '<i>Carnet</i>' } as const;
  return [
    { ...addressed, kind: 'reset_password', link },
    { ...addressed, kind: 'verify_email', link, code },
    { ...addressed, ...at, kind: 'sign_in', code },
    { ...addressed, kind: 'reset_asked', at: NOW, until: NOW, passkeys: true, link },
    ...notices.map((notice): Letter => ({ ...told, notice, link })),
    ...notices.map((notice): Letter => ({ ...told, notice })),
  ];
};
const linksOf = (letter: Letter) => ('link' in letter ? [letter.link] : []);

describe.each(['fr', 'en'] as const)('in %s', (locale) => {
  test('each says the same in text and HTML, escapes what came from outside, and loads nothing', () => {
    for (const letter of letters(locale)) {
      const what = 'notice' in letter ? letter.notice : letter.kind;
      const mail = composeMail(letter, SENDER, LOGO, NOW);
      expect(mail.to).toEqual({ name: PLAIN, address: 'zoe@example.org' });
      expect(mail.subject, what).not.toMatch(/[\r\n]|Carnet/);
      expect(mail.text.split('\n').filter((line) => line === link)).toEqual(linksOf(letter));
      // One thing to do, one link to it; the others are the administrator's own.
      const leading = elementsOf(mail.html).flatMap(({ attributes: { href } }) => href ?? []);
      expect(leading.filter((href) => href.startsWith(SENDER.baseUrl))).toEqual(linksOf(letter));
      if ('code' in letter) for (const form of [mail.text, mail.html]) expect(form).toContain('012345');
      if ('address' in letter) expect(mail.text).toContain('203.0.113.7');
      expect(mail.html, what).not.toMatch(
        /<b>|<i>|<script|src="(?!cid:)|srcset|background="|url\(|@import|<link|<iframe|<form|@font-face/,
      );
      const strange = markupFaults(mail.html).filter(
        (fault) => fault !== '<style>' && !/ style="/.test(fault),
      );
      expect(strange, what).toEqual([]);
      expect(mail.html).toContain(`<html lang="${locale}">`);
    }
  });
});

test('a name that reads as a link or a phone number is left out', () => {
  const named = (name: string) => {
    const [reset] = letters('en') as [Letter];
    return composeMail({ ...reset, to: { name, email: 'zoe@example.org' } }, SENDER, LOGO, NOW);
  };
  for (const name of [
    'Win a prize http://evil.example',
    'mail me@evil.example',
    'evil: call +33 6 12 34 56 78',
  ]) {
    const mail = named(name);
    for (const text of [mail.to.name, mail.subject, mail.text, mail.html]) expect(text).not.toContain('evil');
    expect(mail.text).toContain('Hello,\n');
  }
  for (const name of ['J.R.R. Tolkien', 'Siân O’Connor-Łuksza'])
    expect(named(name).text).toContain(`Hello ${name},`);
});

describe.each(['fr', 'en'] as const)('an application’s name, in %s', (locale) => {
  const about = (subject: string) =>
    letters(locale)
      .filter((letter) => letter.kind === 'notice' && !letter.notice.startsWith('email_'))
      .map((letter) => composeMail({ ...letter, subject } as Letter, SENDER, LOGO, NOW));

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

describe('whose mail it is', () => {
  const [reset] = letters('fr').filter(({ kind }) => kind === 'reset_password') as [Letter];
  const [announced] = letters('fr').filter((letter) => letter.kind === 'notice' && !('link' in letter)) as [
    Letter,
  ];

  test.each([
    ['no-reply@signin.example', 'Sésame & <Cie>'],
    ['La porte <no-reply@signin.example>', 'La porte'],
  ])('from %j it comes from %j', (mailFrom, name) => {
    const mail = composeMail(reset, { ...SENDER, mailFrom }, LOGO, NOW);
    expect(mail.from).toEqual({ name, address: 'no-reply@signin.example' });
  });

  test('it ends with the operator’s own pages, in text and HTML', () => {
    const { text, html } = composeMail(reset, SENDER, LOGO, NOW);
    const { SUPPORT, ...pages } = HOUSE;
    expect(text.split('\n-- \n')[1]?.split('\n')).toEqual([
      expect.stringContaining('signin.example'),
      `Nous écrire\u202f: ${SUPPORT}`,
      `Accessibilité\u202f: ${pages.ACCESSIBILITY_URL}`,
      `Conditions d’utilisation\u202f: ${pages.TERMS_URL}`,
      `Confidentialité\u202f: ${pages.PRIVACY_URL}`,
      `Mentions légales\u202f: ${pages.LEGAL_NOTICE_URL}`,
      '',
    ]);
    for (const address of [`mailto:${SUPPORT}`, ...Object.values(pages)])
      expect(html).toContain(`href="${address}"`);
  });

  test('whoever it sends to the operators reads where they are; where nothing is set, nothing is said', () => {
    const { reach } = messagesFor('fr').house;
    const { text, html } = composeMail(announced, SENDER, LOGO, NOW);
    expect(text).toContain(`${reach} aide@example.fr\n`);
    expect(html).toContain(`${reach} <a class="way" href="mailto:aide@example.fr"`);
    const bare = composeMail(announced, BARE, LOGO, NOW);
    for (const form of [bare.text, bare.html]) expect(form).not.toContain(reach);
    expect(composeMail(reset, SENDER, LOGO, NOW).text).not.toContain(reach);
  });

  test('its colours are the operator’s, light in the elements and dark where the reader wants it', () => {
    const { html } = composeMail(reset, { ...SENDER, accentColor: '#0b6e4f' }, LOGO, NOW);
    expect(html).toMatch(/<td class="button" bgcolor="#0b6e4f"/);
    expect(html).toMatch(/prefers-color-scheme: dark[\s\S]*\.button \{ background: #80b4a3 !important/);
    expect(html).not.toContain('#4f46e5');
    expect(html).toContain('<meta name="color-scheme" content="light dark">');
  });

  test('the logo comes along as an attachment that the HTML shows', () => {
    const images = (html: string) =>
      elementsOf(html).flatMap(({ name, attributes }) => (name === 'img' ? [attributes] : []));
    const plain = composeMail(reset, SENDER, LOGO, NOW);
    expect(images(plain.html).map(({ src, alt }) => [src, alt])).toEqual([['cid:logo', '']]);
    expect(plain.images).toEqual([LOGO]);
    const none = composeMail(reset, SENDER, undefined, NOW);
    expect([images(none.html), none.images]).toEqual([[], []]);
  });
});
