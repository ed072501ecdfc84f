// What /metrics says (Prometheus): requests are counted in plain numbers, everything else is read when it is asked for.
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Metric } from '@prometheus-io/client';
import type { Parts } from './parts.ts';
import { BUCKETS, type RequestCounts, type RouteCount } from './request-metrics.ts';

export interface Metrics {
  contentType: string;
  /** All metrics as text. Asks nobody, the database neither, so it answers when nothing else does. */
  text(): Promise<string>;
  close(): void;
}

type MetricsParts = Pick<Parts, 'database' | 'hasher' | 'attempts' | 'requests' | 'pruning' | 'activity'>;
type Sample = [value: number, labels?: Record<string, string>];

/** A figure that may not be there yet is left out: 0 would be a figure too. */
const ifKnown = (value: number | undefined): Sample[] => (value === undefined ? [] : [[value]]);

interface Family {
  type: 'counter' | 'gauge';
  name: string;
  help: string;
  labels?: string[];
  read: () => Sample[];
}

/** Sets up what is read at each scrape. The library is loaded only where somebody may ask. */
export async function createMetrics(parts: MetricsParts): Promise<Metrics> {
  const { Counter, Gauge, Registry } = await import('@prometheus-io/client');
  const registry = new Registry();
  const process = processFamilies();
  for (const { type, name, help, labels = [], read } of [
    ...requestFamilies(parts.requests),
    ...databaseFamilies(parts.database),
    ...signInFamilies(parts),
    ...pruningFamilies(parts.pruning),
    ...process.families,
  ]) {
    const shared = { name, help, labelNames: labels, registers: [registry] };
    if (type === 'counter')
      new Counter({
        ...shared,
        collect() {
          this.reset();
          for (const [value, of = {}] of read()) this.inc(of, value);
        },
      });
    else
      new Gauge({
        ...shared,
        collect() {
          this.reset();
          if (labels.length === 0) this.remove(); // the 0 that it begins with
          for (const [value, of = {}] of read()) this.set(of, value);
        },
      });
  }
  registry.registerMetric(durations(parts.requests) as unknown as Metric<string>);
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    close: process.close,
  };
}

function requestFamilies(requests: RequestCounts): Family[] {
  return [
    {
      type: 'counter',
      name: 'sesame_http_requests_total',
      help: 'Requests that are over, by method, route pattern, class of status, and OAuth error code where refused.',
      labels: ['method', 'route', 'status', 'outcome'],
      read: () =>
        [...requests].flatMap(([route, { answers }]) =>
          answers.map(({ count, ...labels }): Sample => [count, { ...labels, route }]),
        ),
    },
  ];
}

