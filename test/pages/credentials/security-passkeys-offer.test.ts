// The offer of a passkey on the way: at most once in two weeks for an account, and never again where somebody says so.
import { expect, test } from 'vitest';
import { PASSKEY_OFFER } from '../../../src/oauth/lifetimes.ts';
import { offerPasskey } from '../../../src/store/passkeys.ts';
import { openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { authorizeAddress, signedInBrowser, signIn } from '../../support/flow.ts';
import { headingOf } from '../../support/markup.ts';
import { newPasskey, optionsIn } from '../../support/passkey.ts';
import { codeOf, give, type ProtectedAccount, protect } from '../../support/protected-account.ts';
import { startTestService, type TestUser, useTestService } from '../../support/service.ts';

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

/** The same where a code is asked for, too: the browser says so with that. */
async function arriveWithCode(account: ProtectedAccount) {
  const application = await service.createApplication();
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.follow(await browser.get(authorizeAddress(service, application)));
  const half = await browser.follow(await signIn(browser, account.user, page));
  const answer = await give(browser, half, { code: codeOf(service, account.secret), able: 'yes' });
  service.clock.advance(30);
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

test('with the code of an app it is made under the same rule', async () => {
  const account = await protect(service);
  expect(isOffer((await arriveWithCode(account)).page)).toBe(true);
  expect(isConsent((await arriveWithCode(account)).page)).toBe(true);
  service.clock.advance(PASSKEY_OFFER);
  const { browser, page } = await arriveWithCode(account);
  expect(isOffer(page)).toBe(true);
  // Both were shown a moment ago: nothing more is asked.
  const passkey = newPasskey(service.baseUrl).creation(optionsIn(page.body, 'create'));
  expect(isConsent(await browser.follow(await browser.post(OFFER, { ...page.hidden, passkey })))).toBe(true);
});

test('never is never', async () => {
  const user = await service.createUser();
  const { browser, page } = await arrive(user);
  await browser.post(OFFER, { ...page.hidden, choice: 'never' });
  service.clock.advance(PASSKEY_OFFER * 10);
  expect(isConsent((await arrive(user)).page)).toBe(true);
});

test('answered late, it is answered: never is never, and what was made is kept', async () => {
  const never = await service.createUser();
  const declining = await arrive(never);
  service.clock.advance(11 * 60);
  await declining.browser.post(OFFER, { ...declining.page.hidden, choice: 'never' });
  service.clock.advance(PASSKEY_OFFER);
  expect(isConsent((await arrive(never)).page)).toBe(true);
  const { browser, page } = await arrive(await service.createUser());
  service.clock.advance(11 * 60);
  const late = newPasskey(service.baseUrl).creation(optionsIn(page.body, 'create'));
  const refused = await browser.follow(await browser.post(OFFER, { ...page.hidden, passkey: late }));
  expect(isOffer(refused)).toBe(true);
  const passkey = newPasskey(service.baseUrl).creation(optionsIn(refused.body, 'create'));
  const consent = await browser.follow(await browser.post(OFFER, { ...refused.hidden, passkey }));
  expect(isConsent(consent)).toBe(true);
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

test('of two who sign in at once, one is offered it; opened within ten minutes, in whichever browser, it is the same offer', async () => {
  const user = await service.createUser();
  const other = await startTestService({}, { databaseUrl: service.databaseUrl });
  const now = service.clock.now();
  const again = new Date(now.getTime() + PASSKEY_OFFER * 1000);
  const made = await Promise.all(
    [service, other].map(({ parts }) => offerPasskey(parts.database, user.userId, now, again)),
  );
  await other.close();
  expect(made.sort()).toEqual([false, true]);
  const browsers = [await signedInBrowser(service, user), await signedInBrowser(service, user)];
  for (const browser of browsers) expect(isOffer(await browser.get(OFFER))).toBe(true);
  service.clock.advance(11 * 60);
  for (const browser of browsers) expect((await browser.get(OFFER)).location?.pathname).toBe('/account');
  expect(isConsent((await arrive(user)).page)).toBe(true);
});

test('opened by itself once it was made, it leads on', async () => {
  const browser = await signedInBrowser(service, await service.createUser());
  expect(isOffer(await browser.get(OFFER))).toBe(true);
  service.clock.advance(11 * 60);
  expect((await browser.get(OFFER)).location?.pathname).toBe('/account');
});
