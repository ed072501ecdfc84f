import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { listEvents } from '../../src/store/audit-log.ts';
import { openDatabase } from '../../src/store/database.ts';
import { type Statement, statements } from '../../src/store/statement.ts';
import { readSources } from './source-files.ts';

/** Imports all modules with statements. The list includes statements of loaded test files. */
export async function listStatements(databaseUrl: string): Promise<Statement[]> {
  for (const [path, text] of await readSources('src/**/*.ts'))
    if (/from '[./]+\/(?:store\/)?(?:statement|query)\.ts'/.test(text))
      await import(/* @vite-ignore */ resolve(path));
  const database = openDatabase(databaseUrl, 1);
  const now = new Date();
  const before = { at: now, id: '1' };
  for (const filter of [
    ...[{}, { kind: 'x' }, { userId: randomUUID() }, { clientId: 'x' }, { apiId: 'x' }, { ip: 'x' }],
    ...[{ from: now }, { until: now }],
  ])
    for (const page of [{ limit: 1 }, { limit: 1, before }]) await listEvents(database, filter, page);
  await database.close();
  // `set` can't be prepared. The names of test helpers' statements start with `test_`.
  return [...statements.values()].filter(
    ({ name, text }) => !/^\s*set\b/.test(text) && !name.startsWith('test_'),
  );
}

/** The child process loads no test files. */
export async function listServiceStatements(databaseUrl: string): Promise<Statement[]> {
  const script = `import { listStatements } from '${import.meta.url}';
    console.log(JSON.stringify(await listStatements(process.argv[1])));`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', script, databaseUrl],
    { maxBuffer: 64 * 2 ** 20 },
  );
  return JSON.parse(stdout);
}
