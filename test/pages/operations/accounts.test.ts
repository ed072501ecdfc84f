// What operators do about accounts: search, suspend, end, make operators, delete; and what they cannot do to themselves.
import { beforeAll, describe, expect, test } from 'vitest';
import { listEvents } from '../../../src/store/events.ts';
import { PAGE } from '../../../src/store/list-pages.ts';
import { findUserByEmail } from '../../../src/store/users.ts';
import { newPerson, obtainTokens, signedInBrowser, signIn, userinfo } from '../../support/flow.ts';
import { fieldError, formErrors, headingOf } from '../../support/markup.ts';
import { accountPath, type Operator, signedInOperator } from '../../support/operator.ts';
import { PASSWORD, type TestUser, useTestService } from '../../support/service.ts';

const service = useTestService();
let operator: Operator;
beforeAll(async () => {
  operator = await signedInOperator(service);
});

const LIST = '/console/operations/accounts';
const eventsOf = (user: TestUser) =>
  listEvents(service.parts.database, { userId: user.userId }, { limit: 50 });
/** What operators did to an account, latest first. */
const kindsOf = async (user: TestUser) =>
  (await eventsOf(user)).map(({ kind }) => kind).filter((kind) => /^(account|operator)_/.test(kind));
const shown = (body: string) =>
  [...body.matchAll(/accounts\/[0-9a-f-]{36}">(.*?)<\/a>/g)].map(([, email]) => email);

describe('the list', () => {
  test('finds by the beginning of an email in any case, of a name, and by the whole identifier', async () => {
    const user = await service.createUser({ name: 'Élodie Ærøskøbing', email: 'Elodie.Search@exemple.fr' });
    for (const search of ['elodie.s', 'ELODIE.SEARCH@exemple.fr', 'Élo', 'élodie æ', user.userId]) {
      const { body } = await operator.browser.get(`${LIST}?${new URLSearchParams({ search })}`);
      expect([search, shown(body)]).toEqual([search, [user.email]]);
    }
    for (const search of ['lodie', 'exemple.fr', user.userId.slice(0, 8)]) {
      const { body } = await operator.browser.get(`${LIST}?${new URLSearchParams({ search })}`);
      expect([search, shown(body)]).toEqual([search, []]);
      expect(body).toContain('No account matches.');
    }
  });

  test('takes signs of SQL and of patterns as what they are', async () => {
    const literal = await service.createUser({ name: `%_\\'; drop table users --` });
    for (const [search, found] of [
      ['%', [literal.email]],
      [`%_\\'; drop`, [literal.email]],
      ['_', []],
      ['\\', []],
      [`' or '1'='1`, []],
      ['\u{10ffff}', []],
      ['a'.repeat(5000), []],
    ] as const) {
      const answer = await operator.browser.get(`${LIST}?${new URLSearchParams({ search })}`);
      expect([search.slice(0, 20), answer.status, shown(answer.body)]).toEqual([
        search.slice(0, 20),
        200,
        found,
      ]);
    }
  });

  test('shows forty at a time, each once, also when accounts are added meanwhile', async () => {
    const made: string[] = [];
    for (let n = 0; n < 60; n += 1) made.push((await service.createUser({ name: `Paging ${n}` })).email);
    const seen: string[] = [];
    let address: string | undefined = `${LIST}?search=paging`;
    for (let pages = 0; address !== undefined && pages < 5; pages += 1) {
      const { body } = await operator.browser.get(address);
      expect(shown(body).length).toBeLessThanOrEqual(40);
      seen.push(...shown(body).map(String));
      await service.createUser({ name: 'Paging late' });
      address = /href="([^"]*)" rel="next"/.exec(body)?.[1]?.replaceAll('&amp;', '&');
    }
    expect(seen.toSorted()).toEqual(made.toSorted());
  });

  test('a position that was tampered with leads to the beginning', async () => {
    for (const after of ['x', '1.x', "1.' or true", '99999999999999999.app', `1.${'f'.repeat(65)}`]) {
      const { status, body } = await operator.browser.get(`${LIST}?${new URLSearchParams({ after })}`);
      expect([after, status, shown(body).length > 0]).toEqual([after, 200, true]);
    }
  });

  test('lists operators and suspended accounts on their own', async () => {
    const { body } = await operator.browser.get(`${LIST}?state=operator`);
    expect(shown(body)).toContain(operator.user.email);
    const user = await service.createUser();
    expect(shown(body)).not.toContain(user.email);
    await operator.act(accountPath(user.userId, 'suspend'));
    expect(shown((await operator.browser.get(`${LIST}?state=suspended`)).body)).toEqual([user.email]);
    await operator.act(accountPath(user.userId, 'unsuspend'));
  });
});

