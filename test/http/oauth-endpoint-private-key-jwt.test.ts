// Client authentication with private_key_jwt (RFC 7523, OpenID Connect Core §9).
import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { readLastRefusal } from '../support/diagnostics.ts';
import { expectError } from '../support/expect-error.ts';
import {
  authorize,
  buildAuthorizeUrl,
  openSignedInBrowser,
  postForm,
  redeemCode,
} from '../support/oauth-flow.ts';
import { LARGE_POOL, startTestService } from '../support/service.ts';
import { pruneAll } from '../support/store-fixtures.ts';

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const SET_KEYS = statement('test_set_keys', 'update clients set jwks = $2::jsonb where client_id = $1');
const service = await startTestService(LARGE_POOL);
const client = await service.createClient();
const browser = await openSignedInBrowser(service, await service.createUser());
const keys = await createKeys();
await service.services.database.query(SET_KEYS, [client.clientId, keys.published]);
await authorize(service, client, browser);
afterAll(() => service.close());

async function createKeys() {
  const pairs = await Promise.all(
    ['ES256', 'RS256', 'PS256', 'EdDSA'].map(async (alg) => {
      const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
      return { alg, kid: alg, privateKey, jwk: { ...(await exportJWK(publicKey)), alg, kid: alg } };
    }),
  );
  return { pairs, published: { keys: pairs.map(({ jwk }) => jwk) } };
}
const nowInSeconds = () => Math.floor(service.clock.now().getTime() / 1000);

async function signAssertion(
  claims: Record<string, unknown> = {},
  alg = 'ES256',
  { signedBy = alg, typ }: { signedBy?: string; typ?: string } = {},
): Promise<string> {
  const pair = keys.pairs.find((candidate) => candidate.alg === signedBy);
  if (pair === undefined) throw new Error(`no key for ${alg}`);
  const { clientId } = client;
  const payload = {
    iss: clientId,
    sub: clientId,
    aud: service.baseUrl,
    iat: nowInSeconds(),
    exp: nowInSeconds() + 60,
    jti: randomUUID(),
    ...claims,
  };
  return new SignJWT(JSON.parse(JSON.stringify(payload)))
    .setProtectedHeader({ alg, kid: pair.kid, ...(typ !== undefined && { typ }) })
    .sign(pair.privateKey);
}
const buildAssertionFields = (client_assertion: string) => ({
  client_secret: undefined,
  client_assertion_type: ASSERTION_TYPE,
  client_assertion,
});
const obtainNewCode = async () => {
  const { location } = await browser.get(buildAuthorizeUrl(service, client));
  return location?.searchParams.get('code') ?? '';
};
/** Sends an invalid refresh token, so invalid_grant means that client authentication succeeded. */
const sendTokenRequest = (fields: Record<string, string | undefined>, headers: Record<string, string> = {}) =>
  postForm(
    service,
    '/oauth/token',
    {
      grant_type: 'refresh_token',
      refresh_token: 'nonsense',
      client_id: client.clientId,
      ...fields,
    },
    headers,
  );

