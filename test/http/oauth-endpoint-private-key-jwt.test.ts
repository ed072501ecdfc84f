// private_key_jwt: an application proves who it is with a key of its own, once with each assertion (RFC 7523, RFC 10070).

import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { lastRefusal } from '../support/diagnostics.ts';
import { expectError } from '../support/expect-error.ts';
import { authorize, authorizeAddress, postForm, redeem, signedInBrowser } from '../support/flow.ts';
import { pruneAll } from '../support/populate.ts';
import { CROWD, startTestService } from '../support/service.ts';

const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const SET_KEYS = statement('test_set_keys', 'update clients set jwks = $2::jsonb where client_id = $1');
const service = await startTestService(CROWD);
const application = await service.createApplication();
const browser = await signedInBrowser(service, await service.createUser());
const keys = await makeKeys();
await service.parts.database.query(SET_KEYS, [application.clientId, keys.published]);
await authorize(service, application, browser);
afterAll(() => service.close());

async function makeKeys() {
  const pairs = await Promise.all(
    ['ES256', 'RS256', 'PS256', 'EdDSA'].map(async (alg) => {
      const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
      return { alg, kid: alg, privateKey, jwk: { ...(await exportJWK(publicKey)), alg, kid: alg } };
    }),
  );
  return { pairs, published: { keys: pairs.map(({ jwk }) => jwk) } };
}
const seconds = () => Math.floor(service.clock.now().getTime() / 1000);

async function assertion(
  claims: Record<string, unknown> = {},
  alg = 'ES256',
  { signedBy = alg, typ }: { signedBy?: string; typ?: string } = {},
): Promise<string> {
  const pair = keys.pairs.find((one) => one.alg === signedBy);
  if (pair === undefined) throw new Error(`no key for ${alg}`);
  const { clientId } = application;
  const all = {
    iss: clientId,
    sub: clientId,
    aud: service.baseUrl,
    iat: seconds(),
    exp: seconds() + 60,
    jti: randomUUID(),
    ...claims,
  };
  return new SignJWT(JSON.parse(JSON.stringify(all)))
    .setProtectedHeader({ alg, kid: pair.kid, ...(typ !== undefined && { typ }) })
    .sign(pair.privateKey);
}
const withAssertion = (client_assertion: string) => ({
  client_secret: undefined,
  client_assertion_type: TYPE,
  client_assertion,
});
const codeNow = async () => {
  const { location } = await browser.get(authorizeAddress(service, application));
  return location?.searchParams.get('code') ?? '';
};
/** Any request that gets as far as its own refusal once the application is known to be authentic. */
const attempt = (fields: Record<string, string | undefined>, headers: Record<string, string> = {}) =>
  postForm(
    service,
    '/oauth/token',
    {
      grant_type: 'refresh_token',
      refresh_token: 'nonsense',
      client_id: application.clientId,
      ...fields,
    },
    headers,
  );

describe('accepted', () => {
  test('exchange, renewal, revocation, introspection, a pushed request, each with an assertion of its own', async () => {
    const { status, body } = await redeem(
      service,
      application,
      await codeNow(),
      withAssertion(await assertion()),
    );
    expect(status).toBe(200);
    const renewed = await attempt({
      ...withAssertion(await assertion()),
      refresh_token: String(body.refresh_token),
    });
    expect(renewed.status).toBe(200);
    const token = String(renewed.body.refresh_token);
    const asked = await postForm(service, '/oauth/introspect', {
      token,
      ...withAssertion(await assertion()),
    });
    expect(asked.body.active).toBe(true);
    const pushed = await postForm(service, '/oauth/par', {
      ...withAssertion(await assertion()),
      client_id: application.clientId,
      redirect_uri: application.redirectUri,
      response_type: 'code',
      scope: 'openid',
      state: 's',
    });
    expect(pushed.status).toBe(201);
    const revoked = await postForm(service, '/oauth/token/revoke', {
      token,
      ...withAssertion(await assertion()),
    });
    expect(revoked.status).toBe(200);
  });

  test('each algorithm, clocks 30 seconds apart, the audience in an array of one, both types, no client_id', async () => {
    const good = [
      ...(await Promise.all(keys.pairs.map(({ alg }) => assertion({}, alg)))),
      await assertion({ iat: seconds() - 90, exp: seconds() - 28 }),
      await assertion({ iat: seconds() + 30, nbf: seconds() + 30, exp: seconds() + 3629 }),
      await assertion({ aud: [service.baseUrl] }),
      await assertion({}, 'ES256', { typ: 'JWT' }),
      await assertion({}, 'ES256', { typ: 'application/Client-Authentication+JWT' }),
    ];
    for (const one of good)
      expectError(await attempt({ ...withAssertion(one), client_id: undefined }), 400, 'invalid_grant');
  });
});