describe('suspending', () => {
  test('ends sessions and tokens at once, is written down with its reason, and can be lifted (D28)', async () => {
    const { user, browser } = await newPerson(service, { name: 'Suspend Me' });
    const application = await service.createApplication();
    const { accessToken } = await obtainTokens(service, application, browser);
    const path = accountPath(user.userId, 'suspend');

    const answer = await operator.act(path, { reason: ' spam\u202e  sent ' });
    expect([answer.status, answer.location?.search]).toEqual([303, '?done=suspend']);
    const shownAfter = (await operator.browser.follow(answer)).body;
    expect(shownAfter).toContain('The account is suspended.');
    expect(shownAfter).toContain('<dd id="open-sessions">0</dd>');
    expect(shownAfter).toContain('<dd id="connected-applications">0</dd>');
    expect((await userinfo(service, accessToken)).status).toBe(401);
    expect((await browser.get('/account')).location?.pathname).toBe('/signin');
    expect((await eventsOf(user))[0]).toMatchObject({
      kind: 'account_suspended',
      actorId: operator.user.userId,
      userId: user.userId,
      address: '127.0.0.1',
      detail: { email: user.email, reason: 'spam sent' },
    });

    const lifted = await operator.act(accountPath(user.userId, 'unsuspend'));
    expect(lifted.status).toBe(303);
    expect((await userinfo(service, accessToken)).status, 'what has died stays dead').toBe(401);
    expect((await browser.get('/account')).location?.pathname).toBe('/signin');
    await signIn(browser, user);
    expect((await browser.get('/account')).status).toBe(200);
    expect(await kindsOf(user)).toEqual(['account_unsuspended', 'account_suspended']);
  });

  test('twice says the same and is written down once', async () => {
    const user = await service.createUser();
    const { hidden } = await operator.browser.get(accountPath(user.userId, 'suspend'));
    const answers = await Promise.all(
      [1, 2, 3].map(() => operator.browser.post(accountPath(user.userId, 'suspend'), hidden)),
    );
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
    expect(await kindsOf(user)).toEqual(['account_suspended']);
    const again = await operator.browser.get(accountPath(user.userId, 'suspend'));
    expect([again.status, again.location?.pathname]).toEqual([303, accountPath(user.userId)]);
  });

  test('takes no reason of more than 200 characters, and loses nothing of it', async () => {
    const user = await service.createUser();
    const reason = 'é'.repeat(201);
    const answer = await operator.act(accountPath(user.userId, 'suspend'), { reason });
    expect([answer.status, fieldError(answer.body, 'reason')]).toEqual([
      400,
      'The reason must be 200 characters or fewer.',
    ]);
    expect(answer.body).toContain(`value="${reason}"`);
    expect(await kindsOf(user)).toEqual([]);
    expect(
      (await operator.act(accountPath(user.userId, 'suspend'), { reason: 'é'.repeat(200) })).status,
    ).toBe(303);
  });
});

test('ending all sessions ends those and every token, and leaves the person free to sign in', async () => {
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
  expect(after.body).toContain('<span class="quiet">ended</span>');
  expect(await kindsOf(user)).toEqual(['account_access_ended']);
  await signIn(browser, user);
  expect((await browser.get('/account')).status).toBe(200);
});

