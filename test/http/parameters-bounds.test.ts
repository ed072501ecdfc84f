// Maximum sizes of queries, forms, fields and headers.
import { afterAll, describe, expect, test } from 'vitest';
import { MAX_PAIRS } from '../../src/oauth/parameters.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { expectError } from '../support/expect-error.ts';
import { type HttpRequestOptions, sendHttpRequest } from '../support/http-request.ts';
import { readFieldError } from '../support/markup.ts';
import { openSignedInBrowser } from '../support/oauth-flow.ts';
import { PASSWORD, startTestService } from '../support/service.ts';
import { upload } from '../support/upload.ts';

const service = await startTestService({ AGENTS: '*', AGENTS_REGISTRATION: 'on' });
const signedIn = await openSignedInBrowser(service, await service.createUser());
const port = service.services.config.port;
afterAll(() => service.close());

const FORM_HEADERS = { 'content-type': 'application/x-www-form-urlencoded' };
/** Node's HTTP client omits Content-Length for GET and OPTIONS. */
const FORM_HEADERS_WITH_LENGTH = { ...FORM_HEADERS, 'content-length': '3' };
const ACCEPT_HTML = { accept: 'text/html' };
const send = (path: string, request: HttpRequestOptions = {}) => sendHttpRequest(port, path, request);
const createPairs = (count: number) => Array.from({ length: count }, (_, index) => `p${index}=1`).join('&');
const formatCookies = ({ cookies }: BrowserSession) =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');

describe('the number of parameters', () => {
  test.each([
    '/oauth/token',
    '/oauth/token/revoke',
    '/oauth/introspect',
    '/oauth/par',
    '/oauth/device_authorization',
  ])('is limited to 200 in a form sent to %s', async (path) => {
    const refused = await send(path, {
      method: 'POST',
      headers: FORM_HEADERS,
      body: createPairs(MAX_PAIRS + 1),
    });
    expectError(refused, 400, 'invalid_request');
    expect(refused.text).toContain('more than 200 parameters');
    const allowed = await send(path, { method: 'POST', headers: FORM_HEADERS, body: createPairs(MAX_PAIRS) });
    expect(allowed.text).not.toContain('more than 200 parameters');
  });

  test.each(['/signin', '/signup', '/oauth/authorize', '/no/such/page'])(
    'is limited to 200 in a query sent to %s',
    async (path) => {
      const refused = await send(`${path}?${createPairs(MAX_PAIRS + 1)}`, { headers: ACCEPT_HTML });
      expect(refused.status).toBe(400);
      const allowed = await send(`${path}?${createPairs(MAX_PAIRS)}`, { headers: ACCEPT_HTML });
      expect(allowed.text).not.toBe(refused.text);
    },
  );
});

describe('a request exempt from the rate limit', () => {
  test.each(['/livez', '/.well-known/openid-configuration', '/.well-known/jwks.json', '/button.css'])(
    'gets 400 from GET %s if it has a body or a long query',
    async (path) => {
      expect((await send(`${path}?${'a'.repeat(1000)}`)).status).toBe(200);
      expectError(await send(`${path}?${'a'.repeat(1001)}`), 400, 'invalid_request');
      expectError(
        await send(path, { headers: FORM_HEADERS_WITH_LENGTH, body: 'a=b' }),
        400,
        'invalid_request',
      );
    },
  );

  test.each(['/livez', '/signin', '/oauth/token', '/oauth/userinfo'])(
    'gets 400 from OPTIONS %s if it has a body or a long query',
    async (path) => {
      const method = 'OPTIONS';
      expectError(await send(`${path}?${'a'.repeat(1001)}`, { method }), 400, 'invalid_request');
      expectError(
        await send(path, { method, headers: FORM_HEADERS_WITH_LENGTH, body: 'a=b' }),
        400,
        'invalid_request',
      );
      const chunked = { ...FORM_HEADERS, 'transfer-encoding': 'chunked' };
      expectError(await send(path, { method, headers: chunked, body: 'a=b' }), 400, 'invalid_request');
    },
  );
});

describe('a text field', () => {
  /** A string that takes seconds to normalize. */
  const marks = `a${'\u0301'.repeat(15_000)}${'\u0316'.repeat(15_000)}`;

  test('is rejected at sign-up if it contains too many combining marks', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await browser.get('/signup');
    const email = 'marks@example.com';
    const longName = await browser.post('/signup', {
      ...hidden,
      email,
      name: marks.slice(0, 10_000),
      password: PASSWORD,
    });
    expect(readFieldError(longName.body, 'name')).toContain('100');
    const secondForm = await browser.get('/signup');
    const longPassword = await browser.post('/signup', {
      ...secondForm.hidden,
      email,
      name: 'Ada',
      password: marks.slice(0, 10_000),
    });
    expect(readFieldError(longPassword.body, 'password')).toContain('1024');
  });

  test('is limited to 64 kB in a form with a file upload', async () => {
    const { hidden } = await signedIn.get('/account/picture');
    const large = await upload(signedIn, '/account/picture', { ...hidden, note: 'x'.repeat(65_536) });
    expect(large.status).toBe(413);
    const small = await upload(signedIn, '/account/picture', { ...hidden, note: 'x'.repeat(60_000) });
    expect(small.status).not.toBe(413);
  });

  test('is rejected in a multipart form with chunked transfer encoding', async () => {
    const { hidden } = await signedIn.get('/account/picture');
    const boundary = 'b'.repeat(40);
    const part = `--${boundary}\r\ncontent-disposition: form-data; name="csrf"\r\n\r\n${hidden.csrf}\r\n`;
    const headers = {
      ...{ 'content-type': `multipart/form-data; boundary=${boundary}`, cookie: formatCookies(signedIn) },
      'sec-fetch-site': 'same-origin',
    };
    const post = (extra: Record<string, string>) =>
      send('/account/picture', {
        ...{ method: 'POST', headers: { ...headers, ...extra }, body: `${part}--${boundary}--\r\n` },
      });
    expect((await post({ 'transfer-encoding': 'chunked' })).status).toBe(400);
    expect((await post({})).status).toBe(303);
  });
});

describe('a long User-Agent', () => {
  test('is truncated', async () => {
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
