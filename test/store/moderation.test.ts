// What operators decide, on the real database: changed once, written down once, and somebody is always left who can.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deleteOwnAccount } from '../../src/accounts/deletion.ts';
import { moderateAccount, moderateAccountWithin } from '../../src/accounts/moderation.ts';
import { type Database, openDatabase, type Queryable } from '../../src/store/database.ts';
import { lockUser } from '../support/locks.ts';
import { createUser, NOW, openTestDatabase, sql } from '../support/populate.ts';

let url: string;
let database: Database;
let close: () => Promise<void>;
beforeEach(async () => {
  ({ url, database, close } = await openTestDatabase());
});
afterEach(() => close());

const operators = async () =>
  (await sql(database, 'select id from users where operator and suspended_at is null')).map(({ id }) => id);
const kinds = async () =>
  (await sql(database, 'select kind from events order by id')).map(({ kind }) => kind);

describe('somebody must be left who can act', () => {
  test.each(['suspend', 'revoke', 'delete'] as const)(
    'the last operator cannot be lost by %s, from nowhere',
    async (action) => {
      const last = await createUser(database, { operator: true });
      const suspended = await createUser(database, { operator: true });
      await moderateAccount({ database }, 'suspend', suspended, {}, NOW);
      expect(await moderateAccount({ database }, action, last, {}, NOW)).toBe('lastOperator');
      expect(await operators()).toEqual([last]);
      expect(await kinds()).toEqual(['account_suspended']);
      // A suspended one is none to lose, and does not count as one who is left.
      expect(await moderateAccount({ database }, action, suspended, {}, NOW)).toBe(
        action === 'suspend' ? 'unchanged' : 'done',
      );
    },
  );

  test('the last operator changes nothing in a transaction that commits', async () => {
    const last = await createUser(database, { operator: true });
    const within = <Result>(work: (transaction: Queryable) => Promise<Result>) => database.transaction(work);
    for (const action of ['suspend', 'revoke', 'delete'] as const)
      expect(
        await within((transaction) => moderateAccountWithin({}, transaction, action, last, {}, NOW)),
      ).toBe('lastOperator');
    const own = { userId: last, address: '192.0.2.1' };
    expect(await within((transaction) => deleteOwnAccount(transaction, own, NOW))).toBe('lastOperator');
    expect(await operators()).toEqual([last]);
    expect(await kinds()).toEqual([]);
  });

  test('two operators who delete their own accounts at once: one stays', async () => {
    const own = [
      await createUser(database, { operator: true }),
      await createUser(database, { operator: true }),
    ];
    // Each transaction has locked its own account before the other is asked for.
    const lock = await lockUser(url, own[0]);
    const first = database.transaction((transaction) =>
      deleteOwnAccount(transaction, { userId: own[1] ?? '', address: '' }, NOW),
    );
    await lock.heldUp(1);
    const second = database.transaction((transaction) =>
      deleteOwnAccount(transaction, { userId: own[0] ?? '', address: '' }, NOW),
    );
    await lock.heldUp(2);
    await lock.release();
    expect((await Promise.all([first, second])).toSorted()).toEqual(['deleted', 'lastOperator']);
    expect(await operators()).toHaveLength(1);
  });

  test.each(['suspend', 'revoke', 'delete'] as const)(
    'two who %s each other at once, from two processes: one stays',
    async (action) => {
      const elsewhere = openDatabase(url, 2);
      try {
        for (let round = 0; round < 3; round += 1) {
          await sql(database, 'delete from users');
          const [a, b] = [
            await createUser(database, { operator: true }),
            await createUser(database, { operator: true }),
          ];
          const outcomes = await Promise.all([
            moderateAccount({ database }, action, b, { userId: a }, NOW),
            moderateAccount({ database: elsewhere }, action, a, { userId: b }, NOW),
          ]);
          expect(outcomes.toSorted()).toEqual(['done', 'notOperator']);
          expect(await operators()).toHaveLength(1);
        }
      } finally {
        await elsewhere.close();
      }
    },
  );
});
