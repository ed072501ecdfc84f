// Error responses: JSON at OAuth endpoints (RFC 6749 §5.2), HTML in browsers.
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { type Instance, openInstance, type ResolvedConfig } from '../../src/process/instance.ts';
import { createLogger } from '../../src/process/logger.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type DatabaseProxy, openDatabaseProxy } from '../support/database-proxy.ts';
import { expectError, getHeader } from '../support/expect-error.ts';
import { type HttpRequestOptions, sendHttpRequest } from '../support/http-request.ts';
import { findFreePort } from '../support/service.ts';
import { waitUntil } from '../support/wait-until.ts';

const FORM_HEADERS = { 'content-type': 'application/x-www-form-urlencoded' };
const HTML_HEADERS = { accept: 'text/html,application/xhtml+xml', 'accept-language': 'en' };

let database: TestDatabase;
let proxy: DatabaseProxy;
let service: Instance;
let port: number;
beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await openDatabaseProxy(database.url);
  port = await findFreePort();
  const config = readConfig({
    NODE_ENV: 'test',
    PORT: String(port),
    DATABASE_URL: proxy.url,
    SECRET_KEY: 'a secret key for tests only: 0123456789abcdef',
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'silent',
  }) as ResolvedConfig;
  service = await openInstance(config, createLogger('silent'));
  registerFailingRoutes(service.app);
  await service.app.listen({ host: '127.0.0.1', port });
});
afterAll(async () => {
  await service.close();
  await proxy.close();
  await database.drop();
});

function registerFailingRoutes(app: FastifyInstance): void {
  const fail = async () => {
    throw Object.assign(new Error('select secret from /srv/place at broken.ts:1'), { code: '42P01' });
  };
  app.get('/oauth/broken', fail);
  app.get('/broken', fail);
  app.get('/oauth/throws-a-string', async () => {
    throw 'select secret';
  });
  app.get('/oauth/teapot', async () => {
    throw Object.assign(new Error('FST_ERR_TEAPOT at broken.ts:1'), {
      statusCode: 418,
      code: 'FST_ERR_TEAPOT',
    });
  });
}

const send = (path: string, request: HttpRequestOptions = {}) => sendHttpRequest(port, path, request);
const post = (path: string, body: string, headers: Record<string, string> = FORM_HEADERS) =>
  send(path, { method: 'POST', body, headers });

describe('a JSON error response', () => {
  test('has status 404 for an unknown OAuth URL', async () => {
    for (const path of [
      '/oauth/nothing',
      '/oauth/token/',
      '/oauth/token/revoke/x',
      '/.well-known/nothing',
      '/livez/x',
    ])
      for (const headers of [{}, HTML_HEADERS]) expectError(await send(path, { headers }), 404, 'not_found');
    expectError(await send('/nothing'), 404, 'not_found');
    expectError(await send('/nothing', { headers: { accept: '*/*' } }), 404, 'not_found');
  });

  test.each([
    ['/oauth/token', 'GET', 'POST'],
    ['/oauth/token?grant_type=x', 'GET', 'POST'],
    ['/oauth/token/revoke', 'PUT', 'POST'],
    ['/oauth/userinfo', 'DELETE', 'GET, HEAD, POST'],
    ['/oauth/authorize', 'PUT', 'GET, HEAD, POST'],
    ['/.well-known/openid-configuration', 'POST', 'GET, HEAD'],
    ['/.well-known/jwks.json', 'DELETE', 'GET, HEAD'],
    ['/livez', 'POST', 'GET, HEAD'],
    ['/images/logo.svg', 'POST', 'GET, HEAD'],
    ['/avatars/initials/A-1.svg', 'POST', 'GET, HEAD'],
    ['/signin', 'PUT', 'GET, HEAD, POST'],
    ['/oauth/token', 'TRACE', 'POST'],
  ])('for %s with method %s has status 405 and Allow: %s', async (path, method, allowed) => {
    const response = await send(path, { method });
    expectError(response, 405, 'invalid_request');
    expect(new Set(getHeader(response, 'allow')?.split(', '))).toEqual(new Set(allowed.split(', ')));
  });

  test('has status 413 if the request body is too large', async () => {
    for (const path of [
      '/oauth/token',
      '/oauth/token/revoke',
      '/oauth/userinfo',
      '/oauth/authorize',
      '/signin',
    ])
      expectError(await post(path, `a=${'x'.repeat(100_000)}`), 413, 'invalid_request');
  });

  test('has status 400, not 415, if the content type is wrong', async () => {
    for (const path of ['/oauth/token', '/oauth/token/revoke', '/oauth/authorize', '/signin', '/consent'])
      for (const type of ['application/json', 'text/xml', 'application/octet-stream', 'x'])
        expectError(await post(path, '{"a":1}', { 'content-type': type }), 400, 'invalid_request');
  });

  test('has status 500 and no details for an exception', async () => {
    expectError(await send('/oauth/broken', { headers: HTML_HEADERS }), 500, 'server_error');
    expectError(await send('/oauth/throws-a-string'), 500, 'server_error');
    expectError(await send('/broken'), 500, 'server_error');
  });

  test('hides the status and message of framework errors', async () => {
    const response = await send('/oauth/teapot');
    expectError(response, 400, 'invalid_request');
    expect(response.text).not.toMatch(/FST|broken|teapot/i);
  });

  test('has the nosniff header', async () => {
    for (const path of ['/oauth/nothing', '/oauth/token', '/nothing', '/broken', '/oauth/userinfo']) {
      const response = await send(path);
      expect(getHeader(response, 'x-content-type-options')).toBe('nosniff');
      for (const name of ['server', 'x-powered-by']) expect(getHeader(response, name)).toBeNull();
    }
  });
});

