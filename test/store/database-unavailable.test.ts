// Distinguishes an unavailable database (503) from bugs (500).
import { expect, test } from 'vitest';
import { isUnavailable } from '../../src/store/database.ts';

const createErrorWithCode = (code: string) => Object.assign(new Error('failed'), { code });

test('isUnavailable recognizes only connection errors, timeouts, overload and shutdown', () => {
  const unavailable = [
    ...['08000', '08006', '53300', '57P01', '57P03', '57014', '55P03', '40001', '40P01', '25006', '26000'],
    ...[
      'ECONNREFUSED',
      'ECONNRESET',
      'EPIPE',
      'EHOSTUNREACH',
      'ETIMEDOUT',
      'ENOTFOUND',
      'EAI_AGAIN',
      'ENOENT',
    ],
  ].map(createErrorWithCode);
  const unavailableByMessage = [
    'Connection terminated unexpectedly',
    'Query read timeout',
    'timeout expired',
    'timeout exceeded when trying to connect',
    'Client was closed and is not queryable',
    'Client has encountered a connection error and is not queryable',
    'Cannot use a pool after calling end on the pool',
  ].map((message) => new Error(message));
  const otherCodes = ['22021', '22P02', '23505', '23503', '42601', '42P01', '28P01', 'ERR_INVALID_ARG_TYPE'];
  expect(
    [...unavailable, ...unavailableByMessage, new AggregateError(unavailable)].filter(
      (e) => !isUnavailable(e),
    ),
  ).toEqual([]);
  const otherErrors = [
    new TypeError('The grant was closed'),
    new Error(''),
    new AggregateError([createErrorWithCode('23505')]),
  ];
  expect(
    [...otherCodes.map(createErrorWithCode), ...otherErrors, undefined, 'Connection terminated'].filter(
      isUnavailable,
    ),
  ).toEqual([]);
});
