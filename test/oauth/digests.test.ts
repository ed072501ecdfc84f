import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  accessTokenDigest,
  apiAccessTokenDigest,
  assertionDigest,
  clientSecretHash,
  deviceCodeDigest,
  emailedLinkDigest,
  formTokenDigest,
  serviceTokenDigest,
  sessionDigest,
} from '../../src/oauth/digests.ts';

const DIGEST_FUNCTIONS: ((value: string) => Buffer)[] = [
  sessionDigest,
  accessTokenDigest,
  apiAccessTokenDigest,
  serviceTokenDigest,
  deviceCodeDigest,
  emailedLinkDigest,
  (value) => formTokenDigest(value),
  (value) => assertionDigest('app_1', value),
  clientSecretHash,
];
const toHex = (digests: Buffer[]) => digests.map((digest) => digest.toString('hex'));

test('a value has a different digest for each kind', () => {
  expect(new Set(toHex(DIGEST_FUNCTIONS.map((digest) => digest('value')))).size).toBe(
    DIGEST_FUNCTIONS.length,
  );
});

test('a digest’s prefix depends only on its kind', () => {
  const prefixes = DIGEST_FUNCTIONS.map((digest) => digest('value').subarray(0, -32).toString('hex'));
  expect(new Set(prefixes).size).toBe(DIGEST_FUNCTIONS.length);
  fc.assert(
    fc.property(fc.string(), (value) => {
      expect(DIGEST_FUNCTIONS.map((digest) => digest(value).subarray(0, -32).toString('hex'))).toEqual(
        prefixes,
      );
    }),
  );
});

test('clientSecretHash returns the unprefixed SHA-256 hash of a client secret', () => {
  expect(clientSecretHash('abc')).toEqual(createHash('sha256').update('abc').digest());
});

test('digests of several values depend on the boundaries between them', () => {
  const digests = [
    assertionDigest('app_1', 'a b'),
    assertionDigest('app_1 a', 'b'),
    assertionDigest('app_1', '","a'),
    assertionDigest('app_1","', 'a'),
  ];
  expect.soft(new Set(toHex(digests)).size).toBe(digests.length);
  expect
    .soft(formTokenDigest('rotate', 'app_1 form'))
    .not.toEqual(formTokenDigest('rotate', 'app_1', 'form'));
});
