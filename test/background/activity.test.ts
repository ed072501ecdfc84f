// Storage, merging and retention of activity counts, response times and live grants.
import { pino } from 'pino';
import { afterAll, describe, expect, test } from 'vitest';
import { type ActivityCounter, createActivityCounter, truncateToDay } from '../../src/background/activity.ts';
import { createPruningStats, startPruning } from '../../src/background/pruning.ts';
import { readConfig } from '../../src/config.ts';
import {
  findFirstDayOfActivity,
  listClientActivity,
  listProviderSignIns,
  listResponseTimes,
  listServiceActivity,
  storeLiveGrants,
} from '../../src/store/activity.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { pruneCutoffs } from '../../src/store/pruning.ts';
import {
  createClient,
  createGrant,
  deleteClient,
  later,
  NOW,
  openTestDatabase,
  pruneAll,
  redeemToken,
} from '../support/store-fixtures.ts';
import { waitUntil } from '../support/wait-until.ts';

const silentLogger = pino({ level: 'silent' });
const DAY = 24 * 3600;
const TODAY = truncateToDay(NOW);
const { url, database, close } = await openTestDatabase();
afterAll(() => close());

type Histograms = Map<string, { buckets: number[] }>;

const createCounter = (
  db: Database = database,
  histograms: Histograms = new Map(),
  period = 3_600_000,
): ActivityCounter =>
  createActivityCounter(db, silentLogger, { responseTimes: histograms, now: () => NOW, period });
const createClientId = async (): Promise<string> => (await createClient(database)).clientId;
const buildHourlyCounts = (counts: Record<number, number>) =>
  Array.from({ length: 24 }, (_, hour) => counts[hour] ?? 0);
const readClientActivity = (clientId: string) =>
  listClientActivity(database, clientId, new Date(0), later(90 * DAY));
const readServiceActivity = async (kind: string) =>
  (await listServiceActivity(database, new Date(0), later(90 * DAY))).filter((row) => row.kind === kind);

describe('activity counts', () => {
  test('are stored in one row per day and event kind', async () => {
    const clientId = await createClientId();
    const activity = createCounter();
    // NOW is 07:08, and the last event is at 00:08 on the next day.
    activity.countClientEvent(clientId, 'signed_in', NOW);
    activity.countClientEvent(clientId, 'signed_in', later(51 * 60));
    activity.countClientEvent(clientId, 'signed_in', later(52 * 60));
    activity.countClientEvent(clientId, 'refreshed', later(17 * 3600), 3);
    expect(await readClientActivity(clientId)).toEqual([]);
    await activity.flush();
    expect(await readClientActivity(clientId)).toEqual([
      { kind: 'refreshed', day: truncateToDay(later(DAY)), total: 3, hours: buildHourlyCounts({ 0: 3 }) },
      { kind: 'signed_in', day: TODAY, total: 3, hours: buildHourlyCounts({ 7: 2, 8: 1 }) },
    ]);
    await activity.close();
  });

  test('are summed if several processes store them concurrently', async () => {
    const clientId = await createClientId();
    const secondDatabase = openDatabase(url, 2);
    const [first, second] = [createCounter(), createCounter(secondDatabase)];
    for (let round = 0; round < 20; round++) {
      for (const activity of [first, second]) {
        activity.countClientEvent(clientId, 'refreshed', NOW, 5);
        activity.countClientEvent(clientId, 'signed_in', later(3600));
        activity.countServiceEvent('signed_up', NOW);
      }
      await Promise.all([first.flush(), second.flush()]);
    }
    expect((await readClientActivity(clientId)).toSorted((a, b) => a.total - b.total)).toEqual([
      { kind: 'signed_in', day: TODAY, total: 40, hours: buildHourlyCounts({ 8: 40 }) },
      { kind: 'refreshed', day: TODAY, total: 200, hours: buildHourlyCounts({ 7: 200 }) },
    ]);
    expect(await readServiceActivity('signed_up')).toEqual([
      { kind: 'signed_up', day: TODAY, total: 40, hours: buildHourlyCounts({ 7: 40 }) },
    ]);
    await Promise.all([first.close(), second.close()]);
    await secondDatabase.close();
  });

  test('are dropped if their client has been deleted', async () => {
    const [deleted, existing] = [await createClientId(), await createClientId()];
    const activity = createCounter();
    activity.countClientEvent(deleted, 'signed_in', NOW);
    await activity.flush();
    await deleteClient(database, deleted);
    expect(await readClientActivity(deleted)).toEqual([]);
    activity.countClientEvent(deleted, 'signed_in', NOW);
    activity.countClientEvent(existing, 'signed_in', NOW);
    await activity.flush();
    expect([await readClientActivity(deleted), (await readClientActivity(existing)).length]).toEqual([[], 1]);
    await activity.close();
  });
});

