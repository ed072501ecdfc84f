// Prometheus metrics, collected at each scrape. The library is loaded only if METRICS_PORT is set.
import type { Metric } from '@prometheus-io/client';
import { DURATION_BUCKETS, type RequestMetrics, type RouteMetrics } from './request-metrics.ts';
import type { Services } from './services.ts';

export interface Metrics {
  contentType: string;
  /** Returns all metrics in the Prometheus text format. Never queries the database. */
  text(): Promise<string>;
}

type MetricsServices = Pick<
  Services,
  'database' | 'hasher' | 'attempts' | 'requestCounts' | 'pruningStats' | 'activity'
>;
/** Undefined values are omitted. */
type LabeledValues = Iterable<readonly [label: string, value: number | undefined]>;

export async function createMetrics(services: MetricsServices): Promise<Metrics> {
  const { collectDefaultMetrics, Counter, Gauge, Registry } = await import('@prometheus-io/client');
  const registers = [new Registry()];
  const [registry] = registers as [InstanceType<typeof Registry>];
  collectDefaultMetrics({ register: registry });
  const { database, hasher, attempts, requestCounts, pruningStats, activity } = services;

  const labeledCounter = (name: string, help: string, label: string, read: () => LabeledValues) =>
    new Counter({
      ...{ name, help, labelNames: [label], registers },
      collect() {
        this.reset();
        for (const [key, value] of read()) if (value !== undefined) this.inc({ [label]: key }, value);
      },
    });
  const labeledGauge = (name: string, help: string, label: string, read: () => LabeledValues) =>
    new Gauge({
      ...{ name, help, labelNames: [label], registers },
      collect() {
        this.reset();
        for (const [key, value] of read()) if (value !== undefined) this.set({ [label]: key }, value);
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
    help: 'Finished requests, by method, route pattern, status class and outcome (an OAuth error code if refused).',
    labelNames: ['method', 'route', 'status', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const [route, { responses }] of requestCounts)
        for (const { count, ...labels } of responses) this.inc({ ...labels, route }, count);
    },
  });
  registry.registerMetric(createDurationHistogram(requestCounts) as unknown as Metric<string>);

  labeledGauge('sesame_database_pool', 'Pool connections by state, and queued statements.', 'state', () =>
    Object.entries(database.usage().pool),
  );
  labeledGauge('sesame_database_hot_statements', 'Hot statements in flight, by kind.', 'kind', () =>
    Object.entries(database.usage().hot),
  );
  labeledCounter('sesame_database_statements_total', 'Statements sent, by name.', 'statement', () =>
    database.usage().statements.entries(),
  );

  labeledCounter(
    'sesame_sign_ins_total',
    'Sessions started, by factors used.',
    'method',
    () => activity.signIns,
  );
  labeledCounter(
    'sesame_provider_sign_ins_total',
    'Sessions started through identity providers, by provider.',
    'provider',
    () => activity.providerSignIns,
  );
  gauge('sesame_password_hashing_running', 'Passwords being hashed.', () => hasher.load().running);
  gauge('sesame_password_hashing_waiting', 'Passwords queued for hashing.', () => hasher.load().waiting);
  gauge(
    'sesame_imported_password_checks',
    'Running and queued checks of imported password hashes, including dummy checks of failed sign-ins.',
    () => hasher.load().imported.checks,
  );
  gauge(
    'sesame_imported_password_hashes',
    'Imported password hashes not yet replaced, at the last count.',
    () => hasher.load().imported.hashes,
  );
  gauge('sesame_sign_ins_throttled', 'Sign-in attempts that are being delayed.', () =>
    attempts.delayedCount(),
  );

  const tasks = Object.entries(pruningStats.jobs);
  gauge(
    'sesame_grants_live',
    'Live grants, counted at the last pruning pass.',
    () => pruningStats.liveGrants,
  );
  labeledCounter('sesame_pruned_rows_total', 'Rows deleted by pruning.', 'table', () =>
    Object.entries(pruningStats.deleted),
  );
  labeledCounter('sesame_pruning_batches_total', 'Pruning batches.', 'work', () =>
    tasks.map(([task, { batches }]) => [task, batches]),
  );
  labeledCounter('sesame_pruning_failures_total', 'Failed pruning batches.', 'work', () =>
    tasks.map(([task, { failures }]) => [task, failures]),
  );
  labeledGauge('sesame_pruning_last_batch_timestamp_seconds', 'Time of the last pruning batch.', 'work', () =>
    tasks.map(([task, { lastBatchAt }]) => [task, lastBatchAt && lastBatchAt.getTime() / 1000]),
  );
  return { contentType: registry.contentType, text: () => registry.metrics() };
}

function createDurationHistogram(requests: RequestMetrics) {
  const metric = {
    name: 'sesame_http_request_duration_seconds',
    help: 'Time from a request to the end of its response, by route pattern.',
    type: 'histogram',
    aggregator: 'sum',
  };
  const buildValues = ([route, { buckets, totalSeconds }]: [string, RouteMetrics]) => {
    let total = 0;
    const bounds = buckets.map((count, index) => {
      total += count;
      const le = DURATION_BUCKETS[index] ?? '+Inf';
      return { metricName: `${metric.name}_bucket`, labels: { le, route }, value: total };
    });
    return [
      ...bounds,
      { metricName: `${metric.name}_sum`, labels: { route }, value: totalSeconds },
      { metricName: `${metric.name}_count`, labels: { route }, value: total },
    ];
  };
  return { ...metric, get: async () => ({ ...metric, values: [...requests].flatMap(buildValues) }) };
}
