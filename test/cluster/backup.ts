// Backup of a living service and its restoration, with the commands of docs/operations/backup-and-restore.md.
import { strict as assert } from 'node:assert';
import { join } from 'node:path';
import { renew, revoke, userinfo } from '../support/flow.ts';
import {
  expectAllAlive,
  expectDead,
  type Instance,
  isOwnTokenLive,
  openWorld,
  ownToken,
  restart,
  signInAgain,
  stopAll,
} from './instances.ts';
import { startLoad } from './load.ts';
import { createServer, runOn, type Server, SUPERUSER } from './postgres.ts';
import type { Step } from './report.ts';
import { revokeAll } from './revoke-all.ts';
import { newFolder } from './system.ts';

export async function backupAndRestore(step: Step, note: (text: string) => void): Promise<void> {
  const server = await createServer();
  const world = await openWorld(2, server.adminUrl);
  const dump = join(newFolder(), 'sesame.dump');
  const [revoked, superseded, kept] = await world.tokens(3);
  const own = await ownToken(world);
  const [instance] = world.instances;
  assert(revoked && superseded && kept && instance);
  await step('pg_dump under load', async () => {
    const load = await startLoad(world, 60);
    await load.progress(20, 5);
    await runOn(server, 'pg_dump', ['-U', SUPERUSER, '-Fc', '-f', dump, 'sesame']);
    await load.progress(20, 5);
    await load.stop();
    note(`${load.refused} requests refused meanwhile`);
    assert.equal(load.refused, 0);
  });
  const [later] = await world.tokens(1);
  assert(later);
  await step('after it: a revocation, a renewal, a new grant', async () => {
    assert.equal((await revoke(instance, world.strict, revoked.refreshToken)).status, 200);
    assert.equal((await renew(instance, world.strict, superseded.refreshToken)).status, 200);
    await expectDead(world.instances, world.strict, [revoked]);
    assert.equal((await revoke(instance, world.strict, own)).status, 200);
    assert.equal(await isOwnTokenLive(world, own), false);
  });
  await step('restored into a new database and started without more: what was revoked is back', async () => {
    await stopAll(world.instances);
    await restore(server, dump);
    world.instances = await restart(world.instances, server.adminUrl);
    assert.equal((await userinfo(world.instances[0] as Instance, revoked.accessToken)).status, 200);
    assert.equal(await isOwnTokenLive(world, own), true);
    assert.match((await world.browser.get('/account')).body, /Ada Lovelace/);
  });
  await step(
    'restored, `sesame tokens revoke-all`, started: nothing is accepted, sessions neither',
    async () => {
      await stopAll(world.instances);
      await restore(server, dump);
      note(await revokeAll(server.adminUrl));
      world.instances = await restart(world.instances, server.adminUrl);
      await expectDead(world.instances, world.strict, [revoked, superseded, kept, later]);
      assert.equal(await isOwnTokenLive(world, own), false);
      assert.doesNotMatch((await world.browser.get('/account')).body, /Ada Lovelace/);
    },
  );
  await step('people sign in again, and applications work with the secrets they have', () =>
    signInAgain(world),
  );
  expectAllAlive(world.instances);
  await stopAll(world.instances);
}

async function restore(server: Server, dump: string): Promise<void> {
  await runOn(server, 'dropdb', ['-U', SUPERUSER, '--force', 'sesame']);
  await runOn(server, 'createdb', ['-U', SUPERUSER, 'sesame']);
  await runOn(server, 'pg_restore', ['-U', SUPERUSER, '--exit-on-error', '-d', 'sesame', dump]);
}
