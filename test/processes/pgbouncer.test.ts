// Behind PgBouncer in transaction mode: with DATABASE_PREPARE=off nothing needs a connection for longer than a transaction.
import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { challengeOf } from '../../src/oauth/pkce.ts';
import { openDatabase } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';
import { pruneExpired } from '../../src/store/pruning.ts';
import { statement } from '../../src/store/statement.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import type { TestDatabase } from '../support/database.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { withDatabase } from '../support/database-content.ts';
import {
  authorize,
  authorizeAddress,
  decide,
  newVerifier,
  obtainTokens,
  redeem,
  renew,
  revoke,
  signedInBrowser,
  userinfo,
} from '../support/flow.ts';
import { isInstalled } from '../support/installed.ts';
import { startPgbouncer, type TestPgbouncer } from '../support/pgbouncer.ts';
import {
  caughtUp,
  endProcesses,
  ready,
  type ServiceProcess,
  spawnService,
  startService,
} from '../support/process.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { sesameProcess } from '../support/sesame-command.ts';
import { until } from '../support/until.ts';

const installed = isInstalled('pgbouncer', 'the service behind PgBouncer');
/** Far fewer than the service opens: ten of its pool and six for its most frequent statements, twice. */
const POOL = 3;
const CROWD = 50;

