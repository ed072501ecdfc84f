// PostgreSQL's network falls silent: no answer, no end of a connection. Everybody is refused while it lasts, and the
// service is well again by itself.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isUnavailable, openDatabase } from '../../src/store/database.ts';
import { statement } from '../../src/store/statement.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { type DatabaseProxy, openDatabaseProxy } from '../support/database-proxy.ts';
import { authorizeAddress, obtainTokens, renew, revoke, signedInBrowser, userinfo } from '../support/flow.ts';
import { endProcesses, expectUnharmed, isReady, startService } from '../support/process.ts';
import { useTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const service = useTestService();
const proxies: DatabaseProxy[] = [];
beforeAll(async () => {
  await service.createUser({ operator: true }); // so that the process makes up none
});
afterAll(async () => {
  await endProcesses();
  for (const proxy of proxies) await proxy.close();
});

async function openProxy(): Promise<DatabaseProxy> {
  const proxy = await openDatabaseProxy(service.databaseUrl);
  proxies.push(proxy);
  return proxy;
}

test.concurrent('whatever needs the database is 503 while the silence lasts, a revocation too (D22); then it is back', async () => {
  const proxy = await openProxy();
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

test.concurrent('a transaction waits for an answer once, whatever it still wanted to ask; its connection is given up', async () => {
  const proxy = await openProxy();
  const single = openDatabase(proxy.url, 1);
  const ASK = statement('ask', 'select pg_backend_pid() as pid');
  const failed: string[] = [];
  const work = single.transaction(async (transaction) => {
    await transaction.query(ASK, []);
    proxy.silence();
    const ask = (name: string) =>
      transaction.query(ASK, []).catch((error) => {
        expect(isUnavailable(error)).toBe(true);
        failed.push(name);
      });
    await ask('first');
    // From then on nothing is waited for any more: it fails before the event loop has gone round once.
    const others = Promise.all([ask('second'), ask('third')]);
    await new Promise(setImmediate);
    failed.push('once round');
    await others;
    await transaction.query(ASK, []);
  });
  // At the same moment PostgreSQL gives up the transaction that it has heard nothing of; either may come first.
  await expect(work).rejects.toThrow(/^(Query read timeout|Connection terminated unexpectedly)$/);
  expect(failed).toEqual(['first', 'second', 'third', 'once round']);
  proxy.endSilence();
  expect(await single.query(ASK, [])).toEqual([{ pid: expect.any(Number) }]);
  await single.close();
});
