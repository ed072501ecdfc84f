// Every statement of the service on a real Citus, planned and run with values that mean nothing.
import pg from 'pg';
import { exceptionOf } from '../support/across-shards.ts';
import { allStatements } from '../support/statements.ts';

const VALUES: Record<string, [literal: string, value: unknown]> = {
  uuid: [`'11111111-1111-4111-8111-111111111111'`, '11111111-1111-4111-8111-111111111111'],
  bytea: [`'\\x00'`, Buffer.of(0)],
  text: [`'x'`, 'x'],
  'timestamp with time zone': [`'2026-01-01T00:00:00Z'`, new Date('2026-01-01T00:00:00Z')],
  integer: ['1', 1],
  bigint: ['1', 1],
  numeric: ['1', 1],
  'double precision': ['1', 1],
  boolean: ['true', true],
  jsonb: [`'{}'`, '{}'],
  json: [`'{}'`, '{}'],
  interval: [`'1 day'`, '1 day'],
};

function dummyOf(type: string, isTrue = true): [literal: string, value: unknown] {
  if (type === 'boolean') return [String(isTrue), isTrue];
  const of = type.replace(/\[\]$/, '');
  const known = VALUES[of];
  if (known === undefined) throw new Error(`there is no value of the type ${type}`);
  const [literal, value] = known;
  return of === type ? [`${literal}::${type}`, value] : [`array[${literal}]::${type}`, [value]];
}

/** What is wrong with each statement. An empty list: all run, and each on one shard or as an exception. */
export async function faultsOfStatements(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const faults: string[] = [];
  for (const { name, text } of await allStatements(databaseUrl)) {
    const fault = await faultOf(client, name, text);
    if (fault !== undefined) faults.push(`${name}: ${fault}`);
  }
  await client.end();
  return faults;
}

async function faultOf(client: pg.Client, name: string, text: string): Promise<string | undefined> {
  const attempt = async (work: () => Promise<string | undefined>): Promise<string | undefined> => {
    await client.query('begin');
    try {
      return await work();
    } catch (error) {
      const { code = '', message } = error as { code?: string; message: string };
      // Values that mean nothing may break a constraint, or be no such value.
      return /^2[123]/.test(code) ? undefined : `${code} ${message}`;
    } finally {
      await client.query('rollback');
    }
  };
  let types: string[] = [];
  const refused = await attempt(async () => {
    await client.query(`prepare typed as ${text}`);
    const { rows } = await client.query<{ types: string[] }>(
      `select parameter_types::text[] as types from pg_prepared_statements where name = 'typed'`,
    );
    types = rows[0]?.types ?? [];
    await client.query('deallocate typed');
    return undefined;
  });
  if (refused !== undefined) return refused;
  // What a parameter makes needless is planned otherwise.
  for (const isTrue of [true, false]) {
    const fault = await attempt(async () => {
      await client.query({ text, values: types.map((type) => dummyOf(type, isTrue)[1]) });
      return undefined;
    });
    if (fault !== undefined) return fault;
  }
  return attempt(async () => {
    // With literals, because Citus doesn't explain each statement whose parameters have no values yet.
    const literal = text.replace(/\$(\d+)/g, (_, number) => dummyOf(types[number - 1] ?? '')[0]);
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${literal}`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    const tasks = [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count));
    return tasks.some((count) => count > 1) && exceptionOf(name) === undefined
      ? `asks ${Math.max(...tasks)} shards`
      : undefined;
  });
}
