import { afterAll, describe, expect, test } from 'vitest';
import { insertRefusalBatch, listRefusals, MAX_REFUSALS, type NewRefusal } from '../../src/store/refusals.ts';
import { createClient, later, NOW, openTestDatabase } from '../support/store-fixtures.ts';

let clientId: string;
const { database, close } = await openTestDatabase();
afterAll(() => close());

let refusalCount = 0;
const createRefusal = ({
  mark = 'default',
  ...fields
}: Partial<NewRefusal> & { mark?: string } = {}): NewRefusal => {
  refusalCount += 1;
  return {
    clientId,
    apiId: null,
    authenticated: false,
    hasCredential: false,
    endpoint: 'authorize',
    error: 'invalid_request',
    kind: 'state_missing',
    facts: { sent: mark },
    ip: '192.0.2.1',
    incident: `INCIDENT${refusalCount}`,
    at: NOW,
    ...fields,
  };
};

describe('insertRefusalBatch', () => {
  test('deletes the client’s oldest refused requests above the limit', async () => {
    const { clientId: otherClientId } = await createClient(database);
    await insertRefusalBatch(database, [createRefusal({ clientId: otherClientId })]);
    ({ clientId } = await createClient(database));
    const createRefusals = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => createRefusal({ mark: 'many', at: later(from + i) }));
    await insertRefusalBatch(database, [
      createRefusal({ mark: 'oldest' }),
      ...createRefusals(1, MAX_REFUSALS - 1),
    ]);
    expect(await listRefusals(database, clientId)).toMatchObject([
      { count: MAX_REFUSALS - 1 },
      { facts: { sent: 'oldest' } },
    ]);
    await insertRefusalBatch(database, createRefusals(MAX_REFUSALS, 10));
    expect(await listRefusals(database, clientId)).toMatchObject([
      { count: MAX_REFUSALS, firstAt: later(10) },
    ]);
    expect(await listRefusals(database, otherClientId)).toHaveLength(1);
  });
});
