// Requests get 503 while the database is unresponsive, and the service recovers without a restart.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { type DatabaseProxy, openDatabaseProxy } from '../support/database-proxy.ts';
import {
  buildAuthorizeUrl,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  redeemRefreshToken,
  revokeToken,
} from '../support/oauth-flow.ts';
import { useTestService } from '../support/service.ts';
import { expectHealthy, isReady, killProcesses, startService } from '../support/service-process.ts';
import { waitUntil } from '../support/wait-until.ts';

const service = useTestService();
let proxy: DatabaseProxy;
beforeAll(async () => {
  proxy = await openDatabaseProxy(service.databaseUrl);
});
afterAll(async () => {
  await killProcesses();
  await proxy.close();
});

test('requests get 503 while the database does not respond', async () => {
  const process = await startService({ DATABASE_URL: proxy.url, BASE_URL: service.baseUrl });
  const remote = { ...service, baseUrl: process.url };
  const client = await service.createClient();
  const user = await service.createUser();
  const browser = await openSignedInBrowser(remote, user);
  const tokens = await obtainTokens(remote, client, browser);
  const anonymous = openBrowserSession(remote.baseUrl);
  const form = await anonymous.get('/signin');

  proxy.silence();
  const { email, password } = user;
  const responses = await Promise.all([
    fetchUserinfo(remote, tokens.accessToken),
    redeemRefreshToken(remote, client, tokens.refreshToken),
    revokeToken(remote, client, tokens.refreshToken),
    browser.get(buildAuthorizeUrl(remote, client)),
    browser.get('/'),
    anonymous.post('/signin', { ...form.hidden, email, password }),
    fetch(`${process.url}/readyz`),
  ]);
  for (const [index, { status, headers }] of responses.entries()) {
    expect([index, status]).toEqual([index, 503]);
    expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  }

  proxy.endSilence();
  await waitUntil('the service to recover', () => isReady(process));
  expect((await fetchUserinfo(remote, tokens.accessToken)).status).toBe(200);
  expect((await redeemRefreshToken(remote, client, tokens.refreshToken)).status).toBe(200);
  expect((await anonymous.post('/signin', { ...form.hidden, email, password })).status).toBe(303);
  await expectHealthy(process);
});
