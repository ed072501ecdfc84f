// What is read from the counts of answers: times, as Prometheus would estimate them from the same buckets.
import { expect, test } from 'vitest';
import { BUCKETS, timeOfPart } from '../../src/http/request-metrics.ts';

const counted = (counts: Record<number, number>): number[] =>
  [...BUCKETS, Number.POSITIVE_INFINITY].map((bound) => counts[bound] ?? 0);

test('of no answer there is no time', () => {
  expect(timeOfPart(counted({}), 0.5)).toBeUndefined();
  expect(timeOfPart([], 0.95)).toBeUndefined();
});

test('in the bucket where the part ends, evenly spread', () => {
  expect(timeOfPart(counted({ 0.001: 10 }), 0.5)).toBeCloseTo(0.0005);
  expect(timeOfPart(counted({ 0.005: 90, 0.1: 10 }), 0.5)).toBeCloseTo(0.0025 + 0.0025 * (50 / 90));
  expect(timeOfPart(counted({ 0.005: 90, 0.1: 10 }), 0.95)).toBeCloseTo(0.075);
  expect(timeOfPart(counted({ 0.005: 90, 0.1: 10 }), 0.9)).toBeCloseTo(0.005);
});

test('longer than the last bound counts as that', () => {
  expect(timeOfPart(counted({ [Number.POSITIVE_INFINITY]: 3 }), 0.5)).toBe(10);
});
