// Refused requests that concern APIs: storage limits and exports.
import { afterAll, expect, test } from 'vitest';
import { type ExportSection, exportLists } from '../../src/store/data-export.ts';
import {
  countRefusalsOfApis,
  insertRefusalBatch,
  listApiRefusals,
  MAX_REFUSALS,
  type NewRefusal,
} from '../../src/store/refusals.ts';
import { startTestService } from '../support/service.ts';
import { sql } from '../support/store-fixtures.ts';

const service = await startTestService();
const application = await service.createClient({ name: 'Agenda' });
afterAll(() => service.close());

const NOW = new Date('2026-11-01T12:00:00Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
let refusalCount = 0;
const createRefusal = (
  apiId: string,
  { mark = 'default', ...fields }: Partial<NewRefusal> & { mark?: string } = {},
): NewRefusal => {
  refusalCount += 1;
  return {
    clientId: null,
    apiId,
    authenticated: false,
    hasCredential: false,
    endpoint: 'introspect',
    error: 'invalid_client',
    kind: 'secret_unknown',
    facts: { sent: mark },
    ip: '192.0.2.1',
    incident: `INCIDENT${refusalCount}`,
    at: NOW,
    ...fields,
  };
};
const storeRefusals = (...refusals: NewRefusal[]) => insertRefusalBatch(service.services.database, refusals);
const listRefusalsOfApi = (apiId: string) => listApiRefusals(service.services.database, apiId);
const createApi = async () => (await service.createApi()).apiId;

test('refused requests from clients and from an API have separate storage limits', async () => {
  const apiId = await createApi();
  await storeRefusals(createRefusal(apiId, { mark: 'own' }));
  const { clientId } = await service.createClient();
  const createRefusals = (fields: Partial<NewRefusal>, count: number) =>
    Array.from({ length: count }, (_, i) =>
      createRefusal(apiId, { mark: `${i}`, at: later(100 + i), ...fields }),
    );
  await storeRefusals(...createRefusals({ clientId }, MAX_REFUSALS));
  await storeRefusals(...createRefusals({ clientId }, 5));
  expect(await listRefusalsOfApi(apiId)).toMatchObject([
    { clientId, count: MAX_REFUSALS },
    { clientId: null, facts: { sent: 'own' }, count: 1 },
  ]);
  await storeRefusals(...createRefusals({}, MAX_REFUSALS));
  const ownRefusals = (await listRefusalsOfApi(apiId)).filter((group) => group.clientId === null);
  expect(ownRefusals).toMatchObject([{ count: MAX_REFUSALS, firstAt: later(100) }]);
});

test('a page reads a limited number of an API’s refused requests', async () => {
  const { database } = service.services;
  const apiId = await createApi();
  const insert = `insert into refusals (api_id, at, authenticated, has_credential, endpoint, error, kind, facts, ip, incident)
    select $1, $2::timestamptz + n * interval '1 ms', false, false, 'token', 'invalid_target',
      case when n = 1 then 'oldest' else 'latest' end, '{}', '192.0.2.1', 'INCIDENT' from generate_series(1, $3::int) n`;
  await sql(database, insert, [apiId, NOW, 10 * MAX_REFUSALS + 1]);
  expect(await countRefusalsOfApis(database, [apiId], NOW)).toEqual([
    { id: apiId, count: 10 * MAX_REFUSALS },
  ]);
  expect(await listApiRefusals(database, apiId, { kind: 'latest' })).toHaveLength(1);
  expect(await listApiRefusals(database, apiId, { kind: 'oldest' })).toEqual([]);
});

test('refused requests are exported only to the API’s owner', async () => {
  const owner = await service.createUser();
  const { apiId } = await service.createApi({ ownerId: owner.userId });
  const { clientId } = application;
  await storeRefusals(createRefusal(apiId));
  await storeRefusals(
    createRefusal(apiId, { clientId, mark: 'client', kind: 'resource_not_open_to_client' }),
  );
  const exportRefusals = async (userId: string) => {
    const rows: ExportSection[] = [];
    for await (const page of exportLists(service.services.database, userId))
      if (page.list === 'refusals_of_apis') rows.push(...page.rows);
    return rows;
  };
  expect(await exportRefusals(owner.userId)).toMatchObject([
    { api_id: apiId, client_id: null, kind: 'secret_unknown', ip: '192.0.2.1' },
    {
      api_id: apiId,
      client_id: clientId,
      application: 'Agenda',
      kind: 'resource_not_open_to_client',
      ip: null,
    },
  ]);
  expect(await exportRefusals((await service.createUser()).userId)).toEqual([]);
});
