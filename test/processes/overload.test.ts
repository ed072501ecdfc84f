// More than can be done: the surplus is told so at once, with 503 and Retry-After, and what can be done is done.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JsonAnswer, obtainTokens, renew, signedInBrowser, userinfo } from '../support/flow.ts';
import { lockGrants } from '../support/locks.ts';
import {
  endProcesses,
  expectUnharmed,
  isReady,
  type ServiceProcess,
  startService,
} from '../support/process.ts';
import { type TestApplication, type TestService, type TestUser, useTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** What one address works on at a time (src/http/overload.ts). */
const AT_A_TIME = 500;

const service = useTestService();
let process: ServiceProcess;
let there: TestService;
let application: TestApplication;
let person: TestUser;
beforeAll(async () => {
  process = await startService({
    DATABASE_URL: service.databaseUrl,
    BASE_URL: service.baseUrl,
  });
  there = { ...service, baseUrl: process.address };
  application = await service.createApplication();
  person = await service.createUser();
});
afterAll(endProcesses);

const obtain = async () => obtainTokens(there, application, await signedInBrowser(there, person));

function expectRefused({ status, headers, body }: JsonAnswer): void {
  expect([status, body.error]).toEqual([503, 'temporarily_unavailable']);
  expect(Object.keys(body)).toEqual(['error', 'error_description']);
  expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
}

test('one address past its capacity: the surplus is refused while the others still wait, other addresses are served', async () => {
  const { accessToken } = await obtain();
  const held = await obtain();
  const lock = await lockGrants(service.databaseUrl, application.clientId);
  const surplus = 50;
  const refused: JsonAnswer[] = [];
  const answers = Promise.all(
    Array.from({ length: AT_A_TIME + surplus }, async () => {
      for (;;) {
        const answer = await renew(there, application, held.refreshToken);
        if (released) return answer;
        // Who has waited too long for the lock comes again; it is about those for whom there is no room.
        if (!String(answer.body.error_description).includes('busy')) continue;
        refused.push(answer);
        return answer;
      }
    }),
  );
  let released = false;
  await until('the surplus to be refused', () => refused.length >= surplus);
  expect((await userinfo(there, accessToken)).status).toBe(200);
  expect(await isReady(process)).toBe(true);
  released = true;
  await lock.release();
  for (const answer of refused) expectRefused(answer);
  const all = await answers;
  expect(all.filter(({ status }) => status === 200)).toHaveLength(1); // the others are reuse
  await until('renewals to be served again', async () => {
    const { status, body } = await renew(there, application, held.refreshToken);
    return status === 400 && body.error === 'invalid_grant';
  });
  await expectUnharmed(process);
});
