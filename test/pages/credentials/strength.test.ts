// POST /password/strength: how strong a new password is, said in words to the script of our own page.
import { expect, test } from 'vitest';
import { openBrowserSession } from '../../support/browser-session.ts';
import { settledContent } from '../../support/database-content.ts';
import { signedInBrowser } from '../../support/flow.ts';
import { useTestService } from '../../support/service.ts';

const service = useTestService();

const PATH = '/password/strength';

async function ask(fields: Record<string, string>, browser = openBrowserSession(service.baseUrl)) {
  const { csrf = '' } = (await browser.get('/password/forgot')).hidden;
  const { status, body, headers } = await browser.post(PATH, { csrf, ...fields });
  return { status, headers, ...(status === 200 && JSON.parse(body)) };
}

test.each([
  ['motdepasse1', true, 'weak', 'Too easy to guess'],
  ['Sesame123', true, 'weak', 'the name of this service'],
  ['short', true, 'weak', 'at least 8'],
  ['kq7zw2fx', false, 'fair', 'Fair password.'],
  ['bleuet orage tuile lampe', false, 'good', 'Very strong password.'],
])('%s: weak %s, said as %s', async (password, weak, strength, words) => {
  expect(await ask({ password })).toMatchObject({
    status: 200,
    weak,
    strength,
    text: expect.stringContaining(words),
  });
});

test('name and address of the form count, and those of whoever is signed in', async () => {
  const password = 'lovelace1815';
  for (const about of [{ name: 'Ada Lovelace' }, { email: 'lovelace@example.org' }])
    expect(await ask({ password, ...about })).toMatchObject({ weak: true });
  const browser = await signedInBrowser(service, await service.createUser({ name: 'Ada Lovelace' }));
  const { csrf = '' } = (await browser.get('/account/password')).hidden;
  const { body } = await browser.post(PATH, { csrf, password });
  expect(JSON.parse(body)).toMatchObject({ weak: true });
});

test('nothing is kept of it', async () => {
  const before = await settledContent(service.databaseUrl);
  const { headers } = await ask({ password: 'bleuet orage tuile lampe' });
  expect(headers.get('cache-control')).toBe('no-store');
  expect(await settledContent(service.databaseUrl)).toEqual(before);
});

test('is answered to pages of ours only', async () => {
  const browser = openBrowserSession(service.baseUrl);
  const { csrf = '' } = (await browser.get('/signup')).hidden;
  const password = 'bleuet orage tuile lampe';
  const foreign = await browser.post(PATH, { csrf, password }, { 'sec-fetch-site': 'cross-site' });
  const forged = await browser.post(PATH, { csrf: 'x'.repeat(65), password });
  expect([foreign.status, forged.status]).toEqual([403, 403]);
});
