// Proves that every page of the account says where it stands, and leads back to what is above it.
import { describe, expect, test } from 'vitest';
import { messagesFor } from '../../../src/i18n/index.ts';
import { accountFrame } from '../../../src/web/html/account-frame.ts';
import { html } from '../../../src/web/html/html.ts';

const messages = messagesFor('en');
const page = (...[part, place]: [Parameters<typeof accountFrame>[1], { within: boolean }?]): string =>
  String(accountFrame(messages, part, html`<h1>Here</h1>`, place));

describe('accountFrame', () => {
  test('a part leads back to the account', () => {
    expect(page('security')).toContain('href="/account/security" aria-current="page"');
    expect(page('security')).toContain('<a class="back" href="/account">Your account</a>');
    expect(page('overview')).not.toContain('class="back"');
  });

  test('a page below a part leads back to that', () => {
    const below = page('security', { within: true });
    expect(below).toContain('href="/account/security" aria-current="true"');
    expect(below).toContain('<a class="back" href="/account/security">Sign-in and security</a>');
  });
});
