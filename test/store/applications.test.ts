// Applications as their owners see them: every statement finds one's own and nothing else.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ApplicationSettings,
  changeOwnApplication,
  countPeople,
  findOwnApplication,
  findPresentation,
  listOwnApplications,
  lockOwnApplication,
  setOwnLogo,
} from '../../src/store/applications.ts';
import { authenticateClient, insertClient } from '../../src/store/clients.ts';
import { rememberConsent, withdrawConsent } from '../../src/store/consents.ts';
import type { Database } from '../../src/store/database.ts';
import { countForAdding } from '../../src/store/owned.ts';
import { keepPicture } from '../../src/store/pictures.ts';
import { endOwnSecret, expireFormerSecrets, insertSecret, listSecrets } from '../../src/store/secrets.ts';
import { heldUp } from '../support/locks.ts';
import { createClient, createUser, later, NOW, openTestDatabase, sql } from '../support/populate.ts';

let url: string;
let database: Database;
let close: () => Promise<void>;
let owner: string;
let stranger: string;
beforeAll(async () => {
  ({ url, database, close } = await openTestDatabase());
  owner = await createUser(database);
  stranger = await createUser(database);
});
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

test('an application is found and listed by its owner, latest first, and by nobody else', async () => {
  const ownerId = await createUser(database);
  const { clientId } = await createClient(database, { ownerId, refreshGrace: 7 });
  const fields = { ownerId, name: 'Later', type: 'public' as const, redirectUris: [], scopes: [] };
  await insertClient(
    database,
    { ...fields, clientId: 'app_later', standard: false, refreshGrace: 0 },
    later(1),
  );
  const found = {
    clientId,
    name: 'Carnet',
    type: 'confidential',
    redirectUris: ['https://client.example/callback'],
    scopes: ['openid', 'profile', 'email', 'phone'],
    standard: false,
    claimsInIdToken: false,
    refreshGrace: 7,
    logo: null,
    homePage: null,
    privacyPolicy: null,
    termsOfService: null,
    verified: false,
    suspended: false,
    createdAt: NOW,
  };
  expect(await findOwnApplication(database, ownerId, clientId)).toEqual(found);
  expect(await database.transaction((one) => lockOwnApplication(one, ownerId, clientId))).toEqual(found);
  const list = await listOwnApplications(database, ownerId);
  expect(list.map((one) => one.clientId)).toEqual(['app_later', clientId]);
  expect(list[1]).toEqual(found);
  expect(await findOwnApplication(database, stranger, clientId)).toBeUndefined();
  expect(await database.transaction((one) => lockOwnApplication(one, stranger, clientId))).toBeUndefined();
  expect(await listOwnApplications(database, stranger)).toEqual([]);
  expect(await findOwnApplication(database, ownerId, 'app_nobody')).toBeUndefined();
});

test('settings are changed by the owner alone', async () => {
  const { clientId } = await createClient(database, { ownerId: owner });
  const before = await findOwnApplication(database, owner, clientId);
  await changeOwnApplication(database, stranger, clientId, SETTINGS, NOW);
  expect(await findOwnApplication(database, owner, clientId)).toEqual(before);
  await changeOwnApplication(database, owner, clientId, SETTINGS, NOW);
  expect(await findOwnApplication(database, owner, clientId)).toEqual({
    ...before,
    ...SETTINGS,
    claimsInIdToken: true, // as the mode says
  });
  expect(await findPresentation(database, clientId)).toEqual({
    logo: null,
    homePage: 'https://home.example/',
    privacyPolicy: null,
    termsOfService: 'https://terms.example/',
    verified: false,
  });
  expect(await findPresentation(database, 'app_nobody')).toBeUndefined();
});

test('a logo is set and taken away by the owner alone, and is a picture that is there', async () => {
  const { clientId } = await createClient(database, { ownerId: owner });
  const picture = { hash: 'h', content: Buffer.from('x'), type: 'image/webp' };
  await expect(setOwnLogo(database, owner, clientId, 'h')).rejects.toThrow(/clients_logo_fkey/);
  await keepPicture(database, picture, NOW);
  expect(await setOwnLogo(database, stranger, clientId, 'h')).toBe(false);
  expect(await setOwnLogo(database, owner, clientId, 'h')).toBe(true);
  expect((await findPresentation(database, clientId))?.logo).toBe('h');
  expect(await setOwnLogo(database, owner, clientId, null)).toBe(true);
  expect((await findPresentation(database, clientId))?.logo).toBeNull();
});

test('people count while their consent is in force', async () => {
  const { clientId } = await createClient(database, { ownerId: owner });
  for (const userId of [owner, stranger])
    await rememberConsent(database, { userId, clientId, scopes: ['openid'], now: NOW });
  expect(await countPeople(database, clientId)).toBe(2);
  await withdrawConsent(database, stranger, clientId, NOW);
  expect(await countPeople(database, clientId)).toBe(1);
});

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

  test('live ones are listed to the owner alone, latest first, with their dates', async () => {
    const { clientId } = await createClient(database, { ownerId: owner });
    await expireFormerSecrets(database, clientId, 2, later(60), NOW);
    await insertSecret(database, 'application', clientId, 'a new one', later(1));
    await sql(
      database,
      'update secrets set last_used_at = $2::timestamptz where client_id = $1::text and number = 1',
      [clientId, later(2)],
    );
    const one = {
      number: 1,
      ending: expect.any(String),
      createdAt: NOW,
      expiresAt: later(60),
      lastUsedAt: later(2),
    };
    const two = { number: 2, ending: ' one', createdAt: later(1), expiresAt: null, lastUsedAt: null };
    expect(await listSecrets(database, owner, clientId, later(59))).toEqual([two, one]);
    expect(await listSecrets(database, owner, clientId, later(60))).toEqual([two]);
    expect(await listSecrets(database, stranger, clientId, NOW)).toEqual([]);
  });

  test('one is ended by the owner alone, once, and authenticates no more', async () => {
    const credentials = await createClient(database, { ownerId: owner });
    const { clientId } = credentials;
    expect(await endOwnSecret(database, stranger, clientId, 1, NOW)).toBe(false);
    expect(await endOwnSecret(database, owner, clientId, 2, NOW)).toBe(false);
    expect(await authenticateClient(database, credentials, NOW)).toBe(true);
    expect(await endOwnSecret(database, owner, clientId, 1, NOW)).toBe(true);
    expect(await endOwnSecret(database, owner, clientId, 1, NOW)).toBe(false);
    expect(await authenticateClient(database, credentials, NOW)).toBe(false);
  });
});
