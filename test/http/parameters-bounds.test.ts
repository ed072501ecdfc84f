// Input is bounded before it is parsed, normalised or split: what exceeds a bound is refused on every route.
import { afterAll, describe, expect, test } from 'vitest';
import { MAX_PAIRS } from '../../src/oauth/parameters.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { expectError } from '../support/expect-error.ts';
import { signedInBrowser } from '../support/flow.ts';
import { type HttpRequest, httpRequest } from '../support/http-request.ts';
import { fieldError } from '../support/markup.ts';
import { PASSWORD, startTestService } from '../support/service.ts';
import { upload } from '../support/upload.ts';

const service = await startTestService({ AGENTS: '*', AGENTS_REGISTRATION: 'on' });
const member = await signedInBrowser(service, await service.createUser());
const port = service.parts.config.port;
afterAll(() => service.close());

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
/** Node's client announces no length of its own for the body of a GET or OPTIONS request. */
const WITH_LENGTH = { ...FORM, 'content-length': '3' };
const PAGE = { accept: 'text/html' };
const send = (path: string, request: HttpRequest = {}) => httpRequest(port, path, request);
const pairs = (count: number) => Array.from({ length: count }, (_, index) => `p${index}=1`).join('&');
const cookiesOf = ({ cookies }: BrowserSession) =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');

describe('the number of parameters', () => {
  test.each([
    '/oauth/token',
    '/oauth/token/revoke',
    '/oauth/introspect',
    '/oauth/par',
    '/oauth/device_authorization',
  ])('more than 200 in a form are 400 invalid_request at %s', async (path) => {
    const refused = await send(path, { method: 'POST', headers: FORM, body: pairs(MAX_PAIRS + 1) });
    expectError(refused, 400, 'invalid_request');
    expect(refused.text).toContain('more than 200 parameters');
    const read = await send(path, { method: 'POST', headers: FORM, body: pairs(MAX_PAIRS) });
    expect(read.text).not.toContain('more than 200 parameters');
  });

  test.each(['/signin', '/signup', '/oauth/authorize', '/no/such/page'])(
    'more than 200 in the query of %s are 400',
    async (path) => {
      const refused = await send(`${path}?${pairs(MAX_PAIRS + 1)}`, { headers: PAGE });
      expect(refused.status).toBe(400);
      const read = await send(`${path}?${pairs(MAX_PAIRS)}`, { headers: PAGE });
      expect(read.text).not.toBe(refused.text);
    },
  );
});

describe('requests that the rate limit does not count', () => {
  test.each(['/livez', '/.well-known/openid-configuration', '/.well-known/jwks.json', '/button.css'])(
    '%s refuses a query longer than 1,000 bytes, and a body',
    async (path) => {
      expect((await send(`${path}?${'a'.repeat(1000)}`)).status).toBe(200);
      expectError(await send(`${path}?${'a'.repeat(1001)}`), 400, 'invalid_request');
      expectError(await send(path, { headers: WITH_LENGTH, body: 'a=b' }), 400, 'invalid_request');
    },
  );

  test.each(['/livez', '/signin', '/oauth/token', '/oauth/userinfo'])(
    'OPTIONS %s refuses a query longer than 1,000 bytes, and a body',
    async (path) => {
      const method = 'OPTIONS';
      expectError(await send(`${path}?${'a'.repeat(1001)}`, { method }), 400, 'invalid_request');
      expectError(await send(path, { method, headers: WITH_LENGTH, body: 'a=b' }), 400, 'invalid_request');
      const chunked = { ...FORM, 'transfer-encoding': 'chunked' };
      expectError(await send(path, { method, headers: chunked, body: 'a=b' }), 400, 'invalid_request');
    },
  );
});

describe('text fields', () => {
  /** It takes seconds to normalise. */
  const marks = `a${'\u0301'.repeat(15_000)}${'\u0316'.repeat(15_000)}`;

  test('a name and a password of combining marks are too long at sign-up', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await browser.get('/signup');
    const email = 'marks@example.com';
    const named = await browser.post('/signup', {
      ...hidden,
      email,
      name: marks.slice(0, 10_000),
      password: PASSWORD,
    });
    expect(fieldError(named.body, 'name')).toContain('100');
    const again = await browser.get('/signup');
    const locked = await browser.post('/signup', {
      ...again.hidden,
      email,
      name: 'Ada',
      password: marks.slice(0, 10_000),
    });
    expect(fieldError(locked.body, 'password')).toContain('1024');
  });

  test('the text fields of a form with a file are 64 kB at most, as those of any other form', async () => {
    const { hidden } = await member.get('/account/picture');
    const large = await upload(member, '/account/picture', { ...hidden, note: 'x'.repeat(65_536) });
    expect(large.status).toBe(413);
    const small = await upload(member, '/account/picture', { ...hidden, note: 'x'.repeat(60_000) });
    expect(small.status).not.toBe(413);
  });

  test('a form with files that comes in chunks is refused before it is read', async () => {
    const { hidden } = await member.get('/account/picture');
    const boundary = 'b'.repeat(40);
    const part = `--${boundary}\r\ncontent-disposition: form-data; name="csrf"\r\n\r\n${hidden.csrf}\r\n`;
    const headers = {
      ...{ 'content-type': `multipart/form-data; boundary=${boundary}`, cookie: cookiesOf(member) },
      'sec-fetch-site': 'same-origin',
    };
    const post = (own: Record<string, string>) =>
      send('/account/picture', {
        ...{ method: 'POST', headers: { ...headers, ...own }, body: `${part}--${boundary}--\r\n` },
      });
    expect((await post({ 'transfer-encoding': 'chunked' })).status).toBe(400);
    expect((await post({})).status).toBe(303);
  });
});

describe('headers', () => {
  test('a sign-in with a long User-Agent succeeds, and its beginning is read', async () => {
    const user = await service.createUser();
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await browser.get('/signin');
    const headers = {
      'user-agent': `Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0 ${'Version/1 '.repeat(1200)}`,
    };
    const fields = { ...hidden, email: user.email, password: user.password };
    expect((await browser.post('/signin', fields, headers)).location?.pathname).toBe('/account');
    expect((await browser.get('/account/sessions')).body).toContain('Firefox');
  });
});