test('when a session began and when it was last seen are said alike, one below the other', async () => {
  const user = await service.createUser();
  await signedInBrowser(service, user);
  const { body } = await operator.browser.get(accountPath(user.userId));
  const [, first = ''] = /Latest sessions<\/caption>.*?<tbody>\s*<tr>(.*?)<\/tr>/s.exec(body) ?? [];
  expect([...first.matchAll(/<time [^>]*data-as="(.*?)"/g)].map(([, style]) => style)).toEqual([
    'brief',
    'brief',
  ]);
});

describe('deleting', () => {
  test('takes the email of the account, typed; another one changes nothing', async () => {
    const user = await service.createUser({ name: 'Delete Me' });
    const { clientId } = await service.createApplication({ ownerId: user.userId, name: 'Doomed' });
    await service.createApi({ ownerId: user.userId, name: 'Doomed API' });
    const path = accountPath(user.userId, 'delete');
    const page = await operator.browser.get(path);
    expect(page.body).toContain('One application is deleted with this account');
    expect(page.body).toContain('<bdi>Doomed</bdi>');
    expect(page.body).toContain('One API is deleted with this account');
    expect(page.body).toContain('<bdi>Doomed API</bdi>');
    for (const email of ['', operator.user.email, 'delete']) {
      const refused = await operator.act(path, { email });
      expect([email, refused.status, fieldError(refused.body, 'email')]).toEqual([
        email,
        400,
        'That is not the address of the account to delete.',
      ]);
      if (email !== '') expect(refused.body, 'nothing typed is lost').toContain(`value="${email}"`);
    }
    expect(await findUserByEmail(service.parts.database, user.email)).toBeDefined();

    const answer = await operator.act(path, {
      email: ` ${user.email.toUpperCase()} `.trim(),
      reason: 'asked',
    });
    expect([answer.status, answer.location?.pathname]).toEqual([303, LIST]);
    expect((await operator.browser.follow(answer)).body).toContain('The account has been deleted.');
    expect(await findUserByEmail(service.parts.database, user.email)).toBeUndefined();
    expect((await operator.browser.get(accountPath(user.userId))).status).toBe(404);
    expect((await operator.browser.post(path, page.hidden)).status, 'a second click').toBe(404);
    expect((await eventsOf(user))[0]).toMatchObject({
      kind: 'account_deleted',
      userEmail: null,
      detail: { email: user.email, name: 'Delete Me', applications: 1, reason: 'asked' },
    });
    expect((await listEvents(service.parts.database, { clientId }, { limit: 1 }))[0]).toMatchObject({
      kind: 'application_deleted',
      actorId: operator.user.userId,
      detail: { name: 'Doomed' },
    });
  });
});

test('what an account owns is counted beyond what is listed, before it is deleted and on its page', async () => {
  const user = await service.createUser();
  const ownerId = user.userId;
  for (let number = 1; number <= PAGE + 2; number += 1)
    await service.createApplication({ ownerId, name: `Owned ${number}` });
  for (let number = 1; number <= PAGE + 1; number += 1) await service.createApi({ ownerId });
  /** What stands in each list after as many as are shown. */
  const ends = (page: string) =>
    [...page.matchAll(/<ul class="lines">(.*?)<\/ul>/gs)].map(([list]) => list.split('<li').slice(PAGE + 1));
  const { body } = await operator.browser.get(accountPath(ownerId, 'delete'));
  expect(body).toContain('42 applications are deleted with this account');
  expect(body).toContain('41 APIs are deleted with this account');
  for (const page of [body, (await operator.browser.get(accountPath(ownerId))).body])
    expect(ends(page)).toEqual([
      [expect.stringContaining('>and 2 more</li>')],
      [expect.stringContaining('>and one more</li>')],
    ]);
});