describe('an HTML error page', () => {
  test.each([
    ['/nothing', 404],
    ['/broken', 500],
    ['/oauth/authorize?client_id=app_nobody', 401],
    ['/oauth/authorize', 400],
    ['/consent?pending=x', 400],
    ['/%zz', 404],
  ])('is sent if the client accepts HTML (%s, status %i)', async (path, status) => {
    const page = await send(path, { headers: HTML_HEADERS });
    expect([page.status, getHeader(page, 'content-type')]).toEqual([status, 'text/html; charset=utf-8']);
    expect(page.text).toContain('<h1');
    expect(page.text).not.toMatch(/select secret|broken\.ts|"error"/);
    expect(getHeader(page, 'cache-control')).toBe('no-store');
    expect(getHeader(page, 'content-security-policy')).toContain("default-src 'none'");
    const json = await send(path);
    expectError(json, status, String(JSON.parse(json.text).error));
  });

  test('shows a unique incident code', async () => {
    const readIncidentCode = async () => {
      const { text } = await send('/broken', { headers: HTML_HEADERS });
      return /[2-9A-HJ-NP-Z]{10}/.exec(text)?.[0];
    };
    const [first, second] = [await readIncidentCode(), await readIncidentCode()];
    expect(first).toBeDefined();
    expect(second).toBeDefined();
    expect(first).not.toBe(second);
  });
});

describe('during a database outage, the service', () => {
  test('responds with 503', async () => {
    const credentials = 'client_id=app_nobody&client_secret=x';
    // The service queries the database to look up this account.
    const bearer = await new SignJWT({ sub: randomUUID() })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode('x'.repeat(32)));
    const requests: [name: string, sendRequest: () => ReturnType<typeof send>, recoveredStatus: number][] = [
      ['token', () => post('/oauth/token', `grant_type=refresh_token&refresh_token=x&${credentials}`), 401],
      ['revoke', () => post('/oauth/token/revoke', `token=x&${credentials}`), 401],
      ['userinfo', () => send('/oauth/userinfo', { headers: { authorization: `Bearer ${bearer}` } }), 401],
      ['readyz', () => send('/readyz'), 200],
    ];
    await proxy.cut();
    for (const [name, sendRequest] of requests) {
      const response = await waitUntil(`a 503 response from ${name}`, async () => {
        const attempt = await sendRequest();
        if (name === 'revoke') expect(attempt.status).not.toBe(200);
        return attempt.status === 503 && attempt;
      });
      expectError(response, 503, 'temporarily_unavailable');
      expect(Number(getHeader(response, 'retry-after'))).toBeGreaterThan(0);
    }
    const page = await send('/oauth/authorize?client_id=app_nobody', { headers: HTML_HEADERS });
    expect([page.status, getHeader(page, 'content-type')]).toEqual([503, 'text/html; charset=utf-8']);
    expect((await send('/.well-known/jwks.json')).status).toBe(200);
    await proxy.restore();
    for (const [name, sendRequest, status] of requests)
      await waitUntil(`the recovery of ${name}`, async () => (await sendRequest()).status === status);
  });
});
