// Session settings for connections, and databases that are rejected at startup.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { openDatabase } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';
import { statement } from '../../src/store/statement.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase | undefined;
afterEach(() => database?.drop());

async function execute(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const text of statements) await client.query(text);
  await client.end();
}

const getDatabaseName = (url: string): string => new URL(url).pathname.slice(1);

const READ_SETTINGS = statement(
  'test_session_settings',
  `select current_setting('DateStyle') as "dateStyle", current_setting('TimeZone') as "timeZone",
    current_setting('client_encoding') as encoding, '2026-03-04 05:06:07+00'::timestamptz as at`,
);

describe('unusual database defaults', () => {
  async function createUnusualDatabase(): Promise<TestDatabase> {
    const unusual = await createTestDatabase(inject('templateWithKeys'));
    const alter = `alter database ${getDatabaseName(unusual.url)} set`;
    await execute(
      unusual.url,
      `${alter} DateStyle = 'SQL, DMY'`,
      `${alter} TimeZone = 'Asia/Kolkata'`,
      `${alter} IntervalStyle = 'sql_standard'`,
      `${alter} client_encoding = 'LATIN1'`,
      `${alter} bytea_output = 'escape'`,
    );
    return unusual;
  }

  test('do not affect session settings', async () => {
    database = await createUnusualDatabase();
    const opened = openDatabase(database.url, 1);
    const expected = {
      dateStyle: 'ISO, MDY',
      timeZone: 'UTC',
      encoding: 'UTF8',
      at: new Date('2026-03-04T05:06:07Z'),
    };
    expect(await opened.query(READ_SETTINGS, [])).toEqual([expected]);
    expect(await opened.hotRead(READ_SETTINGS, [])).toEqual([expected]);
    expect(await opened.hotWrite(READ_SETTINGS, [])).toEqual([expected]);
    await opened.close();
  });
});

describe('an unsuitable database', () => {
  test('is rejected with a message that names its encoding', async () => {
    const name = `latin_${randomBytes(6).toString('hex')}`;
    const maintenanceUrl = inject('maintenanceUrl');
    await execute(maintenanceUrl, `create database ${name} encoding 'LATIN1' locale 'C' template template0`);
    const { href } = Object.assign(new URL(maintenanceUrl), { pathname: `/${name}` });
    await expect(migrate(href)).rejects.toThrow(
      /has the encoding LATIN1.*encoding 'UTF8' template template0/,
    );
    await execute(maintenanceUrl, `drop database ${name}`);
  });

  test.each([
    ["default_transaction_isolation = 'serializable'", /default_transaction_isolation = serializable/],
    ["search_path = 'elsewhere'", /no schema "public" in the search_path/],
  ])('is rejected with a message about the setting %s', async (setting, message) => {
    database = await createEmptyDatabase();
    await execute(database.url, `alter database ${getDatabaseName(database.url)} set ${setting}`);
    await expect(migrate(database.url)).rejects.toThrow(message);
  });
});
