// Tests backups under load, and restoring them, as in docs/operations/backup-and-restore.md.
import { strict as assert } from 'node:assert';
import { join } from 'node:path';
import { fetchUserinfo, redeemRefreshToken, revokeToken } from '../support/oauth-flow.ts';
import {
  expectAllRunning,
  expectRejected,
  expectSignInWorks,
  type Instance,
  isServiceTokenActive,
  obtainServiceToken,
  restartAll,
  startCluster,
  stopAll,
} from './instances.ts';
import { startLoad } from './load.ts';
import { createServer, runClientProgram, type Server, SUPERUSER } from './postgres.ts';
import type { Step } from './report.ts';
import { revokeAll } from './revoke-all.ts';
import { createFolder } from './system-programs.ts';

export async function testBackupAndRestore(step: Step, note: (text: string) => void): Promise<void> {
  const server = await createServer();
  const cluster = await startCluster(2, server.adminUrl);
  const dump = join(createFolder(), 'sesame.dump');
  const [revoked, superseded, unchanged] = await cluster.createGrants(3);
  const serviceToken = await obtainServiceToken(cluster);
  const [instance] = cluster.instances;
  assert(revoked && superseded && unchanged && instance);
  await step('pg_dump succeeds under load', async () => {
    const load = await startLoad(cluster, 60);
    await load.waitForProgress(20, 5);
    await runClientProgram(server, 'pg_dump', ['-U', SUPERUSER, '-Fc', '-f', dump, 'sesame']);
    await load.waitForProgress(20, 5);
    await load.stop();
    note(`${load.failures} requests failed during the backup`);
    assert.equal(load.failures, 0);
  });
  const [laterGrant] = await cluster.createGrants(1);
  assert(laterGrant);
  await step(
    'after the backup, a token is revoked, a token is refreshed and a grant is created',
    async () => {
      assert.equal((await revokeToken(instance, cluster.strictClient, revoked.refreshToken)).status, 200);
      assert.equal(
        (await redeemRefreshToken(instance, cluster.strictClient, superseded.refreshToken)).status,
        200,
      );
      await expectRejected(cluster.instances, cluster.strictClient, [revoked]);
      assert.equal((await revokeToken(instance, cluster.strictClient, serviceToken)).status, 200);
      assert.equal(await isServiceTokenActive(cluster, serviceToken), false);
    },
  );
  await step(
    'without revoke-all, tokens that were revoked after the backup are valid after a restore',
    async () => {
      await stopAll(cluster.instances);
      await restore(server, dump);
      cluster.instances = await restartAll(cluster.instances, server.adminUrl);
      assert.equal((await fetchUserinfo(cluster.instances[0] as Instance, revoked.accessToken)).status, 200);
      assert.equal(await isServiceTokenActive(cluster, serviceToken), true);
      assert.match((await cluster.browser.get('/account')).body, /Ada Lovelace/);
    },
  );
  await step(
    'after a restore and `sesame tokens revoke-all`, every token and session is rejected',
    async () => {
      await stopAll(cluster.instances);
      await restore(server, dump);
      note(await revokeAll(server.adminUrl));
      cluster.instances = await restartAll(cluster.instances, server.adminUrl);
      await expectRejected(cluster.instances, cluster.strictClient, [
        revoked,
        superseded,
        unchanged,
        laterGrant,
      ]);
      assert.equal(await isServiceTokenActive(cluster, serviceToken), false);
      assert.doesNotMatch((await cluster.browser.get('/account')).body, /Ada Lovelace/);
    },
  );
  await step('users sign in again, and clients work with their existing secrets', () =>
    expectSignInWorks(cluster),
  );
  expectAllRunning(cluster.instances);
  await stopAll(cluster.instances);
}

async function restore(server: Server, dump: string): Promise<void> {
  await runClientProgram(server, 'dropdb', ['-U', SUPERUSER, '--force', 'sesame']);
  await runClientProgram(server, 'createdb', ['-U', SUPERUSER, 'sesame']);
  await runClientProgram(server, 'pg_restore', ['-U', SUPERUSER, '--exit-on-error', '-d', 'sesame', dump]);
}
