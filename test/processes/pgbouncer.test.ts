// Behind PgBouncer in transaction mode, with DATABASE_PREPARE=off.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../../src/store/migrate.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { withDatabase } from '../support/database-content.ts';
import {
  authorize,
  obtainTokens,
  redeem,
  renew,
  revoke,
  signedInBrowser,
  userinfo,
} from '../support/flow.ts';
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
import { isInstalled } from '../support/sources.ts';

const installed = isInstalled('pgbouncer', 'the service behind PgBouncer');
/** Far fewer connections than the two processes open. */
const POOL = 3;
const CROWD = 50;

describe.skipIf(!installed)('PgBouncer in transaction mode', () => {
  let database: TestDatabase;
  let pgbouncer: TestPgbouncer;
  let processes: ServiceProcess[];
  let one: TestService;
  let two: TestService;
  /** Makes accounts and clients without the pooler. */
  let direct: TestService;
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

  test('migrations are applied, and no advisory lock is left on the connections', async () => {
    expect(await migrate(pgbouncer.url)).toEqual([]);
    const { rows } = await withDatabase(database.url, (client) =>
      client.query(
        `select l.pid from pg_locks l join pg_database d on d.oid = l.database
         where l.locktype = 'advisory' and d.datname = current_database()`,
      ),
    );
    expect(rows).toEqual([]);
  });

  test('sign-in, code, userinfo, token refresh, revocation, and a race of redemptions', async () => {
    const application = await direct.createApplication();
    const user = await direct.createUser();
    const browser = await signedInBrowser(one, user);
    const { accessToken, refreshToken } = await obtainTokens(one, application, browser);
    expect((await userinfo(two, accessToken)).body.sub).toBe(user.userId);
    const renewed = await renew(two, application, refreshToken);
    expect(renewed.status).toBe(200);
    expect((await revoke(one, application, String(renewed.body.refresh_token))).status).toBe(200);
    expect((await userinfo(two, String(renewed.body.access_token))).status).toBe(401);

    const code = (await authorize(one, application, browser)).searchParams.get('code') ?? '';
    const answers = await Promise.all(
      Array.from({ length: CROWD }, (_, index) => redeem(index % 2 === 0 ? one : two, application, code)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(CROWD - 1).fill(400)]);
  });

  test('the command line works through it', async () => {
    const cli = sesameProcess(() => pgbouncer.url);
    const environment = {
      DATABASE_PREPARE: 'off',
      SECRET_KEY: 'a secret key for tests only: 0123456789abcdef',
    };
    const list = await cli.run(['users', 'list', '--json'], '', environment);
    expect([list.code, list.stderr, JSON.parse(list.stdout).length > 0]).toEqual([0, '', true]);
  });

  test('no process complained', async () => {
    for (const process of processes) {
      expect(process.hasEnded()).toBe(false);
      expect((await caughtUp(process)).filter(({ level }) => level !== 'info')).toEqual([]);
    }
  });
});
