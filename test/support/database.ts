// Creates a database for each test file by cloning a template.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { inject } from 'vitest';

export interface TestDatabase {
  url: string;
  /** Drops the database despite open connections. */
  drop(): Promise<void>;
}

/**
 * @param template the template's name, by default the one with empty tables
 * @throws Error if the template is in use for 30 seconds
 */
export async function createTestDatabase(template = inject('templateDatabase')): Promise<TestDatabase> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    try {
      return await createDatabase(`template ${template} strategy file_copy`);
    } catch (error) {
      // 55006 (object_in_use) means that the template has an open connection.
      if ((error as { code?: string }).code !== '55006' || Date.now() > deadline) throw error;
      await sleep(20);
    }
  }
}

export const createEmptyDatabase = (): Promise<TestDatabase> => createDatabase('template template0');

async function createDatabase(from: string): Promise<TestDatabase> {
  const maintenanceUrl = inject('maintenanceUrl');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await execute(maintenanceUrl, `create database ${name} ${from}`);
  return {
    url: Object.assign(new URL(maintenanceUrl), { pathname: `/${name}` }).href,
    drop: () => execute(maintenanceUrl, `drop database if exists ${name} with (force)`),
  };
}

let maintenance: pg.Pool | undefined;

async function execute(connectionString: string, statement: string): Promise<void> {
  maintenance ??= new pg.Pool({ connectionString, max: 2, allowExitOnIdle: true }).on('error', () => {});
  await maintenance.query(statement);
}
