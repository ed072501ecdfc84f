// Applications as their owners see them: every statement finds one's own and nothing else.

import { afterAll, describe, expect, test } from 'vitest';
import type { ApplicationSettings } from '../../src/store/applications.ts';
import { insertClient } from '../../src/store/clients.ts';
import { countForAdding } from '../../src/store/owned.ts';
import { insertSecret } from '../../src/store/secrets.ts';
import { heldUp } from '../support/locks.ts';
import { createClient, createUser, later, NOW, openTestDatabase, sql } from '../support/populate.ts';

const { url, database, close } = await openTestDatabase();
const owner = await createUser(database);
afterAll(() => close());

const SETTINGS: ApplicationSettings = {
  name: 'Agenda',
  redirectUris: ['https://new.example/1', 'https://new.example/2'],
  scopes: ['openid', 'email'],
  standard: true,
  refreshGrace: 60,
  homePage: 'https://home.example/',
  privacyPolicy: null,
  termsOfService: 'https://terms.example/',
};

test('whoever adds an application waits for another who does, and counts what was added', async () => {
  const ownerId = await createUser(database);
  const order: string[] = [];
  let entered = () => {};
  const firstIsIn = new Promise<void>((resolve) => {
    entered = resolve;
  });
  let go = () => {};
  const goOn = new Promise<void>((resolve) => {
    go = resolve;
  });
  const first = database.transaction(async (transaction) => {
    order.push(`first ${await countForAdding(transaction, 'application', ownerId)}`);
    entered();
    await goOn;
    await insertClient(transaction, { ...SETTINGS, clientId: 'app_first', ownerId, type: 'public' }, NOW);
  });
  await firstIsIn;
  const second = database.transaction(async (transaction) => {
    order.push(`second ${await countForAdding(transaction, 'application', ownerId)}`);
  });
  await heldUp(url);
  go();
  await Promise.all([first, second]);
  expect(order).toEqual(['first 0', 'second 1']);
});

describe('secrets', () => {
  test('have numbers that are never given again', async () => {
    const { clientId, proof } = await createClient(database, { ownerId: owner });
    expect(await insertSecret(database, 'application', clientId, 'two', later(1))).toBe(2);
    await sql(database, 'delete from secrets where client_id = $1::text', [clientId]);
    expect(await insertSecret(database, 'application', clientId, 'three', later(2))).toBe(3);
    expect(proof).not.toBeNull();
    await expect(insertSecret(database, 'application', 'app_nobody', 'one', NOW)).rejects.toThrow(
      'app_nobody',
    );
  });
});
