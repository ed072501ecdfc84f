// Which errors mean that the database is away, and which that we are wrong: 503 or 500 (D10, D22).
import { expect, test } from 'vitest';
import { isUnavailable } from '../../src/store/database.ts';

const withCode = (code: string) => Object.assign(new Error('failed'), { code });

test.each([
  '08000',
  '08006',
  '53300',
  '53200',
  '57P01',
  '57P03',
  '57014',
  '55P03',
  '40001',
  '40P01',
  '25006',
  '26000',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
])('%s: yes', (code) => {
  expect(isUnavailable(withCode(code))).toBe(true);
});

test.each([
  '22021',
  '22P02',
  '23505',
  '23503',
  '42601',
  '42P01',
  '42501',
  '28P01',
  '3D000',
  'ERR_INVALID_ARG_TYPE',
])('%s: no, something is wrong', (code) => {
  expect(isUnavailable(withCode(code))).toBe(false);
});

test.each([
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Query read timeout',
  'timeout expired',
  'timeout exceeded when trying to connect',
  'Client was closed and is not queryable',
  'Client has encountered a connection error and is not queryable',
  'Cannot use a pool after calling end on the pool',
])('the driver says "%s": yes', (message) => {
  expect(isUnavailable(new Error(message))).toBe(true);
});

test.each([
  "Cannot read properties of undefined (reading 'pending')",
  "Cannot read properties of undefined (reading 'connection')",
  'The grant was closed',
  '',
])('our own mistake "%s": no', (message) => {
  expect(isUnavailable(new TypeError(message))).toBe(false);
});

test('several failures at once (happy eyeballs): when one of them is', () => {
  expect(isUnavailable(new AggregateError([withCode('ECONNREFUSED'), withCode('ECONNREFUSED')]))).toBe(true);
  expect(isUnavailable(new AggregateError([withCode('23505')]))).toBe(false);
});

test('what is no error at all: no', () => {
  for (const value of [undefined, null, 'Connection terminated', { code: '57P01' }])
    expect(isUnavailable(value)).toBe(false);
});
