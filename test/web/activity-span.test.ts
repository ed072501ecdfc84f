// Which days a page of counts shows: what its address asks for, and never what has not come yet.
import { expect, test } from 'vitest';
import { spanOf } from '../../src/web/activity-span.ts';

const NOW = new Date('2031-05-06T07:08:09Z');
const SINCE = new Date('2031-01-01T00:00:00Z');
const asked = (query: Record<string, string>) => {
  const { by, first, last } = spanOf(new Map(Object.entries(query)), NOW, SINCE);
  return [by, first.toISOString().slice(0, 10), last.toISOString().slice(0, 10)];
};

test('unasked: the four weeks that end today', () => {
  expect(asked({})).toEqual(['day', '2031-04-09', '2031-05-06']);
});

test('those that end with another day, and the hours of one', () => {
  expect(asked({ until: '2031-04-08' })).toEqual(['day', '2031-03-12', '2031-04-08']);
  expect(asked({ day: '2031-05-06' })).toEqual(['hour', '2031-05-06', '2031-05-06']);
  expect(asked({ day: '2031-02-28', until: '2031-04-08' })).toEqual(['hour', '2031-02-28', '2031-02-28']);
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
])('what is no day, or has not come yet, is not asked for: %s', (text) => {
  expect(asked({ day: text, until: text })).toEqual(['day', '2031-04-09', '2031-05-06']);
});

test('before anything was counted, nothing was: from today on', () => {
  expect(spanOf(new Map(), NOW, undefined).since).toEqual(new Date('2031-05-06T00:00:00Z'));
});
