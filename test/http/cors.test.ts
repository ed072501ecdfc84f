// CORS without credentials, on token, revoke, userinfo, discovery and keys only (D29).
import { afterAll, describe, expect, test } from 'vitest';
import { expectError, header } from '../support/expect-error.ts';
import { type HttpRequest, httpRequest } from '../support/http-request.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

const ORIGIN = 'https://app.example';
const ask = (path: string, { headers, ...rest }: HttpRequest = {}, to = service) =>
  httpRequest(to.parts.config.port, path, { ...rest, headers: { origin: ORIGIN, ...headers } });
const preflight = (path: string, method: string, wished = 'authorization,content-type') =>
  ask(path, {
    method: 'OPTIONS',
    headers: { 'access-control-request-method': method, 'access-control-request-headers': wished },
  });

const SHARED = [
  ['/oauth/token', 'POST'],
  ['/oauth/token/revoke', 'POST'],
  ['/oauth/userinfo', 'GET'],
  ['/oauth/userinfo', 'POST'],
  ['/.well-known/openid-configuration', 'GET'],
  ['/.well-known/oauth-authorization-server', 'GET'],
  ['/.well-known/jwks.json', 'GET'],
] as const;

describe('addresses that scripts of other sites may call', () => {
  test('their responses, errors included, may be read, without credentials', async () => {
    for (const [path, method] of SHARED) {
      const answer = await ask(path, { method });
      expect(header(answer, 'access-control-allow-origin')).toBe('*');
      expect(header(answer, 'access-control-allow-credentials')).toBeNull();
    }
  });

  test('a preflight passes, with the headers that it needs', async () => {
    for (const [path, method] of SHARED) {
      const answer = await preflight(path, method);
      expect(answer.status).toBe(204);
      expect(answer.text).toBe('');
      expect(header(answer, 'access-control-allow-origin')).toBe('*');
      expect(header(answer, 'access-control-allow-methods')).toContain(method);
      expect(header(answer, 'access-control-allow-headers')).toMatch(/authorization/i);
      expect(header(answer, 'access-control-allow-headers')).toMatch(/content-type/i);
      expect(header(answer, 'access-control-allow-credentials')).toBeNull();
      expect(header(answer, 'set-cookie')).toBeNull();
    }
  });

  test('D29: why a token was refused may be read too', async () => {
    const exposed = header(await ask('/oauth/userinfo'), 'access-control-expose-headers') ?? '';
    expect(exposed.toLowerCase()).toContain('www-authenticate');
    expect(exposed.toLowerCase()).toContain('retry-after');
  });

  test('D29: a wrong method and a refusal by the rate limit may be read as well', async () => {
    const limited = await startTestService({ RATE_LIMIT_PER_MINUTE: '1' });
    try {
      const wrong = await ask('/oauth/token', { method: 'GET' }, limited);
      expectError(wrong, 405, 'invalid_request');
      expect(header(wrong, 'access-control-allow-origin')).toBe('*');
      const refused = await ask('/oauth/token', { method: 'POST' }, limited);
      expectError(refused, 429, 'rate_limited');
      expect(header(refused, 'access-control-allow-origin')).toBe('*');
      expect(header(refused, 'access-control-expose-headers')?.toLowerCase()).toContain('retry-after');
    } finally {
      await limited.close();
    }
  });

  test('D10: OPTIONS that is no preflight is answered without a body of the framework', async () => {
    for (const [path] of SHARED) {
      const answer = await httpRequest(service.parts.config.port, path, { method: 'OPTIONS' });
      expect([answer.status, answer.text], path).toEqual([204, '']);
    }
  });
});

describe('everything else', () => {
  test('D29: the origin null, and none at all, are treated alike', async () => {
    const answer = await ask('/oauth/userinfo', { headers: { origin: 'null' } });
    expect(header(answer, 'access-control-allow-origin')).toBe('*');
    const page = await ask('/signin', { headers: { origin: 'null' } });
    expect(header(page, 'access-control-allow-origin')).toBeNull();
  });
});
