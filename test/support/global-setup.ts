// Starts the one PostgreSQL of a test run and migrates the template from which every test database is cloned.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/store/migrate.ts';
import { startEmbeddedPostgres } from '../../tools/embedded-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The maintenance database of the run's cluster: where test databases are created from. */
    maintenanceUrl: string;
    /** Name of the migrated database to clone. */
    templateDatabase: string;
  }
}

const TEMPLATE = 'sesame_template';

/** @returns what vitest calls when the last test has ended */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'sesame-test-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  let stop = remove;
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: folder, durable: false, database: TEMPLATE });
    stop = () => postgres.stop().finally(remove);
    await migrate(postgres.url);
    const maintenanceUrl = Object.assign(new URL(postgres.url), { pathname: '/postgres' }).href;
    await closeTemplate(maintenanceUrl);
    project.provide('maintenanceUrl', maintenanceUrl);
    project.provide('templateDatabase', TEMPLATE);
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

/** Nobody may connect to the template: PostgreSQL does not clone a database in use. */
async function closeTemplate(maintenanceUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: maintenanceUrl });
  await client.connect();
  await client.query(`alter database ${TEMPLATE} with allow_connections false is_template true`);
  await client.end();
}
