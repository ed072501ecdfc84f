// Offers of clients and APIs: made and cancelled by the owner, seen and used by their recipient.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertApi } from '../../src/store/apis.ts';
import { changeOwner, type Kind } from '../../src/store/owned.ts';
import { findOwnOffer, findReceivedOffer, insertOffer } from '../../src/store/transfer-offers.ts';
import { createClient, createUser, later, NOW, openTestDatabase, sql } from '../support/populate.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

describe.each<Kind>(['application', 'api'])('%s', (kind) => {
  let ownerId: string;
  let recipient: string;
  let stranger: string;
  const TO = `Recipient-${kind}@example.com`;
  const owner = `owner-${kind}@example.com`;
  beforeAll(async () => {
    ownerId = await createUser(database, { name: 'Owner', email: owner });
    recipient = await createUser(database, { email: TO });
    stranger = await createUser(database);
  });

  let apis = 0;
  const create = async () => {
    if (kind === 'application') return (await createClient(database, { ownerId })).clientId;
    const apiId = `api_${++apis}`;
    const words = { name: 'Archives', wordsFr: 'Vos documents.', wordsEn: 'Your documents.' };
    const api = { ...words, apiId, ownerId, identifier: `https://${apiId}.example/`, scopes: [] };
    await insertApi(database, { ...api, tokenLifetime: 3600, admits: 'applications' }, NOW);
    return apiId;
  };
  const offer = (id: string, email: string, from = ownerId) =>
    insertOffer(database, kind, id, { ownerId: from, email, now: NOW, expiresAt: later(60) });

  test('the owner changes if it is still the one who offered', async () => {
    const id = await create();
    expect(await changeOwner(database, kind, id, { from: stranger, to: recipient })).toBe(false);
    expect(await changeOwner(database, kind, id, { from: ownerId, to: recipient })).toBe(true);
    expect(await changeOwner(database, kind, id, { from: ownerId, to: stranger })).toBe(false);
  });

  test('a deleted or suspended account receives nothing, and its offer looks the same to the owner', async () => {
    const [gone, suspended] = [`gone-${kind}@example.com`, `suspended-${kind}@example.com`];
    const deleted = await createUser(database, { email: gone });
    const idle = await createUser(database, { email: suspended });
    await sql(database, 'update users set suspended_at = $2::timestamptz where id = $1::uuid', [idle, NOW]);
    const [one, two] = [await create(), await create()];
    await offer(one, gone);
    await offer(two, suspended);
    await sql(database, 'delete from users where id = $1::uuid', [deleted]);
    expect(await findReceivedOffer(database, idle, two, NOW)).toBeUndefined();
    expect(await findOwnOffer(database, ownerId, one, NOW)).toEqual({ email: gone, expiresAt: later(60) });
  });
});
