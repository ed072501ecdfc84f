// Offers of clients and APIs: made and cancelled by the owner, seen and used by their recipient.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertApi } from '../../src/store/apis.ts';
import type { Database } from '../../src/store/database.ts';
import { changeOwner, type Kind } from '../../src/store/owned.ts';
import {
  cancelOwnOffer,
  countReceivedOffers,
  findOwnOffer,
  findReceivedOffer,
  insertOffer,
  listReceivedOffers,
  takeReceivedOffer,
} from '../../src/store/transfer-offers.ts';
import { createClient, createUser, later, NOW, openTestDatabase, sql } from '../support/populate.ts';

let database: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, close } = await openTestDatabase());
});
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

  test('an offer reaches the account of the address, in any case, and nobody else', async () => {
    const id = await create();
    expect(await offer(id, TO.toUpperCase())).toBe(true);
    const received = {
      kind,
      id,
      ownerId,
      ownerName: 'Owner',
      ownerEmail: owner,
      offeredAt: NOW,
      expiresAt: later(60),
    };
    expect(await listReceivedOffers(database, recipient, NOW)).toMatchObject([received]);
    expect(await findReceivedOffer(database, recipient, id, NOW)).toMatchObject(received);
    expect(await countReceivedOffers(database, recipient, NOW)).toEqual({
      applications: kind === 'application' ? 1 : 0,
      apis: kind === 'api' ? 1 : 0,
    });
    expect(await listReceivedOffers(database, stranger, NOW)).toEqual([]);
    expect(await findReceivedOffer(database, stranger, id, NOW)).toBeUndefined();
    const own = { email: TO.toUpperCase(), expiresAt: later(60) };
    expect(await findOwnOffer(database, ownerId, id, NOW)).toEqual(own);
    expect(await findOwnOffer(database, recipient, id, NOW)).toBeUndefined();
  });

  test('only the owner makes and cancels one, and the next replaces it', async () => {
    const id = await create();
    expect(await offer(id, TO, stranger)).toBe(false);
    await offer(id, TO);
    expect(await cancelOwnOffer(database, stranger, id)).toBe(false);
    expect(await offer(id, 'nobody@example.com')).toBe(true);
    expect(await findReceivedOffer(database, recipient, id, NOW)).toBeUndefined();
    expect(await cancelOwnOffer(database, ownerId, id)).toBe(true);
    expect(await cancelOwnOffer(database, ownerId, id)).toBe(false);
  });

  test('it is used once, by its recipient, before it ends', async () => {
    const id = await create();
    await offer(id, TO);
    expect(await takeReceivedOffer(database, stranger, id, NOW)).toBeUndefined();
    expect(await takeReceivedOffer(database, recipient, id, later(60))).toBeUndefined();
    expect(await findOwnOffer(database, ownerId, id, later(60))).toBeUndefined();
    expect(await takeReceivedOffer(database, recipient, id, later(59))).toMatchObject({ id, ownerId });
    expect(await takeReceivedOffer(database, recipient, id, later(59))).toBeUndefined();
  });

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
