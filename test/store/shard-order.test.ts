// Citus refuses to change clients and APIs in a transaction that has asked all shards before.
import { afterAll, expect, test } from 'vitest';
import { deleteOwnAccount } from '../../src/accounts/deletion.ts';
import { moderateAccount, moderateThing } from '../../src/accounts/moderation.ts';
import { deleteThing } from '../../src/ownership/deletion.ts';
import { acceptTransfer, offerTransfer } from '../../src/ownership/transfers.ts';
import type { Database, Queryable } from '../../src/store/database.ts';
import type { Statement } from '../../src/store/statement.ts';
import { exceptionOf } from '../support/across-shards.ts';
import { createClient, createUser, NOW, openTestDatabase } from '../support/populate.ts';

const opened = await openTestDatabase();
afterAll(() => opened.close());

/** The statements of the last transaction. */
let sent: Statement[] = [];
const database: Database = {
  ...opened.database,
  transaction: (work) =>
    opened.database.transaction((transaction) => {
      sent = [];
      return work({
        query: (statement, values) => {
          sent.push(statement);
          return transaction.query(statement, values);
        },
      });
    }),
};
const address = '192.0.2.1';
const email = 'recipient@example.com';
const operator = await createUser(opened.database, { operator: true });
const recipient = await createUser(opened.database, { email });
const within = <Result>(work: (transaction: Queryable) => Promise<Result>) => database.transaction(work);
const mailer = { available: false } as never;

test.each<[string, string, (owner: string, clientId: string) => Promise<unknown>]>([
  [
    'an administrator suspends a client',
    'done',
    (_, clientId) =>
      moderateThing({ database }, 'application', 'suspend', clientId, { userId: operator }, NOW),
  ],
  [
    'an administrator deletes an account',
    'done',
    (owner) => moderateAccount({ database }, 'delete', owner, { userId: operator }, NOW),
  ],
  [
    'the command line deletes an administrator',
    'done',
    async (owner) => {
      await moderateAccount({ database }, 'grant', owner, {}, NOW);
      return moderateAccount({ database }, 'delete', owner, {}, NOW);
    },
  ],
  [
    'a user deletes the account',
    'deleted',
    (owner) => within((transaction) => deleteOwnAccount(transaction, { userId: owner, address }, NOW)),
  ],
  [
    'an owner deletes a client',
    'true',
    (userId, clientId) =>
      within((transaction) =>
        deleteThing('application', transaction, { userId, address }, clientId, 'Herbier', NOW),
      ),
  ],
  [
    'a recipient accepts a client',
    'accepted',
    async (userId, id) => {
      const owner = { userId, address };
      await within((transaction) =>
        offerTransfer('application', { mailer }, transaction, owner, id, { email, locale: 'en' }, NOW),
      );
      const seen = { id, urls: 'https://client.example/callback' };
      const taker = { userId: recipient, address };
      return within((transaction) => acceptTransfer('application', transaction, taker, seen, 9, NOW));
    },
  ],
])('where %s', async (_, expected, act) => {
  const owner = await createUser(opened.database);
  const { clientId } = await createClient(opened.database, { ownerId: owner, name: 'Herbier' });
  expect(String(await act(owner, clientId))).toBe(expected);
  const firstChange = sent.findIndex(({ text }) =>
    /\b(?:update|delete from|insert into) clients\b/.test(text),
  );
  expect(firstChange).toBeGreaterThan(-1);
  const before = sent.slice(0, firstChange).map(({ name }) => name);
  expect(before.filter((name) => exceptionOf(name) !== undefined)).toEqual([]);
});