/** A histogram out of our own numbers, in the shape in which the library's registry asks for one. */
function durations(requests: RequestCounts) {
  const head = {
    name: 'sesame_http_request_duration_seconds',
    help: 'Time from a request to the end of its answer, by route pattern.',
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

const one = (type: Family['type'], name: string, help: string, read: () => number | undefined): Family => ({
  type,
  name,
  help,
  read: () => ifKnown(read()),
});

function databaseFamilies(database: Parts['database']): Family[] {
  const pool = (name: string, help: string, figure: keyof ReturnType<typeof database.usage>['pool']) =>
    one('gauge', `sesame_database_pool_${name}`, help, () => database.usage().pool[figure]);
  return [
    pool('connections', 'Connections of the pool that are open.', 'total'),
    pool('idle_connections', 'Open connections that nobody uses.', 'idle'),
    pool('waiting', 'Statements and transactions that wait for a connection.', 'waiting'),
    pool('max_connections', 'Connections that the pool may open.', 'limit'),
    {
      type: 'gauge',
      name: 'sesame_database_hot_statements',
      help: 'Hot statements without an answer yet.',
      labels: ['kind'],
      read: () => Object.entries(database.usage().hot).map(([kind, count]) => [count, { kind }]),
    },
    {
      type: 'counter',
      name: 'sesame_database_statements_total',
      help: 'Statements asked for, by name.',
      labels: ['statement'],
      read: () => [...database.usage().statements].map(([statement, count]) => [count, { statement }]),
    },
  ];
}

const signInFamilies = ({
  hasher,
  attempts,
  activity,
}: Pick<Parts, 'hasher' | 'attempts' | 'activity'>): Family[] => [
  {
    type: 'counter',
    name: 'sesame_sign_ins_total',
    help: 'Sessions begun, by what was shown for them.',
    labels: ['method'],
    read: () => [...activity.signIns].map(([method, count]) => [count, { method }]),
  },
  one('gauge', 'sesame_password_hashing_running', 'Passwords being hashed.', () => hasher.load().running),
  one(
    'gauge',
    'sesame_password_hashing_waiting',
    'Passwords that wait to be hashed.',
    () => hasher.load().waiting,
  ),
  one('gauge', 'sesame_sign_in_slowed_down', 'Sign-in attempts held back after wrong passwords.', () =>
    attempts.held(),
  ),
];

function pruningFamilies(pruning: Parts['pruning']): Family[] {
  type Work = Parts['pruning']['works']['expired'];
  const ofWorks = (read: (work: Work) => number | undefined) => (): Sample[] =>
    Object.entries(pruning.works).flatMap(([work, one]) =>
      ifKnown(read(one)).map(([value]) => [value, { work }]),
    );
  return [
    one(
      'gauge',
      'sesame_grants_live',
      'Live grants, as counted by the last whole walk of the pruning; absent before the first.',
      () => pruning.liveGrants,
    ),
    {
      type: 'counter',
      name: 'sesame_pruned_rows_total',
      help: 'Rows deleted by the pruning, by table.',
      labels: ['table'],
      read: () => Object.entries(pruning.deleted).map(([table, rows]) => [rows, { table }]),
    },
    {
      type: 'counter',
      name: 'sesame_pruning_batches_total',
      help: 'Batches pruned, by work.',
      labels: ['work'],
      read: ofWorks(({ batches }) => batches),
    },
    {
      type: 'counter',
      name: 'sesame_pruning_failures_total',
      help: 'Batches that failed, by work.',
      labels: ['work'],
      read: ofWorks(({ failures }) => failures),
    },
    {
      type: 'gauge',
      name: 'sesame_pruning_last_batch_timestamp_seconds',
      help: 'When this process pruned last, by work; absent before its first turn.',
      labels: ['work'],
      read: ofWorks(({ lastBatchAt }) => lastBatchAt && lastBatchAt.getTime() / 1000),
    },
  ];
}

/** Milliseconds between two looks at how late the event loop is: each wakes an idle process. */
const DELAY_RESOLUTION = 100;

/**
 * The usual names, so that any dashboard for Node finds them. The library's own collection is not used: it hooks into
 * every garbage collection.
 */
function processFamilies(): { families: Family[]; close(): void } {
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION });
  delay.enable();
  // The monitor measures from tick to tick, so its own interval is in every figure.
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - DELAY_RESOLUTION / 1e3);
  const delays = { p50: 0, p99: 0, max: 0 };
  const takeDelays = () => {
    if (delay.count > 0)
      Object.assign(delays, {
        p50: late(delay.percentile(50)),
        p99: late(delay.percentile(99)),
        max: late(delay.max),
      });
    delay.reset();
    return delays;
  };
  const memory = (name: string, help: string, figure: 'rss' | 'heapUsed' | 'heapTotal' | 'external') =>
    one('gauge', name, help, () => process.memoryUsage()[figure]);
  const lag = (name: string, help: string, read: () => number) =>
    one('gauge', `nodejs_eventloop_lag_${name}_seconds`, help, read);
  return {
    close: () => delay.disable(),
    families: [
      one('counter', 'process_cpu_seconds_total', 'CPU time used, user and system.', () => {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1e6;
      }),
      memory('process_resident_memory_bytes', 'Resident memory.', 'rss'),
      memory('nodejs_heap_size_used_bytes', 'Heap in use.', 'heapUsed'),
      memory('nodejs_heap_size_total_bytes', 'Heap reserved.', 'heapTotal'),
      memory('nodejs_external_memory_bytes', 'Memory outside the heap that objects hold.', 'external'),
      one('gauge', 'process_start_time_seconds', 'When the process started.', startTime),
      one(
        'counter',
        'nodejs_eventloop_active_seconds_total',
        'Time in which the event loop was at work.',
        active,
      ),
      // The first of the three takes the figures of all: they begin anew with every scrape.
      lag('p50', 'Median delay of the event loop since the last scrape.', () => takeDelays().p50),
      lag('p99', '99th percentile of the same.', () => delays.p99),
      lag('max', 'Longest of the same.', () => delays.max),
    ],
  };
}

const startTime = (): number => performance.timeOrigin / 1000;
const active = (): number => performance.eventLoopUtilization().active / 1e3;
