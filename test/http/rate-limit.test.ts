// The rate limit in one process: 60 requests per minute per IP address.
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { expectError, getHeader } from '../support/expect-error.ts';
import { type HttpRequestOptions, sendHttpRequest } from '../support/http-request.ts';
import { startTestService, type TestService } from '../support/service.ts';

const service = await startTestService({ RATE_LIMIT_PER_MINUTE: '', TRUSTED_PROXIES: '127.0.0.1' });
const withoutProxy = await startTestService({ RATE_LIMIT_PER_MINUTE: '5' });
const behindProxies = await startTestService({
  RATE_LIMIT_PER_MINUTE: '3',
  TRUSTED_PROXIES: '127.0.0.0/8, 10.0.0.0/8',
  RATE_LIMIT_ALLOW: '203.0.113.9 198.51.100.0/24,2001:db8:1::/48',
});
afterAll(() => Promise.all([service.close(), withoutProxy.close(), behindProxies.close()]));
afterEach(() => {
  vi.useRealTimers();
});

/** Sends a request from a client behind a trusted proxy. */
function sendFrom(
  ip: string,
  path = '/oauth/userinfo',
  { headers, ...rest }: HttpRequestOptions = {},
  to = service,
) {
  return sendHttpRequest(to.services.config.port, path, {
    ...rest,
    headers: { 'x-forwarded-for': ip, ...headers },
  });
}

async function sendTimes(
  count: number,
  request: (round: number) => Promise<{ status: number }>,
): Promise<number[]> {
  const statuses: number[] = [];
  for (let round = 1; round <= count; round += 1) statuses.push((await request(round)).status);
  return statuses;
}
const countRefused = (statuses: number[]) => statuses.filter((status) => status === 429).length;

