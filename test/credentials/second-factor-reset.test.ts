// The reset of a second factor: asked for by operators, told, stopped by its person, carried out when it is due, once.

import { afterAll, describe, expect, test } from 'vitest';
import { startFactorResets } from '../../src/background/second-factor-resets.ts';
import { askForFactorReset, carryOutDueReset } from '../../src/credentials/second-factor-reset.ts';
import { createLogger } from '../../src/process/logger.ts';
import { listEvents } from '../../src/store/events.ts';
import { listPasskeys } from '../../src/store/passkeys.ts';
import { findReset } from '../../src/store/second-factor-resets.ts';
import { findFactors } from '../../src/store/second-factors.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { signedInBrowser } from '../support/flow.ts';
import { lastMailTo, linkIn, mailsTo } from '../support/mail.ts';
import { fieldError, formErrors, headingOf, inputOf } from '../support/markup.ts';
import { accountPath, type Operator, signedInOperator } from '../support/operator.ts';
import { enrol, showPasskey } from '../support/passkey.ts';
import {
  codeOf,
  give,
  halfWay,
  isIn,
  type ProtectedAccount,
  protect as protectIn,
  signInWithCode,
} from '../support/protected-account.ts';
import { startTestService, type TestService, type TestUser } from '../support/service.ts';
import { until } from '../support/until.ts';

const DAY = 86_400;

let operator: Operator;
const service = await startTestService();
const other = await startTestService({}, { databaseUrl: service.databaseUrl });
afterAll(async () => {
  await other.close();
  await service.close();
});

const protect = () => protectIn(service, { locale: 'en', emailVerified: true });
const resetPath = ({ userId }: TestUser) => accountPath(userId, 'reset_second_factor');
const stopPath = ({ userId }: TestUser) => accountPath(userId, 'stop_reset');
const kindsOf = async ({ userId }: TestUser) =>
  (await listEvents(service.parts.database, { userId }, { limit: 50 }))
    .map(({ kind }) => kind)
    .filter((kind) => kind.startsWith('second_factor_'));
const waits = async ({ userId }: TestUser) => (await findReset(service.parts.database, userId)) !== undefined;
const hasApp = async ({ userId }: TestUser) =>
  (await findFactors(service.parts.database, userId)).appSince !== null;

/** Has an operator who has just signed in ask for it. */
async function ask({ user }: ProtectedAccount) {
  operator = await signedInOperator(service);
  const asked = await operator.act(resetPath(user), { reason: 'lost phone' });
  expect(asked.location?.search).toBe('?done=reset_second_factor');
}

/** Sends the operator's form although the page does not offer it. */
async function send(user: TestUser) {
  const { hidden } = await operator.browser.get(accountPath(user.userId, 'end'));
  return operator.browser.post(resetPath(user), { csrf: hidden.csrf ?? '' });
}

/** Lets all that is due at this moment be carried out. */
async function carryOutAll(by: TestService = service, at = service.clock.now()) {
  while (await carryOutDueReset(by.parts, at));
}

/** The mails about resets to an account, latest first: their subjects. */
const told = async ({ email }: TestUser) =>
  (await mailsTo(service, email))
    .map(({ subject }) => subject)
    .filter((subject) => subject.startsWith('The second factor of'));

/** The link of the latest mail whose subject says so. */
async function linkTold({ email }: TestUser, words: string) {
  const mail = (await mailsTo(service, email)).find(({ subject }) => subject.includes(words));
  return linkIn(mail ?? { text: '' });
}

/** Another password, by the mail of « forgotten password ». */
async function resetPassword({ email }: TestUser, password: string) {
  const browser = openBrowserSession(service.baseUrl);
  const forgot = await browser.get('/password/forgot');
  await browser.post('/password/forgot', { ...forgot.hidden, email });
  const page = await browser.get(linkIn(await lastMailTo(service, email)));
  return browser.post('/password/reset', { ...page.hidden, new_password: password });
}

