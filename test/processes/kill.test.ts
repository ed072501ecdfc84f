// Kills one of two processes under load and compares the database with the responses.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCode, sealRefreshToken } from '../../src/oauth/token-payload.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { withDatabase } from '../support/database-content.ts';
import {
  fetchUserinfo,
  type JsonResponse,
  obtainCode,
  openSignedInBrowser,
  redeemCode,
  redeemRefreshToken,
  revokeToken,
} from '../support/oauth-flow.ts';
import { type TestClient, type TestService, useTestService } from '../support/service.ts';
import { killProcesses, readAllLogs, type ServiceProcess, startService } from '../support/service-process.ts';

const ROUND_COUNT = 2;
const WORKER_COUNT = 6;
/** The process is killed after a random response, from the 20th to the 99th. */
const KILL_RANGE = 80;

const seed = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000);
const random = seededRandom(seed);
const randomBelow = (limit: number) => Math.floor(random() * limit);

/** A grant's state according to the client's responses. */
interface KnownGrant {
  code: string;
  /** Number of successful redemptions of the code. */
  redemptions: number;
  accessTokens: string[];
  refreshToken: string;
  /**
   * `unknown` if a request got no response, because PostgreSQL may have executed its statement.
   */
  state: 'live' | 'revoked' | 'unknown';
}

const service = useTestService();
let client: TestClient;
let browser: BrowserSession;
let processes: ServiceProcess[];
beforeAll(async () => {
  client = await service.createClient();
  browser = await openSignedInBrowser(service, await service.createUser());
  processes = await Promise.all([startProcess(), startProcess()]);
});
afterAll(killProcesses);

const startProcess = () => startService({ DATABASE_URL: service.databaseUrl, BASE_URL: service.baseUrl });
const serviceAt = (process: ServiceProcess): TestService => ({ ...service, baseUrl: process.url });
function pickService(): TestService {
  const running = processes.filter((process) => !process.hasExited());
  return serviceAt(running[randomBelow(running.length)] as ServiceProcess);
}

const knownGrants: KnownGrant[] = [];
let responses = 0;
let failedRequests = 0;
/** The process to kill, and the response after which it is killed. */
let victim: { process: ServiceProcess; response: number } | undefined;

/**
 * Waits for a response, and kills the victim if it is the chosen response. Returns undefined if the request
 * failed.
 */
async function receive(request: Promise<JsonResponse>): Promise<JsonResponse | undefined> {
  const response = await request.catch(() => undefined);
  if (response === undefined) {
    failedRequests += 1;
    return undefined;
  }
  responses += 1;
  if (victim !== undefined && responses >= victim.response) {
    victim.process.signal('SIGKILL');
    victim = undefined;
  }
  return response;
}

const addTokens = (knownGrant: KnownGrant, { body }: JsonResponse) => {
  knownGrant.accessTokens.push(String(body.access_token));
  knownGrant.refreshToken = String(body.refresh_token);
};

/** Redeems a code, then refreshes and may revoke its tokens. Sends each request to a random process. */
async function useGrant(knownGrant: KnownGrant): Promise<void> {
  const redemption = await receive(redeemCode(pickService(), client, knownGrant.code));
  if (redemption === undefined) {
    // PostgreSQL may execute the killed process's statement after this retry.
    const retry = await receive(redeemCode(pickService(), client, knownGrant.code));
    if (retry?.status === 200) {
      knownGrant.redemptions += 1;
      addTokens(knownGrant, retry);
    } else if (retry !== undefined) expect([retry.status, retry.body.error]).toEqual([400, 'invalid_grant']);
    return;
  }
  expect([redemption.status, redemption.text]).toEqual([200, expect.anything()]);
  knownGrant.redemptions += 1;
  addTokens(knownGrant, redemption);
  knownGrant.state = 'live';
  for (let refreshes = randomBelow(5); refreshes > 0; refreshes--) {
    const refresh = await receive(redeemRefreshToken(pickService(), client, knownGrant.refreshToken));
    if (refresh === undefined) {
      knownGrant.state = 'unknown';
      return;
    }
    expect([refresh.status, refresh.text]).toEqual([200, expect.anything()]);
    addTokens(knownGrant, refresh);
  }
  if (randomBelow(2) > 0) return;
  const token = randomBelow(2) === 0 ? knownGrant.refreshToken : String(knownGrant.accessTokens.at(-1));
  const revocation = await receive(revokeToken(pickService(), client, token));
  knownGrant.state = revocation?.status === 200 ? 'revoked' : 'unknown';
}