describe('a client assertion', () => {
  test('is accepted at every OAuth endpoint', async () => {
    const { status, body } = await redeemCode(
      service,
      client,
      await obtainNewCode(),
      buildAssertionFields(await signAssertion()),
    );
    expect(status).toBe(200);
    const refreshed = await sendTokenRequest({
      ...buildAssertionFields(await signAssertion()),
      refresh_token: String(body.refresh_token),
    });
    expect(refreshed.status).toBe(200);
    const token = String(refreshed.body.refresh_token);
    const introspected = await postForm(service, '/oauth/introspect', {
      token,
      ...buildAssertionFields(await signAssertion()),
    });
    expect(introspected.body.active).toBe(true);
    const pushed = await postForm(service, '/oauth/par', {
      ...buildAssertionFields(await signAssertion()),
      client_id: client.clientId,
      redirect_uri: client.redirectUri,
      response_type: 'code',
      scope: 'openid',
      state: 's',
    });
    expect(pushed.status).toBe(201);
    const revoked = await postForm(service, '/oauth/token/revoke', {
      token,
      ...buildAssertionFields(await signAssertion()),
    });
    expect(revoked.status).toBe(200);
  });

  test('is accepted with any supported algorithm', async () => {
    const validAssertions = [
      ...(await Promise.all(keys.pairs.map(({ alg }) => signAssertion({}, alg)))),
      await signAssertion({ iat: nowInSeconds() - 90, exp: nowInSeconds() - 28 }),
      await signAssertion({ iat: nowInSeconds() + 30, nbf: nowInSeconds() + 30, exp: nowInSeconds() + 3629 }),
      await signAssertion({ aud: [service.baseUrl] }),
      await signAssertion({}, 'ES256', { typ: 'JWT' }),
      await signAssertion({}, 'ES256', { typ: 'application/Client-Authentication+JWT' }),
    ];
    for (const validAssertion of validAssertions)
      expectError(
        await sendTokenRequest({ ...buildAssertionFields(validAssertion), client_id: undefined }),
        400,
        'invalid_grant',
      );
  });
});

