// Starts PostgreSQL for a test run and creates the template databases that tests clone.
import { rm } from 'node:fs/promises';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { loadSigningKeys } from '../../src/keys/signing-keys.ts';
import { createSealer } from '../../src/oauth/seal.ts';
import { openDatabase } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';
import { startEmbeddedPostgres } from '../../tools/embedded-postgres.ts';
import { makeTestDirectory } from './ram-directory.ts';
import { SECRET_KEY } from './secret-key.ts';

declare module 'vitest' {
  interface ProvidedContext {
    maintenanceUrl: string;
    templateDatabase: string;
    /** The signing keys are encrypted with the tests' `SECRET_KEY`. */
    templateWithKeys: string;
  }
}

const TEMPLATE = 'sesame_template';
const TEMPLATE_WITH_KEYS = 'sesame_template_with_keys';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = makeTestDirectory('sesame-test-');
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  let stop = removeFolder;
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: folder, durable: false, database: TEMPLATE });
    stop = () => postgres.stop().finally(removeFolder);
    await migrate(postgres.url);
    const maintenanceUrl = Object.assign(new URL(postgres.url), { pathname: '/postgres' }).href;
    await execute(maintenanceUrl, `create database ${TEMPLATE_WITH_KEYS}`);
    await migrateWithKeys(
      Object.assign(new URL(maintenanceUrl), { pathname: `/${TEMPLATE_WITH_KEYS}` }).href,
    );
    // PostgreSQL can't clone a template that has open connections.
    for (const name of [TEMPLATE, TEMPLATE_WITH_KEYS])
      await execute(maintenanceUrl, `alter database ${name} with allow_connections false is_template true`);
    project.provide('maintenanceUrl', maintenanceUrl);
    project.provide('templateDatabase', TEMPLATE);
    project.provide('templateWithKeys', TEMPLATE_WITH_KEYS);
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

async function migrateWithKeys(databaseUrl: string): Promise<void> {
  await migrate(databaseUrl);
  const database = openDatabase(databaseUrl, 2);
  await loadSigningKeys(database, createSealer(SECRET_KEY), new Date());
  await database.close();
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}
