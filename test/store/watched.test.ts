// Who may watch an application, on the real database.
import { afterAll, expect, test } from 'vitest';
import { findWatchedApplication } from '../../src/store/watched.ts';
import { createClient, createUser, openTestDatabase } from '../support/populate.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

test('findWatchedApplication: its owner, an operator, nobody else', async () => {
  const [owner, other, operator] = [
    await createUser(database),
    await createUser(database),
    await createUser(database, { operator: true }),
  ];
  const { clientId } = await createClient(database, { ownerId: owner });
  expect(await findWatchedApplication(database, clientId, owner)).toMatchObject({ clientId, own: true });
  expect(await findWatchedApplication(database, clientId, operator)).toMatchObject({ clientId, own: false });
  expect(await findWatchedApplication(database, clientId, other)).toBeUndefined();
  expect(await findWatchedApplication(database, 'app_nobody', operator)).toBeUndefined();
});
