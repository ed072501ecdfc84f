// Who has access to an API, on the real database: what is counted of grants, and how many are looked at.
import { afterAll, expect, test } from 'vitest';
import { listAccess } from '../../src/store/api-access.ts';
import { COUNTED } from '../../src/store/counts.ts';
import { statement } from '../../src/store/statement.ts';
import { startTestService } from '../support/service.ts';

afterAll(() => service.close());

const NOW = new Date('2026-11-01T12:00:00Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const run = (name: string, sql: string, values: unknown[]) =>
  service.parts.database.query(statement(`test_${name}`, sql), values);
const LONG_AGO = { advanced: new Date(0), created: new Date(0) };

/** Writes grants of one person for one application, as many as are told. */
const grants = (apiId: string, { number = 1, at = NOW, epoch = 0 } = {}) =>
  run(
    'grants',
    `insert into grants (id, client_id, user_id, epoch, generation, advanced_by, created_at, advanced_at, sid, apis)
    select gen_random_uuid(), $1::text, $2::uuid, u.epoch + c.epoch + k.epoch - $3::int, 1, '\\x00', $4::timestamptz,
      $4::timestamptz, gen_random_uuid(), array[$5::text]
    from generate_series(1, $6::int), users u, clients c, consents k
    where u.id = $2::uuid and c.client_id = $1::text and k.user_id = u.id and k.client_id = c.client_id`,
    [application.clientId, user.userId, epoch, at, apiId, number],
  );
const listed = async (apiId: string, after = LONG_AGO) => listAccess(service.parts.database, apiId, after);

const service = await startTestService();
const user = await service.createUser();
const application = await service.createApplication();
const consent = `insert into consents (user_id, client_id, scopes, granted_at) values ($1::uuid, $2::text, '{}', $3)`;
await run('consent', consent, [user.userId, application.clientId, NOW]);

test('live grants alone: none whose epoch has moved on, none that ran out, none from before it was cut off', async () => {
  const { apiId } = await service.createApi();
  await grants(apiId, { number: 2 });
  await grants(apiId, { at: later(100) });
  await grants(apiId, { epoch: 1 });
  const row = { clientId: application.clientId, people: 1, agent: false, excludedAt: null };
  const all = { ...row, grants: 3, since: NOW, lastAt: later(100) };
  expect(await listed(apiId)).toMatchObject({ access: [all], capped: false });
  const [late] = [{ ...row, grants: 1, since: later(100) }];
  expect((await listed(apiId, { ...LONG_AGO, advanced: later(1) })).access).toMatchObject([late]);
  expect((await listed(apiId, { ...LONG_AGO, created: later(1) })).access).toMatchObject([late]);
  const cut =
    'insert into api_exclusions (api_id, client_id, excluded_at, lifted_at) values ($1, $2, $3, $4)';
  await run('cut', cut, [apiId, application.clientId, later(50), later(60)]);
  expect((await listed(apiId)).access).toMatchObject([late]);
});

test('those of a suspended account or application do not count', async () => {
  const { apiId } = await service.createApi();
  await grants(apiId);
  const suspend = 'update clients set suspended_at = $2 where client_id = $1';
  await run('suspend', suspend, [application.clientId, NOW]);
  expect((await listed(apiId)).access).toEqual([]);
  await run('suspend', suspend, [application.clientId, null]);
  expect((await listed(apiId)).access).toHaveLength(1);
});

test('of more than are looked at it is said so', async () => {
  const { apiId } = await service.createApi();
  await grants(apiId, { number: COUNTED + 5 });
  const { access, capped } = await listed(apiId);
  expect(capped).toBe(true);
  expect(access[0]?.grants).toBe(COUNTED + 1);
});
