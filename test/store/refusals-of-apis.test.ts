// Refused requests of APIs and about them, on the real database: whose they are, what each owner may read of them.
import { afterAll, expect, test } from 'vitest';
import { readLists, type Section } from '../../src/store/exported-data.ts';
import { listRefusalsOfApi, type NewRefusal, QUOTA, writeRefusals } from '../../src/store/refusals.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const application = await service.createApplication({ name: 'Agenda' });
afterAll(() => service.close());

const NOW = new Date('2026-11-01T12:00:00Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
let counter = 0;
const refusal = (
  apiId: string,
  { mark = 'one', ...fields }: Partial<NewRefusal> & { mark?: string } = {},
): NewRefusal => {
  counter += 1;
  return {
    clientId: null,
    apiId,
    authenticated: false,
    held: false,
    endpoint: 'introspect',
    error: 'invalid_client',
    kind: 'secret_unknown',
    facts: { sent: mark },
    address: '192.0.2.1',
    incident: `INCIDENT${counter}`,
    at: NOW,
    ...fields,
  };
};
const write = (...refusals: NewRefusal[]) => writeRefusals(service.parts.database, refusals);
const ofApi = (apiId: string) => listRefusalsOfApi(service.parts.database, apiId);
const newApi = async () => (await service.createApi()).apiId;

test('beyond the quota the oldest are deleted; those of clients don’t push out the API’s own', async () => {
  const apiId = await newApi();
  await write(refusal(apiId, { mark: 'own' }));
  const { clientId } = await service.createApplication();
  const many = (fields: Partial<NewRefusal>, count: number) =>
    Array.from({ length: count }, (_, i) => refusal(apiId, { mark: `${i}`, at: later(100 + i), ...fields }));
  await write(...many({ clientId }, QUOTA));
  await write(...many({ clientId }, 5));
  expect(await ofApi(apiId)).toMatchObject([
    { clientId, count: QUOTA },
    { clientId: null, facts: { sent: 'own' }, count: 1 },
  ]);
  await write(...many({}, QUOTA));
  const own = (await ofApi(apiId)).filter((group) => group.clientId === null);
  expect(own).toMatchObject([{ count: QUOTA, firstAt: later(100) }]);
});

test('they are in the export of the API’s owner, and of nobody else', async () => {
  const owner = await service.createUser();
  const { apiId } = await service.createApi({ ownerId: owner.userId });
  const { clientId } = application;
  await write(refusal(apiId));
  await write(refusal(apiId, { clientId, mark: 'theirs', kind: 'resource_closed' }));
  const exported = async (userId: string) => {
    const rows: Section[] = [];
    for await (const page of readLists(service.parts.database, userId))
      if (page.list === 'refusals_of_apis') rows.push(...page.rows);
    return rows;
  };
  expect(await exported(owner.userId)).toMatchObject([
    { api_id: apiId, client_id: null, kind: 'secret_unknown', address: '192.0.2.1' },
    { api_id: apiId, client_id: clientId, application: 'Agenda', kind: 'resource_closed', address: null },
  ]);
  expect(await exported((await service.createUser()).userId)).toEqual([]);
});
