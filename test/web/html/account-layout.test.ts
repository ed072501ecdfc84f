import { describe, expect, test } from 'vitest';
import { messagesFor } from '../../../src/i18n/index.ts';
import { accountLayout } from '../../../src/web/html/account-layout.ts';
import { html } from '../../../src/web/html/html.ts';

const messages = messagesFor('en');
const renderPage = (
  ...[section, options]: [Parameters<typeof accountLayout>[1], { within: boolean }?]
): string => String(accountLayout(messages, section, html`<h1>Here</h1>`, options));

describe('the account layout', () => {
  test('links to the account overview and marks the current section', () => {
    expect(renderPage('security')).toContain('href="/account/security" aria-current="page"');
    expect(renderPage('security')).toContain('<li><a href="/account">Overview</a>');
    expect(renderPage('security')).not.toContain('class="back"');
  });

  test('has a back link on subpages', () => {
    const subpage = renderPage('security', { within: true });
    expect(subpage).toContain('href="/account/security" aria-current="true"');
    expect(subpage).toContain('<a class="back" href="/account/security">Sign-in and security</a>');
  });
});
