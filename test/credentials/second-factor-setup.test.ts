// Changing the second factor in two places at once: what is left is as if one had come after the other (D39, D43).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFactors } from '../../src/store/second-factors.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { enrol } from '../support/enrol-passkey.ts';
import { lockUser } from '../support/locks.ts';
import { type ProtectedAccount, protect, signInWithCode } from '../support/protected-account.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** Opens the page of a form in each browser, and sends all of them while the account is held. */
async function sendAtOnce(
  { user }: ProtectedAccount,
  browsers: readonly BrowserSession[],
  path: string,
): Promise<void> {
  const pages = await Promise.all(browsers.map((browser) => browser.get(path)));
  const lock = await lockUser(service.databaseUrl, user.userId);
  const sent = browsers.map((browser, place) => browser.post(path, pages[place]?.hidden ?? {}));
  await lock.heldUp(browsers.length);
  await lock.release();
  await Promise.all(sent);
}

test('the app taken away twice at once leaves the recovery codes of the passkeys', async () => {
  const account = await protect(service);
  await enrol(account.browser, service);
  await sendAtOnce(
    account,
    [account.browser, await signInWithCode(service, account)],
    '/account/security/app/remove',
  );
  const factors = await findFactors(service.parts.database, account.user.userId);
  expect(factors).toMatchObject({ appSince: null, recoveryCodes: 10 });
});

test('recovery codes made twice at once are ten', async () => {
  const account = await protect(service);
  await sendAtOnce(
    account,
    [account.browser, await signInWithCode(service, account)],
    '/account/security/codes/new',
  );
  expect((await findFactors(service.parts.database, account.user.userId)).recoveryCodes).toBe(10);
});
