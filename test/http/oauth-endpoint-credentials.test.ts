// Client authentication with a secret at the token endpoint (RFC 6749 §2.3.1).
import { afterAll, describe, expect, test } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import {
  type JsonResponse,
  obtainCode,
  obtainCodeWithPkce,
  obtainTokens,
  openSignedInBrowser,
  redeemCode,
  redeemRefreshToken,
} from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const client = await service.createClient();
const otherClient = await service.createClient();
const publicClient = await service.createClient({ type: 'public' });
const browser = await openSignedInBrowser(service, await service.createUser());
afterAll(() => service.close());

const buildBasicHeader = (id: string, secret: string) =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

/** Sends credentials with HTTP Basic. The form contains credentials only if `fields` does. */
async function redeemBasic(
  authorization: string,
  code: string,
  fields: Record<string, string | undefined> = {},
) {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: client.redirectUri,
  });
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value);
  const response = await fetch(new URL('/oauth/token', service.baseUrl), {
    method: 'POST',
    body: form,
    headers: { authorization },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) } as JsonResponse;
}

describe('HTTP Basic authentication (RFC 6749 §2.3.1)', () => {
  test.each(['Basic', 'basic', 'BASIC'])('succeeds with the scheme name %s', async (scheme) => {
    const code = await obtainCode(service, client, browser);
    const header = buildBasicHeader(client.clientId, client.clientSecret).replace('Basic', scheme);
    expect((await redeemBasic(header, code)).status).toBe(200);
  });

  test('succeeds with a percent-encoded client_id and secret', async () => {
    const percentEncode = (text: string) =>
      `%${[...Buffer.from(text)].map((byte) => byte.toString(16)).join('%')}`;
    const code = await obtainCode(service, client, browser);
    const header = buildBasicHeader(percentEncode(client.clientId), percentEncode(client.clientSecret));
    expect((await redeemBasic(header, code)).status).toBe(200);
  });

  test('succeeds if the form contains the same client_id', async () => {
    const code = await obtainCode(service, client, browser);
    const header = buildBasicHeader(client.clientId, client.clientSecret);
    expectError(await redeemBasic(header, code, { client_id: otherClient.clientId }), 400, 'invalid_request');
    expect((await redeemBasic(header, code, { client_id: client.clientId })).status).toBe(200);
  });

  test('fails with invalid_request if the form contains a client_secret', async () => {
    const code = await obtainCode(service, client, browser);
    const { clientId: client_id, clientSecret: client_secret } = client;
    const header = buildBasicHeader(client_id, client_secret);
    expectError(await redeemBasic(header, code, { client_id, client_secret }), 400, 'invalid_request');
    expectError(await redeemBasic(header, code, { client_secret }), 400, 'invalid_request');
    expect((await redeemBasic(header, code)).status).toBe(200);
  });

  test.each([
    ['a wrong secret', () => buildBasicHeader(client.clientId, 'wrong')],
    ['an empty secret', () => buildBasicHeader(client.clientId, '')],
    ['an unknown client', () => buildBasicHeader('app_nobody', client.clientSecret)],
    ['no colon', () => `Basic ${Buffer.from(client.clientId).toString('base64')}`],
    ['an empty client_id', () => buildBasicHeader('', client.clientSecret)],
    ['nothing after the scheme', () => 'Basic'],
    ['invalid base64', () => 'Basic !!!'],
    ['invalid percent-encoding', () => buildBasicHeader('%zz', '%zz')],
    ['a NUL character', () => buildBasicHeader('%00', '%00')],
    ['invalid UTF-8', () => `Basic ${Buffer.from(`${client.clientId}:%ff`).toString('base64')}`],
  ])('with %s fails with 401 invalid_client', async (_, header) => {
    const code = await obtainCode(service, client, browser);
    const response = await redeemBasic(header(), code);
    expectError(response, 401, 'invalid_client');
    expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm="/);
    expect((await redeemCode(service, client, code)).status).toBe(200);
  });
});

