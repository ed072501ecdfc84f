// What an operator put in place of ours: the links at the foot of a page, and where the operators are reached.
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { messagesFor } from '../../../src/i18n/index.ts';
import { houseLinks, reachOperators } from '../../../src/web/html/house.ts';
import { render } from '../../../src/web/html/html.ts';

const ALL = readConfig({
  SUPPORT_EMAIL: 'aide?subject=x&y@example.fr',
  SUPPORT_URL: 'https://www.example.fr/aide?a=1&b',
  PRIVACY_URL: 'https://www.example.fr/donnees',
  TERMS_URL: 'https://www.example.fr/conditions',
  LEGAL_NOTICE_URL: 'https://www.example.fr/mentions',
  ACCESSIBILITY_URL: 'https://www.example.fr/accessibilite',
});
const NONE = readConfig({});
const fr = messagesFor('fr');

describe('the links of the house', () => {
  test('all of them, each in its place; nobody can add to a mail by the address it goes to', () => {
    expect(houseLinks(fr, ALL).map(({ text, href }) => [text, href])).toEqual([
      ['Aide', 'https://www.example.fr/aide?a=1&b'],
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

test.each([
  [{}, 2],
  [{ supportUrl: undefined }, 1],
  [{ supportEmail: undefined }, 1],
])('where the operators are reached: %o', (without, ways) => {
  const words = render(reachOperators(fr, { ...ALL, ...without }) ?? fail());
  expect(words.match(/<a href="[^"]+" rel="noopener noreferrer">/g)).toHaveLength(ways);
  expect(words.includes(' ou ')).toBe(ways === 2);
});

function fail(): never {
  throw new Error('there is no word of them');
}
