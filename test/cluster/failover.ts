// The primary dies with its machine, and its replica takes over: what a 200 has promised then.
import { strict as assert } from 'node:assert';
import { renew, revoke, userinfo } from '../support/flow.ts';
import { until } from '../support/until.ts';
import { openFront } from './front.ts';
import {
  allReady,
  expectAllAlive,
  expectDead,
  isOwnTokenLive,
  openWorld,
  ownToken,
  signInAgain,
  stopAll,
  type World,
} from './instances.ts';
import { expectPromisesKept, startLoad } from './load.ts';
import { createReplica, createServer, type Server, untilReplica } from './postgres.ts';
import type { Step } from './report.ts';
import { revokeAll } from './revoke-all.ts';

/** Under load, through PgBouncer or through a switch that stands for any other way to redirect connections. */
export async function synchronousFailover(
  kind: 'switch' | 'pgbouncer',
  step: Step,
  note: (text: string) => void,
) {
  const primary = await createServer();
  const replica = await createReplica(primary, 'replica');
  const front = await openFront(kind, primary.port);
  const world = await openWorld(2, front.url, { directUrl: primary.url, settings: front.settings });
  const load = await step(
    'a primary, a replica that every commit waits for, two processes under load',
    async () => {
      await primary.query(`alter system set synchronous_standby_names = 'replica'`);
      await primary.query(`alter system set synchronous_commit = 'on'`);
      await primary.query('select pg_reload_conf()');
      await untilReplica(primary, 'replica', 'sync');
      const started = await startLoad(world, 160);
      await started.progress(100, 30);
      return started;
    },
  );

  await step('the way to the replica breaks: commits wait for it', async () => {
    await primary.freezeReplication();
    await until('commits to wait for the replica', async () => {
      const rows = await primary.query(`select from pg_stat_activity where wait_event = 'SyncRep'`);
      return rows.length >= 4;
    });
  });

  await step('kill -9 of the primary, promotion of the replica, redirection', async () => {
    await primary.kill();
    await replica.query('select pg_promote()');
    await front.redirect(replica.port);
  });

  await step('the service is back without anybody touching it', async () => {
    await allReady(world.instances);
    await load.progress(60, 20);
    await load.stop();
  });

  await step(
    'every revocation that was answered 200 holds, every renewal has a usable successor',
    async () => {
      await expectPromisesKept(world, load);
      expectAllAlive(world.instances);
      const renewed = load.chains.reduce((sum, { renewed }) => sum + renewed, 0);
      const dead = load.chains.filter((chain) => chain.dead).length;
      note(
        `${load.revoked.length} revocations and ${renewed} renewals answered 200, ${load.refused} refused or lost`,
      );
      note(`of 12 workers without grace ${dead} had to ask for a new sign-in, of 12 with grace none`);
    },
  );

  await step('a new replica joins the new primary, and commits wait for it', async () => {
    await createReplica(replica, 'next');
    await replica.query(`alter system set synchronous_standby_names = 'next'`);
    await replica.query('select pg_reload_conf()');
    await untilReplica(replica, 'next', 'sync');
  });
  if (kind === 'switch')
    await step(
      'the replica is away: reading goes on, no revocation is answered 200; writing is back with it',
      () => withoutReplica(world, replica),
    );
  await front.close();
  await stopAll(world.instances);
}

/** Frozen, not stopped: the primary cannot tell it from a slow network, and every commit waits. */
async function withoutReplica(world: World, primary: Server): Promise<void> {
  const [kept, given] = await world.tokens(2);
  const [instance] = world.instances;
  assert(kept && given && instance);
  await primary.freezeReplication();
  const revocation = revoke(instance, world.strict, given.refreshToken);
  await until('the commit to wait for the replica', async () => {
    const rows = await primary.query(`select from pg_stat_activity where wait_event = 'SyncRep'`);
    return rows.length > 0;
  });
  assert.equal((await userinfo(instance, kept.accessToken)).status, 200);
  assert.equal((await revocation).status, 503);
  await primary.thawReplication();
  await until(
    'writing to be back',
    async () => (await revoke(instance, world.strict, given.refreshToken)).status === 200,
    5_000,
  );
  await expectDead(world.instances, world.strict, [given]);
  assert.equal((await renew(instance, world.strict, kept.refreshToken)).status, 200);
}

/** A replica that nobody waits for is promoted: what it had not got is lost, and what the operator does about it. */
export async function asynchronousFailover(step: Step, note: (text: string) => void): Promise<void> {
  const primary = await createServer();
  const replica = await createReplica(primary, 'replica');
  const front = await openFront('switch', primary.port);
  const world = await openWorld(2, front.url, { directUrl: primary.url });
  const [lost, renewed, ...others] = await world.tokens(6);
  const [instance] = world.instances;
  const own = await ownToken(world);
  assert(lost && renewed && instance);
  let successor = '';
  await step(
    'a revocation and a renewal that the replica has not got are answered 200, and hold while the primary lives',
    async () => {
      await untilReplica(primary, 'replica', 'async');
      await until('the replica to have everything so far', async () => {
        const rows = await primary.query<{ equal: boolean }>(
          `select replay_lsn = pg_current_wal_lsn() as equal from pg_stat_replication`,
        );
        return rows[0]?.equal;
      });
      await primary.freezeReplication();
      assert.equal((await revoke(instance, world.strict, lost.refreshToken)).status, 200);
      for (const each of world.instances) assert.equal((await userinfo(each, lost.accessToken)).status, 401);
      assert.equal((await revoke(instance, world.strict, own)).status, 200);
      assert.equal(await isOwnTokenLive(world, own), false);
      const renewal = await renew(instance, world.strict, renewed.refreshToken);
      assert.equal(renewal.status, 200);
      successor = String(renewal.body.refresh_token);
    },
  );
  await step('after the promotion both are lost: the revoked token is accepted again', async () => {
    await primary.kill();
    await replica.query('select pg_promote()');
    await front.redirect(replica.port);
    await allReady(world.instances);
    assert.equal((await userinfo(instance, lost.accessToken)).status, 200);
    assert.equal(await isOwnTokenLive(world, own), true);
    assert.equal((await renew(instance, world.strict, successor)).status, 400);
    assert.equal((await renew(instance, world.strict, renewed.refreshToken)).status, 200);
  });
  await step('`sesame tokens revoke-all` leaves nothing alive, on any process', async () => {
    assert.match((await world.browser.get('/account')).body, /Ada Lovelace/);
    note(await revokeAll(replica.url));
    await expectDead(world.instances, world.strict, [lost, renewed, ...others]);
    assert.equal(await isOwnTokenLive(world, own), false);
    assert.doesNotMatch((await world.browser.get('/account')).body, /Ada Lovelace/, 'a session is alive');
  });
  await step('people sign in again, and applications work with the secrets they have', () =>
    signInAgain(world),
  );
  expectAllAlive(world.instances);
  await front.close();
  await stopAll(world.instances);
}
