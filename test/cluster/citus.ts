// Tests the service on Citus: table distribution, statements, user flows, races and migrations.
import { strict as assert } from 'node:assert';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TABLE_DISTRIBUTION } from '../../src/store/citus-tables.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { submitForm } from '../support/console-forms.ts';
import {
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  redeemRefreshToken,
} from '../support/oauth-flow.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createTemporaryFolder, startService } from '../support/service-process.ts';
import { createSesameCommand } from '../support/sesame-command.ts';
import { startSmtp } from '../support/smtp.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type CitusDatabase, createCitusDatabase } from './citus-database.ts';
import { findStatementErrors } from './citus-statements.ts';
import { expectAllRunning } from './instances.ts';
import { testRaces } from './races.ts';
import type { Step } from './report.ts';
import { type TestContext, testUserFlows } from './user-flows.ts';

const SHARD_COUNT = 8;

/** @param url URL of any database on the coordinator, with superuser credentials for all nodes */
export const testCitus =
  (url: string) =>
  async (step: Step, note: (text: string) => void): Promise<void> => {
    const database = await createCitusDatabase(url);
    try {
      await runSteps(database, step, note);
    } finally {
      await database.drop();
    }
  };

async function runSteps(database: CitusDatabase, step: Step, note: (text: string) => void): Promise<void> {
  const { url, query } = database;
  const smtp = await startSmtp();
  const settings = {
    ...{ DATABASE_URL: url, LOG_LEVEL: 'warn', BACKCHANNEL_ALLOW: '127.0.0.1' },
    ...{ SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'no-reply@signin.example' },
  };
  const sesame = createSesameCommand(() => url);
  await migrate(url);
  const first = await startService(settings);
  const BASE_URL = first.url;
  const factory = await startTestService({ BASE_URL, BACKCHANNEL_ALLOW: '127.0.0.1' }, { databaseUrl: url });
  const firstService = { ...factory, baseUrl: first.url };
  const existing = await populateTables(factory, firstService);

  await step('`sesame distribute --dry-run` prints valid SQL and changes nothing', async () => {
    const { stdout } = await sesame.run(['distribute', '--dry-run', '--shards', String(SHARD_COUNT)]);
    assert.match(stdout, /^begin;\n[\s\S]*\ncommit;\n$/);
    for (const statement of stdout.replace('commit;', 'rollback;').trim().split('\n')) await query(statement);
    assert.deepEqual(await query('select from citus_tables'), []);
  });
  await step('`sesame distribute` distributes tables with rows while the service runs', async () => {
    const rows = (await sesame.runJson('distribute', '--shards', String(SHARD_COUNT))) as unknown as Row[];
    assert.deepEqual([...new Set(rows.map(({ distributed }) => distributed))], ['now']);
    await expectDistributed(database);
    await existing.expectWorking(firstService);
    assert.deepEqual(await findTablesOnCoordinator(database), [], 'some rows are still on the coordinator');
  });
  await step(
    'a second `sesame distribute` changes nothing, and fails if the number of shards differs',
    async () => {
      const { stdout } = await sesame.run(['distribute', '--dry-run']);
      assert.equal(
        stdout,
        '-- Every table is distributed already. There is nothing to do.\nbegin;\ncommit;\n',
      );
      const rows = (await sesame.runJson('distribute')) as unknown as Row[];
      assert.deepEqual([...new Set(rows.map(({ distributed }) => distributed))], ['before']);
      assert.match(await sesame.runFailing(['distribute', '--shards', '16']), /have 8 shards each/);
    },
  );
  await step('`sesame distribute` on a worker fails', async () => {
    for (const DATABASE_URL of database.workers)
      assert.match(
        await sesame.runFailing(['distribute'], '', { DATABASE_URL }),
        /This node is a Citus worker/,
      );
  });

  await step(
    'every statement succeeds and queries one shard, unless it is listed as an exception',
    async () => {
      assert.deepEqual(await findStatementErrors(url), []);
    },
  );

  // Citus can run queries on any node, so the second process connects to a worker.
  const second = await startService({ ...settings, BASE_URL, DATABASE_URL: database.workers[0] ?? url });
  const processes = [first, second].map((process) => ({ ...firstService, process }));
  const listLoggedErrors = () =>
    processes.flatMap(({ process }) => process.logs().filter(({ level }) => level === 'error'));
  const context: TestContext = {
    factory,
    first: firstService,
    second: { ...factory, baseUrl: second.url },
    smtp,
    query,
  };
  const stepWithLoggedErrors: Step = (name, work) =>
    step(name, async () => {
      const before = listLoggedErrors().length;
      try {
        return await work();
      } catch (error) {
        // Log output is buffered, so the cause may be logged a moment later.
        await waitUntil('an error in the log', () => listLoggedErrors().length > before, 2_000).catch(
          () => {},
        );
        for (const logged of listLoggedErrors().slice(before)) note(JSON.stringify(logged));
        throw error;
      }
    });
  await testUserFlows(stepWithLoggedErrors, context);
  await step('accounts are on several shards', async () => {
    const shards = await query<{ rows: string }>(
      `select result as rows from run_command_on_shards('users', 'select count(*) from %s')`,
    );
    const usedShards = shards.filter(({ rows }) => rows !== '0').length;
    note(`the table users has ${shards.length} shards, and ${usedShards} of them have rows`);
    assert.equal(shards.length, SHARD_COUNT);
    assert(usedShards > SHARD_COUNT / 2);
  });
  await testRaces(stepWithLoggedErrors, context);

  await step('`sesame distribute` distributes tables from later migrations', async () => {
    await applyLaterMigration(database);
    const rows = (await sesame.runJson('distribute')) as unknown as Row[];
    const now = rows.filter(({ distributed }) => distributed === 'now').map(({ table }) => table);
    assert.deepEqual(now.sort(), ['notes', 'tags']);
    await query('insert into notes (user_id, id) select id, id from users where id = $1', [existing.userId]);
    await query('delete from users where id = $1', [existing.userId]);
    assert.deepEqual(await query('select from notes'), []);
    await existing.expectNewUserWorks(firstService);
  });

  expectAllRunning(processes);
  await factory.close();
  for (const { process } of processes) assert.equal((await process.stop()).code, 0);
  await smtp.close();
}

