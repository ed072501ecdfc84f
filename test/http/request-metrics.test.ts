// Request duration quantiles, estimated as in Prometheus.
import { expect, test } from 'vitest';
import { DURATION_BUCKETS, estimateQuantile } from '../../src/http/request-metrics.ts';

const createBuckets = (counts: Record<number, number>): number[] =>
  [...DURATION_BUCKETS, Number.POSITIVE_INFINITY].map((bound) => counts[bound] ?? 0);

test('a quantile is undefined if there are no requests', () => {
  expect(estimateQuantile(createBuckets({}), 0.5)).toBeUndefined();
  expect(estimateQuantile([], 0.95)).toBeUndefined();
});

test('a quantile is interpolated linearly within its bucket', () => {
  expect(estimateQuantile(createBuckets({ 0.001: 10 }), 0.5)).toBeCloseTo(0.0005);
  expect(estimateQuantile(createBuckets({ 0.005: 90, 0.1: 10 }), 0.5)).toBeCloseTo(
    0.0025 + 0.0025 * (50 / 90),
  );
  expect(estimateQuantile(createBuckets({ 0.005: 90, 0.1: 10 }), 0.95)).toBeCloseTo(0.075);
  expect(estimateQuantile(createBuckets({ 0.005: 90, 0.1: 10 }), 0.9)).toBeCloseTo(0.005);
});

test('a quantile above the last bucket’s bound is estimated as that bound', () => {
  expect(estimateQuantile(createBuckets({ [Number.POSITIVE_INFINITY]: 3 }), 0.5)).toBe(10);
});
