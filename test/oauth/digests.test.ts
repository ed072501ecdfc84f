// Digests: a presented value can't change the kind under which it is looked up (ADR 18).
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  accessTokenDigest,
  assertionDigest,
  clientSecretHash,
  deviceCodeDigest,
  foreignAccessTokenDigest,
  formTokenDigest,
  mailedLinkDigest,
  serviceTokenDigest,
  sessionDigest,
} from '../../src/oauth/digests.ts';

const KINDS: ((value: string) => Buffer)[] = [
  sessionDigest,
  accessTokenDigest,
  foreignAccessTokenDigest,
  serviceTokenDigest,
  deviceCodeDigest,
  mailedLinkDigest,
  (value) => formTokenDigest(value),
  (value) => assertionDigest('app_1', value),
  clientSecretHash,
];
const hex = (digests: Buffer[]) => digests.map((digest) => digest.toString('hex'));

test('one value is known under another digest as each kind', () => {
  expect(new Set(hex(KINDS.map((digest) => digest('value')))).size).toBe(KINDS.length);
});

test('what says the kind stands before the 32 bytes that a value decides, and is another for each', () => {
  const before = KINDS.map((digest) => digest('value').subarray(0, -32).toString('hex'));
  expect(new Set(before).size).toBe(KINDS.length);
  fc.assert(
    fc.property(fc.string(), (value) => {
      expect(KINDS.map((digest) => digest(value).subarray(0, -32).toString('hex'))).toEqual(before);
    }),
  );
});

test('a client secret is compared as its SHA-256 and nothing else', () => {
  expect(clientSecretHash('abc')).toEqual(createHash('sha256').update('abc').digest());
});

test('what a digest has several parts of', () => {
  // Is told apart wherever the parts begin and end.
  const digests = [
    assertionDigest('app_1', 'a b'),
    assertionDigest('app_1 a', 'b'),
    assertionDigest('app_1', '","a'),
    assertionDigest('app_1","', 'a'),
  ];
  expect.soft(new Set(hex(digests)).size).toBe(digests.length);
  expect
    .soft(formTokenDigest('rotate', 'app_1 form'))
    .not.toEqual(formTokenDigest('rotate', 'app_1', 'form'));
});
