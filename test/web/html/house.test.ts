// What an operator put in place of ours: the links at the foot of a page, and where the operators are reached.
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { messagesFor } from '../../../src/i18n/index.ts';
import { houseLinks, reachOperators } from '../../../src/web/html/house.ts';
import { html, render } from '../../../src/web/html/html.ts';

const ALL = readConfig({
  SUPPORT: 'aide?subject=x&y@example.fr',
  PRIVACY_URL: 'https://www.example.fr/donnees',
  TERMS_URL: 'https://www.example.fr/conditions',
  LEGAL_NOTICE_URL: 'https://www.example.fr/mentions',
  ACCESSIBILITY_URL: 'https://www.example.fr/accessibilite',
});
const NONE = readConfig({});
const fr = messagesFor('fr');
const NONE_SHOWN = html``;

describe('the links of the house', () => {
  test('all of them, each in its place; nobody can add to a mail by the address it goes to', () => {
    expect(houseLinks(fr, ALL).map(({ text, href }) => [text, href])).toEqual([
      ['Nous écrire', 'mailto:aide%3Fsubject%3Dx%26y@example.fr'],
      ['Accessibilité', 'https://www.example.fr/accessibilite'],
      ['Conditions d’utilisation', 'https://www.example.fr/conditions'],
      ['Confidentialité', 'https://www.example.fr/donnees'],
      ['Mentions légales', 'https://www.example.fr/mentions'],
    ]);
  });

  test('none where nothing is set', () => {
    expect(houseLinks(fr, NONE)).toEqual([]);
    expect(reachOperators(fr, NONE)).toBeUndefined();
  });
});

test('administrators are reached by email or on a page', () => {
  const linkOf = (support: string) => render(reachOperators(fr, { ...NONE, support }) ?? NONE_SHOWN);
  expect(linkOf('aide@example.fr')).toContain(
    '<a href="mailto:aide@example.fr" rel="noopener noreferrer">aide@',
  );
  expect(linkOf('https://www.example.fr/aide?a=1&b')).toContain(
    '<a href="https://www.example.fr/aide?a=1&amp;b"',
  );
});
