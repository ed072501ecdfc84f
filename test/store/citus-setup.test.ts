// The SQL that `sesame distribute` runs. For tests on Citus, see test/cluster/citus.ts.
import { expect, test } from 'vitest';
import { planDistribution } from '../../src/store/citus-setup.ts';
import type { Queryable } from '../../src/store/database.ts';

/** A coordinator with one undistributed table. */
const coordinator = {
  query: async ({ text }) =>
    text.includes('pg_dist_partition') ? [{ table: 'users', kind: null, column: null, shards: null }] : [],
} as Queryable;

test('the Citus setup copies tables without a statement timeout on any node', async () => {
  const { statements } = await planDistribution(coordinator);
  const findStatementIndex = (part: string) => statements.findIndex((statement) => statement.includes(part));
  const order = ['propagate_set_commands', 'statement_timeout', 'create_distributed_table'].map(
    findStatementIndex,
  );
  expect(order).not.toContain(-1);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
});
