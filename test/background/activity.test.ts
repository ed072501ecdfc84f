// Counts of what happens: gathered, added to the day's in batches, by several processes, kept while the database is away.
import { pino } from 'pino';
import { afterAll, describe, expect, test } from 'vitest';
import { type Activity, dayOf, gatherActivity } from '../../src/background/activity.ts';
import { newPruningRecord, startPruning } from '../../src/background/pruning.ts';
import { readConfig } from '../../src/config.ts';
import {
  firstDayOfActivity,
  listAnswerTimes,
  listClientActivity,
  listServiceActivity,
  noteLiveGrants,
} from '../../src/store/activity.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { limitsOf } from '../../src/store/pruning.ts';
import {
  advance,
  createClient,
  createGrant,
  deleteClient,
  later,
  NOW,
  openTestDatabase,
  pruneAll,
} from '../support/populate.ts';
import { until } from '../support/until.ts';

const silent = pino({ level: 'silent' });
const DAY = 24 * 3600;
const TODAY = dayOf(NOW);
const { url, database, close } = await openTestDatabase();
afterAll(() => close());

type Answers = Map<string, { buckets: number[] }>;

const gather = (of: Database = database, answers: Answers = new Map(), period = 3_600_000): Activity =>
  gatherActivity(of, silent, { answers, now: () => NOW, period });
const client = async (): Promise<string> => (await createClient(database)).clientId;
const hoursOf = (counts: Record<number, number>) =>
  Array.from({ length: 24 }, (_, hour) => counts[hour] ?? 0);
const ofClient = (clientId: string) => listClientActivity(database, clientId, new Date(0), later(90 * DAY));
const ofService = async (kind: string) =>
  (await listServiceActivity(database, new Date(0), later(90 * DAY))).filter((one) => one.kind === kind);

describe('what is counted', () => {
  test('is one row a day and kind, divided into the hours of UTC', async () => {
    const clientId = await client();
    const activity = gather();
    activity.happenedTo(clientId, 'signed_in', NOW); // 07:08
    activity.happenedTo(clientId, 'signed_in', later(51 * 60));
    activity.happenedTo(clientId, 'signed_in', later(52 * 60)); // 08:00
    activity.happenedTo(clientId, 'renewed', later(17 * 3600), 3); // 00:08 of the next day
    expect(await ofClient(clientId)).toEqual([]);
    await activity.flush();
    expect(await ofClient(clientId)).toEqual([
      { kind: 'renewed', day: dayOf(later(DAY)), total: 3, hours: hoursOf({ 0: 3 }) },
      { kind: 'signed_in', day: TODAY, total: 3, hours: hoursOf({ 7: 2, 8: 1 }) },
    ]);
    await activity.close();
  });

  test('of two processes at once adds up, hour by hour', async () => {
    const clientId = await client();
    const other = openDatabase(url, 2);
    const [one, two] = [gather(), gather(other)];
    for (let round = 0; round < 20; round++) {
      for (const activity of [one, two]) {
        activity.happenedTo(clientId, 'renewed', NOW, 5);
        activity.happenedTo(clientId, 'signed_in', later(3600));
        activity.happened('signed_up', NOW);
      }
      await Promise.all([one.flush(), two.flush()]);
    }
    expect((await ofClient(clientId)).toSorted((a, b) => a.total - b.total)).toEqual([
      { kind: 'signed_in', day: TODAY, total: 40, hours: hoursOf({ 8: 40 }) },
      { kind: 'renewed', day: TODAY, total: 200, hours: hoursOf({ 7: 200 }) },
    ]);
    expect(await ofService('signed_up')).toEqual([
      { kind: 'signed_up', day: TODAY, total: 40, hours: hoursOf({ 7: 40 }) },
    ]);
    await Promise.all([one.close(), two.close()]);
    await other.close();
  });

  test('of an application that is gone is left out, and takes no other with it; its counts go with it', async () => {
    const [gone, stays] = [await client(), await client()];
    const activity = gather();
    activity.happenedTo(gone, 'signed_in', NOW);
    await activity.flush();
    await deleteClient(database, gone);
    expect(await ofClient(gone)).toEqual([]);
    activity.happenedTo(gone, 'signed_in', NOW);
    activity.happenedTo(stays, 'signed_in', NOW);
    await activity.flush();
    expect([await ofClient(gone), (await ofClient(stays)).length]).toEqual([[], 1]);
    await activity.close();
  });
});

