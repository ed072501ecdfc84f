import { expect, test } from 'vitest';
import type { BrowserSession } from '../../support/browser-session.ts';
import { readText } from '../../support/markup.ts';
import { openSignedInBrowser } from '../../support/oauth-flow.ts';
import { createPasskey, registerPasskey, signInWithPasskey } from '../../support/passkey.ts';
import { useTestService } from '../../support/service.ts';

const service = useTestService();

const DAY = 86_400;
/** Noon, so that the date doesn't change during the test. */
const advanceToNoon = () =>
  service.clock.advance((DAY * 1.5 - ((service.clock.now().getTime() / 1000) % DAY)) % DAY);

async function readListedPasskeys(browser: BrowserSession, language = 'en') {
  const { body } = await browser.get('/account/security', { 'accept-language': language });
  const [, list = ''] = /<ul class="way-items">([\s\S]*?)<\/ul>/.exec(body) ?? [];
  return [...list.matchAll(/<li>([\s\S]*?)<\/li>/g)].map(([, row = '']) => {
    const [, stored = '', times = ''] = /<p class="way-state">(.*?)<br>([\s\S]*?)<\/p>/.exec(row) ?? [];
    const [created, lastUsed] = [...times.matchAll(/datetime="([^"]*)"/g)].map(([, at = '']) =>
      at.slice(0, 10),
    );
    return {
      name: readText(/<h3>(.*?)<\/h3>/.exec(row)?.[1] ?? ''),
      stored: readText(stored),
      created,
      lastUsed: lastUsed ?? readText(times).split(', ')[1],
    };
  });
}

const today = () => service.clock.now().toISOString().slice(0, 10);

test('each passkey is listed with its provider and last use', async () => {
  advanceToNoon();
  const browser = await openSignedInBrowser(service, await service.createUser());
  const syncedPasskey = createPasskey(service.baseUrl, { aaguid: 'd548826e-79b4-db40-a3d8-11116f7e8349' });
  const boundPasskey = createPasskey(service.baseUrl, {
    synced: false,
    aaguid: 'ee882879-721c-4913-9775-3dfcce97072a',
  });
  for (const passkey of [syncedPasskey, boundPasskey]) {
    await registerPasskey(browser, service, { passkey });
    service.clock.advance(1); // so that the order is stable
  }
  const unusedTimes = { created: today(), lastUsed: 'never used' };
  const syncedRow = { name: 'Bitwarden', stored: 'On all your synced devices', ...unusedTimes };
  const boundRow = { name: 'YubiKey 5', stored: 'On one device only', ...unusedTimes };
  expect(await readListedPasskeys(browser)).toEqual([syncedRow, boundRow]);

  for (const [passkey, row] of [
    [syncedPasskey, syncedRow],
    [boundPasskey, boundRow],
  ] as const) {
    service.clock.advance(DAY);
    expect((await signInWithPasskey(service, passkey)).response.status).toBe(303);
    row.lastUsed = today();
    expect(await readListedPasskeys(browser)).toEqual([syncedRow, boundRow]);
  }
  service.clock.advance(DAY);
  expect(
    (await signInWithPasskey(service, boundPasskey, { overrides: { isUserVerified: false } })).response
      .status,
  ).toBe(401);
  expect(await readListedPasskeys(browser)).toEqual([syncedRow, boundRow]);
  expect((await readListedPasskeys(browser, 'fr')).map(({ stored }) => stored)).toEqual([
    'Sur tous vos appareils synchronisés',
    'Sur un seul appareil',
  ]);
});

test('a passkey from an unknown authenticator gets a generic name', async () => {
  const browser = await openSignedInBrowser(service, await service.createUser({ locale: 'fr' }));
  await registerPasskey(browser, service);
  const [row] = await readListedPasskeys(browser);
  expect(row?.name).toBe('Clé d’accès');
});
