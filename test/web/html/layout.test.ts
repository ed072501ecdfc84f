import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { messagesFor } from '../../../src/i18n/index.ts';
import { html } from '../../../src/web/html/html.ts';
import { type Layout, layout } from '../../../src/web/html/layout.ts';

const page: Layout = {
  locale: 'en',
  messages: messagesFor('en'),
  title: 'Sign in',
  branding: readConfig({}),
  main: html`<h1>Sign in</h1>`,
  languageLinks: { fr: '/?lang=fr', en: '/?lang=en' },
};

describe('the layout', () => {
  test("declares the page's language", () => {
    const document = layout(page);
    expect(document).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(document).toContain('<title>Sign in – Sésame</title>');
    expect(document).toContain('<a href="/?lang=fr" hreflang="fr" lang="fr">Français</a>');
    expect(document).toContain('hreflang="en" lang="en" aria-current="true">English</a>');
    expect(document).toContain('<a class="skip-link" href="#main">');
  });

  test('starts the title with "Error" if the page shows errors', () => {
    expect(layout({ ...page, hasErrors: true })).toContain('<title>Error: Sign in – Sésame</title>');
  });

  test('contains no inline scripts or styles', () => {
    const document = layout({
      ...page,
      account: { name: 'A', email: 'a@example.org', isAdmin: false, pictureHash: null },
    });
    expect(document).not.toMatch(
      /<script(?! type="module" src="\/)|<style|\sstyle=|\son[a-z]+=|javascript:/i,
    );
  });

  test('escapes the service name, the account and the title', () => {
    const hostileText = '"><script>';
    const document = layout({
      ...page,
      title: hostileText,
      branding: { ...page.branding, serviceName: hostileText },
      account: { name: hostileText, email: hostileText, isAdmin: false, pictureHash: null },
    });
    expect(document).not.toContain(hostileText);
  });

  test('shows the illustration only beside narrow pages', () => {
    expect(layout(page)).toContain('class="illustration"');
    expect(layout({ ...page, isWide: true })).not.toContain('class="illustration"');
  });
});
