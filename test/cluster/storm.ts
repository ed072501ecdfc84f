// Eight processes with full pools against a PostgreSQL that allows 48 connections.
import { strict as assert } from 'node:assert';
import { openBrowserSession } from '../support/browser-session.ts';
import { type JsonAnswer, renew, type Tokens, userinfo } from '../support/flow.ts';
import { until } from '../support/until.ts';
import { allReady, expectAllAlive, type Instance, openWorld, stopAll, type World } from './instances.ts';
import { createServer } from './postgres.ts';
import type { Step } from './report.ts';

const PROCESSES = 8;
const MAX_CONNECTIONS = '48';
/** Readings, renewals and pages that each process gets at once. */
const CROWD = 24;
const ROUNDS = 4;
/** Workers that renew at each process. */
const WRITERS = 6;
const GRANTS = (WRITERS + 1) * PROCESSES;
const POOL = { DATABASE_POOL_SIZE: '10' };
/** A connection of the pool that nobody uses is given back after ten seconds. */
const RECOVERY = 30_000;
/** Requests of each kind to each process, one after the other. */
const CALM = 20;

/** How often each status was the answer. */
type Outcome = Record<number, number>;

/** Everybody asks at once, for what goes over shared connections and for what takes one of the pool. */
async function storm(world: World, grants: Tokens[]): Promise<Outcome> {
  const outcome: Outcome = {};
  const ask = async (work: () => Promise<{ status: number }>) => {
    const { status } = await work();
    outcome[status] = (outcome[status] ?? 0) + 1;
  };
  const crowd = world.instances.flatMap((instance) => {
    const browser = openBrowserSession(instance.baseUrl);
    for (const [name, value] of world.browser.cookies) browser.cookies.set(name, value);
    return Array.from({ length: CROWD }, (_, index) => {
      const { accessToken } = grants[index % grants.length] as Tokens;
      return [() => userinfo(instance, accessToken), () => browser.get('/account')];
    }).flat();
  });
  const worker = async (instance: Instance) => {
    let tokens = grants.pop() as Tokens;
    for (let round = 0; round < ROUNDS; round++)
      await ask(async () => {
        const answer = await renew(instance, world.patient, tokens.refreshToken);
        if (answer.status === 200) tokens = tokensOf(answer);
        return answer;
      });
  };
  const renewals = world.instances.flatMap((instance) =>
    Array.from({ length: WRITERS }, () => worker(instance)),
  );
  for (let round = 0; round < ROUNDS; round++) await Promise.all(crowd.map(ask));
  await Promise.all(renewals);
  return outcome;
}

const tokensOf = ({ body }: JsonAnswer): Tokens => ({
  accessToken: String(body.access_token),
  refreshToken: String(body.refresh_token),
  idToken: undefined,
});

const told = (outcome: Outcome): string =>
  Object.entries(outcome)
    .map(([status, count]) => `${count} times ${status}`)
    .join(', ');

export async function stormOnPostgres(step: Step, note: (text: string) => void): Promise<void> {
  const server = await createServer({ max_connections: MAX_CONNECTIONS });
  const world = await openWorld(PROCESSES, server.url, { settings: POOL });
  // One at a time, because the processes leave few connections.
  const grants: Tokens[] = [];
  while (grants.length < GRANTS) grants.push(...(await world.tokens(1, world.patient)));
  await step('everybody is answered, 200 or 503 and nothing else; no process ends', async () => {
    const outcome = await storm(world, grants);
    note(told(outcome));
    assert.deepEqual(
      Object.keys(outcome).filter((status) => !['200', '503'].includes(status)),
      [],
    );
    assert((outcome[200] ?? 0) > 0);
    assert((outcome[503] ?? 0) > 0, 'there was no shortage: this storm was too weak');
    assert.match(server.log(), /too many (clients|connections)|remaining connection slots/);
    expectAllAlive(world.instances);
  });
  await step('when it is over every process serves again, by itself, and goes on serving', async () => {
    await allReady(world.instances, RECOVERY);
    for (const instance of world.instances) await until('renewals', () => renewCalmly(instance), RECOVERY);
    const calm: Record<string, number> = {};
    for (let round = 0; round < CALM; round++)
      for (const instance of world.instances)
        for (const [what, good] of [
          ['userinfo', (await userinfo(instance, (grants[1] as Tokens).accessToken)).status === 200],
          ['renewal', await renewCalmly(instance)],
        ] as const)
          if (!good) calm[what] = (calm[what] ?? 0) + 1;
    assert.deepEqual(calm, {}, 'refused although nobody else asked');
    expectAllAlive(world.instances);
  });

  async function renewCalmly(instance: Instance): Promise<boolean> {
    const answer = await renew(instance, world.patient, (grants[0] as Tokens).refreshToken);
    if (answer.status === 200) grants[0] = tokensOf(answer);
    return answer.status === 200;
  }
  await stopAll(world.instances);
}
