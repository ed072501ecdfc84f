// What survives the end of a process, orderly or by kill -9: everything that was answered, and nothing else.
import { afterAll, expect, test } from 'vitest';
import {
  authorize,
  authorizeAddress,
  obtainTokens,
  redeem,
  renew,
  revoke,
  signedInBrowser,
  userinfo,
} from '../support/flow.ts';
import { endProcesses, type ServiceProcess, startService } from '../support/process.ts';
import { type TestService, useTestService } from '../support/service.ts';

const service = useTestService();
afterAll(endProcesses);

const start = () => startService({ DATABASE_URL: service.databaseUrl, BASE_URL: service.baseUrl });
const at = (process: ServiceProcess): TestService => ({ ...service, baseUrl: process.address });

test('after a new start what was revoked is dead and what was live is live', async () => {
  const before = await start();
  const application = await service.createApplication();
  const browser = await signedInBrowser(at(before), await service.createUser());
  const obtain = () => obtainTokens(at(before), application, browser);
  const [live, revoked, reused, superseded] = [
    await obtain(),
    await obtain(),
    await obtain(),
    await obtain(),
  ];
  expect((await revoke(at(before), application, revoked.refreshToken)).status).toBe(200);
  await renew(at(before), application, reused.refreshToken);
  expect((await renew(at(before), application, reused.refreshToken)).status).toBe(400);
  const successor = await renew(at(before), application, superseded.refreshToken);
  const callback = await authorize(at(before), application, browser);

  before.signal('SIGTERM');
  expect(await before.ended()).toEqual({ code: 0, signal: null });
  const after = at(await start());

  expect((await userinfo(after, live.accessToken)).status).toBe(200);
  expect((await renew(after, application, live.refreshToken)).status).toBe(200);
  for (const { accessToken, refreshToken } of [revoked, reused]) {
    expect((await userinfo(after, accessToken)).status).toBe(401);
    expect((await renew(after, application, refreshToken)).body.error).toBe('invalid_grant');
  }
  // Not forgotten either: a code that waits, the session, the consent, and what a grant has already superseded.
  expect((await redeem(after, application, callback.searchParams.get('code') ?? '')).status).toBe(200);
  const again = await browser.get(authorizeAddress(after, application));
  expect(again.location?.searchParams.get('code')).toBeTruthy();
  expect((await userinfo(after, String(successor.body.access_token))).status).toBe(200);
  expect((await renew(after, application, superseded.refreshToken)).body.error).toBe('invalid_grant');
  expect((await userinfo(after, String(successor.body.access_token))).status).toBe(401);
});
