// Rendering emails as text and HTML, in both languages and with hostile names.

import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { messagesFor } from '../../src/i18n/index.ts';
import type { Email } from '../../src/mail/email.ts';
import { renderEmail } from '../../src/mail/render-email.ts';
import { findMarkupErrors, parseElements } from '../support/markup.ts';
import { SERVICE_LINKS } from '../support/service.ts';

const SENDER = {
  ...readConfig({ ...SERVICE_LINKS, BASE_URL: 'https://signin.example', SERVICE_NAME: 'Sésame & <Cie>' }),
  mailFrom: 'no-reply@signin.example',
};
const UNBRANDED_SENDER = {
  ...readConfig({ BASE_URL: 'https://signin.example' }),
  mailFrom: 'no-reply@signin.example',
};
const LOGO = { cid: 'logo', content: Buffer.from('light') };
const NOW = new Date('2026-11-20T12:34:00Z');
const link = `https://signin.example/security/confirm?token=${'A'.repeat(43)}`;
const NAME = "Zoé O'Hara & co";

const { mail } = messagesFor('fr');
const notices = Object.keys({ ...mail.notices, ...mail.announcements }) as (keyof typeof mail.notices)[];
/** Creates all emails, with and without a report link. */
const createEmails = (locale: 'fr' | 'en'): Email[] => {
  const common = { to: { name: NAME, email: 'zoe@example.org' }, locale };
  const code = '012345';
  const circumstances = {
    at: NOW,
    ip: '203.0.113.7',
    device: { browser: 'Firefox', system: 'Linux' },
  };
  const notification = { ...common, ...circumstances, kind: 'notice', subject: '<i>Carnet</i>' } as const;
  return [
    { ...common, kind: 'reset_password', link },
    { ...common, kind: 'verify_email', link, code },
    { ...common, ...circumstances, kind: 'sign_in', code },
    { ...common, kind: 'mfa_reset_requested', at: NOW, until: NOW, passkeys: true, link },
    ...notices.map((notice): Email => ({ ...notification, notice, link })),
    ...notices.map((notice): Email => ({ ...notification, notice })),
  ];
};
const listLinks = (email: Email) => ('link' in email ? [email.link] : []);

