// The passkeys of an account, as their owner sees them: by which name, where each is kept, and when it was last used.
import { expect, test } from 'vitest';
import type { BrowserSession } from '../../support/browser-session.ts';
import { signedInBrowser } from '../../support/flow.ts';
import { textIn } from '../../support/markup.ts';
import { enrol, newPasskey, showPasskey } from '../../support/passkey.ts';
import { useTestService } from '../../support/service.ts';

const service = useTestService();

const DAY = 86_400;
/** Far from midnight, so that what is done within minutes is done on one day. */
const toNoon = () =>
  service.clock.advance((DAY * 1.5 - ((service.clock.now().getTime() / 1000) % DAY)) % DAY);

/** What stands in the list, the oldest first. A moment is given as the page says it to machines. */
async function listed(browser: BrowserSession, language = 'en') {
  const { body } = await browser.get('/account/security', { 'accept-language': language });
  const [, list = ''] = /<ul class="connected">([\s\S]*?)<\/ul>/.exec(body) ?? [];
  return [...list.matchAll(/<li>([\s\S]*?)<\/li>/g)].map(([, row = '']) => {
    const facts = [...row.matchAll(/<dt>(.*?)<\/dt><dd>([\s\S]*?)<\/dd>/g)].map(
      ([, what = '', fact = '']) => [
        textIn(what),
        /datetime="([^"]*)"/.exec(fact)?.[1]?.slice(0, 10) ?? textIn(fact),
      ],
    );
    return { name: textIn(/<h3>(.*?)<\/h3>/.exec(row)?.[1] ?? ''), ...Object.fromEntries(facts) };
  });
}

const today = () => service.clock.now().toISOString().slice(0, 10);

test('each says what keeps it, whether it is synced, and when it was used last: at a sign-in by it, and by no other', async () => {
  toNoon();
  const browser = await signedInBrowser(service, await service.createUser());
  const synced = newPasskey(service.baseUrl, { aaguid: 'd548826e-79b4-db40-a3d8-11116f7e8349' });
  const bound = newPasskey(service.baseUrl, {
    synced: false,
    aaguid: 'ee882879-721c-4913-9775-3dfcce97072a',
  });
  for (const passkey of [synced, bound]) {
    await enrol(browser, service, { passkey });
    service.clock.advance(1); // the oldest is listed first
  }
  const made = { Created: today(), 'Last used': 'never' };
  const ofSynced = { name: 'Bitwarden', Kept: 'on all your synced devices', ...made };
  const ofBound = { name: 'YubiKey 5', Kept: 'on one device only', ...made };
  expect(await listed(browser)).toEqual([ofSynced, ofBound]);

  for (const [passkey, row] of [
    [synced, ofSynced],
    [bound, ofBound],
  ] as const) {
    service.clock.advance(DAY);
    expect((await showPasskey(service, passkey)).answer.status).toBe(303);
    row['Last used'] = today();
    expect(await listed(browser)).toEqual([ofSynced, ofBound]);
  }
  // One that is refused was not used.
  service.clock.advance(DAY);
  expect((await showPasskey(service, bound, { odd: { verified: false } })).answer.status).toBe(401);
  expect(await listed(browser)).toEqual([ofSynced, ofBound]);
  expect((await listed(browser, 'fr')).map(({ Conservée }) => Conservée)).toEqual([
    'sur tous vos appareils synchronisés',
    'sur un seul appareil',
  ]);
});

test('one of a kind that nobody has heard of is called a passkey, as its owner says it', async () => {
  const browser = await signedInBrowser(service, await service.createUser({ locale: 'fr' }));
  await enrol(browser, service);
  const [row] = await listed(browser);
  expect(row?.name).toBe('Clé d’accès');
});
