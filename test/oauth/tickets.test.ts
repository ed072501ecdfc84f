// Codes and refresh tokens: sealed tickets (D13, D15, D16, D33).
import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ACRS, METHODS } from '../../src/oauth/authentication-methods.ts';
import { SCOPES } from '../../src/oauth/scopes.ts';
import { createSealer } from '../../src/oauth/seal.ts';
import {
  type CodeTicket,
  openCode,
  openRefreshToken,
  sealCode,
  sealRefreshToken,
  type Ticket,
} from '../../src/oauth/tickets.ts';

const sealer = createSealer('a secret key for tests only: 0123456789abcdef');

const TICKET: Ticket = {
  grantId: randomUUID(),
  generation: 1,
  userId: randomUUID(),
  sid: randomUUID(),
  authTime: 1_790_000_000,
  methods: ['pwd'],
  acr: '1',
  scopes: ['openid', 'profile'],
};
const CODE: CodeTicket = {
  ...TICKET,
  generation: 0,
  sessionHash: randomBytes(33),
  clientId: 'app_test',
  issuedAt: 1_790_000_000_123,
  epoch: 3,
  redirectUri: 'https://client.example/cb?x=1',
  codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  nonce: 'n-0S6_WzA2Mj',
  renewable: true,
};

const word = fc.stringMatching(/^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/);
const api = fc.record({
  apiId: fc.stringMatching(/^api_[A-Za-z0-9_-]{20}$/),
  identifier: fc.webUrl(),
  lifetime: fc.integer({ min: 60, max: 86_400 }),
  scopes: fc.uniqueArray(word, { minLength: 1, maxLength: 40 }),
});
const ticket: fc.Arbitrary<Ticket> = fc.record({
  grantId: fc.uuid(),
  generation: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  userId: fc.uuid(),
  sid: fc.uuid(),
  authTime: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  methods: fc.subarray([...METHODS]),
  acr: fc.constantFrom(...ACRS),
  scopes: fc.subarray([...SCOPES]),
  apis: fc.option(fc.array(api, { minLength: 1, maxLength: 5 }), { nil: undefined }),
});
const code: fc.Arbitrary<CodeTicket> = fc
  .tuple(
    ticket,
    fc.record({
      sessionHash: fc.uint8Array({ minLength: 33, maxLength: 33 }).map((bytes) => Buffer.from(bytes)),
      clientId: fc.string({ minLength: 1 }),
      issuedAt: fc.nat(2 ** 43),
      epoch: fc.nat(),
      redirectUri: fc.webUrl(),
      codeChallenge: fc.option(fc.string(), { nil: undefined }),
      nonce: fc.option(fc.string({ unit: 'grapheme' }), { nil: undefined }),
      renewable: fc.boolean(),
    }),
  )
  .map(([one, own]) => ({ ...one, ...own }));

test('round trip', () => {
  // Property: a refresh token gives its ticket back.
  fc.assert(
    fc.property(ticket, (one) => {
      expect.soft(openRefreshToken(sealer, sealRefreshToken(sealer, one))).toEqual(one);
    }),
  );
  // Property: a code gives back what its exchange is checked against.
  fc.assert(
    fc.property(code, (one) => {
      expect.soft(openCode(sealer, sealCode(sealer, one))).toEqual(one);
    }),
  );
  // A nonce with line breaks and quotes, and an empty one, stay what they are.
  for (const nonce of ['a\nb"c\\', '\n', ''])
    expect.soft(openCode(sealer, sealCode(sealer, { ...CODE, nonce }))?.nonce).toBe(nonce);
});

test('shape (D33)', () => {
  // Letters, digits, _ and - behind a recognisable prefix.
  expect.soft(sealCode(sealer, CODE)).toMatch(/^sesame_ac_[A-Za-z0-9_-]+$/);
  expect.soft(sealRefreshToken(sealer, TICKET)).toMatch(/^sesame_rt_[A-Za-z0-9_-]+$/);
  // A refresh token with every scope fits a column of 200 characters.
  expect.soft(sealRefreshToken(sealer, { ...TICKET, scopes: [...SCOPES] }).length).toBeLessThanOrEqual(200);
  // Nothing of the person, the grant or the callback can be read in them.
  const text = Buffer.from(sealCode(sealer, CODE).slice(10), 'base64url');
  for (const id of [CODE.userId, CODE.grantId, CODE.sid])
    expect.soft(text.includes(Buffer.from(id.replaceAll('-', ''), 'hex'))).toBe(false);
  for (const part of ['client.example', 'profile', 'n-0S6', CODE.userId])
    expect.soft(text.includes(part)).toBe(false);
});

test('what this service did not make does not open', () => {
  const refreshToken = sealRefreshToken(sealer, TICKET);
  const sealedCode = sealCode(sealer, CODE);
  // A code is not a refresh token and the other way round, whatever its prefix says.
  expect.soft(openRefreshToken(sealer, sealedCode)).toBeUndefined();
  expect.soft(openCode(sealer, refreshToken)).toBeUndefined();
  expect.soft(openRefreshToken(sealer, sealedCode.replace('_ac_', '_rt_'))).toBeUndefined();
  expect.soft(openCode(sealer, refreshToken.replace('_rt_', '_ac_'))).toBeUndefined();
  // Without its prefix, or with it twice.
  expect.soft(openRefreshToken(sealer, refreshToken.slice(10))).toBeUndefined();
  expect.soft(openRefreshToken(sealer, `sesame_rt_${refreshToken}`)).toBeUndefined();
  expect.soft(openRefreshToken(sealer, refreshToken.toUpperCase())).toBeUndefined();
});
