// A database with nothing in it, for processes that are started for the very first time.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import type { TestDatabase } from './database.ts';

/** Creates a database without any table. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const maintenanceUrl = inject('maintenanceUrl');
  const name = `empty_${randomBytes(8).toString('hex')}`;
  await execute(maintenanceUrl, `create database ${name} template template0`);
  return {
    url: Object.assign(new URL(maintenanceUrl), { pathname: `/${name}` }).href,
    drop: () => execute(maintenanceUrl, `drop database if exists ${name} with (force)`),
  };
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
