// Two processes on one database: whatever races whatever, there is never a second winner nor a token left alive.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { challengeOf } from '../../src/oauth/pkce.ts';
import { openCode } from '../../src/oauth/tickets.ts';
import { listConsents, withdrawConsent } from '../../src/store/consents.ts';
import {
  authorize,
  authorizeAddress,
  type JsonAnswer,
  newVerifier,
  obtainTokens,
  postForm,
  redeem,
  renew,
  revoke,
  signedInBrowser,
  userinfo,
} from '../support/flow.ts';
import { countLiveAccessTokens, type Lock, lockCode, lockGrants } from '../support/locks.ts';
import { sql } from '../support/populate.ts';
import { caughtUp, endProcesses, type ServiceProcess, startService } from '../support/process.ts';
import { type TestApplication, type TestService, useTestService } from '../support/service.ts';

const CROWD = 50;
/** Each process sends together what it is asked together (ADR 5): one connection of each at least is held up. */
const CONNECTIONS = 2;

const service = useTestService();
let processes: ServiceProcess[];
/** The same service, as each of the two processes answers for it. */
let one: TestService;
let two: TestService;
beforeAll(async () => {
  const environment = { DATABASE_URL: service.databaseUrl, BASE_URL: service.baseUrl };
  processes = await Promise.all([startService(environment), startService(environment)]);
  [one, two] = processes.map(({ address }) => ({ ...service, baseUrl: address })) as [
    TestService,
    TestService,
  ];
});
afterAll(endProcesses);

/** Asks both processes in turn, all at once; with a lock all of it first piles up in the database behind it. */
async function crowd(
  lock: Lock | undefined,
  ask: (process: TestService) => Promise<JsonAnswer>,
): Promise<JsonAnswer[]> {
  const answers = Promise.all(Array.from({ length: CROWD }, (_, index) => ask(index % 2 === 0 ? one : two)));
  await lock?.heldUp(CONNECTIONS);
  await lock?.release();
  return answers;
}

const lockGrantsOf = ({ clientId }: TestApplication) => lockGrants(service.databaseUrl, clientId);

const tokensOf = ({ body }: JsonAnswer) => ({
  accessToken: String(body.access_token),
  refreshToken: String(body.refresh_token),
});

/** Exactly one answer is a success, the others are all invalid_grant. */
function onlyWinner(answers: JsonAnswer[]): JsonAnswer {
  const winners = answers.filter(({ status }) => status === 200);
  expect(winners).toHaveLength(1);
  for (const loser of answers.filter(({ status }) => status !== 200)) {
    expect([loser.status, loser.body.error]).toEqual([400, 'invalid_grant']);
    expect(loser.text).not.toMatch(/access_token|refresh_token/);
  }
  return winners[0] as JsonAnswer;
}

/** Nothing of the application's grant is accepted by either process. */
async function expectAllDead(
  application: TestApplication,
  tokens: { accessToken: string; refreshToken: string }[],
): Promise<void> {
  for (const process of [one, two])
    for (const { accessToken, refreshToken } of tokens) {
      expect((await userinfo(process, accessToken)).status).toBe(401);
      expect((await renew(process, application, refreshToken)).body.error).toBe('invalid_grant');
    }
  expect(await countLiveAccessTokens(service.databaseUrl, application.clientId)).toBe(0);
}

const obtain = async (application: TestApplication) =>
  obtainTokens(one, application, await signedInBrowser(one, await service.createUser()));

