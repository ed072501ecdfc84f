// Tests failover to synchronous and asynchronous replicas.
import { strict as assert } from 'node:assert';
import { fetchUserinfo, redeemRefreshToken, revokeToken } from '../support/oauth-flow.ts';
import { waitUntil } from '../support/wait-until.ts';
import { openFailoverProxy } from './failover-proxy.ts';
import {
  type Cluster,
  expectAllRunning,
  expectRejected,
  expectSignInWorks,
  isServiceTokenActive,
  obtainServiceToken,
  startCluster,
  stopAll,
  waitUntilAllReady,
} from './instances.ts';
import { expectTokenStates, startLoad } from './load.ts';
import { createReplica, createServer, type Server, waitForReplica } from './postgres.ts';
import type { Step } from './report.ts';
import { revokeAll } from './revoke-all.ts';

/** Tests failover to a synchronous replica under load, through PgBouncer or a TCP proxy. */
export async function testSynchronousFailover(
  kind: 'tcp' | 'pgbouncer',
  step: Step,
  note: (text: string) => void,
) {
  const primary = await createServer();
  const replica = await createReplica(primary, 'replica');
  const proxy = await openFailoverProxy(kind, primary.port);
  const cluster = await startCluster(2, proxy.url, { directUrl: primary.url, settings: proxy.settings });
  const load = await step(
    'two processes run under load on a primary with a synchronous replica',
    async () => {
      await primary.query(`alter system set synchronous_standby_names = 'replica'`);
      await primary.query(`alter system set synchronous_commit = 'on'`);
      await primary.query('select pg_reload_conf()');
      await waitForReplica(primary, 'replica', 'sync');
      const load = await startLoad(cluster, 160);
      await load.waitForProgress(100, 30);
      return load;
    },
  );

  await step('replication stalls, and commits wait for the replica', async () => {
    await primary.freezeReplication();
    await waitUntil('commits to wait for the replica', async () => {
      const rows = await primary.query(`select from pg_stat_activity where wait_event = 'SyncRep'`);
      return rows.length >= 4;
    });
  });

  await step('the primary is killed, the replica is promoted, and connections are redirected', async () => {
    await primary.kill();
    await replica.query('select pg_promote()');
    await proxy.redirect(replica.port);
  });

  await step('the service recovers without intervention', async () => {
    await waitUntilAllReady(cluster.instances);
    await load.waitForProgress(60, 20);
    await load.stop();
  });

  await step('no confirmed revocation or token refresh is lost', async () => {
    await expectTokenStates(cluster, load);
    expectAllRunning(cluster.instances);
    const refreshes = load.workers.reduce((sum, worker) => sum + worker.refreshes, 0);
    const revokedWorkers = load.workers.filter((worker) => worker.isRevoked).length;
    note(
      `${load.revoked.length} revocations and ${refreshes} refreshes returned 200, and ${load.failures} requests failed`,
    );
    note(
      `${revokedWorkers} of 12 workers without a grace period lost their grant, and no worker with a grace period did`,
    );
  });

  await step('a new synchronous replica joins the new primary', async () => {
    await createReplica(replica, 'next');
    await replica.query(`alter system set synchronous_standby_names = 'next'`);
    await replica.query('select pg_reload_conf()');
    await waitForReplica(replica, 'next', 'sync');
  });
  if (kind === 'tcp')
    await step('until the replica reconnects, reads succeed and revocations return 503', () =>
      testStalledReplication(cluster, replica),
    );
  await proxy.close();
  await stopAll(cluster.instances);
}

