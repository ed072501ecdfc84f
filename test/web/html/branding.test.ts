import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { messagesFor } from '../../../src/i18n/index.ts';
import { brandingLinks, supportNote } from '../../../src/web/html/branding.ts';
import { html, render } from '../../../src/web/html/html.ts';

const FULL_CONFIG = readConfig({
  SUPPORT: 'aide?subject=x&y@example.fr',
  PRIVACY_URL: 'https://www.example.fr/donnees',
  TERMS_URL: 'https://www.example.fr/conditions',
  LEGAL_NOTICE_URL: 'https://www.example.fr/mentions',
  ACCESSIBILITY_URL: 'https://www.example.fr/accessibilite',
});
const EMPTY_CONFIG = readConfig({});
const fr = messagesFor('fr');
const EMPTY_HTML = html``;

describe('footer links', () => {
  test('have a fixed order', () => {
    expect(brandingLinks(fr, FULL_CONFIG).map(({ text, href }) => [text, href])).toEqual([
      ['Nous écrire', 'mailto:aide%3Fsubject%3Dx%26y@example.fr'],
      ['Accessibilité', 'https://www.example.fr/accessibilite'],
      ['Conditions d’utilisation', 'https://www.example.fr/conditions'],
      ['Confidentialité', 'https://www.example.fr/donnees'],
      ['Mentions légales', 'https://www.example.fr/mentions'],
    ]);
  });

  test('are omitted if none are configured', () => {
    expect(brandingLinks(fr, EMPTY_CONFIG)).toEqual([]);
    expect(supportNote(fr, EMPTY_CONFIG)).toBeUndefined();
  });
});

test('the support note links to an email address or a help page', () => {
  const renderNote = (support: string) => render(supportNote(fr, { ...EMPTY_CONFIG, support }) ?? EMPTY_HTML);
  expect(renderNote('aide@example.fr')).toContain(
    '<a href="mailto:aide@example.fr" rel="noopener noreferrer">aide@',
  );
  expect(renderNote('https://www.example.fr/aide?a=1&b')).toContain(
    '<a href="https://www.example.fr/aide?a=1&amp;b"',
  );
});
