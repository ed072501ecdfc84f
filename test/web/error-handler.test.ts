// Every error has one shape for machines and a page for people (D1, D10).
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/process/logger.ts';
import { type CompleteConfig, openService, type Service } from '../../src/process/service.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type DatabaseProxy, openDatabaseProxy } from '../support/database-proxy.ts';
import { expectError, header } from '../support/expect-error.ts';
import { type HttpRequest, httpRequest } from '../support/http-request.ts';
import { freePort } from '../support/service.ts';
import { until } from '../support/until.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const HTML = { accept: 'text/html,application/xhtml+xml', 'accept-language': 'en' };

let database: TestDatabase;
let proxy: DatabaseProxy;
let service: Service;
let port: number;
beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await openDatabaseProxy(database.url);
  port = await freePort();
  const config = readConfig({
    NODE_ENV: 'test',
    PORT: String(port),
    DATABASE_URL: proxy.url,
    SECRET_KEY: 'a secret key for tests only: 0123456789abcdef',
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'silent',
  }) as CompleteConfig;
  service = await openService(config, createLogger('silent'));
  failOnPurpose(service.app);
  await service.app.listen({ host: '127.0.0.1', port });
});
afterAll(async () => {
  await service.close();
  await proxy.close();
  await database.drop();
});

/** Addresses that fail as code with a fault would: there is none in the service to ask. */
function failOnPurpose(app: FastifyInstance): void {
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

const ask = (path: string, request: HttpRequest = {}) => httpRequest(port, path, request);
const post = (path: string, body: string, headers: Record<string, string> = FORM) =>
  ask(path, { method: 'POST', body, headers });

describe('machine-facing errors (D10)', () => {
  test('D10: 404 is not_found, whatever the Accept header says', async () => {
    for (const path of [
      '/oauth/nothing',
      '/oauth/token/',
      '/oauth/token/revoke/x',
      '/.well-known/nothing',
      '/livez/x',
    ])
      for (const headers of [{}, HTML]) expectError(await ask(path, { headers }), 404, 'not_found');
    expectError(await ask('/nothing'), 404, 'not_found');
    expectError(await ask('/nothing', { headers: { accept: '*/*' } }), 404, 'not_found');
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
  ])('D10, D17: %s by %s is 405 invalid_request with Allow: %s', async (path, method, allowed) => {
    const answer = await ask(path, { method });
    expectError(answer, 405, 'invalid_request');
    expect(new Set(header(answer, 'allow')?.split(', '))).toEqual(new Set(allowed.split(', ')));
  });

  test('D10: a body beyond the limit is 413 invalid_request', async () => {
    for (const path of [
      '/oauth/token',
      '/oauth/token/revoke',
      '/oauth/userinfo',
      '/oauth/authorize',
      '/signin',
    ])
      expectError(await post(path, `a=${'x'.repeat(100_000)}`), 413, 'invalid_request');
  });

  test('D10: a wrong content type is 400, never 415', async () => {
    for (const path of ['/oauth/token', '/oauth/token/revoke', '/oauth/authorize', '/signin', '/consent'])
      for (const type of ['application/json', 'text/xml', 'application/octet-stream', 'x'])
        expectError(await post(path, '{"a":1}', { 'content-type': type }), 400, 'invalid_request');
  });

  test('D10: a fault of our own is 500 server_error and says nothing of what happened', async () => {
    expectError(await ask('/oauth/broken', { headers: HTML }), 500, 'server_error');
    expectError(await ask('/oauth/throws-a-string'), 500, 'server_error');
    expectError(await ask('/broken'), 500, 'server_error');
  });

  test("D10: a refusal of the framework keeps neither its status' oddity nor its words", async () => {
    const answer = await ask('/oauth/teapot');
    expectError(answer, 400, 'invalid_request');
    expect(answer.text).not.toMatch(/FST|broken|teapot/i);
  });

  test('every answer, errors too, says nosniff and names no framework', async () => {
    for (const path of ['/oauth/nothing', '/oauth/token', '/nothing', '/broken', '/oauth/userinfo']) {
      const answer = await ask(path);
      expect(header(answer, 'x-content-type-options')).toBe('nosniff');
      for (const name of ['server', 'x-powered-by']) expect(header(answer, name)).toBeNull();
    }
  });
});

describe('errors that people see (D1)', () => {
  test.each([
    ['/nothing', 404],
    ['/broken', 500],
    ['/oauth/authorize?client_id=app_nobody', 401],
    ['/oauth/authorize', 400],
    ['/consent?pending=x', 400],
    ['/%zz', 404],
  ])('D1: %s is a page with status %i, only for who names text/html', async (path, status) => {
    const page = await ask(path, { headers: HTML });
    expect([page.status, header(page, 'content-type')]).toEqual([status, 'text/html; charset=utf-8']);
    expect(page.text).toContain('<h1');
    expect(page.text).not.toMatch(/select secret|broken\.ts|"error"/);
    expect(header(page, 'cache-control')).toBe('no-store');
    expect(header(page, 'content-security-policy')).toContain("default-src 'none'");
    const plain = await ask(path);
    expectError(plain, status, String(JSON.parse(plain.text).error));
  });

  test('D1: the page carries a short incident code, another one every time', async () => {
    const codeOf = async () => {
      const { text } = await ask('/broken', { headers: HTML });
      return /[2-9A-HJ-NP-Z]{10}/.exec(text)?.[0];
    };
    const [first, second] = [await codeOf(), await codeOf()];
    expect(first).toBeDefined();
    expect(second).toBeDefined();
    expect(first).not.toBe(second);
  });
});

describe('without the database (D10, D22)', () => {
  test('machines get 503 temporarily_unavailable, people a 503 page, revocation never 200; then all come back', async () => {
    const credentials = 'client_id=app_nobody&client_secret=x';
    // A token of no account: to know that, the database has to be asked.
    const bearer = await new SignJWT({ sub: randomUUID() })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode('x'.repeat(32)));
    const requests: [string, () => ReturnType<typeof ask>, number][] = [
      ['token', () => post('/oauth/token', `grant_type=refresh_token&refresh_token=x&${credentials}`), 401],
      ['revoke', () => post('/oauth/token/revoke', `token=x&${credentials}`), 401],
      ['userinfo', () => ask('/oauth/userinfo', { headers: { authorization: `Bearer ${bearer}` } }), 401],
      ['readyz', () => ask('/readyz'), 200],
    ];
    await proxy.cut();
    for (const [name, send] of requests) {
      const answer = await until(`a 503 of ${name}`, async () => {
        const given = await send();
        if (name === 'revoke') expect(given.status).not.toBe(200);
        return given.status === 503 && given;
      });
      expectError(answer, 503, 'temporarily_unavailable');
      expect(Number(header(answer, 'retry-after'))).toBeGreaterThan(0);
    }
    const page = await ask('/oauth/authorize?client_id=app_nobody', { headers: HTML });
    expect([page.status, header(page, 'content-type')]).toEqual([503, 'text/html; charset=utf-8']);
    expect((await ask('/.well-known/jwks.json')).status).toBe(200);
    await proxy.restore();
    for (const [name, send, status] of requests)
      await until(`${name} to come back`, async () => (await send()).status === status);
  });
});