test('sign-ins with an identity provider are counted per provider, and once for the service', async () => {
  const activity = createCounter();
  const before = (await readServiceActivity('signed_up'))[0]?.total ?? 0;
  activity.countSignIn('signed_up', 'provider', NOW, 'google');
  activity.countSignIn('signed_up', 'provider', later(3600), 'google');
  activity.countSignIn('signed_up', 'password', NOW);
  await activity.flush();
  expect(await listProviderSignIns(database, TODAY)).toEqual([{ providerId: 'google', signIns: 2 }]);
  expect(await listProviderSignIns(database, later(DAY))).toEqual([]);
  expect((await readServiceActivity('signed_up'))[0]?.total).toBe(before + 3);
  expect(await readServiceActivity('provider:google')).toEqual([]);
  await activity.close();
});

describe('response times', () => {
  test('are added to the stored histograms only once', async () => {
    const histograms: Histograms = new Map([
      ['/oauth/token', { buckets: [4, 0, 1] }],
      ['/livez', { buckets: [9, 9, 9] }],
    ]);
    const read = async () =>
      (await listResponseTimes(database, TODAY, TODAY)).flatMap(({ route, buckets }) =>
        route === '/oauth/token' ? [buckets] : [],
      );
    const [first, second] = [createCounter(database, histograms), createCounter(database, histograms)];
    await first.flush();
    await first.flush();
    expect(await read()).toEqual([[4, 0, 1]]);
    histograms.set('/oauth/token', { buckets: [4, 2, 1] });
    await Promise.all([first.flush(), second.flush()]);
    expect(await read()).toEqual([[8, 4, 2]]);
    await Promise.all([first.close(), second.close()]);
  });
});

describe('live grant counts', () => {
  const readLiveGrants = async (clientId: string) =>
    (await readClientActivity(clientId)).flatMap(({ kind, day, total }) =>
      kind === 'live_grants' ? [[day, total]] : [],
    );

  test('are replaced by later counts on the same day', async () => {
    const clientId = await createClientId();
    await storeLiveGrants(database, TODAY, new Map([[clientId, 3]]));
    await storeLiveGrants(database, TODAY, new Map([[clientId, 2]]));
    const tomorrow = truncateToDay(later(DAY));
    await storeLiveGrants(database, tomorrow, new Map([['gone', 7]]));
    await storeLiveGrants(database, truncateToDay(later(2 * DAY)), new Map());
    expect(await readLiveGrants(clientId)).toEqual([
      [TODAY, 2],
      [tomorrow, 0],
    ]);
  });

  test('are stored by the pruning job', async () => {
    const grant = await createGrant(database);
    await redeemToken(database, grant, 0);
    const config = readConfig({ NODE_ENV: 'test' });
    const stats = createPruningStats();
    const pruning = startPruning({ config, database, pruningStats: stats, now: () => NOW }, silentLogger);
    await waitUntil(
      'the live grant counts to be stored',
      async () => (await readLiveGrants(grant.clientId)).length > 0,
    );
    await pruning.stop();
    expect(await readLiveGrants(grant.clientId)).toEqual([[TODAY, 1]]);
  });
});

test('activity counts older than RETENTION are deleted', async () => {
  const activity = createCounter(database, new Map([['/oauth/token', { buckets: [1] }]]));
  const clientId = await createClientId();
  activity.countClientEvent(clientId, 'signed_in', later(-DAY));
  activity.countClientEvent(clientId, 'signed_in', NOW);
  activity.countServiceEvent('signed_in', later(-DAY));
  activity.countServiceEvent('signed_in', NOW);
  await activity.flush();
  await activity.close();
  const config = readConfig({ NODE_ENV: 'test', RETENTION: String(DAY) });
  expect(await findFirstDayOfActivity(database)).toEqual(truncateToDay(later(-DAY)));
  await pruneAll(database, pruneCutoffs(config, NOW));
  expect((await readClientActivity(clientId)).map(({ day }) => day)).toEqual([TODAY]);
  expect(await findFirstDayOfActivity(database)).toEqual(TODAY);
  await pruneAll(database, pruneCutoffs(config, later(3 * DAY)));
  expect(await listResponseTimes(database, new Date(0), later(90 * DAY))).toEqual([]);
});
