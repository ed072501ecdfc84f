// Applications and their secrets (D3, D11, D12, D28).

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientSecretHash } from '../../src/oauth/digests.ts';
import { authenticateClient, listClients, replaceRedirectUris } from '../../src/store/clients.ts';
import type { Database } from '../../src/store/database.ts';
import { expireFormerSecrets, insertSecret } from '../../src/store/secrets.ts';
import { deleteClient } from '../support/applications.ts';
import { createClient, createUser, later, NOW, openTestDatabase, sql } from '../support/populate.ts';

let database: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, close } = await openTestDatabase());
});
afterAll(() => close());

const NEW_SECRET = 'a new secret';

describe('authenticateClient (D11, D12)', () => {
  test('a confidential application: its own live secret and nothing else', async () => {
    const credentials = await createClient(database);
    const other = await createClient(database);
    expect(await authenticateClient(database, credentials, NOW)).toBe(true);
    for (const proof of [null, Buffer.alloc(32), Buffer.alloc(0), other.proof])
      expect(await authenticateClient(database, { ...credentials, proof }, NOW)).toBe(false);
  });

  test('a public application: no secret at all', async () => {
    const credentials = await createClient(database, { type: 'public' });
    expect(await authenticateClient(database, credentials, NOW)).toBe(true);
    expect(
      await authenticateClient(database, { ...credentials, proof: clientSecretHash(NEW_SECRET) }, NOW),
    ).toBe(false);
  });

  test('an unknown application, with a secret or without', async () => {
    const nobody = { clientId: 'app_nobody', proof: clientSecretHash(NEW_SECRET), triedBasic: false };
    expect(await authenticateClient(database, nobody, NOW)).toBe(false);
    expect(await authenticateClient(database, { ...nobody, proof: null }, NOW)).toBe(false);
  });

  test('a suspended application', async () => {
    for (const type of ['confidential', 'public'] as const) {
      const credentials = await createClient(database, { type });
      await sql(database, 'update clients set suspended_at = $2::timestamptz where client_id = $1::text', [
        credentials.clientId,
        NOW,
      ]);
      expect(await authenticateClient(database, credentials, NOW)).toBe(false);
    }
  });
});

describe('secrets overlap while an application moves (D28)', () => {
  test('old and new are both good until the old one ends, to the millisecond', async () => {
    const old = await createClient(database);
    const fresh = { ...old, proof: clientSecretHash(NEW_SECRET) };
    await expireFormerSecrets(database, old.clientId, 2, later(600), NOW);
    await insertSecret(database, 'application', old.clientId, NEW_SECRET, NOW);
    for (const credentials of [old, fresh])
      expect(await authenticateClient(database, credentials, later(599.999))).toBe(true);
    expect(await authenticateClient(database, old, later(600))).toBe(false);
    expect(await authenticateClient(database, fresh, later(600))).toBe(true);
  });

  test('without overlap the old one ends at once', async () => {
    const old = await createClient(database);
    await expireFormerSecrets(database, old.clientId, 2, NOW, NOW);
    expect(await authenticateClient(database, old, NOW)).toBe(false);
  });

  test('a later rotation never lengthens the life of a secret that already ends', async () => {
    const old = await createClient(database);
    await expireFormerSecrets(database, old.clientId, 2, later(60), NOW);
    await expireFormerSecrets(database, old.clientId, 2, later(600), NOW);
    expect(await authenticateClient(database, old, later(59))).toBe(true);
    expect(await authenticateClient(database, old, later(60))).toBe(false);
    await expireFormerSecrets(database, old.clientId, 2, later(30), NOW);
    expect(await authenticateClient(database, old, later(30))).toBe(false);
  });

  test('of several former ones the latest that lives goes on, the others end now', async () => {
    const old = await createClient(database);
    const second = { ...old, proof: clientSecretHash(NEW_SECRET) };
    const third = { ...old, proof: clientSecretHash('the third') };
    for (const secret of [NEW_SECRET, 'the third'])
      await insertSecret(database, 'application', old.clientId, secret, NOW);
    await expireFormerSecrets(database, old.clientId, 3, later(60), NOW);
    const authenticating = async (at: Date) =>
      Promise.all([old, second, third].map((one) => authenticateClient(database, one, at)));
    expect(await authenticating(NOW)).toEqual([false, true, true]);
    expect(await authenticating(later(60))).toEqual([false, false, true]);
  });

  test('the secrets of other applications are untouched', async () => {
    const one = await createClient(database);
    const other = await createClient(database);
    await expireFormerSecrets(database, one.clientId, 2, NOW, NOW);
    expect(await authenticateClient(database, other, later(10_000_000))).toBe(true);
  });
});

describe('listing, changing, deleting', () => {
  test('all are listed as they were registered, with their owner’s email', async () => {
    const ownerId = await createUser(database, { email: 'Owner@Example.com' });
    const settings = {
      name: 'Carnet « d’adresses »',
      type: 'public' as const,
      redirectUris: ['https://client.example/cb?x=%7e', 'com.example.app:/cb'],
      scopes: ['openid' as const, 'email' as const],
      standard: true,
      refreshGrace: 20,
    };
    const { clientId } = await createClient(database, { ownerId, ...settings });
    const row = (await listClients(database)).find((client) => client.clientId === clientId);
    expect(row).toEqual({
      clientId,
      ...settings,
      ownerEmail: 'Owner@Example.com',
      suspended: false,
      createdAt: NOW,
    });
  });

  test('the callback URLs are replaced as a whole', async () => {
    const { clientId } = await createClient(database);
    const redirectUris = ['https://new.example/1', 'https://new.example/2'];
    expect(await replaceRedirectUris(database, clientId, redirectUris)).toBe(true);
    const row = (await listClients(database)).find((client) => client.clientId === clientId);
    expect(row?.redirectUris).toEqual(redirectUris);
    expect(await replaceRedirectUris(database, 'app_nobody', redirectUris)).toBe(false);
  });

  test('a deleted application is gone with its secrets; the second time there is none', async () => {
    const credentials = await createClient(database);
    expect(await deleteClient(database, credentials.clientId)).toBe(true);
    expect(await authenticateClient(database, credentials, NOW)).toBe(false);
    expect(
      await sql(database, 'select from secrets where client_id = $1::text', [credentials.clientId]),
    ).toEqual([]);
    expect(await deleteClient(database, credentials.clientId)).toBe(false);
  });

  test('the database itself refuses a type, a grace and an owner that cannot be', async () => {
    await expect(createClient(database, { type: 'native' as 'public' })).rejects.toThrow(
      /clients_type_check/,
    );
    for (const refreshGrace of [-1, 61])
      await expect(createClient(database, { refreshGrace })).rejects.toThrow(/clients_refresh_grace_check/);
    await expect(createClient(database, { ownerId: randomUUID() })).rejects.toThrow(/clients_owner_id_fkey/);
  });
});