interface Row {
  table: string;
  distributed: string;
}

/** Creates an account and tokens so that the tables contain rows when they are distributed. */
async function populateTables(factory: TestService, service: TestService) {
  const application = await factory.createClient();
  const user = await factory.createUser();
  const browser = await openSignedInBrowser(service, user);
  const tokens = await obtainTokens(service, application, browser);
  return {
    userId: user.userId,
    expectWorking: async (service: TestService) => {
      assert.equal((await fetchUserinfo(service, tokens.accessToken)).body.sub, user.userId);
      assert.equal((await browser.get('/account')).status, 200);
      assert.equal((await redeemRefreshToken(service, application, tokens.refreshToken)).status, 200);
      assert.equal(
        (
          await submitForm(openBrowserSession(service.baseUrl), '/signin', {
            email: user.email,
            password: user.password,
          })
        ).status,
        303,
      );
    },
    expectNewUserWorks: async (service: TestService) => {
      const newUser = await factory.createUser();
      const { accessToken } = await obtainTokens(
        service,
        application,
        await openSignedInBrowser(service, newUser),
      );
      assert.equal((await fetchUserinfo(service, accessToken)).status, 200);
    },
  };
}

/** Asserts that every table is distributed and colocated as defined in store/citus-tables.ts. */
async function expectDistributed({ query }: CitusDatabase): Promise<void> {
  const tables = await query<{ table: string; column: string; shards: number; group: number }>(
    `select table_name::text as "table", distribution_column as "column", shard_count::integer as shards, colocation_id::integer as "group"
    from citus_tables`,
  );
  const tablesByName = new Map(tables.map((table) => [table.table, table]));
  const groups = new Map<number, string>();
  for (const [table, distribution] of Object.entries(TABLE_DISTRIBUTION)) {
    const actual = tablesByName.get(table);
    assert(actual, `${table} is not distributed`);
    if (distribution.group === 'reference') assert.equal(actual.column, '<none>', table);
    else assert.deepEqual([actual.column, actual.shards], [distribution.column, SHARD_COUNT], table);
    const group = { account: 'accounts', separate: table, reference: 'reference' }[distribution.group];
    assert.equal(groups.get(actual.group) ?? group, group, `${table} is with ${groups.get(actual.group)}`);
    groups.set(actual.group, group);
  }
  assert.equal(tables.length, Object.keys(TABLE_DISTRIBUTION).length);
}

async function findTablesOnCoordinator({ query }: CitusDatabase): Promise<string[]> {
  const rows = await query<{ table: string }>(
    `select relname::text as "table" from pg_class c join pg_dist_partition p on p.logicalrelid = c.oid
    where pg_relation_size(c.oid) > 0`,
  );
  return rows.map(({ table }) => table);
}

const MIGRATION = `
alter table users add column nickname text;
create index users_nickname on users (nickname);
alter table clients add column motto text not null default '';
alter table grants add column motto text;
alter table users add constraint users_nickname_check check (nickname <> '');
update users set nickname = name;
create table notes (
  user_id uuid not null references users (id) on delete cascade, id uuid not null, primary key (user_id, id)
);
create table tags (client_id text primary key references clients (client_id) on delete cascade);
`;

async function applyLaterMigration({ url }: CitusDatabase): Promise<void> {
  const folder = await createTemporaryFolder();
  await writeFile(join(folder, '0001_schema.sql'), '');
  await writeFile(join(folder, '0002_more.sql'), MIGRATION);
  assert.deepEqual(await migrate(url, folder), ['0002_more']);
  Object.assign(TABLE_DISTRIBUTION, {
    notes: { group: 'account', column: 'user_id' },
    tags: { group: 'reference' },
  });
}
