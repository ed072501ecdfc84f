// Compares docs/grafana-dashboard.json and docs/monitoring.md with /metrics.
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { startPruning } from '../../src/background/pruning.ts';
import { createLogger } from '../../src/process/logger.ts';
import { sendHttpRequest } from '../support/http-request.ts';
import { parseMetrics } from '../support/metrics-text.ts';
import { fetchUserinfo, obtainTokens, openSignedInBrowser } from '../support/oauth-flow.ts';
import { findFreePort, startTestService } from '../support/service.ts';
import { waitUntil } from '../support/wait-until.ts';

const readDocument = (path: string) => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8');

interface Panel {
  id: number;
  type: string;
  title: string;
  datasource?: { type: string; uid: string };
  gridPos: { h: number; w: number; x: number; y: number };
  targets?: { expr: string; datasource: { uid: string }; refId: string }[];
}
interface Dashboard {
  title: string;
  uid: string;
  schemaVersion: number;
  panels: Panel[];
  templating: { list: { name: string; type: string; query: string | { query: string } }[] };
}

const dashboard = JSON.parse(readDocument('grafana-dashboard.json')) as Dashboard;
const monitoring = readDocument('monitoring.md');
const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
const queries = dashboard.templating.list.flatMap(({ query }) =>
  typeof query === 'object' ? [query.query] : [],
);
const alerts = [...monitoring.matchAll(/^ +expr: (.+)$/gm)].map(([, expr = '']) => expr);

const labelsByMetric = new Map<string, Set<string>>();
const port = await findFreePort();
const service = await startTestService({ METRICS_PORT: String(port) });
const client = await service.createClient();
const browser = await openSignedInBrowser(service, await service.createUser());
const { accessToken } = await obtainTokens(service, client, browser);
await fetchUserinfo(service, accessToken);
service.services.activity.countSignIn('signed_in', 'provider', service.clock.now(), 'google');
const pruning = startPruning(service.services, createLogger('silent'));
const metrics = await waitUntil('every metric to have a value', async () => {
  const now = parseMetrics((await sendHttpRequest(port, '/metrics')).text);
  return now.has('sesame_grants_live') && now;
});
await pruning.stop();
for (const { name, labels } of metrics.samples) {
  // Prometheus adds the labels `job` and `instance`.
  const labelNames = labelsByMetric.get(name) ?? new Set(['job', 'instance']);
  for (const label of Object.keys(labels)) labelNames.add(label);
  labelsByMetric.set(name, labelNames);
}
afterAll(() => service.close());

function parseExpression(expression: string): { name: string; labels: string[] }[] {
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */));
  return [...expression.matchAll(/\b((?:sesame|process|nodejs)_[a-z0-9_]+)(?:\{([^}]*)\})?/g)].map(
    ([, name = '', selector = '']) => ({
      name,
      labels: [...grouped, ...[...selector.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label = '']) => label)],
    }),
  );
}

function expectExistingMetrics(expression: string): void {
  const used = parseExpression(expression);
  expect(used.length, expression).toBeGreaterThan(0);
  for (const { name, labels } of used) {
    expect([...labelsByMetric.keys()], expression).toContain(name);
    for (const label of labels) expect([...(labelsByMetric.get(name) ?? [])], expression).toContain(label);
    // Only counters need `rate` or `increase`. Histogram samples end in _sum, _count or _bucket.
    const family = metrics.families.get(name) ?? 'histogram';
    const rated = new RegExp(`(?:rate|increase)\\(${name}\\b`).test(expression);
    expect([name, rated], expression).toEqual([name, family !== 'gauge']);
  }
  expect(expression.split('(').length, expression).toBe(expression.split(')').length);
}

describe('the dashboard', () => {
  test('uses only existing metrics and labels in its panels', () => {
    expect(expressions.length).toBeGreaterThanOrEqual(20);
    expect(dashboard.uid).toBe('sesame');
    expect(dashboard.schemaVersion).toBeGreaterThanOrEqual(36);
    for (const expression of expressions) expectExistingMetrics(expression);
  });

  test('uses only existing metrics in its variables', () => {
    expect(queries).toHaveLength(2);
    for (const query of queries) {
      const [, name = '', label = ''] = /^label_values\((\w+)(?:\{[^}]*\})?, (\w+)\)$/.exec(query) ?? [];
      expect([...(labelsByMetric.get(name) ?? [])], query).toContain(label);
    }
  });
});

describe('docs/monitoring.md', () => {
  test('lists the existing metrics with their labels', () => {
    const rows = [...monitoring.matchAll(/^\| `(sesame_\w+)` \| (.*?) ?\|/gm)];
    expect(rows.map(([, name]) => name).toSorted()).toEqual(
      [...metrics.families.keys()].filter((name) => name.startsWith('sesame_')).toSorted(),
    );
    for (const [, name = '', list = ''] of rows) {
      const sample = labelsByMetric.get(name) ?? labelsByMetric.get(`${name}_count`);
      const labels = [...(sample ?? [])].filter((label) => label !== 'job' && label !== 'instance');
      expect([...list.matchAll(/`(\w+)`/g)].map(([, label]) => label).toSorted(), name).toEqual(
        labels.toSorted(),
      );
    }
  });

  test('uses only existing metrics in its alerts', () => {
    expect(alerts.length).toBeGreaterThanOrEqual(8);
    for (const alert of alerts.filter((expr) => !expr.startsWith('up{'))) expectExistingMetrics(alert);
  });
});
