// Answers counted in plain numbers, by route, for /metrics.

/** One request that was answered. Nothing in it may come from outside: all of it ends up in labels. */
export interface Answered {
  method: string;
  /** The route's pattern; undefined where none matched. */
  route: string | undefined;
  status: number;
  milliseconds: number;
  /** The OAuth error code, where the request was refused. */
  error: string | undefined;
}

interface AnswerCount {
  method: string;
  status: string;
  outcome: string;
  count: number;
}

export interface RouteCount {
  /** Few for each route, so that looking through them is quicker than any key. */
  answers: AnswerCount[];
  /** Requests by the first of BUCKETS that they fit into; the last is for those that fit into none. */
  buckets: number[];
  seconds: number;
}

/** Requests by route since the start. */
export type RequestCounts = Map<string, RouteCount>;

/** Upper bounds, in seconds. */
export const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const CLASSES = ['', '1xx', '2xx', '3xx', '4xx', '5xx'];
/** The parser lets some thirty methods in; those that mean nothing here share one label. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Counts one answer. The library's own counters take half a microsecond for this, plain numbers a tenth of it.
 */
export function countAnswer(counts: RequestCounts, answered: Answered): void {
  const route = answered.route ?? 'unmatched';
  let of = counts.get(route);
  if (of === undefined) {
    of = { answers: [], buckets: new Array(BUCKETS.length + 1).fill(0), seconds: 0 };
    counts.set(route, of);
  }
  const method = METHODS.has(answered.method) ? answered.method : 'other';
  const status = CLASSES[Math.trunc(answered.status / 100)] ?? '';
  // A form that is shown again (a wrong password) is no error of the protocol, and no success either.
  const outcome = answered.error ?? (answered.status < 400 ? 'ok' : 'refused');
  const known = of.answers.find(
    (one) => one.outcome === outcome && one.status === status && one.method === method,
  );
  if (known === undefined) of.answers.push({ method, status, outcome, count: 1 });
  else known.count += 1;

  const seconds = answered.milliseconds / 1000;
  let bucket = 0;
  while (seconds > (BUCKETS[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1;
  of.buckets[bucket] = (of.buckets[bucket] ?? 0) + 1;
  of.seconds += seconds;
}

/**
 * How long the quickest part of all answers took at most, as Prometheus estimates it: evenly spread in the bucket where that
 * part ends.
 * @param buckets answers by the first of BUCKETS that they fit into, the last for those that fit into none
 * @param part of all, from 0 to 1
 * @returns seconds; undefined where there was no answer. What took longer than the last bound counts as that
 */
export function timeOfPart(buckets: readonly number[], part: number): number | undefined {
  const rank = part * buckets.reduce((sum, count) => sum + count, 0);
  if (rank === 0) return undefined;
  let below = 0;
  for (const [place, count] of buckets.entries()) {
    if (below + count < rank) {
      below += count;
      continue;
    }
    const from = BUCKETS[place - 1] ?? 0;
    const to = BUCKETS[place] ?? from;
    return from + ((to - from) * (rank - below)) / count;
  }
  return BUCKETS.at(-1);
}