describe.each(['fr', 'en'] as const)('emails in %s', (locale) => {
  test('have the same links and codes in text and HTML', () => {
    for (const email of createEmails(locale)) {
      const name = 'notice' in email ? email.notice : email.kind;
      const rendered = renderEmail(email, SENDER, LOGO, NOW);
      expect(rendered.to).toEqual({ name: NAME, address: 'zoe@example.org' });
      expect(rendered.subject, name).not.toMatch(/[\r\n]|Carnet/);
      expect(rendered.text.split('\n').filter((line) => line === link)).toEqual(listLinks(email));
      // Ignore links to other hosts, which come from the administrator's settings.
      const hrefs = parseElements(rendered.html).flatMap(({ attributes: { href } }) => href ?? []);
      expect(hrefs.filter((href) => href.startsWith(SENDER.baseUrl))).toEqual(listLinks(email));
      if ('code' in email)
        for (const body of [rendered.text, rendered.html]) expect(body).toContain('012345');
      if ('ip' in email) expect(rendered.text).toContain('203.0.113.7');
      expect(rendered.html, name).not.toMatch(
        /<b>|<i>|<script|src="(?!cid:)|srcset|background="|url\(|@import|<link|<iframe|<form|@font-face/,
      );
      const errors = findMarkupErrors(rendered.html).filter(
        (error) => error !== '<style>' && !/ style="/.test(error),
      );
      expect(errors, name).toEqual([]);
      expect(rendered.html).toContain(`<html lang="${locale}">`);
    }
  });
});

test('the greeting omits names that look like links or phone numbers', () => {
  const renderWithName = (name: string) => {
    const [reset] = createEmails('en') as [Email];
    return renderEmail({ ...reset, to: { name, email: 'zoe@example.org' } }, SENDER, LOGO, NOW);
  };
  for (const name of [
    'Win a prize http://evil.example',
    'mail me@evil.example',
    'evil: call +33 6 12 34 56 78',
  ]) {
    const rendered = renderWithName(name);
    for (const text of [rendered.to.name, rendered.subject, rendered.text, rendered.html])
      expect(text).not.toContain('evil');
    expect(rendered.text).toContain('Hello,\n');
  }
  for (const name of ['J.R.R. Tolkien', 'Siân O’Connor-Łuksza'])
    expect(renderWithName(name).text).toContain(`Hello ${name},`);
});

describe.each(['fr', 'en'] as const)('a client’s name in an email (%s)', (locale) => {
  const renderAlertAbout = (subject: string) =>
    createEmails(locale)
      .filter((email) => email.kind === 'notice' && !email.notice.startsWith('email_'))
      .map((email) => renderEmail({ ...email, subject } as Email, SENDER, LOGO, NOW));

  test('is quoted and truncated', () => {
    const emails = renderAlertAbout(
      'Call +33 6 12 34 56 78 or open http://evil.example now, or nothing will ever be good again',
    );
    for (const { subject, text, html } of emails)
      for (const part of [subject, text, html]) {
        expect(part).not.toMatch(/evil\.example|33 6|12 34|good again/);
        expect(part.includes('Call')).toBe(
          /[«“]\u202f?Call \+ or open http evil example now, o…\u202f?[»”]/.test(part),
        );
      }
    expect(emails.filter(({ text }) => text.includes('Call')).length).toBeGreaterThan(8);
  });

  test('is replaced if it contains only forbidden text', () => {
    const placeholder = messagesFor(locale).mail.unnamed;
    expect(
      renderAlertAbout('0612345678').filter(({ text }) => text.includes(placeholder)).length,
    ).toBeGreaterThan(8);
  });
});

describe('an email', () => {
  const [reset] = createEmails('fr').filter(({ kind }) => kind === 'reset_password') as [Email];
  const [notified] = createEmails('fr').filter((email) => email.kind === 'notice' && !('link' in email)) as [
    Email,
  ];

  test.each([
    ['no-reply@signin.example', 'Sésame & <Cie>'],
    ['La porte <no-reply@signin.example>', 'La porte'],
  ])('takes the sender name from MAIL_FROM (%j gives %j)', (mailFrom, name) => {
    const rendered = renderEmail(reset, { ...SENDER, mailFrom }, LOGO, NOW);
    expect(rendered.from).toEqual({ name, address: 'no-reply@signin.example' });
  });

  test('links to the configured pages in the footer', () => {
    const { text, html } = renderEmail(reset, SENDER, LOGO, NOW);
    const { SUPPORT, ...pages } = SERVICE_LINKS;
    expect(text.split('\n-- \n')[1]?.split('\n')).toEqual([
      expect.stringContaining('signin.example'),
      `Nous écrire\u202f: ${SUPPORT}`,
      `Accessibilité\u202f: ${pages.ACCESSIBILITY_URL}`,
      `Conditions d’utilisation\u202f: ${pages.TERMS_URL}`,
      `Confidentialité\u202f: ${pages.PRIVACY_URL}`,
      `Mentions légales\u202f: ${pages.LEGAL_NOTICE_URL}`,
      '',
    ]);
    for (const href of [`mailto:${SUPPORT}`, ...Object.values(pages)])
      expect(html).toContain(`href="${href}"`);
  });

  test('contains the support contact if the text mentions support', () => {
    const { supportLabel } = messagesFor('fr').serviceLinks;
    const { text, html } = renderEmail(notified, SENDER, LOGO, NOW);
    expect(text).toContain(`${supportLabel} aide@example.fr\n`);
    expect(html).toContain(`${supportLabel} <a class="link" href="mailto:aide@example.fr"`);
    const unbranded = renderEmail(notified, UNBRANDED_SENDER, LOGO, NOW);
    for (const body of [unbranded.text, unbranded.html]) expect(body).not.toContain(supportLabel);
    expect(renderEmail(reset, SENDER, LOGO, NOW).text).not.toContain(supportLabel);
  });

  test('uses the accent color', () => {
    const { html } = renderEmail(reset, { ...SENDER, accentColor: '#0b6e4f' }, LOGO, NOW);
    expect(html).toMatch(/<td class="button" bgcolor="#0b6e4f"/);
    expect(html).toMatch(/prefers-color-scheme: dark[\s\S]*\.button \{ background: #80b4a3 !important/);
    expect(html).not.toContain('#4f46e5');
    expect(html).toContain('<meta name="color-scheme" content="light dark">');
  });

  test('shows the attached logo', () => {
    const findImages = (html: string) =>
      parseElements(html).flatMap(({ name, attributes }) => (name === 'img' ? [attributes] : []));
    const withLogo = renderEmail(reset, SENDER, LOGO, NOW);
    expect(findImages(withLogo.html).map(({ src, alt }) => [src, alt])).toEqual([['cid:logo', '']]);
    expect(withLogo.images).toEqual([LOGO]);
    const withoutLogo = renderEmail(reset, SENDER, undefined, NOW);
    expect([findImages(withoutLogo.html), withoutLogo.images]).toEqual([[], []]);
  });
});