describe('client_secret_post authentication', () => {
  test.each([
    ['a wrong secret', 'wrong'],
    ['an empty secret', ''],
    ['no secret', undefined],
    ['another client’s secret', 'other'],
    ['a secret followed by a space', 'padded'],
  ])('with %s fails with 401 invalid_client', async (_, kind) => {
    const client_secret =
      kind === 'other' ? otherClient.clientSecret : kind === 'padded' ? `${client.clientSecret} ` : kind;
    const code = await obtainCode(service, client, browser);
    const refused = await redeemCode(service, client, code, { client_secret });
    expectError(refused, 401, 'invalid_client');
    expect(refused.headers.get('www-authenticate')).toBeNull();
    expect((await redeemCode(service, client, code)).status).toBe(200);

    const { refreshToken } = await obtainTokens(service, client, browser);
    expectError(
      await redeemRefreshToken(service, client, refreshToken, { client_secret }),
      401,
      'invalid_client',
    );
    expect((await redeemRefreshToken(service, client, refreshToken)).status).toBe(200);
  });

  test('fails with the same response for unknown clients and invalid secrets', async () => {
    const code = await obtainCode(service, client, browser);
    const responses = await Promise.all([
      redeemCode(service, client, code, { client_secret: 'wrong' }),
      redeemCode(service, client, code, { client_secret: undefined }),
      redeemCode(service, client, code, { client_secret: '' }),
      redeemCode(service, client, code, { client_id: 'app_AAAAAAAAAAAAAAAAAAAA' }),
      redeemCode(service, client, code, { client_id: 'not a client_id: é\'"' }),
      redeemCode(service, publicClient, code, { client_secret: 'secret' }),
    ]);
    const [first, ...others] = responses.map(({ status, text, headers }) => ({
      status,
      text,
      headers: [...headers].filter(([name]) => name !== 'date'),
    }));
    expect(first?.status).toBe(401);
    for (const response of others) expect(response).toEqual(first);
  });
});

describe('public clients', () => {
  test('can redeem codes and refresh tokens without a secret', async () => {
    const { code, verifier } = await obtainCodeWithPkce(service, publicClient, browser);
    const response = await redeemCode(service, publicClient, code, { code_verifier: verifier });
    expect(response.status).toBe(200);
    expect(
      (await redeemRefreshToken(service, publicClient, String(response.body.refresh_token))).status,
    ).toBe(200);
    const secondCode = await obtainCodeWithPkce(service, publicClient, browser);
    const header = buildBasicHeader(publicClient.clientId, '');
    expect((await redeemBasic(header, secondCode.code, { code_verifier: secondCode.verifier })).status).toBe(
      200,
    );
  });

  test('get 401 if they send a secret', async () => {
    const { code, verifier } = await obtainCodeWithPkce(service, publicClient, browser);
    const fields = { code_verifier: verifier };
    expectError(
      await redeemCode(service, publicClient, code, { ...fields, client_secret: 'x' }),
      401,
      'invalid_client',
    );
    expectError(
      await redeemBasic(buildBasicHeader(publicClient.clientId, 'x'), code, fields),
      401,
      'invalid_client',
    );
    expect((await redeemCode(service, publicClient, code, fields)).status).toBe(200);
  });

  test('are the only clients that may send a code_verifier without a secret', async () => {
    const { code, verifier } = await obtainCodeWithPkce(service, client, browser);
    const fields = { code_verifier: verifier, client_secret: undefined };
    expectError(await redeemCode(service, client, code, fields), 401, 'invalid_client');
    expect((await redeemCode(service, client, code, { code_verifier: verifier })).status).toBe(200);
  });
});

test('the 401 response to a metadata client has a WWW-Authenticate header if AGENTS is off (RFC 6749 §5.2)', async () => {
  const response = await redeemBasic(
    buildBasicHeader(encodeURIComponent('https://agent.example/client.json'), 's'),
    'code',
  );
  expect([response.status, response.headers.get('www-authenticate')]).toEqual([
    401,
    'Basic realm="Sesame", charset="UTF-8"',
  ]);
});
