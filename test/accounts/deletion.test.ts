// An account is deleted in one way, whoever decides it: nothing of it stays but what the audit log keeps.
import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { deleteOwnAccount } from '../../src/accounts/deletion.ts';
import { moderateAccount } from '../../src/accounts/moderation.ts';
import { listEvents } from '../../src/store/events.ts';
import { recordGuess } from '../../src/store/password-guesses.ts';
import { createClient, createUser, NOW, openTestDatabase, sql } from '../support/populate.ts';

const { database, close } = await openTestDatabase(2);
afterAll(() => close());

const address = '192.0.2.1';

test.each([
  [
    'its owner',
    (userId: string) =>
      database.transaction((transaction) => deleteOwnAccount(transaction, { userId, address }, NOW)),
    true,
  ],
  [
    'an operator',
    (userId: string) => moderateAccount({ database }, 'delete', userId, { address }, NOW),
    false,
  ],
] as const)('by %s, under attack: the wrong passwords go with it (D60)', async (_, erase, own) => {
  const userId = await createUser(database, { name: 'Ada Lovelace' });
  const { clientId } = await createClient(database, { ownerId: userId, name: 'Herbier' });
  await recordGuess(database, { userId, emptyKey: randomBytes(32), address, wrong: 100 }, NOW);
  const [account] = await sql(database, 'select email from users where id = $1::uuid', [userId]);
  expect(await sql(database, 'select wrong from throttles', [])).toEqual([{ wrong: 100 }]);

  expect(await erase(userId)).toBe(own ? 'deleted' : 'done');
  expect(await sql(database, 'select wrong from throttles', [])).toEqual([]);

  const by = { actorId: own ? userId : null, address, at: NOW };
  const [deleted] = await listEvents(database, { userId, kind: 'account_deleted' }, { limit: 9 });
  const [lost] = await listEvents(database, { clientId }, { limit: 9 });
  expect(deleted).toMatchObject({
    ...by,
    detail: { email: account?.email, name: 'Ada Lovelace', applications: 1 },
  });
  expect(lost).toMatchObject({ ...by, kind: 'application_deleted', detail: { name: 'Herbier' } });
});
