// kill -9 of one of two processes at random moments under load, again and again: what was answered holds, and every
// grant is whole, also those whose answer nobody heard.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCode, sealRefreshToken } from '../../src/oauth/tickets.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { withDatabase } from '../support/database-content.ts';
import {
  type JsonAnswer,
  obtainCode,
  redeem,
  renew,
  revoke,
  signedInBrowser,
  userinfo,
} from '../support/flow.ts';
import { caughtUp, endProcesses, type ServiceProcess, startService } from '../support/process.ts';
import { type TestApplication, type TestService, useTestService } from '../support/service.ts';

const ROUNDS = 2;
const WORKERS = 6;
/** The victim of a round goes down with one of this many answers, after the first twenty. */
const LATEST = 80;

const seed = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000);
const random = seededRandom(seed);
const below = (limit: number) => Math.floor(random() * limit);

/** What the clients know of one grant, by the answers they got. */
interface Chain {
  code: string;
  /** Answers 200 to the code, from whichever process. */
  exchanges: number;
  accessTokens: string[];
  refreshToken: string;
  /** `unheard`: a request got no answer, so the chain may have moved on without its client. */
  state: 'live' | 'revoked' | 'unheard';
}

const service = useTestService();
let application: TestApplication;
let browser: BrowserSession;
let processes: ServiceProcess[];
beforeAll(async () => {
  application = await service.createApplication();
  browser = await signedInBrowser(service, await service.createUser());
  processes = await Promise.all([start(), start()]);
});
afterAll(endProcesses);

const start = () => startService({ DATABASE_URL: service.databaseUrl, BASE_URL: service.baseUrl });
const at = (process: ServiceProcess): TestService => ({ ...service, baseUrl: process.address });
/** One of the two processes, as far as they are there. */
function some(): TestService {
  const there = processes.filter((process) => !process.hasEnded());
  return at(there[below(there.length)] as ServiceProcess);
}

const chains: Chain[] = [];
let answered = 0;
let unheard = 0;
/** The process that goes down with the answer of this number. */
let victim: { process: ServiceProcess; answer: number } | undefined;

/** The answer, or undefined where none came. Whoever is to die does so here, in the midst of the others' requests. */
async function heard(asked: Promise<JsonAnswer>): Promise<JsonAnswer | undefined> {
  const answer = await asked.catch(() => undefined);
  if (answer === undefined) {
    unheard += 1;
    return undefined;
  }
  answered += 1;
  if (victim !== undefined && answered >= victim.answer) {
    victim.process.signal('SIGKILL');
    victim = undefined;
  }
  return answer;
}

const learn = (chain: Chain, { body }: JsonAnswer) => {
  chain.accessTokens.push(String(body.access_token));
  chain.refreshToken = String(body.refresh_token);
};

/** One grant's life: exchange, some renewals, perhaps revocation, each at any of the two processes. */
async function live(chain: Chain): Promise<void> {
  const exchange = await heard(redeem(some(), application, chain.code));
  if (exchange === undefined) {
    // A client without an answer tries again; a code that was taken after all is then a replay (D13). It stays unheard:
    // what the dead process had sent to PostgreSQL may be carried out after this, and then that is the replay.
    const again = await heard(redeem(some(), application, chain.code));
    if (again?.status === 200) {
      chain.exchanges += 1;
      learn(chain, again);
    } else if (again !== undefined) expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
    return;
  }
  expect([exchange.status, exchange.text]).toEqual([200, expect.anything()]);
  chain.exchanges += 1;
  learn(chain, exchange);
  chain.state = 'live';
  for (let renewals = below(5); renewals > 0; renewals--) {
    const renewal = await heard(renew(some(), application, chain.refreshToken));
    if (renewal === undefined) {
      chain.state = 'unheard';
      return;
    }
    expect([renewal.status, renewal.text]).toEqual([200, expect.anything()]);
    learn(chain, renewal);
  }
  if (below(2) > 0) return;
  const token = below(2) === 0 ? chain.refreshToken : String(chain.accessTokens.at(-1));
  const revocation = await heard(revoke(some(), application, token));
  chain.state = revocation?.status === 200 ? 'revoked' : 'unheard';
}

