// The sign-in methods on the security page.
import { describe, expect, test } from 'vitest';
import type { BrowserSession } from '../../support/browser-session.ts';
import { addIdentity, addUnreachableProvider, disableProvider } from '../../support/linked-identities.ts';
import { listUrls, readText } from '../../support/markup.ts';
import { createMfaAccount, enterPassword, signInOnRememberedDevice } from '../../support/mfa-account.ts';
import { createSignedInUser } from '../../support/oauth-flow.ts';
import { createPasskey, registerPasskey } from '../../support/passkey.ts';
import { useTestService } from '../../support/service.ts';
import { sql } from '../../support/store-fixtures.ts';

const service = useTestService();

const HOUR = 3600;
const formatCurrentHour = () => service.clock.now().toISOString().slice(0, 13);

/** Times are in UTC, to the hour. */
async function readSignInMethods(browser: BrowserSession): Promise<Record<string, string>> {
  const { body } = await browser.get('/account/security');
  const rows = body.split('<li class="way">').slice(1);
  return Object.fromEntries(
    rows.map((row) => [
      readText(/<h2>(.*?)<\/h2>/.exec(row)?.[1] ?? ''),
      readText(
        (/<p class="way-state">([\s\S]*?)<\/p>/.exec(row)?.[1] ?? '').replace(
          /<time datetime="(.{13})[^>]*>[^<]*/g,
          '$1',
        ),
      ),
    ]),
  );
}

test('the security page mentions a linked account in the summary', async () => {
  const { user, browser } = await createSignedInUser(service, { locale: 'en' });
  const readSummary = async () =>
    readText(/<p class="lead">.*?<\/p>/.exec((await browser.get('/account/security')).body)?.[0] ?? '');
  expect(await readSummary()).toContain('protected only by a password');
  await addUnreachableProvider(service, 'north');
  await addIdentity(service, user.userId, 'north');
  expect(await readSummary()).toContain('You sign in with a password or a linked account');
  await disableProvider(service, 'north');
  expect(await readSummary()).toContain('protected only by a password');
});

test('the security page warns if the only linked account’s provider is disabled', async () => {
  const { user, browser } = await createSignedInUser(service, { locale: 'en' });
  await addUnreachableProvider(service, 'south');
  await addIdentity(service, user.userId, 'south');
  await sql(service.services.database, 'update users set password_hash = null where id = $1', [user.userId]);
  expect((await readSignInMethods(browser)).Password).toBe('None: you sign in with a linked account');
  await disableProvider(service, 'south');
  const { body } = await browser.get('/account/security');
  expect(body).toMatch(
    /You can no longer sign in with your linked account[\s\S]*button--primary" href="[^"]*passkeys\/new"/,
  );
  expect(body).not.toContain('<p class="lead">');
  expect(body).toContain('<span class="tag">1 account</span>');
  expect((await readSignInMethods(browser)).Password).toBe('None');
});

describe('the security page', () => {
  test('omits recovery codes if there is no second factor', async () => {
    const { user, browser } = await createSignedInUser(service);
    expect(await readSignInMethods(browser)).toEqual({
      Passkeys: 'None. They sign you in with your face, your fingerprint or your device’s screen lock.',
      Password: `set Last used ${formatCurrentHour()}`,
      'Authenticator app': 'None',
      'Email code': `address not verified yet ${user.email}Required after many wrong passwords.`,
    });
  });

  test('shows when each sign-in method was last used', async () => {
    const account = await createMfaAccount(service);
    const { user, codes, browser } = account;
    const madeAt = service.clock.now().toISOString().slice(0, 10);
    expect((await readSignInMethods(browser))['Recovery codes']).toContain(`10 left Created on ${madeAt}`);
    service.clock.advance(HOUR);
    await signInOnRememberedDevice(service, account);
    const appUsedAt = new Date(service.clock.now().getTime() - 30_000).toISOString().slice(0, 13);
    service.clock.advance(HOUR);
    const { browser: another, page } = await enterPassword(service, user);
    await another.post('/signin/second-factor', { ...page.hidden, code: codes[0] ?? '' });
    expect(await readSignInMethods(browser)).toMatchObject({
      Password: `set Last used ${formatCurrentHour()}`,
      'Authenticator app': `on Last used ${appUsedAt}`,
      'Recovery codes': `9 left Last used ${formatCurrentHour()}`,
      'Trusted browsers': '1 browser You sign in there without a code.',
    });
  });

  test('shows when the password was set if no use is recorded', async () => {
    const { user, browser } = await createSignedInUser(service);
    await sql(service.services.database, 'delete from events where user_id = $1', [user.userId]);
    await sql(service.services.database, 'update users set password_set_at = $2 where id = $1', [
      user.userId,
      service.clock.now(),
    ]);
    expect((await readSignInMethods(browser)).Password).toBe(`set Chosen on ${formatCurrentHour()}`);
  });

  test('lists all passkeys and trusted browsers', async () => {
    const account = await createMfaAccount(service);
    const { browser } = account;
    await registerPasskey(browser, service);
    await signInOnRememberedDevice(service, account);
    await registerPasskey(browser, service, { passkey: createPasskey(service.baseUrl, { synced: false }) });
    await signInOnRememberedDevice(service, account);
    expect(await readSignInMethods(browser)).toMatchObject({
      Passkeys: expect.stringContaining('2 passkeys'),
      'Trusted browsers': '2 browsers You sign in there without a code.',
    });
    const { body } = await browser.get('/account/security');
    expect(body).not.toMatch(/<li class="way">[\s\S]*<details/);
    for (const action of ['rename', 'remove'])
      expect(listUrls(body).filter((url) => url.includes(`/passkeys/${action}?passkey=`))).toHaveLength(2);
  });

  test('omits email codes if there is no password', async () => {
    const { user, browser } = await createSignedInUser(service);
    await registerPasskey(browser, service);
    await sql(service.services.database, 'update users set password_hash = null where id = $1', [
      user.userId,
    ]);
    const ways = await readSignInMethods(browser);
    expect(ways['Email code']).toBeUndefined();
    expect(ways.Password).toBe('None: you sign in with a passkey');
  });
});
