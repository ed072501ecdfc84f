// How much happens: counted in the process and added to the counts of the day in batches, so that a request only touches
// a map. A process that is killed loses one batch at most.
import type { Logger } from 'pino';
import { WAYS, type Way } from '../oauth/sign-in-way.ts';
import { type ActivityRow, addActivity, type ClientKind, type ServiceKind } from '../store/activity.ts';
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

interface Counted {
  /** Null: of the service. */
  clientId: string | null;
  kind: ServiceKind | ClientKind;
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
    const times = TIMED_ROUTES.flatMap((kind) => {
      const all = [...(answers.get(kind)?.buckets ?? [])];
      const counts = all.map((count, place) => count - (written.get(kind)?.[place] ?? 0));
      const total = counts.reduce((sum, count) => sum + count, 0);
      return total > 0 ? [{ clientId: null, kind, day, total, counts, all }] : [];
    });
    if (times.length === 0) return false;
    try {
      await addActivity(database, times);
      for (const { kind, all } of times) written.set(kind, all);
      return false;
    } catch (error) {
      return failed(error);
    }
  };
  const behind = writeBehind(period, failed, writeTimes);
  const gather = behind.gather<Counted>(
    MOST,
    (counts) => addActivity(database, daysOf(counts)),
    (earlier, { times }) => Object.assign(earlier, { times: earlier.times + times }),
  );
  const count = (clientId: string | null, kind: Counted['kind'], at: Date, times: number) => {
    const hour = Math.floor(at.getTime() / HOUR);
    gather(`${clientId} ${kind} ${hour}`, { clientId, kind, hour, times });
  };

  const happened: Activity['happened'] = (kind, at, times = 1) => count(null, kind, at, times);
  const signIns = new Map<Way, number>(WAYS.map((way) => [way, 0]));

  return {
    happened,
    signIns,
    signedIn(kind, way, at) {
      happened(kind, at);
      signIns.set(way, (signIns.get(way) ?? 0) + 1);
    },
    happenedTo: (clientId, kind, at, times = 1) => count(clientId, kind, at, times),
    answered(route) {
      if (TIMED.has(route)) behind.noted();
    },
    flush: behind.flush,
    close: behind.close,
  };
}

/** Puts the counts of one day in one row. */
function daysOf(counted: readonly Counted[]): ActivityRow[] {
  const rows = new Map<string, ActivityRow & { counts: number[] }>();
  for (const { clientId, kind, hour, times } of counted) {
    const at = new Date(hour * HOUR);
    const day = dayOf(at);
    const key = `${clientId} ${kind} ${day.getTime()}`;
    const row = rows.get(key) ?? { clientId, kind, day, total: 0, counts: new Array<number>(24).fill(0) };
    row.total += times;
    row.counts[at.getUTCHours()] = (row.counts[at.getUTCHours()] ?? 0) + times;
    rows.set(key, row);
  }
  return [...rows.values()];
}
