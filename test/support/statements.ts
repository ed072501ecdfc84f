// Every statement of the service, those too that are made only when they are needed.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { openDatabase } from '../../src/store/database.ts';
import { listEvents } from '../../src/store/events.ts';
import { type Statement, statements } from '../../src/store/statement.ts';
import { sources } from './sources.ts';

/** Imports what has statements. In a process that runs tests, those of tests are among them: see `statementsOfService`. */
export async function allStatements(databaseUrl: string): Promise<Statement[]> {
  for (const [path, text] of await sources('src/**/*.ts'))
    if (/from '[./]+\/(?:store\/)?(?:statement|query)\.ts'/.test(text))
      await import(/* @vite-ignore */ resolve(path));
  const database = openDatabase(databaseUrl, 1);
  const at = new Date();
  const before = { at, id: '1' };
  for (const filter of [
    ...[{}, { kind: 'x' }, { userId: randomUUID() }, { clientId: 'x' }, { apiId: 'x' }, { address: 'x' }],
    ...[{ from: at }, { until: at }],
  ])
    for (const page of [{ limit: 1 }, { limit: 1, before }]) await listEvents(database, filter, page);
  await database.close();
  // `set` has no parameters and no plan; helpers of tests have statements, too.
  return [...statements.values()].filter(
    ({ name, text }) => !/^\s*set\b/.test(text) && !name.startsWith('test_'),
  );
}

/** The same from a process that has no others. */
export async function statementsOfService(databaseUrl: string): Promise<Statement[]> {
  const script = `import { allStatements } from '${import.meta.url}';
    console.log(JSON.stringify(await allStatements(process.argv[1])));`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', script, databaseUrl],
    { maxBuffer: 64 * 2 ** 20 },
  );
  return JSON.parse(stdout);
}
