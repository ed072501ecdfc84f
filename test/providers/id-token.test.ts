// Invalid responses from providers are refused, and the failed step and error code are logged.
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { base64url, exportSPKI, type JWTPayload } from 'jose';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { useTestService } from '../support/service.ts';
import {
  createKey,
  DISCOVERY_EXPIRY,
  isSignedIn,
  type StubIssuer,
  type StubKey,
  SUBJECT,
  signWith,
  useStubIssuer,
} from '../support/stub-issuer.ts';

const service = useTestService();
const { stub, link, redeem: redeemResponse, signIn } = useStubIssuer(service);
let otherKey: StubKey;
let rs384Key: StubKey;

beforeAll(async () => {
  otherKey = await createKey();
  rs384Key = await createKey('RS384');
  await link((await service.createUser()).userId);
});
afterEach(() => void vi.useRealTimers());

/** @returns the subject, or the failed step and error code */
async function redeem(): Promise<string> {
  const profile = await redeemResponse();
  return typeof profile === 'string' ? profile : profile.subject;
}

test.each(['ES256', 'EdDSA', 'Ed25519'])('an id_token signed with %s is accepted', async (alg) => {
  const key = await createKey(alg);
  stub.behavior = {
    sign: signWith(key),
    keys: [key.publicJwk],
    metadata: { id_token_signing_alg_values_supported: [alg] },
  };
  expect(await redeem()).toBe(SUBJECT);
});

test('a user is signed in after a valid response', async () => {
  expect(isSignedIn(await signIn())).toBe(true);
  expect(await redeem()).toBe(SUBJECT);
});

const signWithHmac = async (claims: JWTPayload, { key }: StubIssuer): Promise<string> => {
  const input = [{ alg: 'HS256', kid: 'key-1' }, claims].map((part) =>
    base64url.encode(JSON.stringify(part)),
  );
  const publicKey = await import('jose').then(({ importJWK }) => importJWK(key.publicJwk, 'RS256'));
  const pem = await exportSPKI(publicKey as Parameters<typeof exportSPKI>[0]);
  return `${input.join('.')}.${createHmac('sha256', pem).update(input.join('.')).digest('base64url')}`;
};
const createUnsignedToken = async (claims: JWTPayload): Promise<string> =>
  `${[{ alg: 'none' }, claims].map((part) => base64url.encode(JSON.stringify(part))).join('.')}.`;

const CLAIM_MISMATCH = 'id_token: OAUTH_JWT_CLAIM_COMPARISON_FAILED';
const nowInSeconds = () => Math.floor(Date.now() / 1000);

