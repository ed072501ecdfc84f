// The metrics of /metrics, read at each scrape. The library is loaded only if METRICS_PORT is set.
import type { Metric } from '@prometheus-io/client';
import type { Parts } from './parts.ts';
import { BUCKETS, type RequestCounts, type RouteCount } from './request-metrics.ts';

export interface Metrics {
  contentType: string;
  /** All metrics as text. Needs no database. */
  text(): Promise<string>;
}

type MetricsParts = Pick<Parts, 'database' | 'hasher' | 'attempts' | 'requests' | 'pruning' | 'activity'>;
/** The values of one label; a value that isn't known yet is undefined, and left out. */
type Values = Iterable<readonly [label: string, value: number | undefined]>;

export async function createMetrics(parts: MetricsParts): Promise<Metrics> {
  const { collectDefaultMetrics, Counter, Gauge, Registry } = await import('@prometheus-io/client');
  const registers = [new Registry()];
  const [registry] = registers as [InstanceType<typeof Registry>];
  collectDefaultMetrics({ register: registry });
  const { database, hasher, attempts, requests, pruning, activity } = parts;

  const counter = (name: string, help: string, label: string, read: () => Values) =>
    new Counter({
      ...{ name, help, labelNames: [label], registers },
      collect() {
        this.reset();
        for (const [of, value] of read()) if (value !== undefined) this.inc({ [label]: of }, value);
      },
    });
  const gauges = (name: string, help: string, label: string, read: () => Values) =>
    new Gauge({
      ...{ name, help, labelNames: [label], registers },
      collect() {
        this.reset();
        for (const [of, value] of read()) if (value !== undefined) this.set({ [label]: of }, value);
      },
    });
  const gauge = (name: string, help: string, read: () => number | undefined) =>
    new Gauge({
      ...{ name, help, registers },
      collect() {
        const value = read();
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });

  new Counter({
    name: 'sesame_http_requests_total',
    help: 'Finished requests by method, route pattern, class of status, and OAuth error code if refused.',
    labelNames: ['method', 'route', 'status', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const [route, { answers }] of requests)
        for (const { count, ...labels } of answers) this.inc({ ...labels, route }, count);
    },
  });
  registry.registerMetric(durations(requests) as unknown as Metric<string>);

  gauges('sesame_database_pool', 'Connections of the pool by state, and statements that wait.', 'state', () =>
    Object.entries(database.usage().pool),
  );
  gauges('sesame_database_hot_statements', 'Hot statements in flight.', 'kind', () =>
    Object.entries(database.usage().hot),
  );
  counter('sesame_database_statements_total', 'Statements sent, by name.', 'statement', () =>
    database.usage().statements.entries(),
  );

  counter('sesame_sign_ins_total', 'Sessions started, by factors used.', 'method', () => activity.signIns);
  gauge('sesame_password_hashing_running', 'Passwords being hashed.', () => hasher.load().running);
  gauge('sesame_password_hashing_waiting', 'Passwords in the queue.', () => hasher.load().waiting);
  gauge('sesame_sign_in_slowed_down', 'Delayed sign-in attempts.', () => attempts.held());

  const works = Object.entries(pruning.works);
  gauge('sesame_grants_live', 'Live grants, as of the last walk of the pruning.', () => pruning.liveGrants);
  counter('sesame_pruned_rows_total', 'Rows deleted by the pruning.', 'table', () =>
    Object.entries(pruning.deleted),
  );
  counter('sesame_pruning_batches_total', 'Batches of the pruning.', 'work', () =>
    works.map(([work, { batches }]) => [work, batches]),
  );
  counter('sesame_pruning_failures_total', 'Failed batches of the pruning.', 'work', () =>
    works.map(([work, { failures }]) => [work, failures]),
  );
  gauges('sesame_pruning_last_batch_timestamp_seconds', 'Last batch of the pruning.', 'work', () =>
    works.map(([work, { lastBatchAt }]) => [work, lastBatchAt && lastBatchAt.getTime() / 1000]),
  );
  return { contentType: registry.contentType, text: () => registry.metrics() };
}

/** The histogram of request durations from our own counts, in the shape that the registry expects. */
function durations(requests: RequestCounts) {
  const head = {
    name: 'sesame_http_request_duration_seconds',
    help: 'Time from a request to the end of its response, by route pattern.',
    type: 'histogram',
    aggregator: 'sum',
  };
  const valuesOf = ([route, { buckets, seconds }]: [string, RouteCount]) => {
    let below = 0;
    const bounds = buckets.map((count, place) => {
      below += count;
      const le = BUCKETS[place] ?? '+Inf';
      return { metricName: `${head.name}_bucket`, labels: { le, route }, value: below };
    });
    return [
      ...bounds,
      { metricName: `${head.name}_sum`, labels: { route }, value: seconds },
      { metricName: `${head.name}_count`, labels: { route }, value: below },
    ];
  };
  return { ...head, get: async () => ({ ...head, values: [...requests].flatMap(valuesOf) }) };
}