describe(`${CROWD} simultaneous requests on two processes, queued behind a lock`, () => {
  test('a code has one winner, and the replays of the losers end what it got (D13)', async () => {
    const application = await service.createApplication();
    const verifier = newVerifier();
    const browser = await signedInBrowser(one, await service.createUser());
    const callback = await authorize(one, application, browser, {
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
    });
    const code = callback.searchParams.get('code') ?? '';
    const ticket = openCode(service.parts.sealer, code);
    if (ticket === undefined) throw new Error('no code');
    const lock = await lockCode(service.databaseUrl, ticket);
    const answers = await crowd(lock, (process) =>
      redeem(process, application, code, { code_verifier: verifier }),
    );
    await expectAllDead(application, [tokensOf(onlyWinner(answers))]);
  });

  test('a refresh token without grace has one winner, and reuse ends the grant (D15)', async () => {
    const application = await service.createApplication({ refreshGrace: 0 });
    const first = await obtain(application);
    const answers = await crowd(await lockGrantsOf(application), (process) =>
      renew(process, application, first.refreshToken),
    );
    await expectAllDead(application, [first, tokensOf(onlyWinner(answers))]);
  });

  test('a refresh token within its grace gives everybody the same living successor (D16)', async () => {
    const application = await service.createApplication({ refreshGrace: 60 });
    const first = await obtain(application);
    const answers = await crowd(await lockGrantsOf(application), (process) =>
      renew(process, application, first.refreshToken),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const successors = new Set(answers.map((answer) => tokensOf(answer).refreshToken));
    expect(successors.size).toBe(1);
    const [successor = ''] = successors;
    expect(successor).not.toBe(first.refreshToken);
    for (const { accessToken } of answers.map(tokensOf))
      expect((await userinfo(two, accessToken)).status).toBe(200);
    expect((await renew(two, application, successor)).status).toBe(200);
  });
});

test('a consent form sent to both at once gives one code, and a consent withdrawn since stays withdrawn', async () => {
  const application = await service.createApplication();
  const user = await service.createUser();
  const browser = await signedInBrowser(one, user);
  const page = await browser.follow(await browser.get(authorizeAddress(one, application)));
  const press = (at: TestService) =>
    browser.post(new URL('/consent', at.baseUrl), { ...page.hidden, decision: 'allow' });
  const crowdOf = () => Promise.all(Array.from({ length: 10 }, (_, n) => press(n % 2 === 0 ? one : two)));
  const answers = new Set((await crowdOf()).map(({ location }) => location?.href ?? ''));
  expect(answers.size).toBe(1);
  const code = new URL([...answers][0] ?? '').searchParams.get('code') ?? '';
  expect((await redeem(two, application, code)).status).toBe(200);

  await withdrawConsent(service.parts.database, user.userId, application.clientId, new Date());
  for (const { location } of await crowdOf()) expect(location?.pathname).toBe('/oauth/authorize');
  expect(await listConsents(service.parts.database, user.userId)).toEqual([]);
});

test('a device that asks both at once is let in once, and its tokens live (RFC 8628 §3.4)', async () => {
  const application = await service.createApplication();
  await sql(service.parts.database, 'update clients set device_flow = true where client_id = $1', [
    application.clientId,
  ]);
  const { clientId: client_id, clientSecret: client_secret } = application;
  const user = await service.createUser();
  const browser = await signedInBrowser(one, user);
  for (let round = 0; round < 2; round++) {
    const fields = { client_id, client_secret, scope: 'openid profile' };
    const { body } = await postForm(one, '/oauth/device_authorization', fields);
    const { hidden } = await browser.get('/device');
    const page = await browser.follow(
      await browser.post('/device', { ...hidden, user_code: String(body.user_code) }),
    );
    await browser.post('/device/decision', { ...page.hidden, decision: 'allow' });
    const answers = await crowd(undefined, (process) =>
      postForm(process, '/oauth/token', {
        client_id,
        client_secret,
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: String(body.device_code),
      }),
    );
    const { accessToken, refreshToken } = tokensOf(onlyWinner(answers));
    expect((await userinfo(two, accessToken)).body.sub).toBe(user.userId);
    expect((await renew(two, application, refreshToken)).status).toBe(200);
  }
});

describe('renewal against revocation (D22)', () => {
  test.each([
    ['the renewal comes first', 200],
    ['the revocation comes first', 400],
  ])('%s: afterwards no token of the grant is valid', async (order, expected) => {
    for (let round = 0; round < 4; round++) {
      const application = await service.createApplication({ refreshGrace: round % 2 === 0 ? 0 : 60 });
      const first = await obtain(application);
      const revoked = round % 4 < 2 ? first.refreshToken : first.accessToken;
      const lock = await lockGrants(service.databaseUrl, application.clientId);
      const steps = [
        () => renew(one, application, first.refreshToken),
        () => revoke(two, application, revoked),
      ];
      if (order.startsWith('the revocation')) steps.reverse();
      const answers: Promise<JsonAnswer>[] = [];
      for (const step of steps) {
        answers.push(step());
        await lock.heldUp(answers.length);
      }
      await lock.release();
      const [renewal, revocation] = order.startsWith('the revocation')
        ? (await Promise.all(answers)).reverse()
        : await Promise.all(answers);
      expect(revocation?.status).toBe(200);
      expect(renewal?.status).toBe(expected);
      const renewed = renewal?.status === 200 ? [tokensOf(renewal)] : [];
      await expectAllDead(application, [first, ...renewed]);
    }
  });

  test('what one process revoked is dead in the other at once (D22)', async () => {
    const application = await service.createApplication();
    const tokens = await obtain(application);
    expect((await userinfo(two, tokens.accessToken)).status).toBe(200);
    expect((await revoke(one, application, tokens.accessToken)).status).toBe(200);
    expect((await userinfo(two, tokens.accessToken)).status).toBe(401);
    expect((await renew(two, application, tokens.refreshToken)).body.error).toBe('invalid_grant');
  });
});

test('none of it made a process fail or complain', async () => {
  for (const process of processes) {
    expect(process.hasEnded()).toBe(false);
    expect((await caughtUp(process)).filter(({ level }) => level !== 'info')).toEqual([]);
  }
});