describe('an id_token', () => {
  test.each<[title: string, behavior: () => StubIssuer['behavior'], refusal: string]>([
    [
      'from a different issuer',
      () => ({ claims: { iss: 'https://other.example' } }),
      `${CLAIM_MISMATCH} iss`,
    ],
    ['for a different client', () => ({ claims: { aud: 'other' } }), `${CLAIM_MISMATCH} aud`],
    [
      'for several clients without azp',
      () => ({ claims: { aud: ['sesame', 'other'] } }),
      `${CLAIM_MISMATCH} aud`,
    ],
    ['with the azp of a different client', () => ({ claims: { azp: 'other' } }), `${CLAIM_MISMATCH} azp`],
    ['without a nonce', () => ({ claims: { nonce: undefined } }), 'id_token: OAUTH_INVALID_RESPONSE'],
    [
      'with the nonce of a different sign-in',
      () => ({ claims: { nonce: 'other' } }),
      `${CLAIM_MISMATCH} nonce`,
    ],
    [
      'that expired 61 seconds ago',
      () => ({ claims: { exp: nowInSeconds() - 61 } }),
      'id_token: OAUTH_JWT_TIMESTAMP_CHECK_FAILED exp',
    ],
    ['without an expiry', () => ({ claims: { exp: undefined } }), 'id_token: OAUTH_INVALID_RESPONSE'],
    ['without a subject', () => ({ claims: { sub: undefined } }), 'id_token: OAUTH_INVALID_RESPONSE'],
    ['with an empty subject', () => ({ claims: { sub: '' } }), 'id_token: sub_malformed'],
    ['with a numeric subject', () => ({ claims: { sub: 7 } }), 'id_token: OAUTH_INVALID_RESPONSE'],
    [
      'with a subject of 256 characters',
      () => ({ claims: { sub: 'x'.repeat(256) } }),
      'id_token: sub_malformed',
    ],
    [
      'with a subject that contains a control character',
      () => ({ claims: { sub: 'a\u0000b' } }),
      'id_token: sub_malformed',
    ],
    [
      'with a subject that contains a lone surrogate',
      () => ({ claims: { sub: 'a\ud800' } }),
      'id_token: sub_malformed',
    ],
    [
      'with a subject that contains a bidirectional control character',
      () => ({ claims: { sub: 'a\u202eb' } }),
      'id_token: sub_malformed',
    ],
    [
      'with an auth_time that the database can’t store',
      () => ({ claims: { auth_time: 8.6e12 } }),
      'id_token: auth_time_malformed',
    ],
    [
      'with an auth_time that is not a valid date',
      () => ({ claims: { auth_time: 1e300 } }),
      'id_token: auth_time_malformed',
    ],
    [
      'with the algorithm none',
      () => ({ sign: createUnsignedToken, metadata: { id_token_signing_alg_values_supported: ['none'] } }),
      'id_token: OAUTH_UNSUPPORTED_OPERATION',
    ],
    [
      'with an algorithm that the provider does not announce',
      () => ({ metadata: { id_token_signing_alg_values_supported: ['ES256'] } }),
      'id_token: OAUTH_INVALID_RESPONSE',
    ],
    [
      'with the algorithm RS384, although the provider announces it',
      () => ({
        sign: signWith(rs384Key),
        keys: [rs384Key.publicJwk],
        metadata: { id_token_signing_alg_values_supported: ['RS384'] },
      }),
      'id_token: algorithm_not_allowed',
    ],
    [
      'signed with the public key as an HS256 secret',
      () => ({
        sign: signWithHmac,
        metadata: { id_token_signing_alg_values_supported: ['HS256', 'RS256'] },
      }),
      'id_token: OAUTH_UNSUPPORTED_OPERATION',
    ],
    [
      'signed with a different key of the same kid',
      () => ({ sign: signWith(otherKey) }),
      'id_token: OAUTH_INVALID_RESPONSE',
    ],
    [
      'with an unknown kid',
      () => ({ sign: signWith(stub.key, { kid: 'unknown' }) }),
      'keys: OAUTH_KEY_SELECTION_FAILED',
    ],
    [
      'with an unknown critical header',
      () => ({ sign: (claims) => signWith(stub.key, { crit: ['b64'], b64: true })(claims) }),
      'id_token: OAUTH_UNSUPPORTED_OPERATION',
    ],
  ])('%s is rejected', async (_title, behavior, refusal) => {
    stub.behavior = behavior();
    service.clock.advance(DISCOVERY_EXPIRY);
    expect(await redeem()).toBe(refusal);
    const page = await signIn();
    expect(page.status).toBe(502);
    expect(page.body).toContain('Signing in with Upstream did not work');
  });
});

describe('a provider’s signing keys', () => {
  test('are refetched for an unknown kid at most once per minute', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    expect(await redeem()).toBe(SUBJECT);
    stub.key = await createKey('RS256', 'key-2');
    expect(await redeem()).toBe('keys: OAUTH_KEY_SELECTION_FAILED');
    vi.setSystemTime(Date.now() + 60_000);
    expect(await redeem()).toBe(SUBJECT);
    stub.behavior = { sign: signWith(stub.key, { kid: 'unknown' }) };
    expect(await redeem()).toBe('keys: OAUTH_KEY_SELECTION_FAILED');
    expect(await redeem()).toBe('keys: OAUTH_KEY_SELECTION_FAILED');
    expect(stub.requests.filter((request) => request === 'GET /jwks')).toHaveLength(2);
  });

  test('are fetched once for concurrent sign-ins', async () => {
    expect(await Promise.all([redeem(), redeem(), redeem()])).toEqual([SUBJECT, SUBJECT, SUBJECT]);
    const requests = ['/.well-known/openid-configuration', '/jwks', '/token'].map(
      (path) => stub.requests.filter((request) => request.endsWith(path)).length,
    );
    expect(requests).toEqual([1, 1, 3]);
  });

  test('are rejected if they are RSA keys of only 1024 bits', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'weak', alg: 'RS256' };
    stub.behavior = {
      keys: [jwk],
      sign: async (claims) => {
        const input = [{ alg: 'RS256', kid: 'weak' }, claims]
          .map((part) => base64url.encode(JSON.stringify(part)))
          .join('.');
        return `${input}.${sign('sha256', Buffer.from(input), privateKey).toString('base64url')}`;
      },
    };
    expect(await redeem()).toBe('id_token: OAUTH_UNSUPPORTED_OPERATION');
  });
});