/** Freezes replication, so that every commit on the primary waits for the replica. */
async function testStalledReplication(cluster: Cluster, newPrimary: Server): Promise<void> {
  const [unchanged, revoked] = await cluster.createGrants(2);
  const [instance] = cluster.instances;
  assert(unchanged && revoked && instance);
  await newPrimary.freezeReplication();
  const revocation = revokeToken(instance, cluster.strictClient, revoked.refreshToken);
  await waitUntil('the commit to wait for the replica', async () => {
    const rows = await newPrimary.query(`select from pg_stat_activity where wait_event = 'SyncRep'`);
    return rows.length > 0;
  });
  assert.equal((await fetchUserinfo(instance, unchanged.accessToken)).status, 200);
  assert.equal((await revocation).status, 503);
  await newPrimary.thawReplication();
  await waitUntil(
    'writes to recover',
    async () => (await revokeToken(instance, cluster.strictClient, revoked.refreshToken)).status === 200,
    5_000,
  );
  await expectRejected(cluster.instances, cluster.strictClient, [revoked]);
  assert.equal(
    (await redeemRefreshToken(instance, cluster.strictClient, unchanged.refreshToken)).status,
    200,
  );
}

/** Tests failover to an asynchronous replica, which loses commits, and recovery with `sesame tokens revoke-all`. */
export async function testAsynchronousFailover(step: Step, note: (text: string) => void): Promise<void> {
  const primary = await createServer();
  const replica = await createReplica(primary, 'replica');
  const proxy = await openFailoverProxy('tcp', primary.port);
  const cluster = await startCluster(2, proxy.url, { directUrl: primary.url });
  const [revoked, refreshed, ...others] = await cluster.createGrants(6);
  const [instance] = cluster.instances;
  const serviceToken = await obtainServiceToken(cluster);
  assert(revoked && refreshed && instance);
  let successor = '';
  await step(
    'a revocation and a refresh that the replica has not received are in effect until the failover',
    async () => {
      await waitForReplica(primary, 'replica', 'async');
      await waitUntil('the replica to catch up', async () => {
        const rows = await primary.query<{ equal: boolean }>(
          `select replay_lsn = pg_current_wal_lsn() as equal from pg_stat_replication`,
        );
        return rows[0]?.equal;
      });
      await primary.freezeReplication();
      assert.equal((await revokeToken(instance, cluster.strictClient, revoked.refreshToken)).status, 200);
      for (const instance of cluster.instances)
        assert.equal((await fetchUserinfo(instance, revoked.accessToken)).status, 401);
      assert.equal((await revokeToken(instance, cluster.strictClient, serviceToken)).status, 200);
      assert.equal(await isServiceTokenActive(cluster, serviceToken), false);
      const response = await redeemRefreshToken(instance, cluster.strictClient, refreshed.refreshToken);
      assert.equal(response.status, 200);
      successor = String(response.body.refresh_token);
    },
  );
  await step(
    'after the promotion, the revocation and the refresh are lost, so the revoked token is valid again',
    async () => {
      await primary.kill();
      await replica.query('select pg_promote()');
      await proxy.redirect(replica.port);
      await waitUntilAllReady(cluster.instances);
      assert.equal((await fetchUserinfo(instance, revoked.accessToken)).status, 200);
      assert.equal(await isServiceTokenActive(cluster, serviceToken), true);
      assert.equal((await redeemRefreshToken(instance, cluster.strictClient, successor)).status, 400);
      assert.equal(
        (await redeemRefreshToken(instance, cluster.strictClient, refreshed.refreshToken)).status,
        200,
      );
    },
  );
  await step('`sesame tokens revoke-all` revokes all tokens and sessions on every process', async () => {
    assert.match((await cluster.browser.get('/account')).body, /Ada Lovelace/);
    note(await revokeAll(replica.url));
    await expectRejected(cluster.instances, cluster.strictClient, [revoked, refreshed, ...others]);
    assert.equal(await isServiceTokenActive(cluster, serviceToken), false);
    assert.doesNotMatch(
      (await cluster.browser.get('/account')).body,
      /Ada Lovelace/,
      'a session is still valid',
    );
  });
  await step('users sign in again, and clients work with their existing secrets', () =>
    expectSignInWorks(cluster),
  );
  expectAllRunning(cluster.instances);
  await proxy.close();
  await stopAll(cluster.instances);
}
