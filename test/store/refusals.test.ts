// Refused requests and observations on the real database: groups, quota, who may read them, what is deleted with a client.
import { afterAll, describe, expect, test } from 'vitest';
import { listRefusals, type NewRefusal, QUOTA, writeRefusals } from '../../src/store/refusals.ts';
import { createClient, later, NOW, openTestDatabase } from '../support/populate.ts';

let clientId: string;
const { database, close } = await openTestDatabase();
afterAll(() => close());

let counter = 0;
const refusal = ({ mark = 'one', ...fields }: Partial<NewRefusal> & { mark?: string } = {}): NewRefusal => {
  counter += 1;
  return {
    clientId,
    apiId: null,
    authenticated: false,
    held: false,
    endpoint: 'authorize',
    error: 'invalid_request',
    kind: 'state_missing',
    facts: { sent: mark },
    address: '192.0.2.1',
    incident: `INCIDENT${counter}`,
    at: NOW,
    ...fields,
  };
};

describe('writeRefusals', () => {
  test('beyond the quota the oldest of that client are deleted, and no other client’s', async () => {
    const { clientId: other } = await createClient(database);
    await writeRefusals(database, [refusal({ clientId: other })]);
    ({ clientId } = await createClient(database));
    const many = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => refusal({ mark: 'many', at: later(from + i) }));
    await writeRefusals(database, [refusal({ mark: 'oldest' }), ...many(1, QUOTA - 1)]);
    expect(await listRefusals(database, clientId)).toMatchObject([
      { count: QUOTA - 1 },
      { facts: { sent: 'oldest' } },
    ]);
    await writeRefusals(database, many(QUOTA, 10));
    expect(await listRefusals(database, clientId)).toMatchObject([{ count: QUOTA, firstAt: later(10) }]);
    expect(await listRefusals(database, other)).toHaveLength(1);
  });
});
