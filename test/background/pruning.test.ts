import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { startPruning } from '../../src/background/pruning.ts';
import { createLogger } from '../../src/process/logger.ts';
import { startTestService } from '../support/service.ts';
import { sql } from '../support/store-fixtures.ts';
import { waitUntil } from '../support/wait-until.ts';

const service = await startTestService();
afterAll(() => service.close());

test('the pruning job deletes thousands of expired rows and revoked grants', async () => {
  const { database, pruningStats } = service.services;
  const application = await service.createClient();
  const { userId } = await service.createUser();
  const longAgo = new Date(0);
  await sql(
    database,
    `insert into access_tokens (user_id, hash, grant_id, scope, expires_at)
    select $1::uuid, decode(md5(n::text), 'hex'), $1::uuid, 'openid', $2::timestamptz from generate_series(1, 3500) n`,
    [randomUUID(), longAgo],
  );
  await sql(
    database,
    `insert into grants (id, client_id, user_id, epoch, rotation, created_at, rotated_at, revoked_at)
    select gen_random_uuid(), $1::text, $2::uuid, 0, 1, $3::timestamptz, $3::timestamptz, $3::timestamptz
    from generate_series(1, 3500)`,
    [application.clientId, userId, longAgo],
  );
  const background = startPruning(service.services, createLogger('silent'));
  try {
    await waitUntil('all rows to be deleted', async () => {
      const [row] = await sql(
        database,
        'select (select count(*) from access_tokens) + (select count(*) from grants) = 0 as empty',
      );
      return row?.empty;
    });
    await waitUntil('the scan to finish', () => pruningStats.liveGrants === 0);
  } finally {
    await background.stop();
  }
  expect(pruningStats.deleted).toMatchObject({ access_tokens: 3500, grants: 3500 });
  expect(pruningStats.jobs).toMatchObject({
    expired: { batches: 4, failures: 0 },
    grants: { batches: 4, failures: 0 },
  });
});
