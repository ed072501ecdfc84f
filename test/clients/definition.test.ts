import { afterAll, beforeAll, expect, test } from 'vitest';
import { updateClientDefinition } from '../../src/clients/definition.ts';
import { changeProtocolSettings } from '../../src/clients/updates.ts';
import { findOwnedClient, lockOwnedClient } from '../../src/store/owned-clients.ts';
import { waitForBlocked } from '../support/locks.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('concurrent updates do not overwrite each other’s settings', async () => {
  const { userId } = await service.createUser();
  const { clientId } = await service.createClient({ ownerId: userId });
  const { database } = service.services;
  const owner = { userId, ip: undefined };
  const now = service.clock.now();
  const settings = await findOwnedClient(database, userId, clientId);
  if (settings === undefined) throw new Error('client not found');

  const outcomes = await database.transaction(async (first) => {
    await lockOwnedClient(first, userId, clientId);
    const second = database.transaction((transaction) =>
      updateClientDefinition(
        transaction,
        owner,
        clientId,
        { backchannelLogoutUri: 'https://b.example/' },
        false,
        now,
      ),
    );
    await waitForBlocked(service.databaseUrl);
    const input = { ...settings, parRequired: true, backchannelLogoutUri: 'https://a.example/' };
    return { changed: await changeProtocolSettings(first, owner, clientId, input, now), second };
  });
  expect([outcomes.changed, await outcomes.second]).toEqual(['changed', true]);
  expect(await findOwnedClient(database, userId, clientId)).toMatchObject({
    parRequired: true,
    backchannelLogoutUri: 'https://b.example/',
  });
});
