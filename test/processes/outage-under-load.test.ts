// PostgreSQL goes away and comes back while two processes are at work: whoever asks meanwhile is told so, whatever was
// promised holds, and both are back by themselves.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../src/store/migrate.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { expectUnharmed } from '../support/expect-unharmed.ts';
import { obtainTokens, revoke, signedInBrowser, type Tokens } from '../support/flow.ts';
import { type Load, startLoad } from '../support/load.ts';
import { endProcesses, type ServiceProcess, startService, temporaryFolder } from '../support/process.ts';
import { startTestService, type TestApplication, type TestService } from '../support/service.ts';
import { type StoppablePostgres, startStoppablePostgres } from '../support/stoppable-postgres.ts';

/** A client that keeps to Retry-After asks far less often. */
const PAUSE = 50;

let postgres: StoppablePostgres;
let processes: ServiceProcess[];
let targets: TestService[];
let strict: TestApplication;
let patient: TestApplication;
let browser: BrowserSession;

beforeAll(async () => {
  postgres = await startStoppablePostgres(await temporaryFolder());
  await migrate(postgres.directUrl());
  // The first makes the operator of development; the other finds it.
  const first = await startService({ DATABASE_URL: postgres.url });
  const BASE_URL = first.address;
  processes = [first, await startService({ DATABASE_URL: postgres.url, BASE_URL })];
  // It has connections of its own, and must be gone before the outage.
  const factory = await startTestService({ BASE_URL }, { databaseUrl: postgres.directUrl() });
  targets = processes.map(({ address }) => ({ ...factory, baseUrl: address }));
  strict = await factory.createApplication();
  patient = await factory.createApplication({ refreshGrace: 60 });
  browser = await signedInBrowser(targets[0] as TestService, await factory.createUser());
  await factory.close();
});
afterAll(async () => {
  await endProcesses();
  await postgres?.close();
});

const obtain = (application: TestApplication) =>
  obtainTokens(targets[0] as TestService, application, browser);

async function stock(size: number): Promise<Tokens[]> {
  const tokens: Tokens[] = [];
  while (tokens.length < size) tokens.push(await obtain(strict));
  return tokens;
}

/** Whether at each process so many requests of each kind were answered like this since then. */
const eachWasAnswered = (load: Load, times: number, since: number, isExpected: (status: number) => boolean) =>
  targets.every((_, at) =>
    ['look', 'renewal', 'revocation'].every(
      (kind) =>
        load.asked.filter(
          (one) => one.at === at && one.kind === kind && one.sent > since && isExpected(one.status),
        ).length >= times,
    ),
  );

test.each([
  ['stopped', () => postgres.stop()],
  ['crashed', () => postgres.crash()],
])(
  'PostgreSQL is %s under load: 503 meanwhile, no promise is broken, back by themselves',
  async (_, goAway) => {
    const ghost = await obtain(strict);
    expect((await revoke(targets[1] as TestService, strict, ghost.accessToken)).status).toBe(200);
    const [before, meanwhile, after] = [await stock(8), await stock(8), await stock(8)];
    const load = await startLoad(targets, { strict, patient, revoked: ghost, obtain, pause: PAUSE });
    const isServed = (status: number) => status === 200;
    await load.until('everybody to be at work', () => eachWasAnswered(load, 5, 0, isServed));
    load.toRevoke(before); // some of them are under way when it goes

    const going = load.moment();
    await goAway();
    const gone = load.moment();
    load.toRevoke(meanwhile);
    await load.until('everybody to be answered meanwhile', () => eachWasAnswered(load, 3, gone, () => true));
    const coming = load.moment();
    await postgres.comeBack();
    const back = load.moment();
    load.toRevoke(after);
    await load.until('everybody to be served', () => eachWasAnswered(load, 5, back, isServed));
    await load.stop();

    const { asked } = load;
    const refused = asked.filter(({ status }) => status === 503);
    expect(refused.filter(({ answered }) => answered < going)).toEqual([]);
    // While it is away nothing is served that needs it: no revocation above all (D22), and no token is accepted.
    const aside = asked.filter(({ sent, answered }) => sent > gone && answered < coming);
    expect(aside.filter(({ status }) => status !== 503)).toEqual([]);
    expect(aside.filter(({ kind }) => kind === 'revocation').length).toBeGreaterThan(0);
    for (const at of targets.keys()) {
      const own = asked.filter((one) => one.at === at && one.answered > coming);
      // Who was under way when the first was served may still hear that it was away; nobody else.
      const late = own
        .slice(own.findIndex(({ status }) => status !== 503))
        .filter(({ status }) => status === 503);
      console.info(
        `process ${at}: ${late.length} refused after the first success; ${refused.length} refused in all`,
      );
      expect(late.length).toBeLessThanOrEqual(load.workers);
    }
    await load.expectPromisesKept(postgres.directUrl());
    for (const process of processes) await expectUnharmed(process);
  },
);
