// Two processes whose clocks differ by seconds accept each other's sessions, codes and tokens.
import { expect, test } from 'vitest';
import { authorize, newPerson, redeem, renew, userinfo } from '../support/flow.ts';
import { useTestService } from '../support/service.ts';

const service = useTestService();
const other = useTestService({}, () => ({ databaseUrl: service.databaseUrl }));

test.each([
  ['ahead', 5],
  ['behind', -10],
])('a process whose clock is five seconds %s', async (_, change) => {
  other.clock.advance(change);
  const application = await service.createApplication();
  for (const [one, next] of [
    [service, other],
    [other, service],
  ] as const) {
    const { browser } = await newPerson(one === service ? one : { ...service, baseUrl: one.baseUrl });
    expect((await browser.get(new URL('/account', next.baseUrl))).status).toBe(200);
    const code = (await authorize(one, application, browser)).searchParams.get('code') ?? '';
    const { status, body } = await redeem(next, application, code);
    expect([status, (await userinfo(one, String(body.access_token))).status]).toEqual([200, 200]);
    expect((await renew(one, application, String(body.refresh_token))).status).toBe(200);
  }
});
