// Request counts and durations by route, for /metrics.

/** The strings become metric labels, so they must not contain client input. */
export interface RequestOutcome {
  method: string;
  /** Undefined if no route matched. */
  route: string | undefined;
  status: number;
  milliseconds: number;
  error: string | undefined;
}

interface ResponseCount {
  method: string;
  status: string;
  outcome: string;
  count: number;
}

export interface RouteMetrics {
  /** An array because searching a few entries is faster than building a map key. */
  responses: ResponseCount[];
  /** Requests per entry of DURATION_BUCKETS. The last entry counts slower requests. */
  buckets: number[];
  totalSeconds: number;
}

export type RequestMetrics = Map<string, RouteMetrics>;

/** Upper bounds in seconds. */
export const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const STATUS_CLASSES = ['', '1xx', '2xx', '3xx', '4xx', '5xx'];
/** Other methods get the label `other`. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Uses plain numbers because the Prometheus library's counters are ten times slower. */
export function countRequest(counts: RequestMetrics, request: RequestOutcome): void {
  const route = request.route ?? 'unmatched';
  let routeMetrics = counts.get(route);
  if (routeMetrics === undefined) {
    routeMetrics = {
      responses: [],
      buckets: new Array(DURATION_BUCKETS.length + 1).fill(0),
      totalSeconds: 0,
    };
    counts.set(route, routeMetrics);
  }
  const method = METHODS.has(request.method) ? request.method : 'other';
  const status = STATUS_CLASSES[Math.trunc(request.status / 100)] ?? '';
  // Refused forms have no OAuth error code.
  const outcome = request.error ?? (request.status < 400 ? 'ok' : 'refused');
  const existing = routeMetrics.responses.find(
    (response) => response.outcome === outcome && response.status === status && response.method === method,
  );
  if (existing === undefined) routeMetrics.responses.push({ method, status, outcome, count: 1 });
  else existing.count += 1;

  const seconds = request.milliseconds / 1000;
  let bucket = 0;
  while (seconds > (DURATION_BUCKETS[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1;
  routeMetrics.buckets[bucket] = (routeMetrics.buckets[bucket] ?? 0) + 1;
  routeMetrics.totalSeconds += seconds;
}

/**
 * Interpolates linearly, like `histogram_quantile` in Prometheus.
 * @param quantile from 0 to 1
 * @returns seconds, at most the last bound. Undefined if there are no requests.
 */
export function estimateQuantile(buckets: readonly number[], quantile: number): number | undefined {
  const rank = quantile * buckets.reduce((sum, count) => sum + count, 0);
  if (rank === 0) return undefined;
  let below = 0;
  for (const [index, count] of buckets.entries()) {
    if (below + count < rank) {
      below += count;
      continue;
    }
    const lower = DURATION_BUCKETS[index - 1] ?? 0;
    const upper = DURATION_BUCKETS[index] ?? lower;
    return lower + ((upper - lower) * (rank - below)) / count;
  }
  return DURATION_BUCKETS.at(-1);
}
