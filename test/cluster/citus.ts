// The service on a real Citus: distributed, every statement, journeys and races over HTTP, migrations after it.
import { strict as assert } from 'node:assert';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DISTRIBUTION } from '../../src/store/distribution.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { fill } from '../support/console.ts';
import { obtainTokens, renew, signedInBrowser, userinfo } from '../support/flow.ts';
import { startService, temporaryFolder } from '../support/process.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { sesameCommand } from '../support/sesame-command.ts';
import { startSmtp } from '../support/smtp.ts';
import { until } from '../support/until.ts';
import { type CitusDatabase, createCitusDatabase } from './citus-database.ts';
import { faultsOfStatements } from './citus-statements.ts';
import { playRaces } from './crowds.ts';
import { expectAllAlive } from './instances.ts';
import { playJourneys } from './journeys.ts';
import type { Step } from './report.ts';

const SHARDS = 8;

/** @param url any database of the coordinator, as a superuser of all nodes */
export const onCitus =
  (url: string) =>
  async (step: Step, note: (text: string) => void): Promise<void> => {
    const database = await createCitusDatabase(url);
    try {
      await play(database, step, note);
    } finally {
      await database.drop();
    }
  };

async function play(database: CitusDatabase, step: Step, note: (text: string) => void): Promise<void> {
  const { url, query } = database;
  const smtp = await startSmtp();
  const settings = {
    ...{ DATABASE_URL: url, LOG_LEVEL: 'warn', BACKCHANNEL_ALLOW: '127.0.0.1' },
    ...{ SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'no-reply@signin.example' },
  };
  const sesame = sesameCommand(() => url);
  await migrate(url);
  const first = await startService(settings);
  const BASE_URL = first.address;
  const factory = await startTestService({ BASE_URL, BACKCHANNEL_ALLOW: '127.0.0.1' }, { databaseUrl: url });
  const one = { ...factory, baseUrl: first.address };
  const before = await populate(factory, one);

  await step('`sesame distribute --dry-run` prints SQL that runs, and changes nothing', async () => {
    const { stdout } = await sesame.run(['distribute', '--dry-run', '--shards', String(SHARDS)]);
    assert.match(stdout, /^begin;\n[\s\S]*\ncommit;\n$/);
    for (const statement of stdout.replace('commit;', 'rollback;').trim().split('\n')) await query(statement);
    assert.deepEqual(await query('select from citus_tables'), []);
  });
  await step('`sesame distribute` distributes tables with rows while the service runs', async () => {
    const rows = (await sesame.json('distribute', '--shards', String(SHARDS))) as unknown as Row[];
    assert.deepEqual([...new Set(rows.map(({ distributed }) => distributed))], ['now']);
    await expectDistributed(database);
    await before.stillWorks(one);
    assert.deepEqual(await onCoordinator(database), [], 'rows are left on the coordinator');
  });
  await step('a second run changes nothing, and refuses another number of shards', async () => {
    const { stdout } = await sesame.run(['distribute', '--dry-run']);
    assert.equal(stdout, '-- Every table is distributed already. There is nothing to do.\nbegin;\ncommit;\n');
    const rows = (await sesame.json('distribute')) as unknown as Row[];
    assert.deepEqual([...new Set(rows.map(({ distributed }) => distributed))], ['before']);
    assert.match(await sesame.fault(['distribute', '--shards', '16']), /have 8 shards each/);
  });
  await step('a worker is refused', async () => {
    for (const DATABASE_URL of database.workers)
      assert.match(await sesame.fault(['distribute'], '', { DATABASE_URL }), /This node is a Citus worker/);
  });

  await step('every statement is accepted, and asks one shard unless it is an exception', async () => {
    assert.deepEqual(await faultsOfStatements(url), []);
  });

  // The second process asks a worker, as it may: every node knows where the rows are.
  const second = await startService({ ...settings, BASE_URL, DATABASE_URL: database.workers[0] ?? url });
  const processes = [first, second].map((process) => ({ ...one, process }));
  const errors = () =>
    processes.flatMap(({ process }) => process.logs().filter(({ level }) => level === 'error'));
  const stage = { factory, one, two: { ...factory, baseUrl: second.address }, smtp, query };
  const told: Step = (name, work) =>
    step(name, async () => {
      const before = errors().length;
      try {
        return await work();
      } catch (error) {
        // The log is written a little later.
        await until('an error in the log', () => errors().length > before, 2_000).catch(() => {});
        for (const logged of errors().slice(before)) note(JSON.stringify(logged));
        throw error;
      }
    });
  await playJourneys(told, stage);
  await step('rows of accounts lie on several shards', async () => {
    const shards = await query<{ rows: string }>(
      `select result as rows from run_command_on_shards('users', 'select count(*) from %s')`,
    );
    const used = shards.filter(({ rows }) => rows !== '0').length;
    note(`${shards.length} shards of users, ${used} of them with rows`);
    assert.equal(shards.length, SHARDS);
    assert(used > SHARDS / 2);
  });
  await playRaces(told, stage);

  await step(
    'a later migration adds columns, an index and tables, which the next run distributes',
    async () => {
      await migrateFurther(database);
      const rows = (await sesame.json('distribute')) as unknown as Row[];
      const now = rows.filter(({ distributed }) => distributed === 'now').map(({ table }) => table);
      assert.deepEqual(now.sort(), ['notes', 'tags']);
      await query('insert into notes (user_id, id) select id, id from users where id = $1', [before.userId]);
      await query('delete from users where id = $1', [before.userId]);
      assert.deepEqual(await query('select from notes'), []);
      await before.stillServes(one);
    },
  );

  expectAllAlive(processes);
  await factory.close();
  for (const { process } of processes) assert.equal((await process.stop()).code, 0);
  await smtp.close();
}

