// Who gets to the operators' pages: for everybody else there is nothing there, whatever they ask and how (IDOR, CSRF).
import { beforeAll, describe, expect, test } from 'vitest';
import type { BrowserSession } from '../../support/browser-session.ts';
import { openBrowserSession } from '../../support/browser-session.ts';
import { signedInBrowser } from '../../support/flow.ts';
import { accountPath, applicationPath, type Operator, signedInOperator } from '../../support/operator.ts';
import { type TestApplication, type TestUser, useTestService } from '../../support/service.ts';

const service = useTestService();
let operator: Operator;
let person: TestUser;
let other: TestUser;
let application: TestApplication;
let ordinary: BrowserSession;
beforeAll(async () => {
  operator = await signedInOperator(service);
  [person, other] = [await service.createUser(), await service.createUser()];
  application = await service.createApplication({ ownerId: person.userId });
  ordinary = await signedInBrowser(service, person);
});

const ACCOUNT_ACTIONS = ['suspend', 'grant', 'delete', 'reset_second_factor', 'verify_email'];
const APPLICATION_ACTIONS = ['suspend', 'verify'];
const PAGES = ['', '/accounts', '/applications', '/audit', '/audit.json', '/settings'];
/** Every address of operators, those of the person's own account and application among them. */
const addresses = () => [
  ...PAGES.map((page) => `/console/operations${page}`),
  ...[person, other, operator.user].flatMap(({ userId }) =>
    ['', ...ACCOUNT_ACTIONS].map((action) => accountPath(userId, action)),
  ),
  ...['', ...APPLICATION_ACTIONS].map((action) => applicationPath(application.clientId, action)),
  '/console/operations/no/such/page',
];
const state = async () => {
  const all = (text: string) => service.parts.database.query({ name: '', text }, []);
  return {
    users: await all('select id, operator, suspended_at, epoch from users order by id'),
    clients: await all('select client_id, suspended_at, verified_at, epoch from clients order by client_id'),
    events: await all(`select id from events where kind ~ '^(account|operator|application)_' order by id`),
  };
};
/** Sends any method, with the cookies of a browser and a form. */
async function send(browser: BrowserSession, method: string, address: string, body?: string, type?: string) {
  const response = await fetch(new URL(address, service.baseUrl), {
    method,
    redirect: 'manual',
    headers: {
      accept: 'text/html',
      'sec-fetch-site': 'same-origin',
      cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(body !== undefined && { 'content-type': type ?? 'application/x-www-form-urlencoded' }),
    },
    ...(body !== undefined && { body }),
  });
  const { status } = response;
  return { status, allow: response.headers.get('allow'), body: await response.text() };
}

describe('an ordinary person', () => {
  test('gets 404 at every URL with every method, and changes nothing', async () => {
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'DELETE']) {
      const before = await state();
      const { csrf = '' } = (await ordinary.get('/signout')).hidden;
      const form = new URLSearchParams({ csrf, email: other.email, current_password: person.password });
      for (const address of addresses())
        for (const type of ['GET', 'HEAD', 'OPTIONS'].includes(method)
          ? [undefined]
          : ['application/x-www-form-urlencoded', 'application/json']) {
          const body = type === undefined ? undefined : `${form}`;
          const answer = await send(ordinary, method, address, body, type);
          expect([method, address, type, answer.status]).toEqual([method, address, type, 404]);
          expect(answer.allow).toBeNull();
        }
      expect(await state()).toEqual(before);
    }
  });

  test('finds no link to operations in the header; an operator does', async () => {
    expect((await ordinary.get('/account')).body).not.toContain('/console/operations');
    expect((await operator.browser.get('/account')).body).toContain('href="/console/operations"');
  });
});

test('so does an anonymous user, whose GET leads to the sign-in', async () => {
  const stranger = openBrowserSession(service.baseUrl);
  expect((await stranger.get('/console/operations')).location?.pathname).toBe('/signin');
  for (const address of addresses())
    for (const method of ['OPTIONS', 'PUT', 'DELETE']) {
      const { status, allow } = await send(stranger, method, address);
      expect([address, status, allow]).toEqual([address, 404, null]);
    }
});

describe('an operator', () => {
  test('loses every page the moment the role is taken away, session and all', async () => {
    const second = await signedInOperator(service);
    expect((await second.browser.get('/console/operations')).status).toBe(200);
    const answer = await operator.act(accountPath(second.user.userId, 'revoke'));
    expect(answer.status).toBe(303);
    expect((await second.browser.get('/console/operations')).status).toBe(404);
  });

  test('finds nothing at what is no account, no application and no action', async () => {
    for (const path of [
      accountPath('00000000-0000-4000-8000-000000000000'),
      accountPath("x'; drop table users --"),
      accountPath('%00'),
      accountPath(other.userId, 'promote'),
      accountPath(other.userId, 'constructor'),
      applicationPath('app_nobody'),
      applicationPath('%F0%9F%92%A9'),
      applicationPath(application.clientId, 'delete'),
      '/console/operations/',
      '/console/operations/accounts/',
    ]) {
      const { status } = await operator.browser.get(path);
      expect([path, [400, 404].includes(status)]).toEqual([path, true]);
    }
  });
});
