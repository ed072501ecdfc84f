// CSRF protection for forms: token, origin and content type.
import { beforeAll, describe, expect, test } from 'vitest';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { contentWithoutBackground } from '../support/database-content.ts';
import { type ExactResponse, sendExactRequest } from '../support/exact-response.ts';
import { buildAuthorizeUrl, openSignedInBrowser } from '../support/oauth-flow.ts';
import { PASSWORD, type TestClient, type TestUser, useTestService } from '../support/service.ts';

const service = useTestService();
let application: TestClient;
let user: TestUser;
beforeAll(async () => {
  application = await service.createClient();
  user = await service.createUser();
});

interface OpenForm {
  path: string;
  browser: BrowserSession;
  fields: Record<string, string>;
}

/**
 * Forms that write data.
 * For signed-in users, test/http/route-config.test.ts submits every form without a CSRF token.
 */
const FORMS: [path: string, open: () => Promise<OpenForm>][] = [
  [
    '/signin',
    async () => {
      const browser = openBrowserSession(service.baseUrl);
      const { hidden } = await browser.get('/signin');
      return { path: '/signin', browser, fields: { ...hidden, email: user.email, password: user.password } };
    },
  ],
  [
    '/signup',
    async () => {
      const browser = openBrowserSession(service.baseUrl);
      const { hidden } = await browser.get('/signup');
      const email = `${Math.random()}@example.org`;
      return { path: '/signup', browser, fields: { ...hidden, name: 'Ada', email, password: PASSWORD } };
    },
  ],
  [
    '/signout',
    async () => {
      const browser = await openSignedInBrowser(service, user);
      return { path: '/signout', browser, fields: (await browser.get('/signout')).hidden };
    },
  ],
  [
    '/consent',
    async () => {
      const browser = await openSignedInBrowser(service, await service.createUser());
      const { hidden } = await browser.follow(await browser.get(buildAuthorizeUrl(service, application)));
      return { path: '/consent', browser, fields: { ...hidden, decision: 'allow' } };
    },
  ],
];

const send = (
  { path, browser }: OpenForm,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<ExactResponse> =>
  sendExactRequest(new URL(path, service.baseUrl), {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { accept: 'text/html', ...headers },
    cookies: browser.cookies,
  });

const isAccepted = (response: ExactResponse): boolean => response.status === 303;

/** Expects no writes and no session change. */
async function expectRejected(
  response: ExactResponse,
  before: Record<string, string>,
  statuses: number[],
): Promise<void> {
  expect(statuses).toContain(response.status);
  expect(response.location).toBeNull();
  expect(response.setCookies.has('sesame')).toBe(false);
  expect(await contentWithoutBackground(service.databaseUrl)).toEqual(before);
}

describe.each(FORMS)('POST %s', (path, open) => {
  test('accepts a valid CSRF token without Sec-Fetch-Site and Origin headers', async () => {
    const form = await open();
    expect(isAccepted(await send(form, form.fields))).toBe(true);
  });

  test.each([
    ['missing', () => undefined],
    ['empty', () => ''],
    ['made up', () => 'x'.repeat(43)],
    ['truncated', (valid: string) => valid.slice(0, -1)],
    ['too long', (valid: string) => `${valid}A`],
    ['altered by one character', (valid: string) => (valid.startsWith('A') ? 'B' : 'A') + valid.slice(1)],
  ])('rejects a CSRF token that is %s', async (_, alter) => {
    const form = await open();
    const { csrf = '', ...otherFields } = form.fields;
    const token = alter(csrf);
    const before = await contentWithoutBackground(service.databaseUrl);
    const response = await send(form, { ...otherFields, ...(token !== undefined && { csrf: token }) });
    await expectRejected(response, before, [403]);
  });

  test('rejects a CSRF token from a different session', async () => {
    const [form, otherForm] = [await open(), await open()];
    const before = await contentWithoutBackground(service.databaseUrl);
    const response = await send(form, { ...form.fields, csrf: otherForm.fields.csrf ?? '' });
    await expectRejected(response, before, [403]);
  });

  test('rejects a repeated CSRF token', async () => {
    const form = await open();
    const before = await contentWithoutBackground(service.databaseUrl);
    const response = await sendExactRequest(new URL(path, service.baseUrl), {
      method: 'POST',
      body: `${new URLSearchParams(form.fields)}&csrf=${form.fields.csrf}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      cookies: form.browser.cookies,
    });
    await expectRejected(response, before, [403]);
  });

  test.each([
    ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['Sec-Fetch-Site: same-site', { 'sec-fetch-site': 'same-site' }],
    ['a foreign Origin', { origin: 'https://evil.example' }],
    ['Origin: null', { origin: 'null' }],
    ['an Origin with our host but a different port', { origin: 'http://localhost:1' }],
    ['an Origin with our host but https', { origin: 'https://localhost' }],
  ])('rejects a request with %s and a valid token', async (_, headers) => {
    const form = await open();
    const before = await contentWithoutBackground(service.databaseUrl);
    await expectRejected(await send(form, form.fields, headers as Record<string, string>), before, [403]);
  });

  test.each([
    ['Sec-Fetch-Site: same-origin', () => ({ 'sec-fetch-site': 'same-origin' })],
    ['our own Origin', () => ({ origin: service.baseUrl })],
  ])('accepts a request with %s', async (_, headers) => {
    const form = await open();
    expect(isAccepted(await send(form, form.fields, headers()))).toBe(true);
  });

  test.each([
    ['application/json', (fields: object) => JSON.stringify(fields)],
    ['text/plain', (fields: object) => new URLSearchParams({ ...fields }).toString()],
    ['application/xml', () => '<a/>'],
    ['multipart/form-data; boundary=x', () => '--x--'],
    [
      'application/x-www-form-urlencoded; charset=utf-16',
      (fields: object) => new URLSearchParams({ ...fields }).toString(),
    ],
  ])('rejects a body of type %s with 400', async (type, encode) => {
    const form = await open();
    const before = await contentWithoutBackground(service.databaseUrl);
    const response = await sendExactRequest(new URL(path, service.baseUrl), {
      method: 'POST',
      body: encode(form.fields),
      headers: { 'content-type': type },
      cookies: form.browser.cookies,
    });
    await expectRejected(response, before, [400]);
    expect(JSON.parse(response.body).error).toBe('invalid_request');
  });

  test('rejects a well-formed multipart/form-data body with 400', async () => {
    const form = await open();
    const body = new FormData();
    for (const [name, value] of Object.entries(form.fields)) body.set(name, value);
    const before = await contentWithoutBackground(service.databaseUrl);
    const response = await sendExactRequest(new URL(path, service.baseUrl), {
      method: 'POST',
      body,
      cookies: form.browser.cookies,
    });
    await expectRejected(response, before, [400]);
  });

  test('rejects an empty body with 400', async () => {
    const form = await open();
    const before = await contentWithoutBackground(service.databaseUrl);
    const { cookies } = form.browser;
    const response = await sendExactRequest(new URL(path, service.baseUrl), { method: 'POST', cookies });
    await expectRejected(response, before, [400]);
  });
});

test('the sign-out form rejects a CSRF token that was issued before sign-in', async () => {
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.get('/signin');
  await browser.post('/signin', { ...page.hidden, email: user.email, password: user.password });
  const visit = await browser.post('/signout', page.hidden);
  expect(visit.status).toBe(403);
  expect((await browser.get('/account')).body).toContain('action="/signout"');
});
