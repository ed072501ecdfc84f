// Changing all that an application's owner can set, while its pages change the same.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeProtocol } from '../../src/applications/changes.ts';
import { changeDefinition } from '../../src/applications/definition.ts';
import { findOwnApplication, lockOwnApplication } from '../../src/store/applications.ts';
import { heldUp } from '../support/locks.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('a command waits for the console that changes the same settings, and what it names comes after', async () => {
  const { userId } = await service.createUser();
  const { clientId } = await service.createApplication({ ownerId: userId });
  const { database } = service.parts;
  const owner = { userId, address: undefined };
  const now = service.clock.now();
  const settings = await findOwnApplication(database, userId, clientId);
  if (settings === undefined) throw new Error('the application is there');

  const outcomes = await database.transaction(async (console) => {
    await lockOwnApplication(console, userId, clientId);
    const commanded = database.transaction((command) =>
      changeDefinition(command, owner, clientId, { backchannelLogoutUri: 'https://b.example/' }, false, now),
    );
    await heldUp(service.databaseUrl);
    const wanted = { ...settings, parRequired: true, backchannelLogoutUri: 'https://a.example/' };
    return { changed: await changeProtocol(console, owner, clientId, wanted, now), commanded };
  });
  expect([outcomes.changed, await outcomes.commanded]).toEqual(['changed', true]);
  expect(await findOwnApplication(database, userId, clientId)).toMatchObject({
    parRequired: true,
    backchannelLogoutUri: 'https://b.example/',
  });
});
