// The last active administrator can't be removed, even by concurrent actions.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deleteOwnAccount } from '../../src/accounts/deletion.ts';
import { moderateAccount, moderateAccountInTransaction } from '../../src/accounts/moderation.ts';
import { type Database, openDatabase, type Queryable } from '../../src/store/database.ts';
import { lockUser } from '../support/locks.ts';
import { createUser, NOW, openTestDatabase, sql } from '../support/store-fixtures.ts';

let url: string;
let database: Database;
let close: () => Promise<void>;
beforeEach(async () => {
  ({ url, database, close } = await openTestDatabase());
});
afterEach(() => close());

const listAdmins = async () =>
  (await sql(database, 'select id from users where is_admin and suspended_at is null')).map(({ id }) => id);
const listEventKinds = async () =>
  (await sql(database, 'select kind from events order by id')).map(({ kind }) => kind);

describe('the last active administrator', () => {
  test.each(['suspend', 'revoke', 'delete'] as const)(
    'cannot be removed by the action %s',
    async (action) => {
      const last = await createUser(database, { isAdmin: true });
      const suspended = await createUser(database, { isAdmin: true });
      await moderateAccount({ database }, 'suspend', suspended, {}, NOW);
      expect(await moderateAccount({ database }, action, last, {}, NOW)).toBe('lastAdmin');
      expect(await listAdmins()).toEqual([last]);
      expect(await listEventKinds()).toEqual(['account_suspended']);
      // A suspended administrator can be removed.
      expect(await moderateAccount({ database }, action, suspended, {}, NOW)).toBe(
        action === 'suspend' ? 'unchanged' : 'done',
      );
    },
  );

  test('keeps the role after a rejected action', async () => {
    const last = await createUser(database, { isAdmin: true });
    const inTransaction = <Result>(work: (transaction: Queryable) => Promise<Result>) =>
      database.transaction(work);
    for (const action of ['suspend', 'revoke', 'delete'] as const)
      expect(
        await inTransaction((transaction) =>
          moderateAccountInTransaction({}, transaction, action, last, {}, NOW),
        ),
      ).toBe('lastAdmin');
    const request = { userId: last, ip: '192.0.2.1' };
    expect(await inTransaction((transaction) => deleteOwnAccount(transaction, request, NOW))).toBe(
      'lastAdmin',
    );
    expect(await listAdmins()).toEqual([last]);
    expect(await listEventKinds()).toEqual([]);
  });

  test('remains when two administrators delete themselves concurrently', async () => {
    const admins = [
      await createUser(database, { isAdmin: true }),
      await createUser(database, { isAdmin: true }),
    ];
    // Each transaction locks the account that it deletes and then the other account.
    const lock = await lockUser(url, admins[0]);
    const first = database.transaction((transaction) =>
      deleteOwnAccount(transaction, { userId: admins[1] ?? '', ip: '' }, NOW),
    );
    await lock.waitForBlocked(1);
    const second = database.transaction((transaction) =>
      deleteOwnAccount(transaction, { userId: admins[0] ?? '', ip: '' }, NOW),
    );
    await lock.waitForBlocked(2);
    await lock.release();
    expect((await Promise.all([first, second])).toSorted()).toEqual(['deleted', 'lastAdmin']);
    expect(await listAdmins()).toHaveLength(1);
  });

  test.each(['suspend', 'revoke', 'delete'] as const)(
    'remains when two administrators apply the action %s to each other',
    async (action) => {
      const otherProcess = openDatabase(url, 2);
      try {
        for (let round = 0; round < 3; round += 1) {
          await sql(database, 'delete from users');
          const [a, b] = [
            await createUser(database, { isAdmin: true }),
            await createUser(database, { isAdmin: true }),
          ];
          const outcomes = await Promise.all([
            moderateAccount({ database }, action, b, { userId: a }, NOW),
            moderateAccount({ database: otherProcess }, action, a, { userId: b }, NOW),
          ]);
          expect(outcomes.toSorted()).toEqual(['done', 'notAdmin']);
          expect(await listAdmins()).toHaveLength(1);
        }
      } finally {
        await otherProcess.close();
      }
    },
  );
});
