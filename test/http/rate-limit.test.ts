// 60 requests a minute for an address (contract §8, D25).
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { expectError, header } from '../support/expect-error.ts';
import { type HttpRequest, httpRequest } from '../support/http-request.ts';
import { startTestService, type TestService } from '../support/service.ts';

const service = await startTestService({ RATE_LIMIT_PER_MINUTE: '', TRUSTED_PROXIES: '127.0.0.1' });
const direct = await startTestService({ RATE_LIMIT_PER_MINUTE: '5' });
const tuned = await startTestService({
  RATE_LIMIT_PER_MINUTE: '3',
  TRUSTED_PROXIES: '127.0.0.0/8, 10.0.0.0/8',
  RATE_LIMIT_ALLOW: '203.0.113.9 198.51.100.0/24,2001:db8:1::/48',
});
afterAll(() => Promise.all([service.close(), direct.close(), tuned.close()]));
afterEach(() => {
  vi.useRealTimers();
});

/** Sends one request as if it came from `address`, through the trusted proxy. */
function from(
  address: string,
  path = '/oauth/userinfo',
  { headers, ...rest }: HttpRequest = {},
  to = service,
) {
  return httpRequest(to.parts.config.port, path, {
    ...rest,
    headers: { 'x-forwarded-for': address, ...headers },
  });
}

async function spend(count: number, ask: (round: number) => Promise<{ status: number }>): Promise<number[]> {
  const statuses: number[] = [];
  for (let round = 1; round <= count; round += 1) statuses.push((await ask(round)).status);
  return statuses;
}
const refused = (statuses: number[]) => statuses.filter((status) => status === 429).length;

