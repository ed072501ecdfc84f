// Counts events per hour in memory and adds the counts to daily rows.
// A killed process loses unwritten counts.
import type { Logger } from 'pino';
import { SIGN_IN_METHODS, type SignInMethod } from '../oauth/sign-in-method.ts';
import {
  type ActivityRow,
  addActivity,
  type ClientActivityKind,
  type ProviderActivityKind,
  type ServiceActivityKind,
} from '../store/activity.ts';
import type { Database } from '../store/database.ts';
import { createWriteBehind, type WriteBehind } from './write-behind.ts';

const MAX_BUFFERED_COUNTS = 5_000;

export const TIMED_ROUTES = ['/oauth/token', '/oauth/userinfo', '/oauth/authorize'] as const;
const TIMED_ROUTE_SET: ReadonlySet<string | undefined> = new Set(TIMED_ROUTES);

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export const truncateToDay = (at: Date): Date => new Date(Math.floor(at.getTime() / DAY) * DAY);

/** Failed writes are retried with the next batch. */
export interface ActivityCounter extends Pick<WriteBehind, 'flush' | 'close'> {
  countServiceEvent(kind: ServiceActivityKind, at: Date, times?: number): void;
  countSignIn(kind: 'signed_in' | 'signed_up', method: SignInMethod, at: Date, providerId?: string): void;
  signIns: ReadonlyMap<SignInMethod, number>;
  providerSignIns: ReadonlyMap<string, number>;
  /** The caller must check that the client exists. */
  countClientEvent(clientId: string, kind: ClientActivityKind, at: Date, times?: number): void;
  /** Schedules a write of the response-time histograms. The caller must first add the response. */
  recordResponse(route: string | undefined): void;
}

interface HourlyEventCount {
  clientId: string | null; // null for service-wide events
  kind: ServiceActivityKind | ClientActivityKind | ProviderActivityKind;
  hour: number;
  times: number;
}

type Histograms = ReadonlyMap<string, { buckets: readonly number[] }>;

/** @param period milliseconds from the first count to the write */
export function createActivityCounter(
  database: Database,
  logger: Logger,
  {
    responseTimes: histograms,
    now,
    period = 20_000,
  }: { responseTimes: Histograms; now: () => Date; period?: number | undefined },
): ActivityCounter {
  const onError = (error: unknown) => {
    logger.warn({ err: error }, 'writing activity counts failed, will retry');
    return true;
  };
  const written = new Map<string, readonly number[]>();
  const writeResponseTimes = async (): Promise<boolean> => {
    const day = truncateToDay(now());
    const times = TIMED_ROUTES.flatMap((kind) => {
      const all = [...(histograms.get(kind)?.buckets ?? [])];
      const counts = all.map((count, bucket) => count - (written.get(kind)?.[bucket] ?? 0));
      const total = counts.reduce((sum, count) => sum + count, 0);
      return total > 0 ? [{ clientId: null, kind, day, total, counts, all }] : [];
    });
    if (times.length === 0) return false;
    try {
      await addActivity(database, times);
      for (const { kind, all } of times) written.set(kind, all);
      return false;
    } catch (error) {
      return onError(error);
    }
  };
  const buffers = createWriteBehind(period, onError, writeResponseTimes);
  const addCount = buffers.addBuffer<HourlyEventCount>(
    MAX_BUFFERED_COUNTS,
    (counts) => addActivity(database, groupByDay(counts)),
    (earlier, { times }) => Object.assign(earlier, { times: earlier.times + times }),
  );
  const count = (clientId: string | null, kind: HourlyEventCount['kind'], at: Date, times: number) => {
    const hour = Math.floor(at.getTime() / HOUR);
    addCount(`${clientId} ${kind} ${hour}`, { clientId, kind, hour, times });
  };

  const countServiceEvent: ActivityCounter['countServiceEvent'] = (kind, at, times = 1) =>
    count(null, kind, at, times);
  const signIns = new Map<SignInMethod, number>(SIGN_IN_METHODS.map((method) => [method, 0]));

  const providerSignIns = new Map<string, number>();

  return {
    countServiceEvent,
    signIns,
    providerSignIns,
    countSignIn(kind, method, at, providerId) {
      countServiceEvent(kind, at);
      signIns.set(method, (signIns.get(method) ?? 0) + 1);
      if (providerId === undefined) return;
      count(null, `provider:${providerId}`, at, 1);
      providerSignIns.set(providerId, (providerSignIns.get(providerId) ?? 0) + 1);
    },
    countClientEvent: (clientId, kind, at, times = 1) => count(clientId, kind, at, times),
    recordResponse(route) {
      if (TIMED_ROUTE_SET.has(route)) buffers.scheduleFlush();
    },
    flush: buffers.flush,
    close: buffers.close,
  };
}

function groupByDay(hourlyCounts: readonly HourlyEventCount[]): ActivityRow[] {
  const rows = new Map<string, ActivityRow & { counts: number[] }>();
  for (const { clientId, kind, hour, times } of hourlyCounts) {
    const at = new Date(hour * HOUR);
    const day = truncateToDay(at);
    const key = `${clientId} ${kind} ${day.getTime()}`;
    const row = rows.get(key) ?? { clientId, kind, day, total: 0, counts: new Array<number>(24).fill(0) };
    row.total += times;
    row.counts[at.getUTCHours()] = (row.counts[at.getUTCHours()] ?? 0) + times;
    rows.set(key, row);
  }
  return [...rows.values()];
}
