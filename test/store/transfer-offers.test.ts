import { expect, test } from 'vitest';
import { deleteAccount, lockAccount } from '../../src/store/admin-actions.ts';
import { insertOffer } from '../../src/store/transfer-offers.ts';
import { waitForBlocked } from '../support/locks.ts';
import { createClient, createUser, later, NOW, openTestDatabase, sql } from '../support/store-fixtures.ts';

test('account deletion waits for concurrent transfer offers to that account', async () => {
  const { url, database, close } = await openTestDatabase();
  const ownerId = await createUser(database);
  const email = 'ada@example.com';
  const recipientId = await createUser(database, { email });
  const { clientId } = await createClient(database, { ownerId });
  const deletion = await database.transaction(async (transaction) => {
    const offer = { ownerId, email, now: NOW, expiresAt: later(3600) };
    expect(await insertOffer(transaction, 'application', clientId, offer)).toBe(true);
    const started = database.transaction(async (other) => {
      await lockAccount(other, recipientId);
      return deleteAccount(other, recipientId);
    });
    await waitForBlocked(url);
    return { started };
  });
  await deletion.started;
  expect(await sql(database, 'select email, recipient_id from transfer_offers')).toEqual([
    { email, recipient_id: null },
  ]);
  await close();
});
