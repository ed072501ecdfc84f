// Proves the document around every page: language, title, no inline script or style, everything escaped.
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { messagesFor } from '../../../src/i18n/index.ts';
import { html } from '../../../src/web/html/html.ts';
import { layout } from '../../../src/web/html/layout.ts';

const page = {
  locale: 'en',
  messages: messagesFor('en'),
  title: 'Sign in',
  house: readConfig({}),
  main: html`<h1>Sign in</h1>`,
  languageLinks: { fr: '/?lang=fr', en: '/?lang=en' },
} as const;

describe('layout', () => {
  test('declares its language, names page and service, and offers the other language', () => {
    const document = layout(page);
    expect(document).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(document).toContain('<title>Sign in – Sésame</title>');
    expect(document).toContain('<a href="/?lang=fr" hreflang="fr" lang="fr">Français</a>');
    expect(document).toContain('hreflang="en" lang="en" aria-current="true">English</a>');
    expect(document).toContain('<a class="skip-link" href="#main">');
  });

  test('says first that there are errors', () => {
    expect(layout({ ...page, hasErrors: true })).toContain('<title>Error: Sign in – Sésame</title>');
  });

  test('holds no inline script or style, so the strict content security policy never has to give way', () => {
    const document = layout({
      ...page,
      account: { name: 'A', email: 'a@example.org', operator: false, pictureHash: null },
    });
    expect(document).not.toMatch(
      /<script(?! type="module" src="\/)|<style|\sstyle=|\son[a-z]+=|javascript:/i,
    );
  });

  test('escapes the service name, the account and the title', () => {
    const hostile = '"><script>';
    const document = layout({
      ...page,
      title: hostile,
      house: { ...page.house, serviceName: hostile },
      account: { name: hostile, email: hostile, operator: false, pictureHash: null },
    });
    expect(document).not.toContain(hostile);
  });

  test('shows the door beside narrow pages only', () => {
    expect(layout(page)).toContain('class="threshold"');
    expect(layout({ ...page, wide: true })).not.toContain('class="threshold"');
  });
});