describe('asked for by an operator', () => {
  test('takes nothing away before the delay is over, and everything after it; each step is told and written down', async () => {
    const account = await protect();
    const { user } = account;
    const trusting = await halfWay(service, user);
    await give(trusting.browser, trusting.page, { code: codeOf(service, account.secret), trust: 'yes' });
    await ask(account);
    expect(await linkTold(user, 'is about to be reset')).toMatch(/^\/security\/stop-reset\?token=/);

    service.clock.advance(DAY - 60);
    await carryOutAll();
    expect((await halfWay(service, user)).asked.location?.pathname).toBe('/signin/second-factor');
    service.clock.advance(61);
    await carryOutAll();
    expect((await halfWay(service, user)).asked.location?.pathname).toBe('/account');
    expect(await findFactors(service.parts.database, user.userId)).toMatchObject({
      appSince: null,
      recoveryCodes: 0,
    });
    expect(await told(user)).toEqual([
      'The second factor of your Sésame account was reset',
      'The second factor of your Sésame account is about to be reset',
    ]);
    expect(await kindsOf(user)).toEqual(['second_factor_reset', 'second_factor_reset_asked']);
    const [latest] = await listEvents(
      service.parts.database,
      { userId: user.userId, kind: 'second_factor_reset_asked' },
      { limit: 1 },
    );
    expect(latest).toMatchObject({ actorId: operator.user.userId, detail: { reason: 'lost phone' } });
  });

  test('needs a fresh proof of the operator, and an operator', async () => {
    const { user } = await protect();
    const stale = await signedInOperator(service);
    service.clock.advance(16 * 60);
    const page = await stale.browser.get(resetPath(user));
    expect(inputOf(page.body, 'current_password')).toBeDefined();
    expect(fieldError((await stale.act(resetPath(user))).body, 'current_password')).toBeTruthy();
    const anybody = await signedInBrowser(service, await service.createUser());
    const { hidden } = await anybody.get('/account/security');
    expect((await anybody.post(resetPath(user), { csrf: hidden.csrf ?? '' })).status).toBe(404);
    // Nor by whoever was one when the request arrived.
    const by = { userId: (await service.createUser()).userId, address: '127.0.0.1' };
    const asking = askForFactorReset(
      service.parts,
      user.userId,
      { passkeys: false },
      by,
      service.clock.now(),
    );
    expect(await asking).toBe('notOperator');
    expect(await waits(user)).toBe(false);
  });

  test('twice, it waits as it did: neither sooner nor later, and with one mail', async () => {
    const account = await protect();
    await ask(account);
    const first = await findReset(service.parts.database, account.user.userId);
    service.clock.advance(3600);
    const again = await signedInOperator(service);
    // The page is left for the account's own; a form from before does nothing either.
    expect((await again.browser.get(resetPath(account.user))).location?.pathname).toBe(
      accountPath(account.user.userId),
    );
    const csrf = (await again.browser.get(accountPath(account.user.userId, 'end'))).hidden.csrf ?? '';
    expect((await again.browser.post(resetPath(account.user), { csrf })).location?.search).toBe('');
    expect(await findReset(service.parts.database, account.user.userId)).toEqual(first);
    expect(await told(account.user)).toHaveLength(1);
  });

  test('not one’s own, not that of who has none, and not that of who is suspended', async () => {
    const self = await protect();
    await service.parts.database.query(
      { name: 'make_operator', text: 'update users set operator = true where id = $1::uuid' },
      [self.user.userId],
    );
    const csrf = (await self.browser.get(accountPath(self.user.userId, 'end'))).hidden.csrf ?? '';
    expect((await self.browser.get(resetPath(self.user))).location?.pathname).toBe(
      accountPath(self.user.userId),
    );
    const own = await self.browser.post(resetPath(self.user), { csrf });
    expect(formErrors(own.body)).toHaveLength(1);
    expect(await waits(self.user)).toBe(false);

    operator = await signedInOperator(service);
    const bare = await service.createUser();
    await send(bare);
    expect(await waits(bare)).toBe(false);
    const { user } = await protect();
    operator = await signedInOperator(service);
    await operator.act(accountPath(user.userId, 'suspend'));
    await send(user);
    expect(await waits(user)).toBe(false);
  });
});

describe('stopped', () => {
  test('in the account, by its person, without a proof: everything stays as it is', async () => {
    const account = await protect();
    await ask(account);
    service.clock.advance(16 * 60);
    expect((await account.browser.get('/account')).body).toContain('Review and stop it');
    const page = await account.browser.get('/account/security');
    const stopped = await account.browser.post('/account/security/reset/stop', {
      csrf: page.hidden.csrf ?? '',
    });
    expect((await account.browser.follow(stopped)).body).toContain('The reset has been stopped.');
    // Before the days pass: a mail that is sent after the answer is not worth sending by then.
    expect(await told(account.user)).toContain('The second factor of your Sésame account stays as it is');
    service.clock.advance(2 * DAY);
    await carryOutAll();
    await signInWithCode(service, account).then(async (browser) => expect(await isIn(browser)).toBe(true));
    expect(await kindsOf(account.user)).toEqual(['second_factor_reset_stopped', 'second_factor_reset_asked']);
  });

  test('by the link of the mail, by whoever is not signed in; opening it stops nothing, and it works once', async () => {
    const account = await protect();
    await ask(account);
    const link = await linkTold(account.user, 'about to be reset');
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get(link);
    expect(page.status).toBe(200);
    expect(await waits(account.user)).toBe(true);
    const elsewhere = openBrowserSession(service.baseUrl);
    expect((await elsewhere.post('/security/stop-reset', page.hidden)).status).toBe(403);
    expect(await waits(account.user)).toBe(true);
    const done = await browser.follow(await browser.post('/security/stop-reset', page.hidden));
    expect(done.body).toContain('Everything stays as it is.');
    expect(await waits(account.user)).toBe(false);
    service.clock.advance(120);
    for (const late of [await browser.get(link), await browser.post('/security/stop-reset', page.hidden)]) {
      expect([late.status, headingOf(late.body)]).toEqual([400, 'This link no longer works']);
      expect(late.body).toContain('the reset was stopped');
      expect(late.body).toContain('href="/account/security"');
    }
  });

  test('by an operator, with the reason in the log', async () => {
    const account = await protect();
    await ask(account);
    const done = await operator.act(stopPath(account.user), { reason: 'was not her' });
    expect((await operator.browser.follow(done)).body).toMatch(
      /role="status"[\s\S]*?Reset of the second factor stopped/,
    );
    expect(await waits(account.user)).toBe(false);
    const [event] = await listEvents(service.parts.database, { userId: account.user.userId }, { limit: 1 });
    expect(event).toMatchObject({ kind: 'second_factor_reset_stopped', detail: { reason: 'was not her' } });
  });
});

