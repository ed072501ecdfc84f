// How much happens: counted in the process and added to the counts of the day in batches, so that a request only touches
// a map. A process that is killed loses one batch at most.
import type { Logger } from 'pino';
import { WAYS, type Way } from '../oauth/sign-in-way.ts';
import {
  addAnswerTimes,
  addClientActivity,
  addServiceActivity,
  type ClientKind,
  type DayOf,
  type ServiceKind,
} from '../store/activity.ts';
import type { Database } from '../store/database.ts';
import { type WriteBehind, writeBehind } from './write-behind.ts';

/** Counts that a process keeps apart; when there are more, they are written before their time. */
const MOST = 5_000;

/** Routes whose times are kept by the day. */
export const TIMED_ROUTES = ['/oauth/token', '/oauth/userinfo', '/oauth/authorize'] as const;
const TIMED: ReadonlySet<string | undefined> = new Set(TIMED_ROUTES);

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The beginning of a moment's day (UTC). */
export const dayOf = (at: Date): Date => new Date(Math.floor(at.getTime() / DAY) * DAY);

/** What cannot be written is kept for the next time. */
export interface Activity extends Pick<WriteBehind, 'flush' | 'close'> {
  /** Something happened in the service. */
  happened(kind: ServiceKind, at: Date, times?: number): void;
  /** Somebody signed in, just after signing up or not. */
  signedIn(kind: 'signed_in' | 'signed_up', way: Way, at: Date): void;
  /** How often that was, by way, since the process started. */
  signIns: ReadonlyMap<Way, number>;
  /** Something happened to an application. Whoever says so knows that there is one of that name. */
  happenedTo(clientId: string, kind: ClientKind, at: Date, times?: number): void;
  /** A request was answered: how long that took is in the counts already. */
  answered(route: string | undefined): void;
}

interface Counted<Kind> {
  kind: Kind;
  /** Hours since 1970. */
  hour: number;
  times: number;
}

/** Answers by how long they took, for each route, since the process started. */
type TimesSinceStart = ReadonlyMap<string, { buckets: readonly number[] }>;

/**
 * Starts counting; nothing runs until there is something to write.
 * @param answers what /metrics counts: what was added since the last time is written
 * @param period milliseconds from the first thing that is counted until all that was counted meanwhile is written
 */
export function gatherActivity(
  database: Database,
  logger: Logger,
  {
    answers,
    now,
    period = 20_000,
  }: { answers: TimesSinceStart; now: () => Date; period?: number | undefined },
): Activity {
  const failed = (error: unknown) => {
    logger.warn({ err: error }, 'writing counts of activity failed; it will be tried again');
    return true;
  };
  const written = new Map<string, readonly number[]>();
  const writeTimes = async (): Promise<boolean> => {
    const day = dayOf(now());
    const times = TIMED_ROUTES.flatMap((route) => {
      const total = [...(answers.get(route)?.buckets ?? [])];
      const buckets = total.map((count, place) => count - (written.get(route)?.[place] ?? 0));
      return buckets.some((count) => count > 0) ? [{ route, day, buckets, total }] : [];
    });
    if (times.length === 0) return false;
    try {
      await addAnswerTimes(database, times);
      for (const { route, total } of times) written.set(route, total);
      return false;
    } catch (error) {
      return failed(error);
    }
  };
  const behind = writeBehind(period, failed, writeTimes);
  const more = <Entry extends Counted<unknown>>(earlier: Entry, { times }: Entry): Entry =>
    Object.assign(earlier, { times: earlier.times + times });
  const ofService = behind.gather<Counted<ServiceKind>>(
    MOST,
    (counts) =>
      addServiceActivity(
        database,
        daysOf(counts, ({ kind }) => kind),
      ),
    more,
  );
  const ofClients = behind.gather<Counted<ClientKind> & { clientId: string }>(
    MOST,
    (counts) =>
      addClientActivity(
        database,
        daysOf(counts, ({ clientId, kind }) => `${clientId} ${kind}`),
      ),
    more,
  );
  const hourOf = (at: Date): number => Math.floor(at.getTime() / HOUR);

  const happened: Activity['happened'] = (kind, at, times = 1) => {
    const hour = hourOf(at);
    ofService(`${kind} ${hour}`, { kind, hour, times });
  };
  const signIns = new Map<Way, number>(WAYS.map((way) => [way, 0]));

  return {
    happened,
    signIns,
    signedIn(kind, way, at) {
      happened(kind, at);
      signIns.set(way, (signIns.get(way) ?? 0) + 1);
    },
    happenedTo(clientId, kind, at, times = 1) {
      const hour = hourOf(at);
      ofClients(`${clientId} ${kind} ${hour}`, { clientId, kind, hour, times });
    },
    answered(route) {
      if (TIMED.has(route)) behind.noted();
    },
    flush: behind.flush,
    close: behind.close,
  };
}

/** Counts of hours, those of one day in one row. @param keyOf what is counted apart */
function daysOf<Kind, Count extends Counted<Kind>>(
  counts: readonly Count[],
  keyOf: (count: Count) => string,
): (Omit<Count, 'hour' | 'times'> & DayOf<Kind>)[] {
  const days = new Map<string, Omit<Count, 'hour' | 'times'> & DayOf<Kind>>();
  for (const count of counts) {
    const { hour, times, ...about } = count;
    const at = new Date(hour * HOUR);
    const day = dayOf(at);
    const key = `${keyOf(count)} ${day.getTime()}`;
    const row = days.get(key) ?? {
      ...about,
      kind: count.kind,
      day,
      total: 0,
      hours: new Array<number>(24).fill(0),
    };
    row.total += times;
    row.hours[at.getUTCHours()] = (row.hours[at.getUTCHours()] ?? 0) + times;
    days.set(key, row);
  }
  return [...days.values()];
}