interface Row {
  table: string;
  distributed: string;
}

/** An account with tokens, from before the tables were distributed. */
async function populate(factory: TestService, service: TestService) {
  const application = await factory.createApplication();
  const user = await factory.createUser();
  const browser = await signedInBrowser(service, user);
  const tokens = await obtainTokens(service, application, browser);
  return {
    userId: user.userId,
    stillWorks: async (at: TestService) => {
      assert.equal((await userinfo(at, tokens.accessToken)).body.sub, user.userId);
      assert.equal((await browser.get('/account')).status, 200);
      assert.equal((await renew(at, application, tokens.refreshToken)).status, 200);
      assert.equal(
        (
          await fill(openBrowserSession(at.baseUrl), '/signin', {
            email: user.email,
            password: user.password,
          })
        ).status,
        303,
      );
    },
    stillServes: async (at: TestService) => {
      const other = await factory.createUser();
      const { accessToken } = await obtainTokens(at, application, await signedInBrowser(at, other));
      assert.equal((await userinfo(at, accessToken)).status, 200);
    },
  };
}

/** Each table is distributed as the service says, with the others of its group. */
async function expectDistributed({ query }: CitusDatabase): Promise<void> {
  const tables = await query<{ table: string; column: string; shards: number; group: number }>(
    `select table_name::text as "table", distribution_column as "column", shard_count::integer as shards, colocation_id::integer as "group"
    from citus_tables`,
  );
  const found = new Map(tables.map((table) => [table.table, table]));
  const groups = new Map<number, string>();
  for (const [table, distribution] of Object.entries(DISTRIBUTION)) {
    const actual = found.get(table);
    assert(actual, `${table} is not distributed`);
    if (distribution.group === 'reference') assert.equal(actual.column, '<none>', table);
    else assert.deepEqual([actual.column, actual.shards], [distribution.column, SHARDS], table);
    const group = { account: 'accounts', own: table, reference: 'reference' }[distribution.group];
    assert.equal(groups.get(actual.group) ?? group, group, `${table} is with ${groups.get(actual.group)}`);
    groups.set(actual.group, group);
  }
  assert.equal(tables.length, Object.keys(DISTRIBUTION).length);
}

/** Tables whose rows were left where they were before. */
async function onCoordinator({ query }: CitusDatabase): Promise<string[]> {
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

async function migrateFurther({ url }: CitusDatabase): Promise<void> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, '0001_schema.sql'), '');
  await writeFile(join(folder, '0002_more.sql'), MIGRATION);
  assert.deepEqual(await migrate(url, folder), ['0002_more']);
  Object.assign(DISTRIBUTION, {
    notes: { group: 'account', column: 'user_id' },
    tags: { group: 'reference' },
  });
}
