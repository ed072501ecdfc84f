// The service behind PgBouncer in transaction mode, with DATABASE_PREPARE=off.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../../src/store/migrate.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { withDatabase } from '../support/database-content.ts';
import {
  authorize,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  redeemCode,
  redeemRefreshToken,
  revokeToken,
} from '../support/oauth-flow.ts';
import { startPgbouncer, type TestPgbouncer } from '../support/pgbouncer.ts';
import { startTestService, type TestService } from '../support/service.ts';
import {
  killProcesses,
  readAllLogs,
  type ServiceProcess,
  spawnService,
  startService,
  waitUntilReady,
} from '../support/service-process.ts';
import { createSesameProcess } from '../support/sesame-command.ts';
import { isInstalled } from '../support/source-files.ts';

const isPgbouncerInstalled = isInstalled('pgbouncer', 'the service behind PgBouncer');
/** Size of PgBouncer's pool, which is smaller than the number of connections that the processes open. */
const POOL_SIZE = 3;
const CONCURRENT_REQUESTS = 50;

describe.skipIf(!isPgbouncerInstalled)('PgBouncer in transaction mode', () => {
  let database: TestDatabase;
  let pgbouncer: TestPgbouncer;
  let processes: ServiceProcess[];
  let firstService: TestService;
  let secondService: TestService;
  /** A service that connects to PostgreSQL directly, without PgBouncer. */
  let directService: TestService;
  beforeAll(async () => {
    database = await createEmptyDatabase();
    pgbouncer = await startPgbouncer(database.url, POOL_SIZE);
    const environment = { DATABASE_URL: pgbouncer.url, DATABASE_PREPARE: 'off' };
    const firstProcess = await spawnService(environment);
    // Both processes start on the empty database, so they migrate it at the same time.
    processes = [firstProcess, await startService({ ...environment, BASE_URL: firstProcess.url })];
    await waitUntilReady(firstProcess);
    directService = await startTestService({ BASE_URL: firstProcess.url }, { databaseUrl: database.url });
    [firstService, secondService] = processes.map(({ url }) => ({ ...directService, baseUrl: url })) as [
      TestService,
      TestService,
    ];
  });
  afterAll(async () => {
    await killProcesses();
    await directService?.close();
    await pgbouncer?.stop();
    await database?.drop();
  });

  test('keeps no advisory lock after migrations', async () => {
    expect(await migrate(pgbouncer.url)).toEqual([]);
    const { rows } = await withDatabase(database.url, (client) =>
      client.query(
        `select l.pid from pg_locks l join pg_database d on d.oid = l.database
         where l.locktype = 'advisory' and d.datname = current_database()`,
      ),
    );
    expect(rows).toEqual([]);
  });

  test('supports sign-in and token requests across two processes', async () => {
    const client = await directService.createClient();
    const user = await directService.createUser();
    const browser = await openSignedInBrowser(firstService, user);
    const { accessToken, refreshToken } = await obtainTokens(firstService, client, browser);
    expect((await fetchUserinfo(secondService, accessToken)).body.sub).toBe(user.userId);
    const refreshed = await redeemRefreshToken(secondService, client, refreshToken);
    expect(refreshed.status).toBe(200);
    expect((await revokeToken(firstService, client, String(refreshed.body.refresh_token))).status).toBe(200);
    expect((await fetchUserinfo(secondService, String(refreshed.body.access_token))).status).toBe(401);

    const code = (await authorize(firstService, client, browser)).searchParams.get('code') ?? '';
    const responses = await Promise.all(
      Array.from({ length: CONCURRENT_REQUESTS }, (_, index) =>
        redeemCode(index % 2 === 0 ? firstService : secondService, client, code),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([
      200,
      ...Array(CONCURRENT_REQUESTS - 1).fill(400),
    ]);
  });

  test('supports CLI commands', async () => {
    const cli = createSesameProcess(() => pgbouncer.url);
    const environment = {
      DATABASE_PREPARE: 'off',
      SECRET_KEY: 'a secret key for tests only: 0123456789abcdef',
    };
    const list = await cli.run(['users', 'list', '--json'], '', environment);
    expect([list.code, list.stderr, JSON.parse(list.stdout).length > 0]).toEqual([0, '', true]);
  });

  test('causes no warnings', async () => {
    for (const process of processes) {
      expect(process.hasExited()).toBe(false);
      expect((await readAllLogs(process)).filter(({ level }) => level !== 'info')).toEqual([]);
    }
  });
});