describe('refused, and the code can still be used (D11)', () => {
  test('twice the same assertion, at once or later, at whatever address', async () => {
    const one = await assertion();
    const answers = await Promise.all(Array.from({ length: 5 }, () => attempt(withAssertion(one))));
    expect(answers.map(({ status }) => status).sort()).toEqual([400, 401, 401, 401, 401]);
    expectError(await attempt(withAssertion(one)), 401, 'invalid_client');
    const asked = await postForm(service, '/oauth/introspect', { token: 'x', ...withAssertion(one) });
    expectError(asked, 401, 'invalid_client');
  });

  test('claims: jti, exp, at most an hour, the issuer as the only audience, the application as issuer and subject', async () => {
    const { baseUrl } = service;
    const code = await codeNow();
    const faults: Record<string, unknown>[] = [
      { jti: undefined },
      { exp: undefined },
      { exp: seconds() - 31 },
      { exp: seconds() + 3640 },
      { iat: seconds() + 40 },
      { nbf: seconds() + 40 },
      { aud: undefined },
      ...[[], 'https://other.example', [baseUrl, 'https://other.example'], [baseUrl, baseUrl]].map((aud) => ({
        aud,
      })),
      ...['/', '/oauth/token', '/oauth/par'].map((path) => ({ aud: baseUrl + path })),
      { iss: 'app_other' },
      { sub: 'app_other' },
    ];
    const accepted: unknown[] = [];
    for (const claims of faults) {
      const signed = withAssertion(await assertion(claims));
      const { status, body } = await redeem(service, application, code, signed);
      if (status !== 401 || body.error !== 'invalid_client') accepted.push({ ...claims, status });
    }
    expect(accepted).toEqual([]);
    expect((await redeem(service, application, code)).status).toBe(200);
  });

  test.each(['dpop+jwt', 'oauth-authz-req+jwt', 'at+jwt', 'logout+jwt', 'jwt+jwt', ''])(
    'of another explicit type: "%s" (RFC 8725 §3.11)',
    async (typ) => {
      const refused = await attempt(withAssertion(await assertion({}, 'ES256', { typ })));
      expectError(refused, 401, 'invalid_client');
    },
  );

  test('signed with another key, with the secret (HS256), with nothing', async () => {
    const stranger = await generateKeyPair('ES256');
    const sign = (header: { alg: string; kid?: string }, key: CryptoKey | Uint8Array) =>
      new SignJWT({ jti: randomUUID() })
        .setProtectedHeader(header)
        .setIssuer(application.clientId)
        .setSubject(application.clientId)
        .setAudience(service.baseUrl)
        .setExpirationTime(seconds() + 60)
        .sign(key);
    const none = (await assertion()).split('.')[1];
    for (const wrong of [
      await sign({ alg: 'ES256', kid: 'ES256' }, stranger.privateKey),
      await sign({ alg: 'HS256' }, new TextEncoder().encode(application.clientSecret)),
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${none}.`,
      'nonsense',
    ])
      expectError(await attempt(withAssertion(wrong)), 401, 'invalid_client');
  });

  test('a subject that is no text names nobody, and what others are refused for is noted all the same', async () => {
    const { clientId } = application;
    for (const sub of [[clientId], [[clientId]], { toString: clientId }, [null], null, 5, true]) {
      const payload = Buffer.from(JSON.stringify({ iss: sub, sub, jti: 'x' })).toString('base64url');
      const header = Buffer.from('{"alg":"ES256"}').toString('base64url');
      const fields = { ...withAssertion(`${header}.${payload}.AAAA`), client_id: undefined };
      expectError(await attempt({ client_secret: 'wrong' }), 401, 'invalid_client');
      expectError(await attempt(fields), 401, 'invalid_client');
      expect(await lastRefusal(service, application)).toMatchObject({ kind: 'secret_not_ours' });
      await service.parts.database.query(
        statement('test_forget_refusals', 'delete from refusals where client_id = $1'),
        [clientId],
      );
    }
  });

  test('an assertion and a secret, by form or Basic; half of an assertion', async () => {
    const fields = withAssertion(await assertion());
    expectError(await attempt({ ...fields, client_secret: 'x' }), 400, 'invalid_request');
    const authorization = `Basic ${Buffer.from(`${application.clientId}:x`).toString('base64')}`;
    expectError(await attempt(fields, { authorization }), 400, 'invalid_request');
    expectError(await attempt({ ...fields, client_assertion_type: 'x' }), 400, 'invalid_request');
    expectError(await attempt({ ...fields, client_assertion: undefined }), 400, 'invalid_request');
  });

  test('what is remembered of an assertion is no secret that one could send', async () => {
    const claims = { jti: 'known' };
    expectError(await attempt(withAssertion(await assertion(claims))), 400, 'invalid_grant');
    const { clientId } = application;
    const spelled = ['known', `${clientId} known`, JSON.stringify([clientId, 'known'])];
    for (const guess of spelled) expectError(await attempt({ client_secret: guess }), 401, 'invalid_client');
    // HTTP Basic carries control characters, too.
    for (const guess of spelled.map((text) => `\u0008${text}`)) {
      const basic = Buffer.from(`${clientId}:${encodeURIComponent(guess)}`).toString('base64');
      expectError(await attempt({}, { authorization: `Basic ${basic}` }), 401, 'invalid_client');
    }
  });

  test('no parameter stands in for a verified assertion, and an accepted one lasts for its request only', async () => {
    expectError(await attempt(withAssertion(await assertion())), 400, 'invalid_grant');
    for (const asserted of ['true', 't', '1'])
      for (const fields of [{ asserted }, { asserted, client_secret: 'wrong' }])
        expectError(await attempt({ client_secret: undefined, ...fields }), 401, 'invalid_client');
    const open = await service.createApplication({ type: 'public' });
    await service.parts.database.query(SET_KEYS, [open.clientId, keys.published]);
    const { clientId } = open;
    const fields = withAssertion(await assertion({ iss: clientId, sub: clientId }));
    expectError(await attempt({ ...fields, client_id: clientId }), 401, 'invalid_client');
  });
});

test('one that ended is remembered for as long as a slow clock would let it count again', async () => {
  const one = await assertion({ exp: seconds() + 10 });
  expectError(await attempt(withAssertion(one)), 400, 'invalid_grant');
  service.clock.advance(35);
  const long = new Date(0);
  await pruneAll(service.parts.database, {
    now: service.clock.now(),
    ...{ codeIssued: long, grantUsed: long, grantCreated: long },
    ...{
      entryAdded: long,
      audited: long,
      retained: long,
    },
  });
  expectError(await attempt(withAssertion(one)), 401, 'invalid_client');
});
