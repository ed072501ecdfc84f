// Load on one or more processes while something is done to their database: applications that renew, revoke and look
// tokens up, one request after the other. Each keeps to what it was told, and complains of what must not be.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { openRefreshToken } from '../../src/oauth/tickets.ts';
import { withDatabase } from './database-content.ts';
import { expectError } from './expect-error.ts';
import { type JsonAnswer, renew, revoke, type Tokens, userinfo } from './flow.ts';
import type { TestApplication, TestService } from './service.ts';
import { until } from './until.ts';

type Kind = 'look' | 'look at a revoked one' | 'renewal' | 'renewal of a revoked one' | 'revocation';

/** A request and what became of it; moments as `moment` counts them. */
interface Asked {
  kind: Kind;
  /** The place of its process. */
  at: number;
  sent: number;
  answered: number;
  status: number;
}

/** One grant, as its application knows it. */
interface Chain {
  application: TestApplication;
  tokens: Tokens;
  /** How often a renewal was answered 200. */
  renewals: number;
  /** The last renewal was answered 503: it may have been carried out all the same. */
  unsure: boolean;
  /** The next one was refused as reuse: it had been (D15). */
  dead: boolean;
}

interface Supply {
  /** A superseded refresh token that is used again ends its grant (D15). */
  strict: TestApplication;
  /** Whoever lost an answer may ask once more (D16). */
  patient: TestApplication;
  /** Revoked before it began. */
  revoked: Tokens;
  /** Tokens of a new grant. */
  obtain(application: TestApplication): Promise<Tokens>;
  /** Milliseconds that whoever was refused waits; a client that keeps to Retry-After waits longer. */
  pause: number;
}

export interface Load {
  /** Everything so far, in the order of the answers. */
  asked: readonly Asked[];
  /** The moment that it is: what is sent or answered from now on is so at a later one. */
  moment(): number;
  /** How many requests are under way at each process, at most. */
  workers: number;
  /** Gives the revokers something to revoke; resolves at once. */
  toRevoke(tokens: Tokens[]): void;
  /** Waits, as `until` does, unless something went wrong that must not. */
  until(what: string, ask: () => boolean, patience?: number): Promise<void>;
  /** With the database there: once every application knows what became of its renewals. @throws what went wrong */
  stop(): Promise<void>;
  /** Afterwards: whatever was answered 200 holds at each process, and nothing else was done. */
  expectPromisesKept(databaseUrl: string): Promise<void>;
}

const LOOKERS = 2;
/** Of either application. */
const RENEWERS = 2;
const REVOKERS = 2;