describe.skipIf(!installed)('PgBouncer in transaction mode', () => {
  let database: TestDatabase;
  let pgbouncer: TestPgbouncer;
  let processes: ServiceProcess[];
  /** Makes accounts and applications, straight on the database. */
  let direct: TestService;
  let one: TestService;
  let two: TestService;
  beforeAll(async () => {
    database = await createEmptyDatabase();
    pgbouncer = await startPgbouncer(database.url, POOL);
    const environment = { DATABASE_URL: pgbouncer.url, DATABASE_PREPARE: 'off' };
    const first = await spawnService(environment);
    // Both migrate the empty database through the pooler at the same time.
    processes = [first, await startService({ ...environment, BASE_URL: first.address })];
    await ready(first);
    direct = await startTestService({ BASE_URL: first.address }, { databaseUrl: database.url });
    [one, two] = processes.map(({ address }) => ({ ...direct, baseUrl: address })) as [
      TestService,
      TestService,
    ];
  });
  afterAll(async () => {
    await endProcesses();
    await direct?.close();
    await pgbouncer?.stop();
    await database?.drop();
  });

  test('each migration is applied once, and nothing stays behind on the connections', async () => {
    const all = (await readdir('migrations')).map((file) => file.replace(/\.sql$/, ''));
    const migrated = () =>
      processes.flatMap((process) => process.logs().filter(({ msg }) => msg === 'migrated'));
    // Lines of the log come after what they tell of.
    await until('the line of the migrations', () => migrated().length > 0);
    expect(migrated()).toMatchObject([{ migrations: all.length, latest: all.toSorted().at(-1) }]);
    expect(await migrate(pgbouncer.url)).toEqual([]);
    const { rows } = await withDatabase(database.url, (client) =>
      client.query(
        `select l.pid from pg_locks l join pg_database d on d.oid = l.database
         where l.locktype = 'advisory' and d.datname = current_database()`,
      ),
    );
    expect(rows).toEqual([]);
  });

  test('the whole flow: sign-up, consent, code, userinfo, renewal, revocation', async () => {
    const application = await direct.createApplication();
    const verifier = newVerifier();
    const browser = openBrowserSession(one.baseUrl);
    const address = authorizeAddress(one, application, {
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
    });
    const entrance = await browser.follow(await browser.get(address));
    const signUp = /href="(\/signup[^"]*)"/.exec(entrance.body)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const form = await browser.get(signUp);
    const entered = await browser.post('/signup', {
      ...form.hidden,
      name: 'Ada Lovelace',
      email: 'pooled@example.com',
      password: 'horse-battery-staple-42',
    });
    const consent = await browser.follow(entered);
    const { location } = await decide(browser, consent, 'allow');
    const code = location?.searchParams.get('code') ?? '';
    const tokens = await redeem(two, application, code, { code_verifier: verifier });
    expect([tokens.status, tokens.body.token_type]).toEqual([200, 'Bearer']);
    const profile = await userinfo(one, String(tokens.body.access_token));
    expect([profile.status, profile.body.email]).toEqual([200, 'pooled@example.com']);

    const renewed = await renew(one, application, String(tokens.body.refresh_token));
    expect(renewed.status).toBe(200);
    expect((await revoke(two, application, String(renewed.body.refresh_token))).status).toBe(200);
    for (const { body } of [tokens, renewed])
      expect((await userinfo(one, String(body.access_token))).status).toBe(401);
    expect((await renew(two, application, String(renewed.body.refresh_token))).status).toBe(400);
  });

  test(`of ${CROWD} simultaneous redemptions on two processes one wins (D13)`, async () => {
    const application = await direct.createApplication();
    const browser = await signedInBrowser(one, await direct.createUser());
    for (let round = 0; round < 3; round++) {
      const code = (await authorize(one, application, browser)).searchParams.get('code') ?? '';
      const answers = await Promise.all(
        Array.from({ length: CROWD }, (_, index) => redeem(index % 2 === 0 ? one : two, application, code)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(CROWD - 1).fill(400)]);
    }
  });

  test('crowds of every kind of statement at once are all answered, each with its own', async () => {
    const application = await direct.createApplication();
    const people = await Promise.all(Array.from({ length: 12 }, () => direct.createUser()));
    await Promise.all(
      people.map(async (user, index) => {
        const [here, there] = index % 2 === 0 ? [one, two] : [two, one];
        const browser = await signedInBrowser(here, user);
        let { accessToken, refreshToken } = await obtainTokens(here, application, browser);
        for (let round = 0; round < 10; round++) {
          const asked = await Promise.all(Array.from({ length: 5 }, () => userinfo(there, accessToken)));
          for (const { body } of asked) expect(body.email).toBe(user.email);
          const { body } = await renew(there, application, refreshToken);
          accessToken = String(body.access_token);
          refreshToken = String(body.refresh_token);
        }
      }),
    );
  });

  test('pruning takes its turn by a lock that ends with its transaction', async () => {
    const pooled = openDatabase(pgbouncer.url, 2, undefined, { prepare: false });
    const past = new Date(0);
    const limits = {
      ...{ now: past, codeIssued: past, grantUsed: past, grantCreated: past, sessionExpired: past },
      ...{
        entryAdded: past,
        audited: past,
        retained: past,
      },
    };
    const GET = statement('get', 'select pg_try_advisory_xact_lock($1::int) as locked');
    for (let round = 0; round < 5; round++) expect(await pruneExpired(pooled, limits)).toBeDefined();
    expect(await pooled.query(GET, [0x5e5a4e])).toEqual([{ locked: true }]);
    await pooled.close();
  });

  test('operators work through it, too', async () => {
    const cli = sesameProcess(() => pgbouncer.url);
    const environment = {
      DATABASE_PREPARE: 'off',
      SECRET_KEY: 'a secret key for tests only: 0123456789abcdef',
    };
    const list = await cli.run(['users', 'list', '--json'], '', environment);
    expect([list.code, list.stderr]).toEqual([0, '']);
    expect(JSON.parse(list.stdout).length).toBeGreaterThan(12);
    expect((await cli.run(['tokens', 'revoke-all', '--yes'], '', environment)).code).toBe(0);
  });

  test('named statements are what it cannot carry: without the setting the same flow fails', async ({
    skip,
  }) => {
    skip(await tracksStatements(pgbouncer.url), 'this PgBouncer tracks named statements');
    const pooled = openDatabase(pgbouncer.url, 8);
    const named = Array.from({ length: 8 }, (_, index) =>
      statement(`named_${index % 2}`, `select ${index % 2} as n`),
    );
    const ask = () => Promise.allSettled(named.map((each) => pooled.query(each, [])));
    const outcomes = [await ask(), await ask(), await ask()].flat();
    expect(outcomes.some(({ status }) => status === 'rejected')).toBe(true);
    await pooled.close();
  });

  test('none of it made a process complain', async () => {
    for (const process of processes) {
      expect(process.hasEnded()).toBe(false);
      expect((await caughtUp(process)).filter(({ level }) => level !== 'info')).toEqual([]);
    }
  });
});

/** PgBouncer can track named statements from 1.21 on, and does by default from 1.24 on. */
async function tracksStatements(url: string): Promise<boolean> {
  const { href } = Object.assign(new URL(url), { pathname: '/pgbouncer' });
  const { rows } = await withDatabase(href, (client) =>
    client.query<{ key: string; value: string }>('show config'),
  );
  return Number(rows.find(({ key }) => key === 'max_prepared_statements')?.value ?? 0) > 0;
}
