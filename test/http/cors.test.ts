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

describe('addresses that scripts of other sites may call', () => {
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
});
