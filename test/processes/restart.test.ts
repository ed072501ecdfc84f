// Codes, tokens, sessions and consents survive a restart.
import { afterAll, expect, test } from 'vitest';
import {
  authorize,
  buildAuthorizeUrl,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  redeemCode,
  redeemRefreshToken,
  revokeToken,
} from '../support/oauth-flow.ts';
import { type TestService, useTestService } from '../support/service.ts';
import { killProcesses, type ServiceProcess, startService } from '../support/service-process.ts';

const service = useTestService();
afterAll(killProcesses);

const startProcess = () => startService({ DATABASE_URL: service.databaseUrl, BASE_URL: service.baseUrl });
const serviceAt = (process: ServiceProcess): TestService => ({ ...service, baseUrl: process.url });

test('a restart does not invalidate tokens, codes, sessions or consents', async () => {
  const firstProcess = await startProcess();
  const client = await service.createClient();
  const browser = await openSignedInBrowser(serviceAt(firstProcess), await service.createUser());
  const obtainClientTokens = () => obtainTokens(serviceAt(firstProcess), client, browser);
  const [live, revoked, reused, superseded] = [
    await obtainClientTokens(),
    await obtainClientTokens(),
    await obtainClientTokens(),
    await obtainClientTokens(),
  ];
  expect((await revokeToken(serviceAt(firstProcess), client, revoked.refreshToken)).status).toBe(200);
  await redeemRefreshToken(serviceAt(firstProcess), client, reused.refreshToken);
  expect((await redeemRefreshToken(serviceAt(firstProcess), client, reused.refreshToken)).status).toBe(400);
  const successor = await redeemRefreshToken(serviceAt(firstProcess), client, superseded.refreshToken);
  const redirect = await authorize(serviceAt(firstProcess), client, browser);

  firstProcess.signal('SIGTERM');
  expect(await firstProcess.waitForExit()).toEqual({ code: 0, signal: null });
  const restartedService = serviceAt(await startProcess());

  expect((await fetchUserinfo(restartedService, live.accessToken)).status).toBe(200);
  expect((await redeemRefreshToken(restartedService, client, live.refreshToken)).status).toBe(200);
  for (const { accessToken, refreshToken } of [revoked, reused]) {
    expect((await fetchUserinfo(restartedService, accessToken)).status).toBe(401);
    expect((await redeemRefreshToken(restartedService, client, refreshToken)).body.error).toBe(
      'invalid_grant',
    );
  }
  // The code, the session, the consent and the refresh token's rotation survived the restart.
  expect((await redeemCode(restartedService, client, redirect.searchParams.get('code') ?? '')).status).toBe(
    200,
  );
  const repeated = await browser.get(buildAuthorizeUrl(restartedService, client));
  expect(repeated.location?.searchParams.get('code')).toBeTruthy();
  expect((await fetchUserinfo(restartedService, String(successor.body.access_token))).status).toBe(200);
  expect((await redeemRefreshToken(restartedService, client, superseded.refreshToken)).body.error).toBe(
    'invalid_grant',
  );
  expect((await fetchUserinfo(restartedService, String(successor.body.access_token))).status).toBe(401);
});
