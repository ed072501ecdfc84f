// The background work of pruning: what has piled up goes at once, batch after batch.
import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { startPruning } from '../../src/background/pruning.ts';
import { createLogger } from '../../src/process/logger.ts';
import { sql } from '../support/populate.ts';
import { startTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const service = await startTestService();
afterAll(() => service.close());

test('expired rows and dead grants, thousands of each', async () => {
  const { database, pruning } = service.parts;
  const application = await service.createApplication();
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
    `insert into grants (id, client_id, user_id, epoch, generation, created_at, advanced_at, revoked_at)
    select gen_random_uuid(), $1::text, $2::uuid, 0, 1, $3::timestamptz, $3::timestamptz, $3::timestamptz
    from generate_series(1, 3500)`,
    [application.clientId, userId, longAgo],
  );
  const background = startPruning(service.parts, createLogger('silent'));
  try {
    await until('nothing is left of them', async () => {
      const [left] = await sql(
        database,
        'select (select count(*) from access_tokens) + (select count(*) from grants) = 0 as nothing',
      );
      return left?.nothing;
    });
    await until('the walk is through', () => pruning.liveGrants === 0);
  } finally {
    await background.stop();
  }
  expect(pruning.deleted).toMatchObject({ access_tokens: 3500, grants: 3500 });
  expect(pruning.works).toMatchObject({
    expired: { batches: 4, failures: 0 },
    grants: { batches: 4, failures: 0 },
  });
});
