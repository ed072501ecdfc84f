// What administrators do to accounts, and what they can't do to their own.
import { beforeAll, describe, expect, test } from 'vitest';
import { listEvents } from '../../../src/store/events.ts';
import { PAGE } from '../../../src/store/list-pages.ts';
import { findUserByEmail } from '../../../src/store/users.ts';
import { newPerson, obtainTokens, signIn, userinfo } from '../../support/flow.ts';
import { fieldError, formErrors, headingOf } from '../../support/markup.ts';
import { accountPath, type Operator, signedInOperator } from '../../support/operator.ts';
import { PASSWORD, type TestUser, useTestService } from '../../support/service.ts';

const service = useTestService();
let operator: Operator;
beforeAll(async () => {
  operator = await signedInOperator(service);
});

const noticeIn = (body: string) => /role="status">.*?<span>([^<]*)</s.exec(body)?.[1];
const eventsOf = (user: TestUser) =>
  listEvents(service.parts.database, { userId: user.userId }, { limit: 50 });
/** What administrators did to an account, latest first. */
const kindsOf = async (user: TestUser) =>
  (await eventsOf(user)).map(({ kind }) => kind).filter((kind) => /^(account|operator)_/.test(kind));

describe('suspending', () => {
  test('ends sessions and tokens, is logged with its reason, and can be lifted', async () => {
    const { user, browser } = await newPerson(service, { name: 'Suspend Me' });
    const { accessToken } = await obtainTokens(service, await service.createApplication(), browser);
    const answer = await operator.act(accountPath(user.userId, 'suspend'), { reason: ' spam\u202e  sent ' });
    expect([answer.status, answer.location?.search]).toEqual([303, '?done=suspend']);
    const { body } = await operator.browser.follow(answer);
    expect(noticeIn(body)).toBe('Account suspended');
    expect(body).toContain('<dd id="open-sessions">0</dd>');
    expect(body).toContain('<dd id="connected-applications">0</dd>');
    expect((await userinfo(service, accessToken)).status).toBe(401);
    expect((await browser.get('/account')).location?.pathname).toBe('/signin');
    expect((await eventsOf(user))[0]).toMatchObject({
      ...{ kind: 'account_suspended', actorId: operator.user.userId, userId: user.userId },
      ...{ address: '127.0.0.1', detail: { email: user.email, reason: 'spam sent' } },
    });

    expect((await operator.act(accountPath(user.userId, 'unsuspend'))).status).toBe(303);
    expect((await userinfo(service, accessToken)).status, 'revoked tokens stay revoked').toBe(401);
    await signIn(browser, user);
    expect((await browser.get('/account')).status).toBe(200);
    expect(await kindsOf(user)).toEqual(['account_unsuspended', 'account_suspended']);
  });

  test('sent three times is logged once, and the page of a done action leads back', async () => {
    const user = await service.createUser();
    const path = accountPath(user.userId, 'suspend');
    const { hidden } = await operator.browser.get(path);
    const answers = await Promise.all([1, 2, 3].map(() => operator.browser.post(path, hidden)));
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
    const notices = answers.map(({ location }) => location?.search).toSorted();
    expect(notices, 'of what is so already').toEqual(['', '', '?done=suspend']);
    expect(await kindsOf(user)).toEqual(['account_suspended']);
    expect((await operator.browser.get(path)).location?.pathname).toBe(accountPath(user.userId));
    const claimed = await operator.browser.get(`${accountPath(user.userId)}?done=unsuspend`);
    expect(noticeIn(claimed.body), 'what the log says, not the URL').toBe('Account suspended');
    expect(
      noticeIn((await operator.browser.get('/console/operations/accounts?done=delete')).body),
    ).toBeUndefined();
  });

  test('refuses a reason over 200 characters and keeps it; other fields are ignored', async () => {
    const user = await service.createUser({ name: '<b>"Zoé" & \'co\'' });
    const path = accountPath(user.userId, 'suspend');
    const reason = 'é'.repeat(201);
    const refused = await operator.act(path, { reason });
    expect(fieldError(refused.body, 'reason')).toBe('The reason must be 200 characters or fewer.');
    expect(refused.body).toContain(`value="${reason}"`);
    expect(headingOf(refused.body)).toBe(`Suspend: <b>"Zoé" & 'co'`);
    expect(refused.body).not.toContain('<b>"');
    const extra = { operator: 'true', user_id: operator.user.userId, action: 'grant', name: 'Mallory' };
    await operator.act(path, extra);
    expect(await findUserByEmail(service.parts.database, user.email)).toMatchObject({
      ...{ suspended: true, operator: false, name: user.name },
    });
  });
});

test('ending all sessions revokes every token, and the user can sign in again', async () => {
  const { user, browser } = await newPerson(service);
  const { accessToken } = await obtainTokens(service, await service.createApplication(), browser);
  const page = await operator.browser.get(accountPath(user.userId));
  expect(page.body).toContain('<dd id="open-sessions">1</dd>');
  expect(page.body).toContain('<dd id="connected-applications">1</dd>');
  await operator.act(accountPath(user.userId, 'end'));
  expect((await userinfo(service, accessToken)).status).toBe(401);
  expect((await browser.get('/account')).status).toBe(303);
  const after = await operator.browser.get(accountPath(user.userId));
  expect(after.body).toContain('<dd id="open-sessions">0</dd>');
  expect(await kindsOf(user)).toEqual(['account_access_ended']);
  await signIn(browser, user);
  expect((await browser.get('/account')).status).toBe(200);
});

