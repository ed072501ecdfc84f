import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ACRS, AUTHENTICATION_METHODS } from '../../src/oauth/authentication-methods.ts';
import { SCOPES } from '../../src/oauth/scopes.ts';
import { createSealer } from '../../src/oauth/seal.ts';
import {
  type CodePayload,
  openCode,
  openRefreshToken,
  sealCode,
  sealRefreshToken,
  type TokenPayload,
} from '../../src/oauth/token-payload.ts';

const sealer = createSealer('a secret key for tests only: 0123456789abcdef');

const PAYLOAD: TokenPayload = {
  grantId: randomUUID(),
  rotation: 1,
  userId: randomUUID(),
  sid: randomUUID(),
  authTime: 1_790_000_000,
  methods: ['pwd'],
  acr: '1',
  scopes: ['openid', 'profile'],
};
const CODE: CodePayload = {
  ...PAYLOAD,
  rotation: 0,
  sessionHash: randomBytes(33),
  clientId: 'app_test',
  issuedAt: 1_790_000_000_123,
  epoch: 3,
  redirectUri: 'https://client.example/cb?x=1',
  codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  nonce: 'n-0S6_WzA2Mj',
  hasRefreshToken: true,
};

const scope = fc.stringMatching(/^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/);
const api = fc.record({
  apiId: fc.stringMatching(/^api_[A-Za-z0-9_-]{20}$/),
  identifier: fc.webUrl(),
  lifetime: fc.integer({ min: 60, max: 86_400 }),
  scopes: fc.uniqueArray(scope, { minLength: 1, maxLength: 40 }),
});
const payload: fc.Arbitrary<TokenPayload> = fc.record({
  grantId: fc.uuid(),
  rotation: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  userId: fc.uuid(),
  sid: fc.uuid(),
  authTime: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  methods: fc.subarray([...AUTHENTICATION_METHODS]),
  acr: fc.constantFrom(...ACRS),
  scopes: fc.subarray([...SCOPES]),
  apis: fc.option(fc.array(api, { minLength: 1, maxLength: 5 }), { nil: undefined }),
});
const code: fc.Arbitrary<CodePayload> = fc
  .tuple(
    payload,
    fc.record({
      sessionHash: fc.uint8Array({ minLength: 33, maxLength: 33 }).map((bytes) => Buffer.from(bytes)),
      clientId: fc.string({ minLength: 1 }),
      issuedAt: fc.nat(2 ** 43),
      epoch: fc.nat(),
      redirectUri: fc.webUrl(),
      codeChallenge: fc.option(fc.string(), { nil: undefined }),
      nonce: fc.option(fc.string({ unit: 'grapheme' }), { nil: undefined }),
      hasRefreshToken: fc.boolean(),
    }),
  )
  .map(([payload, codeFields]) => ({ ...payload, ...codeFields }));

test('opening a sealed code or refresh token returns its payload', () => {
  fc.assert(
    fc.property(payload, (refreshToken) => {
      expect.soft(openRefreshToken(sealer, sealRefreshToken(sealer, refreshToken))).toEqual(refreshToken);
    }),
  );
  fc.assert(
    fc.property(code, (payload) => {
      expect.soft(openCode(sealer, sealCode(sealer, payload))).toEqual(payload);
    }),
  );
  for (const nonce of ['a\nb"c\\', '\n', ''])
    expect.soft(openCode(sealer, sealCode(sealer, { ...CODE, nonce }))?.nonce).toBe(nonce);
});

test('encrypted codes and refresh tokens are short and reveal only their prefix', () => {
  expect.soft(sealCode(sealer, CODE)).toMatch(/^sesame_ac_[A-Za-z0-9_-]+$/);
  expect.soft(sealRefreshToken(sealer, PAYLOAD)).toMatch(/^sesame_rt_[A-Za-z0-9_-]+$/);
  expect.soft(sealRefreshToken(sealer, { ...PAYLOAD, scopes: [...SCOPES] }).length).toBeLessThanOrEqual(200);
  const text = Buffer.from(sealCode(sealer, CODE).slice(10), 'base64url');
  for (const id of [CODE.userId, CODE.grantId, CODE.sid])
    expect.soft(text.includes(Buffer.from(id.replaceAll('-', ''), 'hex'))).toBe(false);
  for (const part of ['client.example', 'profile', 'n-0S6', CODE.userId])
    expect.soft(text.includes(part)).toBe(false);
});

test('a code or refresh token with a wrong type or prefix is rejected', () => {
  const refreshToken = sealRefreshToken(sealer, PAYLOAD);
  const sealedCode = sealCode(sealer, CODE);
  expect.soft(openRefreshToken(sealer, sealedCode)).toBeUndefined();
  expect.soft(openCode(sealer, refreshToken)).toBeUndefined();
  expect.soft(openRefreshToken(sealer, sealedCode.replace('_ac_', '_rt_'))).toBeUndefined();
  expect.soft(openCode(sealer, refreshToken.replace('_rt_', '_ac_'))).toBeUndefined();
  expect.soft(openRefreshToken(sealer, refreshToken.slice(10))).toBeUndefined();
  expect.soft(openRefreshToken(sealer, `sesame_rt_${refreshToken}`)).toBeUndefined();
  expect.soft(openRefreshToken(sealer, refreshToken.toUpperCase())).toBeUndefined();
});