describe('client assertion validation', () => {
  test('rejects a replayed assertion', async () => {
    const usedAssertion = await signAssertion();
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => sendTokenRequest(buildAssertionFields(usedAssertion))),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([400, 401, 401, 401, 401]);
    expectError(await sendTokenRequest(buildAssertionFields(usedAssertion)), 401, 'invalid_client');
    const introspected = await postForm(service, '/oauth/introspect', {
      token: 'x',
      ...buildAssertionFields(usedAssertion),
    });
    expectError(introspected, 401, 'invalid_client');
  });

  test('rejects an assertion with invalid claims', async () => {
    const { baseUrl } = service;
    const code = await obtainNewCode();
    const invalid: Record<string, unknown>[] = [
      { jti: undefined },
      { exp: undefined },
      { exp: nowInSeconds() - 31 },
      { exp: nowInSeconds() + 3640 },
      { iat: nowInSeconds() + 40 },
      { nbf: nowInSeconds() + 40 },
      { aud: undefined },
      ...[[], 'https://other.example', [baseUrl, 'https://other.example'], [baseUrl, baseUrl]].map((aud) => ({
        aud,
      })),
      ...['/', '/oauth/token', '/oauth/par'].map((path) => ({ aud: baseUrl + path })),
      { iss: 'app_other' },
      { sub: 'app_other' },
    ];
    const accepted: unknown[] = [];
    for (const claims of invalid) {
      const signed = buildAssertionFields(await signAssertion(claims));
      const { status, body } = await redeemCode(service, client, code, signed);
      if (status !== 401 || body.error !== 'invalid_client') accepted.push({ ...claims, status });
    }
    expect(accepted).toEqual([]);
    expect((await redeemCode(service, client, code)).status).toBe(200);
  });

  test.each(['dpop+jwt', 'oauth-authz-req+jwt', 'at+jwt', 'logout+jwt', 'jwt+jwt', ''])(
    'rejects an assertion of type "%s" (RFC 8725 §3.11)',
    async (typ) => {
      const refused = await sendTokenRequest(buildAssertionFields(await signAssertion({}, 'ES256', { typ })));
      expectError(refused, 401, 'invalid_client');
    },
  );

  test('rejects an assertion without a valid signature', async () => {
    const foreignKey = await generateKeyPair('ES256');
    const sign = (header: { alg: string; kid?: string }, key: CryptoKey | Uint8Array) =>
      new SignJWT({ jti: randomUUID() })
        .setProtectedHeader(header)
        .setIssuer(client.clientId)
        .setSubject(client.clientId)
        .setAudience(service.baseUrl)
        .setExpirationTime(nowInSeconds() + 60)
        .sign(key);
    const payload = (await signAssertion()).split('.')[1];
    for (const invalidAssertion of [
      await sign({ alg: 'ES256', kid: 'ES256' }, foreignKey.privateKey),
      await sign({ alg: 'HS256' }, new TextEncoder().encode(client.clientSecret)),
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`,
      'nonsense',
    ])
      expectError(await sendTokenRequest(buildAssertionFields(invalidAssertion)), 401, 'invalid_client');
  });

  test('records no diagnostics for a non-string subject', async () => {
    const { clientId } = client;
    for (const sub of [[clientId], [[clientId]], { toString: clientId }, [null], null, 5, true]) {
      const payload = Buffer.from(JSON.stringify({ iss: sub, sub, jti: 'x' })).toString('base64url');
      const header = Buffer.from('{"alg":"ES256"}').toString('base64url');
      const fields = { ...buildAssertionFields(`${header}.${payload}.AAAA`), client_id: undefined };
      expectError(await sendTokenRequest({ client_secret: 'wrong' }), 401, 'invalid_client');
      expectError(await sendTokenRequest(fields), 401, 'invalid_client');
      expect(await readLastRefusal(service, client)).toMatchObject({ kind: 'secret_prefix_invalid' });
      await service.services.database.query(
        statement('test_forget_refusals', 'delete from refusals where client_id = $1'),
        [clientId],
      );
    }
  });

  test('rejects a request with both an assertion and a secret', async () => {
    const fields = buildAssertionFields(await signAssertion());
    expectError(await sendTokenRequest({ ...fields, client_secret: 'x' }), 400, 'invalid_request');
    const authorization = `Basic ${Buffer.from(`${client.clientId}:x`).toString('base64')}`;
    expectError(await sendTokenRequest(fields, { authorization }), 400, 'invalid_request');
    expectError(await sendTokenRequest({ ...fields, client_assertion_type: 'x' }), 400, 'invalid_request');
    expectError(await sendTokenRequest({ ...fields, client_assertion: undefined }), 400, 'invalid_request');
  });

  test('rejects a secret that contains the jti of a used assertion', async () => {
    const claims = { jti: 'known' };
    expectError(
      await sendTokenRequest(buildAssertionFields(await signAssertion(claims))),
      400,
      'invalid_grant',
    );
    const { clientId } = client;
    const guesses = ['known', `${clientId} known`, JSON.stringify([clientId, 'known'])];
    for (const guess of guesses)
      expectError(await sendTokenRequest({ client_secret: guess }), 401, 'invalid_client');
    // Unlike form fields, HTTP Basic credentials can contain control characters.
    for (const guess of guesses.map((text) => `\u0008${text}`)) {
      const basic = Buffer.from(`${clientId}:${encodeURIComponent(guess)}`).toString('base64');
      expectError(await sendTokenRequest({}, { authorization: `Basic ${basic}` }), 401, 'invalid_client');
    }
  });

  test('rejects a public client’s assertion', async () => {
    expectError(await sendTokenRequest(buildAssertionFields(await signAssertion())), 400, 'invalid_grant');
    for (const asserted of ['true', 't', '1'])
      for (const fields of [{ asserted }, { asserted, client_secret: 'wrong' }])
        expectError(await sendTokenRequest({ client_secret: undefined, ...fields }), 401, 'invalid_client');
    const publicClient = await service.createClient({ type: 'public' });
    await service.services.database.query(SET_KEYS, [publicClient.clientId, keys.published]);
    const { clientId } = publicClient;
    const fields = buildAssertionFields(await signAssertion({ iss: clientId, sub: clientId }));
    expectError(await sendTokenRequest({ ...fields, client_id: clientId }), 401, 'invalid_client');
  });
});

test('an expired assertion cannot be reused within the clock skew', async () => {
  const usedAssertion = await signAssertion({ exp: nowInSeconds() + 10 });
  expectError(await sendTokenRequest(buildAssertionFields(usedAssertion)), 400, 'invalid_grant');
  service.clock.advance(35);
  const cutoff = new Date(0);
  await pruneAll(service.services.database, {
    now: service.clock.now(),
    ...{ codeIssued: cutoff, grantUsed: cutoff, grantCreated: cutoff },
    ...{
      entryAdded: cutoff,
      audited: cutoff,
      retained: cutoff,
    },
  });
  expectError(await sendTokenRequest(buildAssertionFields(usedAssertion)), 401, 'invalid_client');
});
