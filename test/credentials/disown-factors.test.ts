// What an intruder has set up to come in by, or to keep the owner out: nothing of it is left after « this was not me » (D61).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listPasskeys } from '../../src/store/passkeys.ts';
import { findFactors } from '../../src/store/second-factors.ts';
import { openBrowserSession, type Visit } from '../support/browser-session.ts';
import { enrol, NEW, showPasskey } from '../support/enrol-passkey.ts';
import { signedInBrowser } from '../support/flow.ts';
import { lockPasskey, lockUser } from '../support/locks.ts';
import { lastMailTo, linkIn } from '../support/mail.ts';
import { newPasskey, optionsIn } from '../support/passkey.ts';
import { codeOf, isIn, protect, setUpApp, signInWithCode, wordsIn } from '../support/protected-account.ts';
import { startTestService, type TestService, type TestUser } from '../support/service.ts';

const DAY = 86_400;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** Says « this was not me » to the last mail. */
async function disown(link: string): Promise<void> {
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.get(link);
  expect((await browser.post('/security/not-me', page.hidden)).location?.searchParams.has('done')).toBe(true);
}

const lastLink = async ({ email }: TestUser): Promise<string> => linkIn(await lastMailTo(service, email));
const factorsOf = ({ userId }: TestUser) => findFactors(service.parts.database, userId);

test('the app that the same session had set up before, with its recovery codes', async () => {
  const user = await service.createUser({ emailVerified: true });
  const intruder = await signedInBrowser(service, user);
  await setUpApp(service, intruder);
  await enrol(intruder, service);
  await disown(await lastLink(user));
  expect(await factorsOf(user)).toEqual({ appSince: null, recoveryCodes: 0, recoveryCodesMadeAt: null });
});

test.each([
  [29, false],
  [31, true],
])('what the same session had set up %s days before; it stays: %s', async (days, stays) => {
  const account = await protect(service, { emailVerified: true });
  const { user, browser } = account;
  const { passkey } = await enrol(browser, service);
  // In the same browser before the session was over: it goes on under the same name.
  for (let day = 0; day < days; day += 1) {
    service.clock.advance(DAY);
    if (day % 10 === 9) await showPasskey(service, passkey, { browser, another: true });
  }
  await showPasskey(service, passkey, { browser, another: true });
  await enrol(browser, service);
  await disown(await lastLink(user));
  const { appSince, recoveryCodes } = await factorsOf(user);
  const passkeys = await listPasskeys(service.parts.database, user.userId);
  expect([appSince !== null, recoveryCodes, passkeys.length]).toEqual([stays, stays ? 10 : 0, stays ? 1 : 0]);
});

test('recovery codes alone; the owner’s app stays', async () => {
  const account = await protect(service, { emailVerified: true });
  const intruder = await signInWithCode(service, account);
  const page = await intruder.get('/account/security/codes/new');
  await intruder.post('/account/security/codes/new', page.hidden);
  service.clock.advance(1);
  await enrol(intruder, service);
  await disown(await lastLink(account.user));
  const { appSince, recoveryCodes } = await factorsOf(account.user);
  expect([appSince === null, recoveryCodes]).toEqual([false, 0]);
});

test('recovery codes of a session that was entered just now', async () => {
  const account = await protect(service, { emailVerified: true });
  const intruder = await signInWithCode(service, account);
  const link = await lastLink(account.user);
  service.clock.advance(1);
  const page = await intruder.get('/account/security/codes/new');
  await intruder.post('/account/security/codes/new', page.hidden);
  await disown(link);
  expect((await factorsOf(account.user)).recoveryCodes).toBe(0);
});

test('whoever comes in by an intruder’s passkey at that very moment is out again', async () => {
  const user = await service.createUser({ emailVerified: true });
  await signedInBrowser(service, user);
  service.clock.advance(1);
  const intruder = await signedInBrowser(service, user);
  const link = await lastLink(user);
  const { passkey } = await enrol(intruder, service);
  service.clock.advance(1);
  const lock = await lockPasskey(service.databaseUrl, passkey.id);
  const entering = showPasskey(service, passkey);
  await lock.heldUp(1);
  const disowning = disown(link);
  await lock.heldUp(2);
  await lock.release();
  await disowning;
  expect(await isIn((await entering).browser)).toBe(false);
});

test.each<[string, string, (page: Visit) => Record<string, string>]>([
  [
    'an app',
    '/account/security/app',
    (page) => ({ code: codeOf(service, wordsIn(page, 'key').replaceAll(' ', '')) }),
  ],
  [
    'a passkey',
    NEW,
    ({ body }) => ({ passkey: newPasskey(service.baseUrl).creation(optionsIn(body, 'create')) }),
  ],
])('%s that is being set up at that very moment is not there afterwards', async (_, path, fields) => {
  const user = await service.createUser({ emailVerified: true });
  await signedInBrowser(service, user);
  service.clock.advance(1);
  const intruder = await signedInBrowser(service, user);
  const link = await lastLink(user);
  const page = await intruder.get(path);
  const lock = await lockUser(service.databaseUrl, user.userId);
  const disowning = disown(link);
  await lock.heldUp(1);
  const settingUp = intruder.post(path, { ...page.hidden, ...fields(page) });
  await lock.heldUp(2);
  await lock.release();
  await Promise.all([disowning, settingUp]);
  expect((await factorsOf(user)).appSince).toBeNull();
  expect(await listPasskeys(service.parts.database, user.userId)).toEqual([]);
});