describe('how long answers took', () => {
  test('is what /metrics has counted since the last time, of the routes that matter', async () => {
    const answers: Answers = new Map([
      ['/oauth/token', { buckets: [4, 0, 1] }],
      ['/livez', { buckets: [9, 9, 9] }],
    ]);
    const read = async () =>
      (await listAnswerTimes(database, TODAY, TODAY)).flatMap(({ route, buckets }) =>
        route === '/oauth/token' ? [buckets] : [],
      );
    const [one, two] = [gather(database, answers), gather(database, answers)];
    await one.flush();
    await one.flush();
    expect(await read()).toEqual([[4, 0, 1]]);
    answers.set('/oauth/token', { buckets: [4, 2, 1] });
    await Promise.all([one.flush(), two.flush()]); // the other process had counted nothing of it yet
    expect(await read()).toEqual([[8, 4, 2]]);
    await Promise.all([one.close(), two.close()]);
  });
});

describe('live grants', () => {
  const liveOf = async (clientId: string) =>
    (await ofClient(clientId)).flatMap(({ kind, day, total }) =>
      kind === 'live_grants' ? [[day, total]] : [],
    );

  test('are a figure of the day: the latest stands, and none is a figure, too', async () => {
    const clientId = await client();
    await noteLiveGrants(database, TODAY, new Map([[clientId, 3]]));
    await noteLiveGrants(database, TODAY, new Map([[clientId, 2]]));
    const tomorrow = dayOf(later(DAY));
    await noteLiveGrants(database, tomorrow, new Map([['gone', 7]]));
    await noteLiveGrants(database, dayOf(later(2 * DAY)), new Map());
    expect(await liveOf(clientId)).toEqual([
      [TODAY, 2],
      [tomorrow, 0],
    ]);
  });

  test('are counted by the pruning, which looks at each of them anyway', async () => {
    const grant = await createGrant(database);
    await advance(database, grant, 0);
    const config = readConfig({ NODE_ENV: 'test' });
    const record = newPruningRecord();
    const pruning = startPruning({ config, database, pruning: record, now: () => NOW }, silent);
    await until('they are', async () => (await liveOf(grant.clientId)).length > 0);
    await pruning.stop();
    expect(await liveOf(grant.clientId)).toEqual([[TODAY, 1]]);
  });
});

test('days go once they have been kept long enough (RETENTION)', async () => {
  const activity = gather(database, new Map([['/oauth/token', { buckets: [1] }]]));
  const clientId = await client();
  activity.happenedTo(clientId, 'signed_in', later(-DAY));
  activity.happenedTo(clientId, 'signed_in', NOW);
  activity.happened('signed_in', later(-DAY));
  activity.happened('signed_in', NOW);
  await activity.flush();
  await activity.close();
  const config = readConfig({ NODE_ENV: 'test', RETENTION: String(DAY) });
  expect(await firstDayOfActivity(database)).toEqual(dayOf(later(-DAY)));
  await pruneAll(database, limitsOf(config, NOW));
  expect((await ofClient(clientId)).map(({ day }) => day)).toEqual([TODAY]);
  expect(await firstDayOfActivity(database)).toEqual(TODAY);
  await pruneAll(database, limitsOf(config, later(3 * DAY)));
  expect(await listAnswerTimes(database, new Date(0), later(90 * DAY))).toEqual([]);
});
