// Production requires HTTPS, and generated URLs start with BASE_URL.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectError, getHeader } from '../support/expect-error.ts';
import { type HttpRequestOptions, sendHttpRequest, sendRawBytes } from '../support/http-request.ts';
import {
  createSelfSignedCertificate,
  type SelfSignedCertificate,
} from '../support/self-signed-certificate.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { isInstalled } from '../support/source-files.ts';

const BASE_URL = 'https://signin.example.com';
const PRODUCTION = { NODE_ENV: 'production', BASE_URL };

const behindProxy = await startTestService({ ...PRODUCTION, TRUSTED_PROXIES: '127.0.0.1,::1' });
const untrustedProxy = await startTestService({ ...PRODUCTION, TRUSTED_PROXIES: '10.9.8.7' });
afterAll(() => Promise.all([behindProxy.close(), untrustedProxy.close()]));

const send = (service: TestService, path: string, { headers, ...rest }: HttpRequestOptions = {}) =>
  sendHttpRequest(service.services.config.port, path, {
    ...rest,
    headers: { host: 'signin.example.com', ...headers },
  });
const FORWARDED_HTTPS = { 'x-forwarded-proto': 'https' };
const AUTHORIZE_PATH =
  '/oauth/authorize?response_type=code&client_id=x&redirect_uri=https%3A%2F%2Fa.example%2F&scope=openid&state=s';

describe('a plain HTTP request', () => {
  test.each<[string, HttpRequestOptions?]>([
    ['/'],
    ['/signin'],
    ['/signup'],
    [AUTHORIZE_PATH],
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
  ])('to %s in production gets 400 invalid_request', async (path, request) => {
    const response = await send(behindProxy, path, request);
    expectError(response, 400, 'invalid_request');
    for (const name of ['location', 'set-cookie', 'strict-transport-security'])
      expect(getHeader(response, name)).toBeNull();
  });

  test('from a browser in production gets an error page', async () => {
    for (const path of [
      '/signin',
      AUTHORIZE_PATH,
      '/signin?lang=en',
      '/nothing-here?lang=fr',
      '/%zz?lang=fr',
    ]) {
      const response = await send(behindProxy, path, { headers: { accept: 'text/html' } });
      expect(response.status).toBe(400);
      expect(getHeader(response, 'content-type')).toBe('text/html; charset=utf-8');
      for (const name of ['location', 'set-cookie', 'strict-transport-security'])
        expect(getHeader(response, name), `${name} at ${path}`).toBeNull();
      expect(response.text).toContain(`class="button button--primary" href="${BASE_URL}/`);
    }
  });

  test('is treated as HTTPS if a trusted proxy sends X-Forwarded-Proto: https', async () => {
    expectError(await send(untrustedProxy, '/signin', { headers: FORWARDED_HTTPS }), 400, 'invalid_request');
    expect((await send(behindProxy, '/signin', { headers: FORWARDED_HTTPS })).status).toBe(200);
  });

  test('is not treated as HTTPS if only similar headers are present', async () => {
    const others = { forwarded: 'proto=https', 'x-forwarded-ssl': 'on', 'x-forwarded-scheme': 'https' };
    const claims = ['http', 'ftp', 'https, http', 'nonsense', 'HTTPSX'].map((proto) => ({
      'x-forwarded-proto': proto,
    }));
    for (const headers of [...claims, { ...others, 'front-end-https': 'on' }])
      expectError(await send(behindProxy, '/signin', { headers }), 400, 'invalid_request');
  });

  test('to a health check succeeds in production', async () => {
    for (const path of ['/livez', '/readyz']) expect((await send(untrustedProxy, path)).status).toBe(200);
  });

  test('succeeds outside production', async () => {
    const development = await startTestService();
    try {
      const response = await send(development, '/signin');
      expect(response.status).toBe(200);
      expect(getHeader(response, 'strict-transport-security')).toBeNull();
    } finally {
      await development.close();
    }
  });
});

describe('HSTS (RFC 6797)', () => {
  test.each(['/signin', '/oauth/userinfo', '/nothing-here', '/images/logo.svg', '/livez'])(
    'is sent for %s over HTTPS',
    async (path) => {
      const response = await send(behindProxy, path, { headers: FORWARDED_HTTPS });
      const [, seconds] = /^max-age=(\d+)/.exec(getHeader(response, 'strict-transport-security') ?? '') ?? [];
      expect(Number(seconds)).toBeGreaterThanOrEqual(31_536_000);
    },
  );
});

describe('the base URL', () => {
  const FORGED = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-port': '666',
    ...FORWARDED_HTTPS,
  };

  test.each([
    '/',
    '/signin',
    '/signup',
    AUTHORIZE_PATH,
    '/oauth/userinfo',
    '/.well-known/openid-configuration',
    '/nothing-here',
    '/%zz',
    '/oauth/token',
  ])('is not replaced by a forged Host or X-Forwarded-Host at %s', async (path) => {
    for (const accept of ['text/html', 'application/json']) {
      const response = await send(behindProxy, path, { headers: { ...FORGED, accept } });
      const everything = JSON.stringify(response.headers) + response.text;
      expect(everything).not.toMatch(/evil|:666/);
      expect(everything.length).toBeGreaterThan(100);
    }
  });

  test('results in Secure cookies if it uses https', async () => {
    const response = await send(behindProxy, '/signin', { headers: FORWARDED_HTTPS });
    const cookies = getHeader(response, 'set-cookie') ?? '';
    expect(cookies).toMatch(/^__Host-[^=]+=[^;]+;/);
    for (const attribute of ['Secure', 'HttpOnly', 'SameSite=Lax', 'Path=/'])
      expect(cookies).toContain(attribute);
    expect(cookies).not.toMatch(/domain=/i);
  });
});

describe.skipIf(!isInstalled('openssl', 'HTTPS with TLS_CERT_FILE'))('the TLS port', () => {
  let certificate: SelfSignedCertificate;
  let service: TestService;
  beforeAll(async () => {
    certificate = await createSelfSignedCertificate();
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

  const sendHttps = (headers: Record<string, string> = {}) =>
    sendHttpRequest(service.services.config.port, '/signin', { ca: certificate.cert, headers });

  test('sends an HSTS header and Secure cookies', async () => {
    const response = await sendHttps();
    expect(response.status).toBe(200);
    expect(getHeader(response, 'strict-transport-security')).toMatch(/^max-age=\d+/);
    expect(getHeader(response, 'set-cookie')).toMatch(/^__Host-.*Secure/);
  });

  test('does not respond to plain HTTP', async () => {
    const { port } = service.services.config;
    expect(await sendRawBytes(port, 'GET /signin HTTP/1.1\r\nHost: a\r\n\r\n')).toBeUndefined();
    expect((await sendHttps()).status).toBe(200);
  });
});
