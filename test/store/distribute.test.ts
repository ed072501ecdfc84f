// The SQL of `sesame distribute`. On a real Citus: test/cluster/citus.ts.
import { expect, test } from 'vitest';
import type { Queryable } from '../../src/store/database.ts';
import { planDistribution } from '../../src/store/distribute.ts';

/** A coordinator that has one table of the schema. */
const coordinator = {
  query: async ({ text }) =>
    text.includes('pg_dist_partition') ? [{ table: 'users', kind: null, column: null, shards: null }] : [],
} as Queryable;

test('disables the statement timeout on every node before it copies a table', async () => {
  const { statements } = await planDistribution(coordinator);
  const indexOf = (part: string) => statements.findIndex((statement) => statement.includes(part));
  const order = ['propagate_set_commands', 'statement_timeout', 'create_distributed_table'].map(indexOf);
  expect(order).not.toContain(-1);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
});