describe('the rate limit', () => {
  test('is exceeded by the 61st request', async () => {
    expect(countRefused(await sendTimes(60, () => sendFrom('192.0.2.1')))).toBe(0);
    const response = await sendFrom('192.0.2.1');
    expectError(response, 429, 'rate_limited');
    expect(getHeader(response, 'retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/);
    expect((await sendFrom('192.0.2.2')).status).toBe(401);
  });

  test('applies to requests for URLs with invalid percent-encoding', async () => {
    const statuses = await sendTimes(4, () => sendFrom('192.0.2.20', '/%ff', {}, behindProxies));
    expect(statuses).toEqual([404, 404, 404, 429]);
  });

  test('is reset 60 seconds after the first request', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const start = Date.now();
    await sendTimes(60, () => sendFrom('192.0.2.3'));
    for (const second of [10, 30, 59]) {
      vi.setSystemTime(start + second * 1000);
      const response = await sendFrom('192.0.2.3');
      expectError(response, 429, 'rate_limited');
      expect(getHeader(response, 'retry-after')).toBe(String(60 - second));
    }
    vi.setSystemTime(start + 60_000);
    expect(countRefused(await sendTimes(60, () => sendFrom('192.0.2.3')))).toBe(0);
    expect((await sendFrom('192.0.2.3')).status).toBe(429);
  });

  test('counts requests to all dynamic routes together', async () => {
    const body = 'a=1';
    const requests: [string, HttpRequestOptions?][] = [
      ['/oauth/token', { method: 'POST', body }],
      ['/oauth/token', { method: 'POST', body, headers: { 'content-type': 'application/json' } }],
      ['/oauth/token', { method: 'POST', body: 'x'.repeat(100_000) }],
      ['/oauth/token'],
      ['/oauth/token/revoke', { method: 'POST', body }],
      ['/oauth/userinfo', { method: 'POST' }],
      ['/oauth/authorize'],
      ['/signin'],
      ['/signup', { method: 'HEAD' }],
      ['/'],
      ['/nothing-here'],
      ['/images/nothing-here.svg'],
    ];
    for (let round = 1; round <= 5; round += 1)
      for (const [path, request] of requests)
        expect((await sendFrom('192.0.2.5', path, request)).status, path).not.toBe(429);
    for (const [path, request] of requests)
      expect((await sendFrom('192.0.2.5', path, request)).status, path).toBe(429);
  });

  test('does not apply to static files, health checks or discovery', async () => {
    const exempt: [string, HttpRequestOptions?][] = [
      ['/oauth/token', { method: 'OPTIONS', headers: { origin: 'https://a.example' } }],
      ['/nothing-here', { method: 'OPTIONS' }],
      ['/images/logo.svg'],
      ['/images/logo.svg', { method: 'HEAD' }],
      ['/favicon.ico'],
      ['/sesame.css'],
      ['/button.css'],
      ['/avatars/initials/A-1.svg'],
      ['/livez'],
      ['/readyz'],
      ['/.well-known/openid-configuration'],
      ['/.well-known/jwks.json'],
    ];
    const sendAll = async () => {
      for (const [path, request] of exempt)
        expect((await sendFrom('192.0.2.7', path, request)).status, path).not.toBe(429);
    };
    for (let round = 1; round <= 6; round += 1) await sendAll();
    expect(countRefused(await sendTimes(60, () => sendFrom('192.0.2.7')))).toBe(0);
    expect((await sendFrom('192.0.2.7')).status).toBe(429);
    await sendAll();
  });

  test('is reported as a page to browsers and as JSON to other clients', async () => {
    await sendTimes(60, () => sendFrom('192.0.2.9'));
    const headers = { accept: 'text/html', 'accept-language': 'en' };
    for (const path of ['/signin', '/oauth/authorize?client_id=x', '/nothing-here']) {
      const page = await sendFrom('192.0.2.9', path, { headers });
      expect(page.status).toBe(429);
      expect(getHeader(page, 'content-type')).toBe('text/html; charset=utf-8');
      expect(page.text).toContain('<html lang="en"');
      expect(Number(getHeader(page, 'retry-after'))).toBeGreaterThan(0);
    }
    expectError(await sendFrom('192.0.2.9', '/signin'), 429, 'rate_limited');
    expectError(
      await sendFrom('192.0.2.9', '/oauth/token', { method: 'POST', headers }),
      429,
      'rate_limited',
    );
  });

  test('is disabled if RATE_LIMIT_PER_MINUTE is 0', async () => {
    const unlimited = await startTestService({ RATE_LIMIT_PER_MINUTE: '0' });
    try {
      const { port } = unlimited.services.config;
      expect(countRefused(await sendTimes(150, () => sendHttpRequest(port, '/oauth/userinfo')))).toBe(0);
    } finally {
      await unlimited.close();
    }
  });
});

describe('the client’s IP address', () => {
  const sendWith = (headers: Record<string, string>, to: TestService) =>
    sendHttpRequest(to.services.config.port, '/oauth/userinfo', { headers });

  test('does not depend on X-Forwarded-For without trusted proxies', async () => {
    const statuses = await sendTimes(6, (round) =>
      sendWith(
        {
          'x-forwarded-for': `192.0.2.${round}`,
          'x-real-ip': `192.0.2.${round}`,
          forwarded: `for=192.0.2.${round}`,
          'cf-connecting-ip': `192.0.2.${round}`,
        },
        withoutProxy,
      ),
    );
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  test('is the last untrusted entry in X-Forwarded-For', async () => {
    const statuses = await sendTimes(4, (round) =>
      sendWith({ 'x-forwarded-for': `198.18.0.${round}, 192.0.2.50` }, behindProxies),
    );
    expect(statuses).toEqual([401, 401, 401, 429]);
    // This request has passed through two trusted proxies.
    expect(
      await sendTimes(1, () =>
        sendWith({ 'x-forwarded-for': '198.18.0.9, 192.0.2.50, 10.1.2.3' }, behindProxies),
      ),
    ).toEqual([429]);
    expect(
      await sendTimes(1, () => sendWith({ 'x-forwarded-for': '192.0.2.50, 192.0.2.51' }, behindProxies)),
    ).toEqual([401]);
  });

  test('is reduced to its /64 network if it is an IPv6 address', async () => {
    const sendFromSameNetwork = (round: number) =>
      sendWith({ 'x-forwarded-for': `2001:db8:7:7:${round}::${round}` }, behindProxies);
    expect(await sendTimes(4, sendFromSameNetwork)).toEqual([401, 401, 401, 429]);
    expect(
      (await sendWith({ 'x-forwarded-for': '2001:0db8:0007:0007:ffff:ffff:ffff:ffff' }, behindProxies))
        .status,
    ).toBe(429);
    expect((await sendWith({ 'x-forwarded-for': '2001:db8:7:8::1' }, behindProxies)).status).toBe(401);
  });

  test('is converted to IPv4 if it is IPv4-mapped', async () => {
    const spellings = ['192.0.2.60', '::ffff:192.0.2.60', '::FFFF:c000:23c', '192.0.2.60'];
    const statuses = await sendTimes(4, (round) =>
      sendWith({ 'x-forwarded-for': spellings[round - 1] ?? '' }, behindProxies),
    );
    expect(statuses).toEqual([401, 401, 401, 429]);
  });

  test('excludes the port, brackets and zone in X-Forwarded-For', async () => {
    const sendWithPort = (round: number) =>
      sendWith({ 'x-forwarded-for': `192.0.2.80:${40_000 + round}` }, behindProxies);
    expect(await sendTimes(4, sendWithPort)).toEqual([401, 401, 401, 429]);
    expect((await sendWith({ 'x-forwarded-for': '192.0.2.80' }, behindProxies)).status).toBe(429);
    const sendWithBrackets = (round: number) =>
      sendWith({ 'x-forwarded-for': `[2001:db8:9::1]:${round}` }, behindProxies);
    expect(await sendTimes(4, sendWithBrackets)).toEqual([401, 401, 401, 429]);
    expect((await sendWith({ 'x-forwarded-for': '[2001:db8:9::2]' }, behindProxies)).status).toBe(429);
    const sendWithZone = (round: number) =>
      sendWith({ 'x-forwarded-for': `fe80::1%eth${round}` }, behindProxies);
    expect(await sendTimes(4, sendWithZone)).toEqual([401, 401, 401, 429]);
  });

  test('is the proxy’s if the forwarded value is invalid', async () => {
    const garbage = [
      'unknown',
      '_hidden',
      '999.999.999.999',
      '2130706433',
      '192.0.2.1:port',
      '[192.0.2.1]:80',
    ];
    garbage.push('[::1', '2001:db8:1:2:3:4:5:6:40001', '%00', 'x'.repeat(5000));
    const statuses = await sendTimes(garbage.length, (round) =>
      sendWith({ 'x-forwarded-for': `203.0.113.9, ${garbage[round - 1]}, 10.7.7.7` }, behindProxies),
    );
    expect(statuses).toEqual([401, 401, 401, ...garbage.slice(3).map(() => 429)]);
    expect((await sendWith({ 'x-forwarded-for': '10.7.7.7' }, behindProxies)).status).toBe(429);
  });

  test('is exempt from the rate limit if it is in the allow-list', async () => {
    for (const ip of ['203.0.113.9', '198.51.100.77', '::ffff:198.51.100.78', '2001:db8:1:2::3'])
      expect(
        countRefused(await sendTimes(6, () => sendFrom(ip, '/oauth/userinfo', {}, behindProxies))),
        ip,
      ).toBe(0);
    for (const ip of ['203.0.113.10', '198.51.101.77', '2001:db8:2::3'])
      expect(
        countRefused(await sendTimes(6, () => sendFrom(ip, '/oauth/userinfo', {}, behindProxies))),
        ip,
      ).toBe(3);
  });

  test('is not exempt because of a forged X-Forwarded-For entry', async () => {
    const statuses = await sendTimes(5, () =>
      sendWith({ 'x-forwarded-for': '203.0.113.9, 192.0.2.70' }, behindProxies),
    );
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  });
});
