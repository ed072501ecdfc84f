import { createHash, generateKeyPairSync, KeyObject, randomUUID, verify } from 'node:crypto';
import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  decodeJwt,
  exportJWK,
  generateKeyPair,
  jwtVerify,
  SignJWT,
} from 'jose';
import { describe, expect, test } from 'vitest';
import {
  readSignedAccessToken,
  type SigningKey,
  type SigningKeys,
  signAccessToken,
  signEs256,
  signIdToken,
} from '../../src/keys/tokens.ts';
import type { SigningAlgorithm } from '../../src/oauth/signing-algorithms.ts';

const ISSUER = 'https://signin.example';
const NOW = 1_790_000_000;
const atTime = (seconds: number) => ({ currentDate: new Date(seconds * 1000) });

async function generateKey(algorithm: SigningAlgorithm): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  const publicJwk = { ...jwk, kid, alg: algorithm, use: 'sig' };
  return {
    kid,
    algorithm,
    privateKey: KeyObject.from(privateKey),
    publicKey: KeyObject.from(publicKey),
    publicJwk,
  };
}

const generateKeys = async (): Promise<SigningKeys> => {
  const [ES256, RS256, EdDSA] = [
    await generateKey('ES256'),
    await generateKey('RS256'),
    await generateKey('EdDSA'),
  ];
  return { ES256, RS256, EdDSA, published: [ES256, RS256, EdDSA] };
};

const ACCESS_TOKEN_FIELDS = {
  issuer: ISSUER,
  userId: randomUUID(),
  clientId: 'app_1',
  scopes: ['openid', 'profile'] as const,
  grantId: randomUUID(),
  issuedAt: NOW,
  lifetime: 3600,
};

const keys = await generateKeys();
const publishedKeys = createLocalJWKSet({ keys: keys.published.map(({ publicJwk }) => publicJwk) });

describe('readSignedAccessToken', () => {
  const claims = {
    userId: ACCESS_TOKEN_FIELDS.userId,
    grantId: ACCESS_TOKEN_FIELDS.grantId,
    clientId: 'app_1',
  };

  test('returns no grant ID for a token whose audience is an API', async () => {
    const token = signAccessToken(keys, { ...ACCESS_TOKEN_FIELDS, audience: 'https://api.example/' });
    expect(decodeJwt(token).jti).not.toContain(ACCESS_TOKEN_FIELDS.grantId);
    expect(await readSignedAccessToken(keys, token)).toEqual({ ...claims, grantId: undefined });
  });

  test('returns the grant ID and the client_id of an expired token', async () => {
    expect(await readSignedAccessToken(keys, await signAccessToken(keys, ACCESS_TOKEN_FIELDS))).toEqual(
      claims,
    );
    const expiredToken = await signAccessToken(keys, {
      ...ACCESS_TOKEN_FIELDS,
      issuedAt: 1_000_000_000,
      lifetime: 1,
    });
    expect(await readSignedAccessToken(keys, expiredToken)).toEqual(claims);
  });

  test('rejects id_tokens and other token types (RFC 8725 §3.11)', async () => {
    const idToken = await signIdToken(keys, { ...ID_TOKEN_FIELDS, accessToken: 'x' });
    expect(await readSignedAccessToken(keys, idToken)).toBeUndefined();
    const otherType = await new SignJWT({ jti: `${ACCESS_TOKEN_FIELDS.grantId}.x`, client_id: 'app_1' })
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT' })
      .sign(keys.ES256.privateKey);
    expect(await readSignedAccessToken(keys, otherType)).toBeUndefined();
  });

  test('rejects unsigned tokens (RFC 8725 §2.1)', async () => {
    const [, payload = ''] = (await signAccessToken(keys, ACCESS_TOKEN_FIELDS)).split('.');
    const header = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
    for (const text of [`${header}.${payload}.`, `${header}.${payload}.AA`])
      expect(await readSignedAccessToken(keys, text)).toBeUndefined();
  });

  test('rejects altered tokens', async () => {
    const token = await signAccessToken(keys, ACCESS_TOKEN_FIELDS);
    const [header = '', payload = '', signature = ''] = token.split('.');
    const changePayload = (changes: object) =>
      Buffer.from(
        JSON.stringify({ ...JSON.parse(Buffer.from(payload, 'base64url').toString()), ...changes }),
      ).toString('base64url');
    expect(
      await readSignedAccessToken(keys, [header, changePayload({ client_id: 'app_2' }), signature].join('.')),
    ).toBeUndefined();
    for (let i = 0; i < token.length - 1; i += 7) {
      const altered = token.slice(0, i) + (token[i] === 'A' ? 'B' : 'A') + token.slice(i + 1);
      expect(await readSignedAccessToken(keys, altered), `character ${i}`).toBeUndefined();
    }
  });

  test.each(['', '.', '..', 'a.b', 'a.b.c.d', 'a.b.c\n', 'sesame_rt_x', 'é.b.c', '\u0000'])(
    'rejects %j',
    async (text) => {
      expect(await readSignedAccessToken(keys, text)).toBeUndefined();
    },
  );
});

