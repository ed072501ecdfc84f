// CORS headers in OAuth error responses. For CORS by route, see route-config.test.ts.
import { afterAll, describe, expect, test } from 'vitest';
import { expectError, getHeader } from '../support/expect-error.ts';
import { type HttpRequestOptions, sendHttpRequest } from '../support/http-request.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

const ORIGIN = 'https://app.example';
const send = (path: string, { headers, ...rest }: HttpRequestOptions = {}, to = service) =>
  sendHttpRequest(to.services.config.port, path, { ...rest, headers: { origin: ORIGIN, ...headers } });

describe('endpoints with CORS', () => {
  test('expose the WWW-Authenticate and Retry-After headers of error responses', async () => {
    const exposed = getHeader(await send('/oauth/userinfo'), 'access-control-expose-headers') ?? '';
    expect(exposed.toLowerCase()).toContain('www-authenticate');
    expect(exposed.toLowerCase()).toContain('retry-after');
  });

  test('allow other origins to read responses with status 405 or 429', async () => {
    const limited = await startTestService({ RATE_LIMIT_PER_MINUTE: '1' });
    try {
      const wrongMethod = await send('/oauth/token', { method: 'GET' }, limited);
      expectError(wrongMethod, 405, 'invalid_request');
      expect(getHeader(wrongMethod, 'access-control-allow-origin')).toBe('*');
      const refused = await send('/oauth/token', { method: 'POST' }, limited);
      expectError(refused, 429, 'rate_limited');
      expect(getHeader(refused, 'access-control-allow-origin')).toBe('*');
      expect(getHeader(refused, 'access-control-expose-headers')?.toLowerCase()).toContain('retry-after');
    } finally {
      await limited.close();
    }
  });
});
