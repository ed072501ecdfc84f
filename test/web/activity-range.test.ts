// The time range of activity pages.
import { expect, test } from 'vitest';
import { parseActivityRange } from '../../src/web/activity-range.ts';

const NOW = new Date('2031-05-06T07:08:09Z');
const FIRST_DAY = new Date('2031-01-01T00:00:00Z');
const parseRange = (query: Record<string, string>) => {
  const { unit, first, last } = parseActivityRange(new Map(Object.entries(query)), NOW, FIRST_DAY);
  return [unit, first.toISOString().slice(0, 10), last.toISOString().slice(0, 10)];
};

test('an activity page shows the last 28 days by default', () => {
  expect(parseRange({})).toEqual(['day', '2031-04-09', '2031-05-06']);
});

test('the `until` parameter sets the last day of the range', () => {
  expect(parseRange({ until: '2031-04-08' })).toEqual(['day', '2031-03-12', '2031-04-08']);
  expect(parseRange({ day: '2031-05-06' })).toEqual(['hour', '2031-05-06', '2031-05-06']);
  expect(parseRange({ day: '2031-02-28', until: '2031-04-08' })).toEqual([
    'hour',
    '2031-02-28',
    '2031-02-28',
  ]);
});

test('the `days` parameter sets the length of the range', () => {
  expect(parseRange({ days: '7' })).toEqual(['day', '2031-04-30', '2031-05-06']);
  expect(parseRange({ days: '90', until: '2031-04-08' })).toEqual(['day', '2031-01-09', '2031-04-08']);
  for (const days of ['0', '-7', '8', '1000', '7.0', ''])
    expect(parseRange({ days }), days).toEqual(['day', '2031-04-09', '2031-05-06']);
});

test.each([
  '2031-05-07',
  '9999-12-31',
  '2031-02-30',
  '2031-1-1',
  '',
  '"><i>',
  '2031-05-06T00:00',
  '275760-09-13',
])('an invalid or future date is ignored (%s)', (date) => {
  expect(parseRange({ day: date, until: date })).toEqual(['day', '2031-04-09', '2031-05-06']);
});

test('the first counted day is today if no activity has been recorded', () => {
  expect(parseActivityRange(new Map(), NOW, undefined).firstCounted).toEqual(
    new Date('2031-05-06T00:00:00Z'),
  );
});
