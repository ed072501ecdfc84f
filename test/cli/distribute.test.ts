// sesame distribute where there is no Citus. On a real Citus: test/cluster/citus.ts.
import { expect, test } from 'vitest';
import { databaseContent } from '../support/database-content.ts';
import { useTestService } from '../support/service.ts';
import { sesameCommand } from '../support/sesame-command.ts';

const service = useTestService();
const cli = sesameCommand(() => service.databaseUrl);

test.each([[[]], [['--dry-run']], [['--shards', '8']]])(
  'refuses a database without Citus, and changes nothing: %j',
  async (options) => {
    const before = await databaseContent(service.databaseUrl);
    expect(await cli.fault(['distribute', ...options])).toMatch(
      /^sesame: This database has no Citus extension/,
    );
    expect(await databaseContent(service.databaseUrl)).toEqual(before);
  },
);

test.each(['0', '-1', '1025', 'x', '1.5', ''])('refuses the number of shards %j', async (shards) => {
  expect(await cli.fault(['distribute', `--shards=${shards}`])).toMatch(
    /'--shards <number>' argument .* is invalid/,
  );
});