describe('operators', () => {
  test('are made and unmade by operators; the role counts at once', async () => {
    const { user, browser } = await newPerson(service);
    expect((await browser.get('/console/operations')).status).toBe(404);
    await operator.act(accountPath(user.userId, 'grant'));
    expect((await browser.get('/console/operations')).status).toBe(200);
    await operator.act(accountPath(user.userId, 'revoke'));
    expect((await browser.get('/console/operations')).status).toBe(404);
    expect(await kindsOf(user)).toEqual(['operator_revoked', 'operator_granted']);
  });

  test.each(['suspend', 'revoke', 'delete'])(
    'cannot %s themselves: they would lock themselves out',
    async (action) => {
      const another = await signedInOperator(service);
      const own = await another.browser.get(accountPath(another.user.userId));
      expect(own.body).toContain('This is your own account');
      expect(own.body).not.toContain(`/${action}"`);
      const { hidden } = await another.browser.get(accountPath(another.user.userId, 'end'));
      const answer = await another.browser.post(accountPath(another.user.userId, action), {
        ...hidden,
        email: another.user.email,
      });
      expect(answer.status).toBe(400);
      expect(formErrors(answer.body)).toEqual([
        'You cannot remove your own operator role. Another operator can.',
      ]);
      expect((await another.browser.get('/console/operations')).status).toBe(200);
      expect(await kindsOf(another.user)).toEqual([]);
    },
  );

  test('may end their own sessions, and sign in again', async () => {
    const another = await signedInOperator(service);
    const answer = await another.act(accountPath(another.user.userId, 'end'));
    expect((await another.browser.follow(answer)).status).toBe(200);
    expect((await another.browser.get('/console/operations')).location?.pathname).toBe('/signin');
  });
});

test('unknown and extra fields are ignored: nothing but what the page is about changes (mass assignment)', async () => {
  const user = await service.createUser();
  await operator.act(accountPath(user.userId, 'suspend'), {
    operator: 'true',
    user_id: operator.user.userId,
    action: 'grant',
    email: 'other@example.com',
    name: 'Mallory',
  });
  expect(await findUserByEmail(service.parts.database, user.email)).toMatchObject({
    suspended: true,
    operator: false,
    name: user.name,
  });
  expect((await operator.browser.get('/console/operations')).status).toBe(200);
});

test('names with markup and direction characters are shown as what they are', async () => {
  const user = await service.createUser({ name: '<b>"Zoé" & \'co\'' });
  const page = await operator.browser.get(accountPath(user.userId, 'suspend'));
  expect(headingOf(page.body)).toBe(`Suspend <b>"Zoé" & 'co'’s account?`);
  expect(page.body).not.toContain('<b>"');
});

describe('a sign-in of more than 15 minutes ago', () => {
  test.each(['suspend', 'end', 'grant', 'delete'])(
    'asks for the password before it may %s',
    async (action) => {
      const another = await signedInOperator(service);
      const user = await service.createUser();
      service.clock.advance(15 * 60 + 1);
      const path = accountPath(user.userId, action);
      const page = await another.browser.get(path);
      expect(page.body).toContain('name="current_password"');
      const form = { ...page.hidden, email: user.email };
      const missing = await another.browser.post(path, form);
      expect([missing.status, fieldError(missing.body, 'current_password')]).toEqual([
        400,
        'Enter your current password.',
      ]);
      const wrong = await another.browser.post(path, { ...form, current_password: 'wrong' });
      expect([wrong.status, fieldError(wrong.body, 'current_password')]).toEqual([
        400,
        'That is not your current password.',
      ]);
      expect(wrong.body).not.toContain('value="wrong"');
      expect(await kindsOf(user)).toEqual([]);
      const right = await another.browser.post(path, { ...form, current_password: PASSWORD });
      expect(right.status).toBe(303);
      expect(await kindsOf(user)).toHaveLength(1);
    },
  );
});