/** Starts the same load at each of the processes. Every request has to be answered: as it wants, or by a 503 in D10's shape. */
export async function startLoad(targets: TestService[], supply: Supply): Promise<Load> {
  const { strict, patient, revoked: ghost, obtain, pause } = supply;
  const one = targets[0] as TestService;
  const asked: Asked[] = [];
  const chains: Chain[] = [];
  const revocable: Tokens[] = [];
  const revoked: Tokens[] = [];
  let moments = 0;
  const moment = () => ++moments;
  let running = true;
  let fault: unknown;

  async function ask(kind: Kind, at: number, send: (target: TestService) => Promise<JsonAnswer>) {
    const sent = moment();
    const answer = await send(targets[at] as TestService);
    asked.push({ kind, at, sent, answered: moment(), status: answer.status });
    if (answer.status !== 503) return answer;
    expectError(answer, 503, 'temporarily_unavailable');
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    if (pause > 0) await sleep(pause);
    return undefined;
  }
  const expectRefused = (answer: JsonAnswer | undefined) => {
    if (answer !== undefined) expectError(answer, 400, 'invalid_grant');
  };

  async function look(at: number, { accessToken }: Tokens): Promise<void> {
    const answer = await ask('look', at, (target) => userinfo(target, accessToken));
    if (answer !== undefined) expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  }
  async function lookAtRevoked(at: number, { accessToken }: Tokens): Promise<void> {
    const answer = await ask('look at a revoked one', at, (target) => userinfo(target, accessToken));
    if (answer !== undefined) expectError(answer, 401, 'invalid_token');
  }
  async function renewRevoked(at: number, { refreshToken }: Tokens): Promise<void> {
    expectRefused(await ask('renewal of a revoked one', at, (target) => renew(target, strict, refreshToken)));
  }
  async function renewChain(at: number, chain: Chain): Promise<void> {
    const { application, tokens, unsure } = chain;
    const answer = await ask('renewal', at, (target) => renew(target, application, tokens.refreshToken));
    chain.unsure = answer === undefined;
    if (answer?.status === 200) {
      const { access_token, refresh_token } = answer.body;
      chain.tokens = {
        accessToken: String(access_token),
        refreshToken: String(refresh_token),
        idToken: undefined,
      };
      chain.renewals += 1;
    } else if (answer !== undefined) {
      // Only whoever went unheard may have used its token up, and within its grace not even they.
      expect([unsure, application, answer.text]).toEqual([true, strict, expect.anything()]);
      expectRefused(answer);
      chain.dead = true;
    }
  }
  async function revokeOne(at: number): Promise<void> {
    // With nothing new to revoke, what is revoked is revoked once more.
    const tokens = revocable.shift() ?? revoked.at(-1) ?? ghost;
    const token = asked.length % 2 === 0 ? tokens.accessToken : tokens.refreshToken;
    const answer = await ask('revocation', at, (target) => revoke(target, strict, token));
    if (answer === undefined) {
      if (tokens !== ghost && !revoked.includes(tokens)) revocable.unshift(tokens);
      return;
    }
    expect([answer.status, answer.text]).toEqual([200, '']);
    if (tokens !== ghost && !revoked.includes(tokens)) revoked.push(tokens);
    for (const place of targets.keys()) await lookAtRevoked(place, tokens);
  }

  const repeat = (work: () => Promise<void>): Promise<void> =>
    (async () => {
      while (running) await work();
    })();
  const kept = await obtain(strict);
  for (const application of [strict, patient])
    for (let n = 0; n < RENEWERS * targets.length; n++)
      chains.push({
        application,
        tokens: await obtain(application),
        renewals: 0,
        unsure: false,
        dead: false,
      });
  const work = [...targets.keys()].flatMap((at) => [
    ...Array.from({ length: LOOKERS }, () => repeat(() => look(at, kept))),
    ...Array.from({ length: REVOKERS }, () => repeat(() => revokeOne(at))),
    repeat(() => lookAtRevoked(at, ghost)),
    repeat(() => renewRevoked(at, ghost)),
  ]);
  for (const [n, chain] of chains.entries())
    work.push(
      // A chain that has ended is one more that nobody may accept.
      repeat(() =>
        chain.dead ? lookAtRevoked(n % targets.length, chain.tokens) : renewChain(n % targets.length, chain),
      ),
    );
  const ended = Promise.all(work);
  ended.catch((error) => {
    fault = error;
    running = false;
  });

  const untilUnlessFaulty: Load['until'] = async (what, isSo, patience) => {
    await until(
      what,
      () => {
        if (fault !== undefined) throw fault;
        return isSo();
      },
      patience,
    );
  };

  async function expectChainKept(chain: Chain, grant: Grant | undefined): Promise<void> {
    // Of a chain that is dead, the answer that was lost was a yes: the service did not make the reuse up.
    const generation = 1 + chain.renewals + (chain.dead ? 1 : 0);
    expect(grant).toMatchObject({ generation, revoked: chain.dead });
    const { application, tokens } = chain;
    for (const target of targets)
      expect((await userinfo(target, tokens.accessToken)).status).toBe(chain.dead ? 401 : 200);
    if (!chain.dead) expect((await renew(one, application, tokens.refreshToken)).status).toBe(200);
  }

  return {
    asked,
    moment,
    workers: work.length / targets.length + REVOKERS * (targets.length - 1),
    toRevoke: (tokens) => {
      revocable.push(...tokens);
    },
    until: untilUnlessFaulty,
    stop: async () => {
      await untilUnlessFaulty('every application to know where it is', () =>
        chains.every(({ unsure }) => !unsure),
      );
      running = false;
      await ended;
    },
    expectPromisesKept: async (databaseUrl) => {
      expect(revoked.length).toBeGreaterThan(0);
      for (const { accessToken, refreshToken } of [ghost, ...revoked]) {
        for (const target of targets) expect((await userinfo(target, accessToken)).status).toBe(401);
        expectRefused(await renew(one, strict, refreshToken));
      }
      const grants = await grantsInDatabase(databaseUrl);
      for (const chain of chains) {
        const ticket = openRefreshToken(one.parts.sealer, chain.tokens.refreshToken);
        await expectChainKept(chain, grants.get(ticket?.grantId ?? ''));
      }
    },
  };
}

interface Grant {
  id: string;
  generation: number;
  revoked: boolean;
}

const grantsInDatabase = (databaseUrl: string): Promise<Map<string, Grant>> =>
  withDatabase(databaseUrl, async (client) => {
    const { rows } = await client.query<Grant>(
      'select id, generation, revoked_at is not null as revoked from grants',
    );
    return new Map(rows.map((grant) => [grant.id, grant]));
  });
