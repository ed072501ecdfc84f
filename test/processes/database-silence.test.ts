// PostgreSQL's network falls silent: no answer, no end of a connection. Everybody is refused while it lasts, and the
// service is well again by itself.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { type DatabaseProxy, openDatabaseProxy } from '../support/database-proxy.ts';
import { authorizeAddress, obtainTokens, renew, revoke, signedInBrowser, userinfo } from '../support/flow.ts';
import { endProcesses, expectUnharmed, isReady, startService } from '../support/process.ts';
import { useTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const service = useTestService();
let proxy: DatabaseProxy;
beforeAll(async () => {
  proxy = await openDatabaseProxy(service.databaseUrl);
});
afterAll(async () => {
  await endProcesses();
  await proxy.close();
});

test('every request that needs the database gets 503 during the silence, revocations included', async () => {
  const process = await startService({ DATABASE_URL: proxy.url, BASE_URL: service.baseUrl });
  const there = { ...service, baseUrl: process.address };
  const application = await service.createApplication();
  const person = await service.createUser();
  const browser = await signedInBrowser(there, person);
  const tokens = await obtainTokens(there, application, browser);
  const stranger = openBrowserSession(there.baseUrl);
  const form = await stranger.get('/signin');

  proxy.silence();
  const { email, password } = person;
  const answers = await Promise.all([
    userinfo(there, tokens.accessToken),
    renew(there, application, tokens.refreshToken),
    revoke(there, application, tokens.refreshToken),
    browser.get(authorizeAddress(there, application)),
    browser.get('/'),
    stranger.post('/signin', { ...form.hidden, email, password }),
    fetch(`${process.address}/readyz`),
  ]);
  for (const [place, { status, headers }] of answers.entries()) {
    expect([place, status]).toEqual([place, 503]);
    expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  }

  proxy.endSilence();
  await until('the service to recover by itself', () => isReady(process));
  expect((await userinfo(there, tokens.accessToken)).status).toBe(200);
  expect((await renew(there, application, tokens.refreshToken)).status).toBe(200);
  expect((await stranger.post('/signin', { ...form.hidden, email, password })).status).toBe(303);
  await expectUnharmed(process);
});
