// Applications and their secrets (D3, D11, D12, D28).

import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { clientSecretHash } from '../../src/oauth/digests.ts';
import { authenticateClient } from '../../src/store/clients.ts';
import { expireFormerSecrets, insertSecret } from '../../src/store/secrets.ts';
import { createClient, later, NOW, openTestDatabase } from '../support/populate.ts';

const { database, close } = await openTestDatabase();
afterAll(() => close());

const NEW_SECRET = 'a new secret';

describe('secrets overlap while an application moves (D28)', () => {
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
});

describe('listing, changing, deleting', () => {
  test('the database itself refuses a type, a grace and an owner that cannot be', async () => {
    await expect(createClient(database, { type: 'native' as 'public' })).rejects.toThrow(
      /clients_type_check/,
    );
    for (const refreshGrace of [-1, 61])
      await expect(createClient(database, { refreshGrace })).rejects.toThrow(/clients_refresh_grace_check/);
    await expect(createClient(database, { ownerId: randomUUID() })).rejects.toThrow(/clients_owner_id_fkey/);
  });
});
