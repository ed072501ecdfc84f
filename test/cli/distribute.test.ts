// Tests `sesame distribute` without Citus. For tests with Citus, see test/cluster/citus.ts.
import { expect, test } from 'vitest';
import { databaseContent } from '../support/database-content.ts';
import { useTestService } from '../support/service.ts';
import { createSesameCommand } from '../support/sesame-command.ts';

const service = useTestService();
const cli = createSesameCommand(() => service.databaseUrl);

test.each([[[]], [['--dry-run']], [['--shards', '8']]])(
  '`distribute` refuses a database without Citus (options %j)',
  async (options) => {
    const before = await databaseContent(service.databaseUrl);
    expect(await cli.runFailing(['distribute', ...options])).toMatch(
      /^sesame: The database has no Citus extension/,
    );
    expect(await databaseContent(service.databaseUrl)).toEqual(before);
  },
);

test.each(['0', '-1', '1025', 'x', '1.5', ''])('`distribute` refuses --shards=%j', async (shards) => {
  expect(await cli.runFailing(['distribute', `--shards=${shards}`])).toMatch(
    /'--shards <number>' argument .* is invalid/,
  );
});
