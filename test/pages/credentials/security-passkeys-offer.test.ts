// The passkey offer after sign-in.
import { expect, test } from 'vitest';
import { PASSKEY_OFFER_INTERVAL } from '../../../src/oauth/lifetimes.ts';
import { openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { readHeading } from '../../support/markup.ts';
import { buildAuthorizeUrl } from '../../support/oauth-flow.ts';
import { createPasskey, readPasskeyOptions } from '../../support/passkey.ts';
import { type TestUser, useTestService } from '../../support/service.ts';

const service = useTestService();

const OFFER_PATH = '/account/security/passkeys/offer';

/** Signs in with a browser that supports passkeys. */
async function signInForClient(user: TestUser) {
  const application = await service.createClient();
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.follow(await browser.get(buildAuthorizeUrl(service, application)));
  const { email, password } = user;
  const response = await browser.post('/signin', { ...page.hidden, email, password, able: 'yes' });
  return { browser, page: await browser.follow(response) };
}

const isOfferPage = (page: Visit): boolean => readHeading(page.body) === 'Sign in here without a password?';
const isConsentPage = (page: Visit): boolean => page.body.includes('action="/consent"');

test('the passkey offer is hidden for two weeks if the user answers "later"', async () => {
  const user = await service.createUser();
  const { browser, page } = await signInForClient(user);
  expect(isOfferPage(page)).toBe(true);
  expect(
    isConsentPage(await browser.follow(await browser.post(OFFER_PATH, { ...page.hidden, choice: 'later' }))),
  ).toBe(true);
  expect(isConsentPage((await signInForClient(user)).page)).toBe(true);
  service.clock.advance(13 * 86_400);
  expect(isConsentPage((await signInForClient(user)).page)).toBe(true);
  service.clock.advance(86_400);
  expect(isOfferPage((await signInForClient(user)).page)).toBe(true);
});

test('the passkey offer is hidden permanently if the user answers "never"', async () => {
  const user = await service.createUser();
  const { browser, page } = await signInForClient(user);
  await browser.post(OFFER_PATH, { ...page.hidden, choice: 'never' });
  service.clock.advance(PASSKEY_OFFER_INTERVAL * 10);
  expect(isConsentPage((await signInForClient(user)).page)).toBe(true);
});

test('the passkey offer creates a passkey if the user accepts it', async () => {
  const user = await service.createUser();
  const { browser, page } = await signInForClient(user);
  const rejected = await browser.post(OFFER_PATH, { ...page.hidden, passkey: 'nonsense' });
  expect([rejected.status, isOfferPage(rejected)]).toEqual([400, true]);
  const passkey = createPasskey(service.baseUrl).createCredential(
    readPasskeyOptions(rejected.body, 'create'),
  );
  const consent = await browser.follow(await browser.post(OFFER_PATH, { ...rejected.hidden, passkey }));
  expect(isConsentPage(consent)).toBe(true);
  expect((await browser.get('/account/security')).body).toContain('<bdi>Passkey</bdi>');
  service.clock.advance(PASSKEY_OFFER_INTERVAL);
  expect(isConsentPage((await signInForClient(user)).page)).toBe(true);
});