test('deleting requires the typed email, and logs what is deleted with the account', async () => {
  const user = await service.createUser({ name: 'Delete Me' });
  const { clientId } = await service.createApplication({ ownerId: user.userId, name: 'Doomed' });
  await service.createApi({ ownerId: user.userId, name: 'Doomed API' });
  const path = accountPath(user.userId, 'delete');
  const page = await operator.browser.get(path);
  for (const name of ['Doomed', 'Doomed API']) expect(page.body).toContain(`<bdi>${name}</bdi>`);
  for (const email of ['', operator.user.email]) {
    const refused = await operator.act(path, { email });
    expect([refused.status, fieldError(refused.body, 'email')]).toEqual([
      400,
      'That is not the address of the account to delete.',
    ]);
  }
  expect(await findUserByEmail(service.parts.database, user.email)).toBeDefined();

  const answer = await operator.act(path, { email: user.email.toUpperCase(), reason: 'asked' });
  expect([answer.status, answer.location?.pathname]).toEqual([303, '/console/operations/accounts']);
  expect(noticeIn((await operator.browser.follow(answer)).body)).toBe('Account deleted');
  expect((await operator.browser.get(accountPath(user.userId))).status).toBe(404);
  expect((await operator.browser.post(path, page.hidden)).status, 'a second click').toBe(404);
  expect((await eventsOf(user))[0]).toMatchObject({
    kind: 'account_deleted',
    userEmail: null,
    detail: { email: user.email, name: 'Delete Me', applications: 1, reason: 'asked' },
  });
  expect((await listEvents(service.parts.database, { clientId }, { limit: 1 }))[0]).toMatchObject({
    ...{ kind: 'application_deleted', actorId: operator.user.userId, detail: { name: 'Doomed' } },
  });
});

test('what an account owns is listed up to a page, and counted beyond', async () => {
  const { userId: ownerId } = await service.createUser();
  for (let number = 0; number < PAGE + 2; number += 1) await service.createApplication({ ownerId });
  const { apiId } = await service.createApi({ ownerId });
  const deletion = await operator.browser.get(accountPath(ownerId, 'delete'));
  const page = await operator.browser.get(accountPath(ownerId));
  expect(page.body).toContain(`href="/console/operations/apis/${apiId}"`);
  for (const { body } of [deletion, page]) expect(body).toContain('>and 2 more</li>');
});

describe('administrators', () => {
  test('are made and unmade by administrators; the role counts at once', async () => {
    const { user, browser } = await newPerson(service);
    expect((await browser.get('/console/operations')).status).toBe(404);
    await operator.act(accountPath(user.userId, 'grant'));
    expect((await browser.get('/console/operations')).status).toBe(200);
    await operator.act(accountPath(user.userId, 'revoke'));
    expect((await browser.get('/console/operations')).status).toBe(404);
    expect(await kindsOf(user)).toEqual(['operator_revoked', 'operator_granted']);
  });

  test("can't suspend, delete or demote themselves, but can end their own sessions", async () => {
    const another = await signedInOperator(service);
    const own = (action?: string) => accountPath(another.user.userId, action);
    const { body } = await another.browser.get(own());
    const { hidden } = await another.browser.get(own('end'));
    for (const action of ['suspend', 'revoke', 'delete']) {
      expect(body).not.toContain(`/${action}"`);
      const refused = await another.browser.post(own(action), { ...hidden, email: another.user.email });
      expect(formErrors(refused.body)).toEqual([
        'You cannot do this to your own account. Another operator can.',
      ]);
    }
    expect(await kindsOf(another.user)).toEqual([]);
    expect((await another.browser.follow(await another.act(own('end')))).status).toBe(200);
    expect((await another.browser.get('/console/operations')).location?.pathname).toBe('/signin');
  });
});

test('every action asks for the password once the sign-in is more than 15 minutes old', async () => {
  const another = await signedInOperator(service);
  service.clock.advance(15 * 60 + 1);
  for (const action of ['suspend', 'end', 'grant', 'delete']) {
    const user = await service.createUser();
    const path = accountPath(user.userId, action);
    const page = await another.browser.get(path);
    const form = { ...page.hidden, email: user.email };
    for (const [current_password, error] of [
      ['', 'Enter your current password.'],
      ['wrong', 'That is not your current password.'],
    ] as const) {
      const refused = await another.browser.post(path, { ...form, current_password });
      expect([refused.status, fieldError(refused.body, 'current_password')]).toEqual([400, error]);
      expect(refused.body).not.toContain('value="wrong"');
    }
    expect(await kindsOf(user)).toEqual([]);
    const done = await another.browser.post(path, { ...form, current_password: PASSWORD });
    expect([done.status, (await kindsOf(user)).length]).toEqual([303, 1]);
    service.clock.advance(15 * 60 + 1);
  }
});
