import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { mayRequestEmailAsUser, maySignUp } from '../../src/accounts/rate-limits.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService({ HOURLY_LIMITS: 'on' });
afterAll(() => service.close());

test('rate limits treat an IPv6 /56 prefix as one network', async () => {
  const now = service.clock.now();
  const isAllowed = (ip: string) => maySignUp(service.services, ip, now);
  for (let n = 0; n < 20; n += 1)
    expect(await isAllowed(n % 2 === 0 ? '2001:db8:0:101::' : '2001:db8:0:1ff::')).toBe(true);
  expect(await isAllowed('2001:db8:0:142::')).toBe(false);
  expect(await isAllowed('2001:db8:0:200::')).toBe(true);
});

test('an account can request at most 30 emails per hour', async () => {
  const now = service.clock.now();
  const [account, otherAccount] = [randomUUID(), randomUUID()];
  const results = [];
  for (let n = 0; n < 31; n += 1) results.push(await mayRequestEmailAsUser(service.services, account, now));
  expect(results).toEqual([...Array(30).fill(true), false]);
  expect(await mayRequestEmailAsUser(service.services, otherAccount, now)).toBe(true);
});
