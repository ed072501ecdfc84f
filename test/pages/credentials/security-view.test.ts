import { expect, test } from 'vitest';
import { type Locale, messagesFor } from '../../../src/i18n/index.ts';
import type { BrowserSession } from '../../support/browser-session.ts';
import { parseElements, readMain, readText } from '../../support/markup.ts';
import { readElementText, setUpAuthenticatorApp } from '../../support/mfa-account.ts';
import { createSignedInUser } from '../../support/oauth-flow.ts';
import { registerPasskey } from '../../support/passkey.ts';
import { type TestUser, useTestService } from '../../support/service.ts';
import { sql } from '../../support/store-fixtures.ts';

const service = useTestService();

const SECURITY_PATH = '/account/security';
type Summary = 'missing' | 'codesMissing' | 'complete' | 'completeByPasskey';

const addAuthenticatorApp = (browser: BrowserSession) => setUpAuthenticatorApp(service, browser);
const addPasskey = (browser: BrowserSession) => registerPasskey(browser, service);
async function createRecoveryCodes(browser: BrowserSession) {
  const page = await browser.get(`${SECURITY_PATH}/codes/new`);
  expect((await browser.post(`${SECURITY_PATH}/codes/new`, page.hidden)).status).toBe(303);
}
const useRecoveryCodes = (remaining: number) => (_: BrowserSession, user: TestUser) =>
  sql(
    service.services.database,
    `update recovery_codes set used_at = created_at
    where hash in (select hash from recovery_codes where user_id = $1::uuid limit (10 - $2::int))`,
    [user.userId, remaining],
  );

const SUMMARIES: [string, Summary, ((browser: BrowserSession, user: TestUser) => Promise<unknown>)[]][] = [
  ['only a password', 'missing', []],
  ['an authenticator app and recovery codes', 'complete', [addAuthenticatorApp]],
  [
    'an authenticator app and one unused recovery code',
    'complete',
    [addAuthenticatorApp, useRecoveryCodes(1)],
  ],
  [
    'an authenticator app and only used recovery codes',
    'codesMissing',
    [addAuthenticatorApp, useRecoveryCodes(0)],
  ],
  ['only a passkey', 'codesMissing', [addPasskey]],
  ['a passkey and recovery codes', 'completeByPasskey', [addPasskey, createRecoveryCodes]],
  [
    'a passkey and only used recovery codes',
    'codesMissing',
    [addPasskey, createRecoveryCodes, useRecoveryCodes(0)],
  ],
  ['an authenticator app and a passkey', 'completeByPasskey', [addAuthenticatorApp, addPasskey]],
];

test.each(SUMMARIES)(
  'the summary on the security page for an account with %s is "%s"',
  async (_, summary, setUp) => {
    const { user, browser } = await createSignedInUser(service);
    for (const add of setUp) await add(browser, user);
    for (const locale of ['fr', 'en'] as Locale[]) {
      const page = await browser.get(SECURITY_PATH, { 'accept-language': locale });
      const { security: messages } = messagesFor(locale).account;
      const main = readMain(page.body);
      const text = readText(main);
      const shownSummaries = (['missing', 'codesMissing', 'complete', 'completeByPasskey'] as const).filter(
        (one) => text.includes(readText(messages[one])),
      );
      expect(shownSummaries).toEqual([summary]);
      // The summary is a single sentence directly below the title.
      expect(messages[summary]).toMatch(/^[^.!?]+\.$/);
      const [, lead = ''] = /<\/h1>\s*<p class="lead">(.*?)<\/p>/.exec(main) ?? [];
      expect(readText(lead)).toBe(readText(messages[summary]));
      const classes = parseElements(main).flatMap(({ attributes }) => attributes.class?.split(' ') ?? []);
      expect(classes.filter((name) => /danger|error|attention|waiting|bad/.test(name))).toEqual([]);
      expect(parseElements(main).filter(({ attributes }) => attributes.role === 'alert')).toEqual([]);
    }
  },
);

test('new recovery codes are shown if the return URL is too long', async () => {
  const { browser } = await createSignedInUser(service);
  const next = `/account/security?${'x'.repeat(2900)}`;
  const page = await browser.get(`${SECURITY_PATH}/app?next=${encodeURIComponent(next)}`);
  const { recoveryCodesPage: codesPage } = await setUpAuthenticatorApp(service, browser, page);
  expect(readElementText(codesPage, 'codes')).toContain('\n');
});