/** Lives one grant after the other until the victim has gone down. */
async function work(): Promise<void> {
  while (victim !== undefined) {
    // The authorization is not what is tried here: the process of the test gives the code.
    const code = await obtainCode(service, application, browser);
    const chain: Chain = { code, exchanges: 0, accessTokens: [], refreshToken: '', state: 'unheard' };
    chains.push(chain);
    await live(chain);
  }
}

/** The grants as the database has them. */
const grantsInDatabase = () =>
  withDatabase(service.databaseUrl, async (client) => {
    const { rows } = await client.query<{ id: string; generation: number; revoked: boolean; tokens: number }>(
      `select g.id, g.generation, g.revoked_at is not null as revoked,
        (select count(*)::int from access_tokens t where t.grant_id = g.id) as tokens
      from grants g`,
    );
    return rows;
  });

test(`${ROUNDS} times kill -9 under load: no code twice, no grant in half, nothing revoked comes back`, async () => {
  console.info(`kill.test.ts: KILL_SEED=${seed}`);
  const killed: ServiceProcess[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const index = below(2);
    const condemned = processes[index] as ServiceProcess;
    victim = { process: condemned, answer: answered + 20 + below(LATEST) };
    await Promise.all(Array.from({ length: WORKERS }, work));
    expect(await condemned.ended()).toEqual({ code: null, signal: 'SIGKILL' });
    killed.push(condemned);
    processes[index] = await start();
  }
  const count = (state: Chain['state']) => chains.filter((chain) => chain.state === state).length;
  console.info(
    `${chains.length} grants: ${count('live')} live, ${count('revoked')} revoked, ${count('unheard')} unheard; ` +
      `${answered} answers, ${unheard} requests without one`,
  );
  for (const state of ['live', 'revoked'] as const) expect(count(state), state).toBeGreaterThan(0);
  expect(unheard).toBeGreaterThan(0); // else nothing was hit

  // Every step of a grant and its access token were written together, or neither was.
  const grants = await grantsInDatabase();
  expect(grants.filter(({ generation, tokens }) => generation !== tokens)).toEqual([]);
  const byId = new Map(grants.map((grant) => [grant.id, grant]));

  for (const chain of chains) {
    const ticket = openCode(service.parts.sealer, chain.code);
    if (ticket === undefined) throw new Error('not a code');
    const grant = byId.get(ticket.grantId);
    // At most one yes to a code, however often and wherever it was presented; exactly one where nobody went unheard.
    expect(chain.exchanges).toBeLessThanOrEqual(1);
    if (chain.state === 'live') {
      // What was answered last is what is: no step was lost, none was made up.
      expect(grant).toMatchObject({ generation: chain.accessTokens.length, revoked: false });
      for (const token of chain.accessTokens) expect((await userinfo(some(), token)).status).toBe(200);
      expect((await renew(some(), application, chain.refreshToken)).status).toBe(200);
    } else if (chain.state === 'revoked' || grant === undefined || grant.revoked) {
      // Nothing was ever given, or it was revoked, or ended because the code was presented a second time.
      for (const token of chain.accessTokens) expect((await userinfo(some(), token)).status).toBe(401);
      if (chain.refreshToken !== '')
        expect((await renew(some(), application, chain.refreshToken)).body.error).toBe('invalid_grant');
    } else {
      // Alive without its client's knowledge, or with: there is a refresh token, and it works.
      const refreshToken = sealRefreshToken(service.parts.sealer, {
        ...ticket,
        generation: grant.generation,
      });
      for (const token of chain.accessTokens) expect((await userinfo(some(), token)).status).toBe(200);
      expect((await renew(some(), application, refreshToken)).status).toBe(200);
    }
  }
  // No code works after it was taken, and taking it again ends what it gave (D13).
  for (const chain of chains.filter(({ exchanges }) => exchanges === 1)) {
    expect((await redeem(some(), application, chain.code)).body.error).toBe('invalid_grant');
    expect((await userinfo(some(), chain.accessTokens[0] as string)).status).toBe(401);
  }
  // Whoever was killed took what it had to say in its last quarter of a second with it; what is there is no complaint.
  expect(killed).toHaveLength(ROUNDS);
  for (const process of [...killed, ...processes])
    expect((await caughtUp(process)).filter(({ level }) => level !== 'info')).toEqual([]);
  for (const process of killed) expect(process.output()).not.toMatch(/unhandled|uncaught/i);
}, 300_000);

/** Numbers from 0 up to 1, always the same ones for a seed (mulberry32, by Tommy Ettinger, public domain). */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