describe('meanwhile', () => {
  test('a new password by mail begins the delay anew: whoever holds the mailbox gains nothing by it', async () => {
    const account = await protect();
    await ask(account);
    service.clock.advance(DAY - 3600);
    const done = await resetPassword(account.user, 'quite another battery staple');
    expect(done.location?.pathname).toBe('/signin/second-factor');
    service.clock.advance(DAY - 60);
    await carryOutAll();
    expect(await hasApp(account.user)).toBe(true);
    service.clock.advance(61);
    await carryOutAll();
    expect(await hasApp(account.user)).toBe(false);
  });

  test('who takes the app away themselves, and sets another one up, keeps that', async () => {
    const account = await protect();
    await ask(account);
    const remove = await account.browser.get('/account/security/app/remove');
    await account.browser.post('/account/security/app/remove', remove.hidden);
    expect(await waits(account.user)).toBe(false);
  });

  test('who makes new recovery codes has not lost everything: it ends', async () => {
    const account = await protect();
    await ask(account);
    const renew = await account.browser.get('/account/security/codes/new');
    await account.browser.post('/account/security/codes/new', renew.hidden);
    expect(await waits(account.user)).toBe(false);
    expect((await kindsOf(account.user))[0]).toBe('second_factor_reset_stopped');
  });

  test('a suspension ends it, a deletion takes it along', async () => {
    const [suspended, deleted] = [await protect(), await protect()];
    await ask(suspended);
    await ask(deleted);
    await operator.act(accountPath(suspended.user.userId, 'suspend'));
    await operator.act(accountPath(deleted.user.userId, 'delete'), { email: deleted.user.email });
    expect([await waits(suspended.user), await waits(deleted.user)]).toEqual([false, false]);
    service.clock.advance(2 * DAY);
    await carryOutAll();
    expect(await hasApp(suspended.user)).toBe(true);
  });

  test('« this was not me » to a change of the account ends it, too', async () => {
    const account = await protect();
    const link = await linkTold(account.user, 'Authenticator app added');
    await ask(account);
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get(link);
    await browser.post('/security/not-me', page.hidden);
    expect(await waits(account.user)).toBe(false);
  });
});

test('the background work carries out what is due, and goes on after a failure', async () => {
  const accounts = [await protect(), await protect()];
  for (const account of accounts) await ask(account);
  service.clock.advance(DAY + 1);
  const background = startFactorResets(service.parts, createLogger('silent'), 0);
  try {
    await until(
      'both are done',
      async () =>
        !(await hasApp((accounts[0] as ProtectedAccount).user)) &&
        !(await hasApp((accounts[1] as ProtectedAccount).user)),
    );
  } finally {
    await background.stop();
  }
});

describe('of passkeys', () => {
  test('stay, unless the operator was asked for them too; then they go with the rest', async () => {
    const user = await service.createUser({ locale: 'en', emailVerified: true });
    const browser = await signedInBrowser(service, user);
    const { passkey } = await enrol(browser, service);
    operator = await signedInOperator(service);
    const page = await operator.browser.get(resetPath(user));
    expect(inputOf(page.body, 'passkeys')).toBeDefined();
    await operator.browser.post(resetPath(user), page.hidden);
    expect(await waits(user)).toBe(false); // there is nothing else to take away
    service.clock.advance(120);
    await operator.act(resetPath(user), { passkeys: 'yes' });
    expect(await waits(user)).toBe(true);
    expect((await browser.get('/account/security')).body).toContain('Your passkeys, your authenticator app');
    service.clock.advance(DAY + 1);
    await carryOutAll();
    expect((await showPasskey(service, passkey)).answer.status).toBe(401);
    // Whoever has the lost device may have been in by it.
    expect((await browser.get('/account')).status).toBe(303);
    expect(await listPasskeys(service.parts.database, user.userId)).toEqual([]);
    await enrol(await signedInBrowser(service, user), service);
    expect(await listPasskeys(service.parts.database, user.userId)).toHaveLength(1);
  });

  test('one that is made meanwhile ends it: it must not be taken away', async () => {
    const user = await service.createUser({ locale: 'en', emailVerified: true });
    const browser = await signedInBrowser(service, user);
    const { passkey } = await enrol(browser, service);
    operator = await signedInOperator(service);
    await operator.act(resetPath(user), { passkeys: 'yes' });
    expect(await waits(user)).toBe(true);
    await enrol((await showPasskey(service, passkey)).browser, service);
    expect(await waits(user)).toBe(false);
  });
});
