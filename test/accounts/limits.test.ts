// How often something may be asked for: by network, by account, whichever address it comes from.
import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { mayAskAsAccount, maySignUp } from '../../src/accounts/limits.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService({ HOURLY_LIMITS: 'on' });
afterAll(() => service.close());

test('an IPv6 /56 is one network: what a household gets has one count', async () => {
  const now = service.clock.now();
  const may = (address: string) => maySignUp(service.parts, address, now);
  for (let n = 0; n < 20; n += 1)
    expect(await may(n % 2 === 0 ? '2001:db8:0:101::' : '2001:db8:0:1ff::')).toBe(true);
  expect(await may('2001:db8:0:142::')).toBe(false);
  expect(await may('2001:db8:0:200::')).toBe(true);
});

test('an account has so many emails sent an hour, wherever it asks from', async () => {
  const now = service.clock.now();
  const [one, other] = [randomUUID(), randomUUID()];
  const asked = [];
  for (let time = 0; time < 31; time += 1) asked.push(await mayAskAsAccount(service.parts, one, now));
  expect(asked).toEqual([...Array(30).fill(true), false]);
  expect(await mayAskAsAccount(service.parts, other, now)).toBe(true);
});
