import { expect, test } from 'vitest';
import { openBrowserSession } from '../../support/browser-session.ts';
import { contentWithoutBackground } from '../../support/database-content.ts';
import { openSignedInBrowser } from '../../support/oauth-flow.ts';
import { useTestService } from '../../support/service.ts';

const service = useTestService();

const PASSWORD_STRENGTH_PATH = '/password/strength';

async function ratePassword(fields: Record<string, string>, browser = openBrowserSession(service.baseUrl)) {
  const { csrf = '' } = (await browser.get('/password/forgot')).hidden;
  const { status, body, headers } = await browser.post(PASSWORD_STRENGTH_PATH, { csrf, ...fields });
  return { status, headers, ...(status === 200 && JSON.parse(body)) };
}

test.each([
  ['motdepasse1', true, 'weak', 'Too easy to guess'],
  ['Sesame123', true, 'weak', 'the name of this service'],
  ['short', true, 'weak', 'at least 8'],
  ['kq7zw2fx', false, 'fair', 'Fair password.'],
  ['bleuet orage tuile lampe', false, 'good', 'Very strong password.'],
])('the password %s (weak: %s) is rated %s', async (password, weak, strength, message) => {
  expect(await ratePassword({ password })).toMatchObject({
    status: 200,
    weak,
    strength,
    text: expect.stringContaining(message),
  });
});

test("a password that contains the user's name or email address is rated weak", async () => {
  const password = 'lovelace1815';
  for (const identity of [{ name: 'Ada Lovelace' }, { email: 'lovelace@example.org' }])
    expect(await ratePassword({ password, ...identity })).toMatchObject({ weak: true });
  const browser = await openSignedInBrowser(service, await service.createUser({ name: 'Ada Lovelace' }));
  const { csrf = '' } = (await browser.get('/account/password')).hidden;
  const { body } = await browser.post(PASSWORD_STRENGTH_PATH, { csrf, password });
  expect(JSON.parse(body)).toMatchObject({ weak: true });
});

test('a rated password is neither cached nor stored', async () => {
  const before = await contentWithoutBackground(service.databaseUrl);
  const { headers } = await ratePassword({ password: 'bleuet orage tuile lampe' });
  expect(headers.get('cache-control')).toBe('no-store');
  expect(await contentWithoutBackground(service.databaseUrl)).toEqual(before);
});

test('the endpoint for rating passwords requires a CSRF token', async () => {
  const browser = openBrowserSession(service.baseUrl);
  const { csrf = '' } = (await browser.get('/signup')).hidden;
  const password = 'bleuet orage tuile lampe';
  const crossSite = await browser.post(
    PASSWORD_STRENGTH_PATH,
    { csrf, password },
    { 'sec-fetch-site': 'cross-site' },
  );
  const forged = await browser.post(PASSWORD_STRENGTH_PATH, { csrf: 'x'.repeat(65), password });
  expect([crossSite.status, forged.status]).toEqual([403, 403]);
});
