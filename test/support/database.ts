// A fresh database of its own for a test file: migrated, a clone of the run's template, or empty.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { inject } from 'vitest';

/** A database that only its creator knows. */
export interface TestDatabase {
  url: string;
  /** Ends all its connections and removes it. May be called repeatedly. */
  drop(): Promise<void>;
}

/**
 * Clones a template, the migrated one with nothing in it unless told; takes some 20 ms.
 *
 * @throws Error when the template stays busy for thirty seconds
 */
export async function createTestDatabase(template = inject('templateDatabase')): Promise<TestDatabase> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    try {
      return await createDatabase(`template ${template} strategy file_copy`);
    } catch (error) {
      // 55006 object_in_use: the template's migrating connection, or PostgreSQL's own worker, is just leaving.
      if ((error as { code?: string }).code !== '55006' || Date.now() > deadline) throw error;
      await sleep(20);
    }
  }
}

/** Creates a database without any table, for processes that are started for the very first time. */
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

/** Kept open between test files: a connection costs PostgreSQL as much as many a test. */
let maintenance: pg.Pool | undefined;

async function execute(connectionString: string, statement: string): Promise<void> {
  maintenance ??= new pg.Pool({ connectionString, max: 2, allowExitOnIdle: true }).on('error', () => {});
  await maintenance.query(statement);
}
