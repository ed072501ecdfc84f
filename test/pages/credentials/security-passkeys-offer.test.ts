// The offer of a passkey on the way: at most once in two weeks for an account, and never again where somebody says so.
import { expect, test } from 'vitest';
import { PASSKEY_OFFER } from '../../../src/oauth/lifetimes.ts';
import { openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { authorizeAddress } from '../../support/flow.ts';
import { headingOf } from '../../support/markup.ts';
import { newPasskey, optionsIn } from '../../support/passkey.ts';
import { type TestUser, useTestService } from '../../support/service.ts';

const service = useTestService();

const OFFER = '/account/security/passkeys/offer';

/** Signs in on the way to an application, in a new browser that says it can hold a passkey. */
async function arrive(user: TestUser) {
  const application = await service.createApplication();
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.follow(await browser.get(authorizeAddress(service, application)));
  const { email, password } = user;
  const answer = await browser.post('/signin', { ...page.hidden, email, password, able: 'yes' });
  return { browser, page: await browser.follow(answer) };
}

const isOffer = (page: Visit): boolean => headingOf(page.body) === 'Sign in here without a password?';
const isConsent = (page: Visit): boolean => page.body.includes('action="/consent"');

test('later leads on, and it is not made again for two weeks', async () => {
  const user = await service.createUser();
  const { browser, page } = await arrive(user);
  expect(isOffer(page)).toBe(true);
  expect(
    isConsent(await browser.follow(await browser.post(OFFER, { ...page.hidden, choice: 'later' }))),
  ).toBe(true);
  expect(isConsent((await arrive(user)).page)).toBe(true);
  service.clock.advance(13 * 86_400);
  expect(isConsent((await arrive(user)).page)).toBe(true);
  service.clock.advance(86_400);
  expect(isOffer((await arrive(user)).page)).toBe(true);
});

test('never is never', async () => {
  const user = await service.createUser();
  const { browser, page } = await arrive(user);
  await browser.post(OFFER, { ...page.hidden, choice: 'never' });
  service.clock.advance(PASSKEY_OFFER * 10);
  expect(isConsent((await arrive(user)).page)).toBe(true);
});

test('made there, it leads on to where the person was going, who is told by mail', async () => {
  const user = await service.createUser();
  const { browser, page } = await arrive(user);
  const wrong = await browser.post(OFFER, { ...page.hidden, passkey: 'nonsense' });
  expect([wrong.status, isOffer(wrong)]).toEqual([400, true]);
  const passkey = newPasskey(service.baseUrl).creation(optionsIn(wrong.body, 'create'));
  const consent = await browser.follow(await browser.post(OFFER, { ...wrong.hidden, passkey }));
  expect(isConsent(consent)).toBe(true);
  expect((await browser.get('/account/security')).body).toContain('<bdi>Passkey</bdi>');
  service.clock.advance(PASSKEY_OFFER);
  expect(isConsent((await arrive(user)).page)).toBe(true);
});
