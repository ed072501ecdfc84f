// Proves where lines end: no word that the dictionaries join by a hyphen is broken at it.
import { describe, expect, test } from 'vitest';
import { html, render } from '../../../src/web/html/html.ts';
import { addressInColumn, emailInColumn, unbroken } from '../../../src/web/html/line-ends.ts';
import { texts } from '../../support/texts.ts';

/** What is written as it is on the wire, in code, or by those whose name it is. */
const NAMES = new Set([
  'a-z',
  'A-Z',
  'Content-Type',
  'inline-flex',
  'Retry-After',
  'WDJB-MJHT',
  'WWW-Authenticate',
]);

/** A word with a hyphen, by itself: not part of an address, an identifier or a path. */
const HYPHENATED = /(?<![\p{L}\p{N}_/.:-])\p{L}+(?:-\p{L}+)+(?![\p{N}_/.-]?[\p{L}\p{N}_/-])/gu;

describe.each(['fr', 'en'] as const)('%s', (locale) => {
  test('no word of the dictionary is broken at its hyphen', () => {
    const broken = texts(locale)
      .flatMap(([path, text]) => [...text.matchAll(HYPHENATED)].map(([word]) => [path, word] as const))
      .filter(([, word]) => !NAMES.has(word))
      .filter(([, word]) => unbroken(word, locale) !== `<span class="unbroken">${word}</span>`);
    expect(broken).toEqual([]);
  });
});

test.each([
  [
    'fr',
    'Déconnectez-vous',
    'demandez-le-leur',
    'elle-même',
    'Vérifiez-le',
    'en-tête',
    'e-mails',
    '2026-11-20',
  ],
  ['en', 'sign-in', 'Sign-outs', 'signed-in', '2026-11-20', 'mozilla-django-oidc'],
] as const)('%s: %s and others are kept whole', (locale, ...words) => {
  for (const word of words)
    expect(unbroken(`<p>a ${word}.</p>`, locale)).toBe(`<p>a <span class="unbroken">${word}</span>.</p>`);
});

test.each([
  ['fr', 'Jean-Pierre'],
  ['fr', 'mon-application'],
  ['en', 'my-sign-in'],
  ['en', 'demo-app.example'],
] as const)('%s: %s may be broken, as anything that people named', (locale, word) =>
  expect(unbroken(`<p>${word}</p>`, locale)).toBe(`<p>${word}</p>`),
);

test('titles, fields and attributes stay as they are', () => {
  const markup =
    '<title>Sign-in</title><p title="sign-in"></p><textarea>sign-in</textarea><option>sign-in</option>';
  expect(unbroken(markup, 'en')).toBe(markup);
});

test('an email address goes on before its @, or within what stands before', () =>
  expect(render(html`${emailInColumn('zoe.o+notes@mail.exemple.fr')}`)).toBe(
    'zoe.<wbr>o+<wbr>notes<wbr>@mail.exemple.fr',
  ));

test('an address goes on after a slash or before a dot of its host, and not within .well-known', () =>
  expect(render(html`${addressInColumn('https://exemple.fr/.well-known/x-y')}`)).toBe(
    'https://exemple<wbr>.fr/<wbr><span class="unbroken">.well-known/</span><wbr>x-y',
  ));
