// Plans and runs every statement on Citus, with dummy values.
import pg from 'pg';
import { findException } from '../support/multi-shard-statements.ts';
import { listStatements } from '../support/statements.ts';

const DUMMY_VALUES: Record<string, [literal: string, value: unknown]> = {
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

function getDummyValue(type: string, isTrue = true): [literal: string, value: unknown] {
  if (type === 'boolean') return [String(isTrue), isTrue];
  const elementType = type.replace(/\[\]$/, '');
  const dummy = DUMMY_VALUES[elementType];
  if (dummy === undefined) throw new Error(`no dummy value for the type ${type}`);
  const [literal, value] = dummy;
  return elementType === type ? [`${literal}::${type}`, value] : [`array[${literal}]::${type}`, [value]];
}

/** Finds statements that fail on Citus or that query several shards without being listed as exceptions. */
export async function findStatementErrors(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const errors: string[] = [];
  for (const { name, text } of await listStatements(databaseUrl)) {
    const error = await findError(client, name, text);
    if (error !== undefined) errors.push(`${name}: ${error}`);
  }
  await client.end();
  return errors;
}

async function findError(client: pg.Client, name: string, text: string): Promise<string | undefined> {
  const catchErrors = async (work: () => Promise<string | undefined>): Promise<string | undefined> => {
    await client.query('begin');
    try {
      return await work();
    } catch (error) {
      const { code = '', message } = error as { code?: string; message: string };
      // Ignore errors that dummy values cause: cardinality (class 21), data (22) and constraint violations (23).
      return /^2[123]/.test(code) ? undefined : `${code} ${message}`;
    } finally {
      await client.query('rollback');
    }
  };
  let types: string[] = [];
  const prepareError = await catchErrors(async () => {
    await client.query(`prepare typed as ${text}`);
    const { rows } = await client.query<{ types: string[] }>(
      `select parameter_types::text[] as types from pg_prepared_statements where name = 'typed'`,
    );
    types = rows[0]?.types ?? [];
    await client.query('deallocate typed');
    return undefined;
  });
  if (prepareError !== undefined) return prepareError;
  // Try both values because the plan can depend on boolean parameters.
  for (const isTrue of [true, false]) {
    const error = await catchErrors(async () => {
      await client.query({ text, values: types.map((type) => getDummyValue(type, isTrue)[1]) });
      return undefined;
    });
    if (error !== undefined) return error;
  }
  return catchErrors(async () => {
    // Citus can't explain every statement with parameters, so literals replace them.
    const literal = text.replace(/\$(\d+)/g, (_, number) => getDummyValue(types[number - 1] ?? '')[0]);
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${literal}`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    const tasks = [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count));
    return tasks.some((count) => count > 1) && findException(name) === undefined
      ? `queries ${Math.max(...tasks)} shards`
      : undefined;
  });
}
