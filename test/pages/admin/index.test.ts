// Administration pages return 404 to users who aren't administrators.
import { beforeAll, describe, expect, test } from 'vitest';
import {
  adminAccountPath,
  adminClientPath,
  createSignedInAdmin,
  type TestAdmin,
} from '../../support/admin.ts';
import type { BrowserSession } from '../../support/browser-session.ts';
import { openBrowserSession } from '../../support/browser-session.ts';
import { openSignedInBrowser } from '../../support/oauth-flow.ts';
import { type TestClient, type TestUser, useTestService } from '../../support/service.ts';

const service = useTestService();
let admin: TestAdmin;
let user: TestUser;
let other: TestUser;
let application: TestClient;
let userBrowser: BrowserSession;
beforeAll(async () => {
  admin = await createSignedInAdmin(service);
  [user, other] = [await service.createUser(), await service.createUser()];
  application = await service.createClient({ ownerId: user.userId });
  userBrowser = await openSignedInBrowser(service, user);
});

const ACCOUNT_ACTIONS = ['suspend', 'grant', 'delete', 'reset_mfa', 'verify_email', 'edit'];
const APPLICATION_ACTIONS = ['suspend', 'verify'];
const PAGES = ['', '/accounts', '/applications', '/audit', '/audit.json', '/audit.csv', '/settings'];
/** Includes URLs for the user's own account and application. */
const listUrls = () => [
  ...PAGES.map((page) => `/console/operations${page}`),
  ...[user, other, admin.user].flatMap(({ userId }) =>
    ['', ...ACCOUNT_ACTIONS].map((action) => adminAccountPath(userId, action)),
  ),
  ...['', ...APPLICATION_ACTIONS].map((action) => adminClientPath(application.clientId, action)),
  '/console/operations/no/such/page',
];
const readState = async () => {
  const queryAll = (text: string) => service.services.database.query({ name: '', text }, []);
  return {
    users: await queryAll(
      'select id, name, email, phone, is_admin, suspended_at, epoch from users order by id',
    ),
    clients: await queryAll(
      'select client_id, suspended_at, verified_at, epoch from clients order by client_id',
    ),
    events: await queryAll(`select id from events where kind ~ '^(account|admin|application)_' order by id`),
  };
};
async function send(browser: BrowserSession, method: string, url: string, body?: string, type?: string) {
  const response = await fetch(new URL(url, service.baseUrl), {
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

describe('a non-administrator', () => {
  test('receives 404 for every administration URL and method', async () => {
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'DELETE']) {
      const before = await readState();
      const { csrf = '' } = (await userBrowser.get('/signout')).hidden;
      const form = new URLSearchParams({ csrf, email: other.email, current_password: user.password });
      for (const url of listUrls())
        for (const type of ['GET', 'HEAD', 'OPTIONS'].includes(method)
          ? [undefined]
          : ['application/x-www-form-urlencoded', 'application/json']) {
          const body = type === undefined ? undefined : `${form}`;
          const response = await send(userBrowser, method, url, body, type);
          expect([method, url, type, response.status]).toEqual([method, url, type, 404]);
          expect(response.allow).toBeNull();
        }
      expect(await readState()).toEqual(before);
    }
  });

  test('sees no link to the administration pages', async () => {
    expect((await userBrowser.get('/account')).body).not.toContain('/console/operations');
    expect((await admin.browser.get('/account')).body).toContain('href="/console/operations"');
  });
});

test('an anonymous user receives 404 for OPTIONS, PUT and DELETE', async () => {
  const anonymous = openBrowserSession(service.baseUrl);
  expect((await anonymous.get('/console/operations')).location?.pathname).toBe('/signin');
  for (const url of listUrls())
    for (const method of ['OPTIONS', 'PUT', 'DELETE']) {
      const { status, allow } = await send(anonymous, method, url);
      expect([url, status, allow]).toEqual([url, 404, null]);
    }
});

describe('an administrator', () => {
  test('loses access as soon as the role is revoked', async () => {
    const second = await createSignedInAdmin(service);
    expect((await second.browser.get('/console/operations')).status).toBe(200);
    const response = await admin.submit(adminAccountPath(second.user.userId, 'revoke'));
    expect(response.status).toBe(303);
    expect((await second.browser.get('/console/operations')).status).toBe(404);
  });

  test('receives 404 for unknown accounts, applications and actions', async () => {
    for (const path of [
      adminAccountPath('00000000-0000-4000-8000-000000000000'),
      adminAccountPath("x'; drop table users --"),
      adminAccountPath('%00'),
      adminAccountPath(other.userId, 'promote'),
      adminAccountPath(other.userId, 'constructor'),
      adminClientPath('app_nobody'),
      adminClientPath('%F0%9F%92%A9'),
      adminClientPath(application.clientId, 'delete'),
      '/console/operations/',
      '/console/operations/accounts/',
    ]) {
      const { status } = await admin.browser.get(path);
      expect([path, [400, 404].includes(status)]).toEqual([path, true]);
    }
  });
});