/** Uses new grants until the victim is killed. */
async function useGrants(): Promise<void> {
  while (victim !== undefined) {
    // The code is issued by the test's own process, which is never killed.
    const code = await obtainCode(service, client, browser);
    const knownGrant: KnownGrant = {
      code,
      redemptions: 0,
      accessTokens: [],
      refreshToken: '',
      state: 'unknown',
    };
    knownGrants.push(knownGrant);
    await useGrant(knownGrant);
  }
}

const listGrants = () =>
  withDatabase(service.databaseUrl, async (client) => {
    const { rows } = await client.query<{ id: string; rotation: number; revoked: boolean; tokens: number }>(
      `select g.id, g.rotation, g.revoked_at is not null as revoked,
        (select count(*)::int from access_tokens t where t.grant_id = g.id) as tokens
      from grants g`,
    );
    return rows;
  });

test(`grants stay consistent after ${ROUND_COUNT} kills under load`, async () => {
  console.info(`kill.test.ts: KILL_SEED=${seed}`);
  const killed: ServiceProcess[] = [];
  for (let round = 0; round < ROUND_COUNT; round++) {
    const index = randomBelow(2);
    const target = processes[index] as ServiceProcess;
    victim = { process: target, response: responses + 20 + randomBelow(KILL_RANGE) };
    await Promise.all(Array.from({ length: WORKER_COUNT }, useGrants));
    expect(await target.waitForExit()).toEqual({ code: null, signal: 'SIGKILL' });
    killed.push(target);
    processes[index] = await startProcess();
  }
  const countGrants = (state: KnownGrant['state']) =>
    knownGrants.filter((knownGrant) => knownGrant.state === state).length;
  console.info(
    `${knownGrants.length} grants: ${countGrants('live')} live, ${countGrants('revoked')} revoked, ${countGrants('unknown')} unknown; ` +
      `${responses} responses, ${failedRequests} requests without a response`,
  );
  for (const state of ['live', 'revoked'] as const) expect(countGrants(state), state).toBeGreaterThan(0);
  // At least one kill interrupted a request.
  expect(failedRequests).toBeGreaterThan(0);

  // Each refresh and its access token are stored in one transaction, so a grant has one token per rotation.
  const grants = await listGrants();
  expect(grants.filter(({ rotation, tokens }) => rotation !== tokens)).toEqual([]);
  const grantsById = new Map(grants.map((grant) => [grant.id, grant]));

  for (const knownGrant of knownGrants) {
    const payload = openCode(service.services.sealer, knownGrant.code);
    if (payload === undefined) throw new Error('not a code');
    const grant = grantsById.get(payload.grantId);
    expect(knownGrant.redemptions).toBeLessThanOrEqual(1);
    if (knownGrant.state === 'live') {
      // Every request got a response, so the database must match the responses.
      expect(grant).toMatchObject({ rotation: knownGrant.accessTokens.length, revoked: false });
      for (const token of knownGrant.accessTokens)
        expect((await fetchUserinfo(pickService(), token)).status).toBe(200);
      expect((await redeemRefreshToken(pickService(), client, knownGrant.refreshToken)).status).toBe(200);
    } else if (knownGrant.state === 'revoked' || grant === undefined || grant.revoked) {
      // All tokens are invalid because the grant doesn't exist or was revoked, possibly by the retry.
      for (const token of knownGrant.accessTokens)
        expect((await fetchUserinfo(pickService(), token)).status).toBe(401);
      if (knownGrant.refreshToken !== '')
        expect((await redeemRefreshToken(pickService(), client, knownGrant.refreshToken)).body.error).toBe(
          'invalid_grant',
        );
    } else {
      // The grant is live, and its current refresh token is valid.
      const refreshToken = sealRefreshToken(service.services.sealer, {
        ...payload,
        rotation: grant.rotation,
      });
      for (const token of knownGrant.accessTokens)
        expect((await fetchUserinfo(pickService(), token)).status).toBe(200);
      expect((await redeemRefreshToken(pickService(), client, refreshToken)).status).toBe(200);
    }
  }
  // Redeeming a code a second time fails and revokes the grant.
  for (const knownGrant of knownGrants.filter(({ redemptions }) => redemptions === 1)) {
    expect((await redeemCode(pickService(), client, knownGrant.code)).body.error).toBe('invalid_grant');
    expect((await fetchUserinfo(pickService(), knownGrant.accessTokens[0] as string)).status).toBe(401);
  }
  // The log of a killed process may lack the last 250 ms because lines are written in batches.
  expect(killed).toHaveLength(ROUND_COUNT);
  for (const process of [...killed, ...processes])
    expect((await readAllLogs(process)).filter(({ level }) => level !== 'info')).toEqual([]);
  for (const process of killed) expect(process.output()).not.toMatch(/unhandled|uncaught/i);
}, 300_000);

/** mulberry32 (Tommy Ettinger, public domain). Returns numbers in [0, 1). */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