describe('the budget', () => {
  test('D25: 60 pass, the 61st is 429 rate_limited with Retry-After', async () => {
    expect(refused(await spend(60, () => from('192.0.2.1')))).toBe(0);
    const answer = await from('192.0.2.1');
    expectError(answer, 429, 'rate_limited');
    expect(header(answer, 'retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/);
    expect((await from('192.0.2.2')).status).toBe(401);
  });

  test('D25: URLs that cannot be decoded count, too', async () => {
    const statuses = await spend(4, () => from('192.0.2.20', '/%ff', {}, tuned));
    expect(statuses).toEqual([404, 404, 404, 429]);
  });

  test('D25: the window starts with the first request, and refused ones do not extend it', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const start = Date.now();
    await spend(60, () => from('192.0.2.3'));
    for (const second of [10, 30, 59]) {
      vi.setSystemTime(start + second * 1000);
      const answer = await from('192.0.2.3');
      expectError(answer, 429, 'rate_limited');
      expect(header(answer, 'retry-after')).toBe(String(60 - second));
    }
    vi.setSystemTime(start + 60_000);
    expect(refused(await spend(60, () => from('192.0.2.3')))).toBe(0);
    expect((await from('192.0.2.3')).status).toBe(429);
  });

  test('D25: one budget over all dynamic addresses; 404, 405 and refusals of every kind count', async () => {
    const body = 'a=1';
    const requests: [string, HttpRequest?][] = [
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
        expect((await from('192.0.2.5', path, request)).status, path).not.toBe(429);
    for (const [path, request] of requests)
      expect((await from('192.0.2.5', path, request)).status, path).toBe(429);
  });

  test('D25: OPTIONS, static files, health, discovery and keys do not count, before and after', async () => {
    const free: [string, HttpRequest?][] = [
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
      for (const [path, request] of free)
        expect((await from('192.0.2.7', path, request)).status, path).not.toBe(429);
    };
    for (let round = 1; round <= 6; round += 1) await sendAll();
    expect(refused(await spend(60, () => from('192.0.2.7')))).toBe(0);
    expect((await from('192.0.2.7')).status).toBe(429);
    await sendAll();
  });

  test('D25, D1: a browser gets a page where people go, a machine address stays JSON', async () => {
    await spend(60, () => from('192.0.2.9'));
    const headers = { accept: 'text/html', 'accept-language': 'en' };
    for (const path of ['/signin', '/oauth/authorize?client_id=x', '/nothing-here']) {
      const page = await from('192.0.2.9', path, { headers });
      expect(page.status).toBe(429);
      expect(header(page, 'content-type')).toBe('text/html; charset=utf-8');
      expect(page.text).toContain('<html lang="en"');
      expect(Number(header(page, 'retry-after'))).toBeGreaterThan(0);
    }
    expectError(await from('192.0.2.9', '/signin'), 429, 'rate_limited');
    expectError(await from('192.0.2.9', '/oauth/token', { method: 'POST', headers }), 429, 'rate_limited');
  });

  test('D25: 0 switches it off', async () => {
    const unlimited = await startTestService({ RATE_LIMIT_PER_MINUTE: '0' });
    try {
      const { port } = unlimited.parts.config;
      expect(refused(await spend(150, () => httpRequest(port, '/oauth/userinfo')))).toBe(0);
    } finally {
      await unlimited.close();
    }
  });
});

describe('whose request it is', () => {
  const tell = (headers: Record<string, string>, to: TestService) =>
    httpRequest(to.parts.config.port, '/oauth/userinfo', { headers });

  test('D25: without trusted proxies X-Forwarded-For and its kin mean nothing', async () => {
    const statuses = await spend(6, (round) =>
      tell(
        {
          'x-forwarded-for': `192.0.2.${round}`,
          'x-real-ip': `192.0.2.${round}`,
          forwarded: `for=192.0.2.${round}`,
          'cf-connecting-ip': `192.0.2.${round}`,
        },
        direct,
      ),
    );
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  test('D25: the spoofable leftmost address is ignored; what the proxy itself saw counts', async () => {
    const statuses = await spend(4, (round) =>
      tell({ 'x-forwarded-for': `198.18.0.${round}, 192.0.2.50` }, tuned),
    );
    expect(statuses).toEqual([401, 401, 401, 429]);
    // Two proxies of ours in a row: the address before both.
    expect(
      await spend(1, () => tell({ 'x-forwarded-for': '198.18.0.9, 192.0.2.50, 10.1.2.3' }, tuned)),
    ).toEqual([429]);
    expect(await spend(1, () => tell({ 'x-forwarded-for': '192.0.2.50, 192.0.2.51' }, tuned))).toEqual([401]);
  });

  test('D25: IPv6 counts per /64', async () => {
    const inOneNetwork = (round: number) =>
      tell({ 'x-forwarded-for': `2001:db8:7:7:${round}::${round}` }, tuned);
    expect(await spend(4, inOneNetwork)).toEqual([401, 401, 401, 429]);
    expect((await tell({ 'x-forwarded-for': '2001:0db8:0007:0007:ffff:ffff:ffff:ffff' }, tuned)).status).toBe(
      429,
    );
    expect((await tell({ 'x-forwarded-for': '2001:db8:7:8::1' }, tuned)).status).toBe(401);
  });

  test('D25: an IPv4-mapped address counts as IPv4', async () => {
    const spellings = ['192.0.2.60', '::ffff:192.0.2.60', '::FFFF:c000:23c', '192.0.2.60'];
    const statuses = await spend(4, (round) =>
      tell({ 'x-forwarded-for': spellings[round - 1] ?? '' }, tuned),
    );
    expect(statuses).toEqual([401, 401, 401, 429]);
  });

  test('a port or brackets in X-Forwarded-For do not make each connection a client of its own', async () => {
    const withPort = (round: number) => tell({ 'x-forwarded-for': `192.0.2.80:${40_000 + round}` }, tuned);
    expect(await spend(4, withPort)).toEqual([401, 401, 401, 429]);
    expect((await tell({ 'x-forwarded-for': '192.0.2.80' }, tuned)).status).toBe(429);
    const inBrackets = (round: number) => tell({ 'x-forwarded-for': `[2001:db8:9::1]:${round}` }, tuned);
    expect(await spend(4, inBrackets)).toEqual([401, 401, 401, 429]);
    expect((await tell({ 'x-forwarded-for': '[2001:db8:9::2]' }, tuned)).status).toBe(429);
    const withZone = (round: number) => tell({ 'x-forwarded-for': `fe80::1%eth${round}` }, tuned);
    expect(await spend(4, withZone)).toEqual([401, 401, 401, 429]);
  });

  test('what is no IP address counts as the proxy that forwarded it', async () => {
    const garbage = [
      'unknown',
      '_hidden',
      '999.999.999.999',
      '2130706433',
      '192.0.2.1:port',
      '[192.0.2.1]:80',
    ];
    garbage.push('[::1', '2001:db8:1:2:3:4:5:6:40001', '%00', 'x'.repeat(5000));
    const statuses = await spend(garbage.length, (round) =>
      tell({ 'x-forwarded-for': `203.0.113.9, ${garbage[round - 1]}, 10.7.7.7` }, tuned),
    );
    expect(statuses).toEqual([401, 401, 401, ...garbage.slice(3).map(() => 429)]);
    expect((await tell({ 'x-forwarded-for': '10.7.7.7' }, tuned)).status).toBe(429);
  });

  test('D25: the allow-list takes addresses and ranges, IPv4-mapped ones too', async () => {
    for (const address of ['203.0.113.9', '198.51.100.77', '::ffff:198.51.100.78', '2001:db8:1:2::3'])
      expect(refused(await spend(6, () => from(address, '/oauth/userinfo', {}, tuned))), address).toBe(0);
    for (const address of ['203.0.113.10', '198.51.101.77', '2001:db8:2::3'])
      expect(refused(await spend(6, () => from(address, '/oauth/userinfo', {}, tuned))), address).toBe(3);
  });

  test('D25: nobody gets onto the allow-list by a header of his own', async () => {
    const statuses = await spend(5, () => tell({ 'x-forwarded-for': '203.0.113.9, 192.0.2.70' }, tuned));
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  });
});
