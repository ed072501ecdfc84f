// Clock skew between two processes on the same database.
import { expect, test } from 'vitest';
import {
  authorize,
  createSignedInUser,
  fetchUserinfo,
  redeemCode,
  redeemRefreshToken,
} from '../support/oauth-flow.ts';
import { useTestService } from '../support/service.ts';

const service = useTestService();
const skewedService = useTestService({}, () => ({ databaseUrl: service.databaseUrl }));

test.each([
  ['fast', 5],
  ['slow', -10],
])('two processes accept each other’s sessions, codes and tokens if one clock is %s', async (_, seconds) => {
  skewedService.clock.advance(seconds);
  const application = await service.createClient();
  for (const [issuer, otherProcess] of [
    [service, skewedService],
    [skewedService, service],
  ] as const) {
    const { browser } = await createSignedInUser(
      issuer === service ? issuer : { ...service, baseUrl: issuer.baseUrl },
    );
    expect((await browser.get(new URL('/account', otherProcess.baseUrl))).status).toBe(200);
    const code = (await authorize(issuer, application, browser)).searchParams.get('code') ?? '';
    const { status, body } = await redeemCode(otherProcess, application, code);
    expect([status, (await fetchUserinfo(issuer, String(body.access_token))).status]).toEqual([200, 200]);
    expect((await redeemRefreshToken(issuer, application, String(body.refresh_token))).status).toBe(200);
  }
});