const ID_TOKEN_FIELDS = {
  issuer: ISSUER,
  userId: ACCESS_TOKEN_FIELDS.userId,
  clientId: 'app_1',
  nonce: 'n-0S6_WzA2Mj' as string | undefined,
  authTime: NOW - 600,
  methods: ['pwd'] as const,
  acr: '1' as const,
  sid: randomUUID(),
  accessToken: '',
  issuedAt: NOW,
  lifetime: 3600,
  userClaims: {},
};

describe('id_tokens', () => {
  test('contain protocol claims that user claims cannot override', async () => {
    const person = { name: 'Zoé', sub: 'other', iss: 'https://elsewhere.example', sid: 'x', exp: 0 };
    const { payload } = await jwtVerify(
      await signIdToken(keys, { ...ID_TOKEN_FIELDS, userClaims: person }),
      publishedKeys,
      atTime(NOW),
    );
    expect(payload).toMatchObject({
      name: 'Zoé',
      sub: ACCESS_TOKEN_FIELDS.userId,
      iss: ISSUER,
      sid: ID_TOKEN_FIELDS.sid,
      exp: NOW + 3600,
    });
  });

  test('contain the at_hash from the example in OpenID Connect Core A.3', async () => {
    const token = await signIdToken(keys, {
      ...ID_TOKEN_FIELDS,
      accessToken: 'jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y',
    });
    const { payload } = await jwtVerify(token, publishedKeys, atTime(NOW));
    expect(payload.at_hash).toBe('77QmUPtjPfzWtF2AnpK9RQ');
  });

  test.each(['ES256', 'EdDSA'] as const)(
    'contain an at_hash computed with the hash algorithm for %s',
    async (algorithm) => {
      const token = await signIdToken(keys, ID_TOKEN_FIELDS, algorithm);
      const { payload, protectedHeader } = await jwtVerify(token, publishedKeys, atTime(NOW));
      expect(protectedHeader).toEqual({ alg: algorithm, typ: 'JWT', kid: keys[algorithm].kid });
      const hash = createHash(algorithm === 'EdDSA' ? 'sha512' : 'sha256')
        .update(ID_TOKEN_FIELDS.accessToken, 'ascii')
        .digest();
      expect(payload.at_hash).toBe(hash.subarray(0, hash.length / 2).toString('base64url'));
    },
  );
});

test('ES256 signatures are always 64 bytes long (RFC 7518 §3.4)', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  let zeroPadded = 0;
  for (let n = 0; n < 1500; n += 1) {
    const data = Buffer.from(`signed ${n}`);
    const signature = signEs256(data, privateKey);
    expect(signature).toHaveLength(64);
    expect(verify('sha256', data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true);
    if (signature[0] === 0 || signature[32] === 0) zeroPadded += 1;
  }
  expect(zeroPadded).toBeGreaterThan(0);
});
