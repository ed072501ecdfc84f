// Offers of applications: seen and used by whom they are for, made and withdrawn by the owner.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findOwnApplication } from '../../src/store/applications.ts';
import type { Database } from '../../src/store/database.ts';
import { changeOwner } from '../../src/store/handover.ts';
import { applicationOffers } from '../../src/store/transfer-offers.ts';
import { createClient, createUser, later, NOW, openTestDatabase, sql } from '../support/populate.ts';

let database: Database;
let close: () => Promise<void>;
let ownerId: string;
let recipient: string;
let stranger: string;
beforeAll(async () => {
  ({ database, close } = await openTestDatabase());
  ownerId = await createUser(database, { name: 'Owner', email: 'owner@example.com' });
  recipient = await createUser(database, { email: 'Recipient@example.com' });
  stranger = await createUser(database);
});
afterAll(() => close());

const create = async () => (await createClient(database, { ownerId })).clientId;
const offer = (clientId: string, email: string, from = ownerId) =>
  applicationOffers.offer(database, clientId, { ownerId: from, email, now: NOW, expiresAt: later(60) });

test('an offer reaches whoever has the address, in whatever case it was typed', async () => {
  const clientId = await create();
  expect(await offer(clientId, 'RECIPIENT@example.com')).toBe(true);
  const received = {
    clientId,
    name: 'Carnet',
    redirectUris: ['https://client.example/callback'],
    ownerId,
    ownerName: 'Owner',
    ownerEmail: 'owner@example.com',
    offeredAt: NOW,
    expiresAt: later(60),
  };
  expect(await applicationOffers.listReceived(database, recipient, NOW)).toEqual([received]);
  expect(await applicationOffers.findReceived(database, recipient, clientId, NOW)).toEqual(received);
  expect(await applicationOffers.listReceived(database, stranger, NOW)).toEqual([]);
  expect(await applicationOffers.findReceived(database, stranger, clientId, NOW)).toBeUndefined();
  expect(await applicationOffers.findOwn(database, ownerId, clientId, NOW)).toEqual({
    email: 'RECIPIENT@example.com',
    expiresAt: later(60),
  });
  expect(await applicationOffers.findOwn(database, recipient, clientId, NOW)).toBeUndefined();
});

test('only the owner makes and withdraws one; the next replaces it', async () => {
  const clientId = await create();
  expect(await offer(clientId, 'recipient@example.com', stranger)).toBe(false);
  await offer(clientId, 'recipient@example.com');
  expect(await applicationOffers.cancelOwn(database, stranger, clientId)).toBe(false);
  expect(await offer(clientId, 'nobody@example.com')).toBe(true);
  expect(await applicationOffers.findReceived(database, recipient, clientId, NOW)).toBeUndefined();
  expect(await applicationOffers.cancelOwn(database, ownerId, clientId)).toBe(true);
  expect(await applicationOffers.cancelOwn(database, ownerId, clientId)).toBe(false);
});

test('it is used once, by its recipient, before it ends', async () => {
  const clientId = await create();
  await offer(clientId, 'recipient@example.com');
  expect(await applicationOffers.take(database, stranger, clientId, NOW)).toBeUndefined();
  expect(await applicationOffers.take(database, recipient, clientId, later(60))).toBeUndefined();
  expect(await applicationOffers.findOwn(database, ownerId, clientId, later(60))).toBeUndefined();
  expect(await applicationOffers.take(database, recipient, clientId, later(59))).toEqual({
    name: 'Carnet',
    ownerId,
  });
  expect(await applicationOffers.take(database, recipient, clientId, later(59))).toBeUndefined();
});

test('the owner changes if it is still the one who offered', async () => {
  const clientId = await create();
  const as = { kept: ['https://client.example/callback'], endTokens: false };
  expect(await changeOwner(database, clientId, { from: stranger, to: recipient }, as)).toBe(false);
  expect(await changeOwner(database, clientId, { from: ownerId, to: recipient }, as)).toBe(true);
  expect(await findOwnApplication(database, ownerId, clientId)).toBeUndefined();
  expect(await findOwnApplication(database, recipient, clientId)).toBeDefined();
});

test('an account that is deleted or suspended receives nothing, and its offer looks the same to the owner', async () => {
  const gone = await createUser(database, { email: 'gone@example.com' });
  const suspended = await createUser(database, { email: 'suspended@example.com' });
  await sql(database, 'update users set suspended_at = $2::timestamptz where id = $1::uuid', [
    suspended,
    NOW,
  ]);
  const [one, two] = [await create(), await create()];
  await offer(one, 'gone@example.com');
  await offer(two, 'suspended@example.com');
  await sql(database, 'delete from users where id = $1::uuid', [gone]);
  expect(await applicationOffers.findReceived(database, suspended, two, NOW)).toBeUndefined();
  expect(await applicationOffers.findOwn(database, ownerId, one, NOW)).toEqual({
    email: 'gone@example.com',
    expiresAt: later(60),
  });
});
