// What opens an account, in one place: what there is or is missing is said in one sentence, calmly, in both languages.

import { expect, test } from 'vitest';
import { type Locale, messagesFor } from '../../../src/i18n/index.ts';
import type { BrowserSession } from '../../support/browser-session.ts';
import { newPerson } from '../../support/flow.ts';
import { elementsOf, mainOf, textIn } from '../../support/markup.ts';
import { enrol } from '../../support/passkey.ts';
import { sql } from '../../support/populate.ts';
import { setUpApp, wordsIn } from '../../support/protected-account.ts';
import { type TestUser, useTestService } from '../../support/service.ts';

const service = useTestService();

const SECURITY = '/account/security';
type Standing = 'missing' | 'codesMissing' | 'complete' | 'completeByPasskey';

const addApp = (browser: BrowserSession) => setUpApp(service, browser);
const addPasskey = (browser: BrowserSession) => enrol(browser, service);
async function makeCodes(browser: BrowserSession) {
  const page = await browser.get(`${SECURITY}/codes/new`);
  expect((await browser.post(`${SECURITY}/codes/new`, page.hidden)).status).toBe(303);
}
const useCodes = (left: number) => (_: BrowserSession, user: TestUser) =>
  sql(
    service.parts.database,
    `update recovery_codes set used_at = created_at
    where hash in (select hash from recovery_codes where user_id = $1::uuid limit (10 - $2::int))`,
    [user.userId, left],
  );

const STANDINGS: [string, Standing, ((browser: BrowserSession, user: TestUser) => Promise<unknown>)[]][] = [
  ['a password alone', 'missing', []],
  ['an app with its recovery codes', 'complete', [addApp]],
  ['an app whose last recovery code is left', 'complete', [addApp, useCodes(1)]],
  ['an app whose recovery codes are all used', 'codesMissing', [addApp, useCodes(0)]],
  ['a passkey alone', 'codesMissing', [addPasskey]],
  ['a passkey and recovery codes', 'completeByPasskey', [addPasskey, makeCodes]],
  ['a passkey whose recovery codes are all used', 'codesMissing', [addPasskey, makeCodes, useCodes(0)]],
  ['an app and a passkey', 'completeByPasskey', [addApp, addPasskey]],
];

test.each(STANDINGS)('%s: %s', async (_, standing, has) => {
  const { user, browser } = await newPerson(service);
  for (const add of has) await add(browser, user);
  for (const locale of ['fr', 'en'] as Locale[]) {
    const page = await browser.get(SECURITY, { 'accept-language': locale });
    const { security: text } = messagesFor(locale).account;
    const main = mainOf(page.body);
    const said = textIn(main);
    const all = (['missing', 'codesMissing', 'complete', 'completeByPasskey'] as const).filter((one) =>
      said.includes(textIn(text[one])),
    );
    expect(all).toEqual([standing]);
    // One sentence, and the first thing below the title.
    expect(text[standing]).toMatch(/^[^.!?]+\.$/);
    const [, lead = ''] = /<\/h1>\s*<p class="lead">(.*?)<\/p>/.exec(main) ?? [];
    expect(textIn(lead)).toBe(textIn(text[standing]));
    // Nothing on the page is red or calls for attention.
    const classes = elementsOf(main).flatMap(({ attributes }) => attributes.class?.split(' ') ?? []);
    expect(classes.filter((name) => /danger|error|attention|waiting|bad/.test(name))).toEqual([]);
    expect(elementsOf(main).filter(({ attributes }) => attributes.role === 'alert')).toEqual([]);
  }
});

test('recovery codes are shown even where the way on is too long for their cookie', async () => {
  const { browser } = await newPerson(service);
  const next = `/account/security?${'x'.repeat(2900)}`;
  const page = await browser.get(`${SECURITY}/app?next=${encodeURIComponent(next)}`);
  const { shown } = await setUpApp(service, browser, page);
  expect(wordsIn(shown, 'codes')).toContain('\n');
});
