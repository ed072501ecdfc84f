// HTTPS only in production (contract §1, D26), and one public address (D27).

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectError, header } from '../support/expect-error.ts';
import { type HttpRequest, httpRequest, rawRequest } from '../support/http-request.ts';
import { type SelfSigned, selfSigned } from '../support/self-signed.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { isInstalled } from '../support/sources.ts';

const BASE_URL = 'https://signin.example.com';
const PRODUCTION = { NODE_ENV: 'production', BASE_URL };

const behindProxy = await startTestService({ ...PRODUCTION, TRUSTED_PROXIES: '127.0.0.1,::1' });
const elsewhere = await startTestService({ ...PRODUCTION, TRUSTED_PROXIES: '10.9.8.7' });
afterAll(() => Promise.all([behindProxy.close(), elsewhere.close()]));

const ask = (service: TestService, path: string, { headers, ...rest }: HttpRequest = {}) =>
  httpRequest(service.parts.config.port, path, {
    ...rest,
    headers: { host: 'signin.example.com', ...headers },
  });
const HTTPS = { 'x-forwarded-proto': 'https' };
const AUTHORIZE =
  '/oauth/authorize?response_type=code&client_id=x&redirect_uri=https%3A%2F%2Fa.example%2F&scope=openid&state=s';

describe('a request that did not arrive by HTTPS (D26)', () => {
  test.each<[string, HttpRequest?]>([
    ['/'],
    ['/signin'],
    ['/signup'],
    [AUTHORIZE],
    [
      '/oauth/token',
      {
        method: 'POST',
        body: 'grant_type=x',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
    ],
    ['/oauth/userinfo', { headers: { authorization: 'Bearer x' } }],
    ['/.well-known/openid-configuration'],
    ['/.well-known/jwks.json'],
    ['/images/logo.svg'],
    ['/nothing-here'],
    ['/oauth/%zz'],
    ['/oauth/token', { method: 'OPTIONS', headers: { origin: 'https://a.example' } }],
  ])('D26: %s is 400 invalid_request and nothing else', async (path, request) => {
    const answer = await ask(behindProxy, path, request);
    expectError(answer, 400, 'invalid_request');
    for (const name of ['location', 'set-cookie', 'strict-transport-security'])
      expect(header(answer, name)).toBeNull();
  });

  test('D26, D1: a browser gets a page, still without cookie, redirect or HSTS', async () => {
    for (const path of ['/signin', AUTHORIZE, '/signin?lang=en', '/nothing-here?lang=fr', '/%zz?lang=fr']) {
      const answer = await ask(behindProxy, path, { headers: { accept: 'text/html' } });
      expect(answer.status).toBe(400);
      expect(header(answer, 'content-type')).toBe('text/html; charset=utf-8');
      for (const name of ['location', 'set-cookie', 'strict-transport-security'])
        expect(header(answer, name), `${name} of ${path}`).toBeNull();
    }
  });

  test('D26: X-Forwarded-Proto counts only from a trusted proxy', async () => {
    expectError(await ask(elsewhere, '/signin', { headers: HTTPS }), 400, 'invalid_request');
    expect((await ask(behindProxy, '/signin', { headers: HTTPS })).status).toBe(200);
  });

  test('a trusted proxy that says http or something else is believed, and no other header counts', async () => {
    const others = { forwarded: 'proto=https', 'x-forwarded-ssl': 'on', 'x-forwarded-scheme': 'https' };
    const claims = ['http', 'ftp', 'https, http', 'nonsense', 'HTTPSX'].map((proto) => ({
      'x-forwarded-proto': proto,
    }));
    for (const headers of [...claims, { ...others, 'front-end-https': 'on' }])
      expectError(await ask(behindProxy, '/signin', { headers }), 400, 'invalid_request');
  });

  test('D26: health addresses answer all the same', async () => {
    for (const path of ['/livez', '/readyz']) expect((await ask(elsewhere, path)).status).toBe(200);
  });

  test('D26: outside production plain http is served, without HSTS', async () => {
    const development = await startTestService();
    try {
      const answer = await ask(development, '/signin');
      expect(answer.status).toBe(200);
      expect(header(answer, 'strict-transport-security')).toBeNull();
    } finally {
      await development.close();
    }
  });
});

describe('HSTS (D26, RFC 6797)', () => {
  test.each(['/signin', '/oauth/userinfo', '/nothing-here', '/images/logo.svg', '/livez'])(
    'D26: %s by HTTPS says it',
    async (path) => {
      const answer = await ask(behindProxy, path, { headers: HTTPS });
      const [, seconds] = /^max-age=(\d+)/.exec(header(answer, 'strict-transport-security') ?? '') ?? [];
      expect(Number(seconds)).toBeGreaterThanOrEqual(31_536_000);
    },
  );
});

describe('one public address (D27)', () => {
  const FORGED = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-port': '666',
    ...HTTPS,
  };

  test.each([
    '/',
    '/signin',
    '/signup',
    AUTHORIZE,
    '/oauth/userinfo',
    '/.well-known/openid-configuration',
    '/nothing-here',
    '/%zz',
    '/oauth/token',
  ])('D27: nothing of Host or X-Forwarded-Host shows in %s', async (path) => {
    for (const accept of ['text/html', 'application/json']) {
      const answer = await ask(behindProxy, path, { headers: { ...FORGED, accept } });
      const everything = JSON.stringify(answer.headers) + answer.text;
      expect(everything).not.toMatch(/evil|:666/);
      expect(everything.length).toBeGreaterThan(100);
    }
  });

  test('D26: cookies are Secure and tied to the host', async () => {
    const answer = await ask(behindProxy, '/signin', { headers: HTTPS });
    const cookies = header(answer, 'set-cookie') ?? '';
    expect(cookies).toMatch(/^__Host-[^=]+=[^;]+;/);
    for (const attribute of ['Secure', 'HttpOnly', 'SameSite=Lax', 'Path=/'])
      expect(cookies).toContain(attribute);
    expect(cookies).not.toMatch(/domain=/i);
  });
});

describe.skipIf(!isInstalled('openssl', 'HTTPS by an own certificate'))('own TLS (D26)', () => {
  let certificate: SelfSigned;
  let service: TestService;
  beforeAll(async () => {
    certificate = await selfSigned();
    service = await startTestService({
      ...PRODUCTION,
      TLS_CERT_FILE: certificate.certFile,
      TLS_KEY_FILE: certificate.keyFile,
    });
  });
  afterAll(async () => {
    await service?.close();
    await certificate?.remove();
  });

  const byTls = (headers: Record<string, string> = {}) =>
    httpRequest(service.parts.config.port, '/signin', { ca: certificate.cert, headers });

  test('D26: requests by TLS are served, with HSTS and Secure cookies', async () => {
    const answer = await byTls();
    expect(answer.status).toBe(200);
    expect(header(answer, 'strict-transport-security')).toMatch(/^max-age=\d+/);
    expect(header(answer, 'set-cookie')).toMatch(/^__Host-.*Secure/);
  });

  test('plain http to the TLS port gets no answer', async () => {
    const { port } = service.parts.config;
    expect(await rawRequest(port, 'GET /signin HTTP/1.1\r\nHost: a\r\n\r\n')).toBeUndefined();
    expect((await byTls()).status).toBe(200);
  });
});
