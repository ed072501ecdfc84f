// Forms are accepted from our own pages in the same browser only: a token, where the request comes from, and its type.
import { beforeAll, describe, expect, test } from 'vitest';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { settledContent } from '../support/database-content.ts';
import { type ExactAnswer, sendExactly } from '../support/exact-request.ts';
import { authorizeAddress, signedInBrowser } from '../support/flow.ts';
import { PASSWORD, type TestApplication, type TestUser, useTestService } from '../support/service.ts';

const service = useTestService();
let application: TestApplication;
let user: TestUser;
beforeAll(async () => {
  application = await service.createApplication();
  user = await service.createUser();
});

interface OpenForm {
  path: string;
  browser: BrowserSession;
  fields: Record<string, string>;
}

/**
 * A form of each kind, opened and filled in so that sending it would do something. test/http/route-config.test.ts sends
 * every form of signed-in users without its token.
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
      const browser = await signedInBrowser(service, user);
      return { path: '/signout', browser, fields: (await browser.get('/signout')).hidden };
    },
  ],
  [
    '/consent',
    async () => {
      const browser = await signedInBrowser(service, await service.createUser());
      const { hidden } = await browser.follow(await browser.get(authorizeAddress(service, application)));
      return { path: '/consent', browser, fields: { ...hidden, decision: 'allow' } };
    },
  ],
];

const send = (
  { path, browser }: OpenForm,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<ExactAnswer> =>
  sendExactly(new URL(path, service.baseUrl), {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { accept: 'text/html', ...headers },
    cookies: browser.cookies,
  });

/** Whether a form did what it is for: only then does it lead anywhere. */
const didIt = (answer: ExactAnswer): boolean => answer.status === 303;

/** Refused: nothing written, no session given, none taken away. */
async function expectRefused(
  answer: ExactAnswer,
  before: Record<string, string>,
  status: number[],
): Promise<void> {
  expect(status).toContain(answer.status);
  expect(answer.location).toBeNull();
  expect(answer.setCookies.has('sesame')).toBe(false);
  expect(await settledContent(service.databaseUrl)).toEqual(before);
}

describe.each(FORMS)('POST %s', (path, open) => {
  test('works with its token, without a header that says where it comes from', async () => {
    const form = await open();
    expect(didIt(await send(form, form.fields))).toBe(true);
  });

  test.each([
    ['missing', () => undefined],
    ['empty', () => ''],
    ['made up', () => 'x'.repeat(43)],
    ['cut short', (own: string) => own.slice(0, -1)],
    ['with something behind it', (own: string) => `${own}A`],
    ['with a letter changed', (own: string) => (own.startsWith('A') ? 'B' : 'A') + own.slice(1)],
  ])('is refused with a token that is %s', async (_, change) => {
    const form = await open();
    const { csrf = '', ...others } = form.fields;
    const token = change(csrf);
    const before = await settledContent(service.databaseUrl);
    const answer = await send(form, { ...others, ...(token !== undefined && { csrf: token }) });
    await expectRefused(answer, before, [403]);
  });

  test('is refused with the token of another session or browser', async () => {
    const [mine, theirs] = [await open(), await open()];
    const before = await settledContent(service.databaseUrl);
    const answer = await send(mine, { ...mine.fields, csrf: theirs.fields.csrf ?? '' });
    await expectRefused(answer, before, [403]);
  });

  test('is refused with the token twice', async () => {
    const form = await open();
    const before = await settledContent(service.databaseUrl);
    const answer = await sendExactly(new URL(path, service.baseUrl), {
      method: 'POST',
      body: `${new URLSearchParams(form.fields)}&csrf=${form.fields.csrf}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      cookies: form.browser.cookies,
    });
    await expectRefused(answer, before, [403]);
  });

  test.each([
    ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['Sec-Fetch-Site: same-site', { 'sec-fetch-site': 'same-site' }],
    ['a foreign Origin', { origin: 'https://evil.example' }],
    ['Origin: null', { origin: 'null' }],
    ['our own host on another port as Origin', { origin: 'http://localhost:1' }],
    ['our own host by https as Origin', { origin: 'https://localhost' }],
  ])('is refused with %s, its token notwithstanding', async (_, headers) => {
    const form = await open();
    const before = await settledContent(service.databaseUrl);
    await expectRefused(await send(form, form.fields, headers as Record<string, string>), before, [403]);
  });

  test.each([
    ['Sec-Fetch-Site: same-origin', () => ({ 'sec-fetch-site': 'same-origin' })],
    ['our own Origin', () => ({ origin: service.baseUrl })],
  ])('works with %s', async (_, headers) => {
    const form = await open();
    expect(didIt(await send(form, form.fields, headers()))).toBe(true);
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
  ])('as %s is refused with 400 (D17)', async (type, encode) => {
    const form = await open();
    const before = await settledContent(service.databaseUrl);
    const answer = await sendExactly(new URL(path, service.baseUrl), {
      method: 'POST',
      body: encode(form.fields),
      headers: { 'content-type': type },
      cookies: form.browser.cookies,
    });
    await expectRefused(answer, before, [400]);
    expect(JSON.parse(answer.body).error).toBe('invalid_request');
  });

  test('as multipart/form-data from a real form is refused with 400 (D17)', async () => {
    const form = await open();
    const body = new FormData();
    for (const [name, value] of Object.entries(form.fields)) body.set(name, value);
    const before = await settledContent(service.databaseUrl);
    const answer = await sendExactly(new URL(path, service.baseUrl), {
      method: 'POST',
      body,
      cookies: form.browser.cookies,
    });
    await expectRefused(answer, before, [400]);
  });

  test('without a body is refused with 400 (D17)', async () => {
    const form = await open();
    const before = await settledContent(service.databaseUrl);
    const { cookies } = form.browser;
    const answer = await sendExactly(new URL(path, service.baseUrl), { method: 'POST', cookies });
    await expectRefused(answer, before, [400]);
  });
});

test('a token of before sign-in is none of the session’s: the sign-out form does not take it', async () => {
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.get('/signin');
  await browser.post('/signin', { ...page.hidden, email: user.email, password: user.password });
  const visit = await browser.post('/signout', page.hidden);
  expect(visit.status).toBe(403);
  expect((await browser.get('/account')).body).toContain('action="/signout"');
});
