// Rate limit for authenticator app codes (ADR 13).
import { afterAll, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { listEmailsTo } from '../support/emails.ts';
import { readFieldError } from '../support/markup.ts';
import {
  createMfaAccount,
  createTotpCode,
  enterPassword,
  isSignedIn,
  type MfaAccount,
  signInWithCode,
  submitSecondFactor,
} from '../support/mfa-account.ts';
import { LARGE_POOL, startTestService, type TestService } from '../support/service.ts';

const HOUR = 3600;

const service = await startTestService(LARGE_POOL);
afterAll(() => service.close());

const createAccount = () => createMfaAccount(service, { locale: 'en' });

/** Enters wrong codes in an unknown browser. @returns the HTTP status codes */
async function enterWrongCodes(
  { user }: MfaAccount,
  times: number,
  process: TestService = service,
): Promise<number[]> {
  const { browser, page } = await enterPassword(process, user);
  const statuses: number[] = [];
  for (let tried = 0; tried < times; tried += 1)
    statuses.push((await submitSecondFactor(browser, page, { code: String(tried).padStart(6, '0') })).status);
  return statuses;
}

/** Whether the user can sign in with the correct authenticator app code. */
async function canSignIn(account: MfaAccount, browser = openBrowserSession(service.baseUrl)) {
  const { page } = await enterPassword(service, account.user, browser);
  await submitSecondFactor(browser, page, { code: createTotpCode(service, account.secret) });
  return isSignedIn(browser);
}

test('a user can enter ten MFA codes and then one every three hours', async () => {
  const account = await createAccount();
  expect(await enterWrongCodes(account, 12)).toEqual([...Array(10).fill(401), 429, 429]);
  expect(await canSignIn(account)).toBe(false);
  service.clock.advance(3 * HOUR - 300);
  expect(await canSignIn(account)).toBe(false);
  service.clock.advance(300);
  expect(await canSignIn(account)).toBe(true);
});

test('a correct MFA code does not reset the limit on MFA codes', async () => {
  const account = await createAccount();
  let checked = 0;
  for (let day = 0; day < 30; day += 1) {
    const statuses = await enterWrongCodes(account, 10);
    checked += statuses.filter((status) => status === 401).length;
    await signInWithCode(service, account);
    service.clock.advance(24 * HOUR);
  }
  // Three time steps are accepted, so each guess is correct with a probability of 3 in 1,000,000.
  expect((checked + 10) * 3e-6).toBeLessThan(1 / 1000);
  expect(checked).toBeGreaterThan(200);
});

test('MFA codes are accepted while the queue of password attempts is full', async () => {
  const account = await createAccount();
  const { attempts } = service.services;
  const releases = Array.from({ length: 1000 }, (_, n) =>
    attempts.reserveDelay(`account ${n}`, `network ${n}`),
  );
  expect(attempts.reserveDelay('one more', 'elsewhere')).toBeUndefined();
  expect(await canSignIn(account)).toBe(true);
  for (const release of releases) release?.();
});

test('recovery codes still work after the limit on MFA codes is reached', async () => {
  const account = await createAccount();
  const statuses = await enterWrongCodes(account, 11);
  expect(statuses.at(-1)).toBe(429);
  const { browser, page } = await enterPassword(service, account.user);
  const refused = await submitSecondFactor(browser, page, { code: createTotpCode(service, account.secret) });
  expect(readFieldError(refused.body, 'code')).toContain('Enter a recovery code');
  await submitSecondFactor(browser, refused, { code: account.codes[0] ?? '' });
  expect(await isSignedIn(browser)).toBe(true);
  // The recovery code doesn't reset the limit for authenticator app codes.
  expect(await enterWrongCodes(account, 1)).toEqual([429]);
});

test('MFA codes have separate limits in known and unknown browsers', async () => {
  const account = await createAccount();
  const known = await signInWithCode(service, account);
  known.cookies.delete('sesame');
  expect((await enterWrongCodes(account, 11)).at(-1)).toBe(429);
  expect(await canSignIn(account, known)).toBe(true);
  const otherAccount = await createAccount();
  expect(await canSignIn(otherAccount)).toBe(true);
});

test('an account’s sessions share one limit on re-authentication codes', async () => {
  const account = await createAccount();
  const sessions = [await signInWithCode(service, account), await signInWithCode(service, account)];
  service.clock.advance(16 * 60);
  const errors: string[] = [];
  for (let tried = 0; tried < 12; tried += 1) {
    const browser = sessions[tried % 2] ?? account.browser;
    const page = await browser.get('/account/security/app/remove');
    const refused = await browser.post('/account/security/app/remove', {
      ...page.hidden,
      current_password: account.user.password,
      confirmation_code: String(tried).padStart(6, '0'),
    });
    errors.push(readFieldError(refused.body, 'confirmation_code') ?? '');
  }
  expect(errors.filter((text) => text.includes('Too many wrong codes'))).toHaveLength(2);
  expect(await canSignIn(account)).toBe(true);
});

test('an account’s owner gets at most one alert about wrong codes per day', async () => {
  const account = await createAccount();
  for (let round = 0; round < 4; round += 1) {
    await enterWrongCodes(account, 12);
    service.clock.advance(4 * HOUR);
  }
  const subjects = (await listEmailsTo(service, account.user.email)).map(({ subject }) => subject);
  expect(subjects.filter((subject) => subject.startsWith('Many wrong codes'))).toHaveLength(1);
  service.clock.advance(13 * HOUR);
  await enterWrongCodes(account, 12);
  const later = (await listEmailsTo(service, account.user.email)).map(({ subject }) => subject);
  expect(later.filter((subject) => subject.startsWith('Many wrong codes'))).toHaveLength(2);
});
