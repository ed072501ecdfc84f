// Client authentication at the token endpoint (D11, D12; RFC 6749 §2.3.1).
import { afterAll, describe, expect, test } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import {
  type JsonAnswer,
  obtainCode,
  obtainCodeWithPkce,
  obtainTokens,
  redeem,
  renew,
  signedInBrowser,
} from '../support/flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const application = await service.createApplication();
const other = await service.createApplication();
const publicApplication = await service.createApplication({ type: 'public' });
const browser = await signedInBrowser(service, await service.createUser());
afterAll(() => service.close());

const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

/** Redeems with a Basic header; the form has no credentials unless `fields` says so. */
async function redeemBasic(
  authorization: string,
  code: string,
  fields: Record<string, string | undefined> = {},
) {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: application.redirectUri,
  });
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value);
  const response = await fetch(new URL('/oauth/token', service.baseUrl), {
    method: 'POST',
    body: form,
    headers: { authorization },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) } as JsonAnswer;
}

describe('HTTP Basic (RFC 6749 §2.3.1)', () => {
  test.each(['Basic', 'basic', 'BASIC'])('D11: is accepted, scheme spelled %s', async (scheme) => {
    const code = await obtainCode(service, application, browser);
    const header = basic(application.clientId, application.clientSecret).replace('Basic', scheme);
    expect((await redeemBasic(header, code)).status).toBe(200);
  });

  test('both halves are form-decoded', async () => {
    const encoded = (text: string) => `%${[...Buffer.from(text)].map((byte) => byte.toString(16)).join('%')}`;
    const code = await obtainCode(service, application, browser);
    const header = basic(encoded(application.clientId), encoded(application.clientSecret));
    expect((await redeemBasic(header, code)).status).toBe(200);
  });

  test('D11: the same client_id may stand in the form too; another one is 400 invalid_request', async () => {
    const code = await obtainCode(service, application, browser);
    const header = basic(application.clientId, application.clientSecret);
    expectError(await redeemBasic(header, code, { client_id: other.clientId }), 400, 'invalid_request');
    expect((await redeemBasic(header, code, { client_id: application.clientId })).status).toBe(200);
  });

  test('D11: Basic and client_secret in the form at once: 400 invalid_request, even if both are right', async () => {
    const code = await obtainCode(service, application, browser);
    const { clientId: client_id, clientSecret: client_secret } = application;
    const header = basic(client_id, client_secret);
    expectError(await redeemBasic(header, code, { client_id, client_secret }), 400, 'invalid_request');
    expectError(await redeemBasic(header, code, { client_secret }), 400, 'invalid_request');
    expect((await redeemBasic(header, code)).status).toBe(200);
  });

  test.each([
    ['a wrong secret', () => basic(application.clientId, 'wrong')],
    ['an empty secret', () => basic(application.clientId, '')],
    ['an unknown application', () => basic('app_nobody', application.clientSecret)],
    ['no colon', () => `Basic ${Buffer.from(application.clientId).toString('base64')}`],
    ['an empty client_id', () => basic('', application.clientSecret)],
    ['nothing after the scheme', () => 'Basic'],
    ['what is not base64', () => 'Basic !!!'],
    ['bad percent-encoding', () => basic('%zz', '%zz')],
    ['a NUL', () => basic('%00', '%00')],
    ['bad UTF-8', () => `Basic ${Buffer.from(`${application.clientId}:%ff`).toString('base64')}`],
  ])(
    'D11: %s is 401 invalid_client with WWW-Authenticate: Basic, and consumes nothing',
    async (_, header) => {
      const code = await obtainCode(service, application, browser);
      const answer = await redeemBasic(header(), code);
      expectError(answer, 401, 'invalid_client');
      expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm="/);
      expect((await redeem(service, application, code)).status).toBe(200);
    },
  );
});

describe('client_id and client_secret in the form (contract §5)', () => {
  test.each([
    ['wrong', 'wrong'],
    ['empty', ''],
    ['missing', undefined],
    ['of another application', 'other'],
    ['with a space after it', 'padded'],
  ])(
    'D11: a secret that is %s is 401 invalid_client and consumes neither code nor refresh token',
    async (_, kind) => {
      const client_secret =
        kind === 'other' ? other.clientSecret : kind === 'padded' ? `${application.clientSecret} ` : kind;
      const code = await obtainCode(service, application, browser);
      const refused = await redeem(service, application, code, { client_secret });
      expectError(refused, 401, 'invalid_client');
      expect(refused.headers.get('www-authenticate')).toBeNull();
      expect((await redeem(service, application, code)).status).toBe(200);

      const { refreshToken } = await obtainTokens(service, application, browser);
      expectError(await renew(service, application, refreshToken, { client_secret }), 401, 'invalid_client');
      expect((await renew(service, application, refreshToken)).status).toBe(200);
    },
  );

  test('D11: unknown application, wrong, missing and empty secret give byte-identical answers', async () => {
    const code = await obtainCode(service, application, browser);
    const answers = await Promise.all([
      redeem(service, application, code, { client_secret: 'wrong' }),
      redeem(service, application, code, { client_secret: undefined }),
      redeem(service, application, code, { client_secret: '' }),
      redeem(service, application, code, { client_id: 'app_AAAAAAAAAAAAAAAAAAAA' }),
      redeem(service, application, code, { client_id: 'not even shaped like one: é\'"' }),
      redeem(service, publicApplication, code, { client_secret: 'secret' }),
    ]);
    const [first, ...rest] = answers.map(({ status, text, headers }) => ({
      status,
      text,
      headers: [...headers].filter(([name]) => name !== 'date'),
    }));
    expect(first?.status).toBe(401);
    for (const answer of rest) expect(answer).toEqual(first);
  });
});

describe('public applications (D12)', () => {
  test('D12: exchange and renew without a secret, by form or by Basic with an empty one', async () => {
    const { code, verifier } = await obtainCodeWithPkce(service, publicApplication, browser);
    const answer = await redeem(service, publicApplication, code, { code_verifier: verifier });
    expect(answer.status).toBe(200);
    expect((await renew(service, publicApplication, String(answer.body.refresh_token))).status).toBe(200);
    const second = await obtainCodeWithPkce(service, publicApplication, browser);
    const header = basic(publicApplication.clientId, '');
    expect((await redeemBasic(header, second.code, { code_verifier: second.verifier })).status).toBe(200);
  });

  test('D12: one that sends a secret is 401, even an invented one, and nothing is consumed', async () => {
    const { code, verifier } = await obtainCodeWithPkce(service, publicApplication, browser);
    const fields = { code_verifier: verifier };
    expectError(
      await redeem(service, publicApplication, code, { ...fields, client_secret: 'x' }),
      401,
      'invalid_client',
    );
    expectError(
      await redeemBasic(basic(publicApplication.clientId, 'x'), code, fields),
      401,
      'invalid_client',
    );
    expect((await redeem(service, publicApplication, code, fields)).status).toBe(200);
  });

  test('D12: a confidential one never passes without its secret, verifier or not', async () => {
    const { code, verifier } = await obtainCodeWithPkce(service, application, browser);
    const fields = { code_verifier: verifier, client_secret: undefined };
    expectError(await redeem(service, application, code, fields), 401, 'invalid_client');
    expect((await redeem(service, application, code, { code_verifier: verifier })).status).toBe(200);
  });
});

test('an agent that the service does not admit is challenged where it used Basic (RFC 6749 §5.2)', async () => {
  const response = await redeemBasic(
    basic(encodeURIComponent('https://agent.example/client.json'), 's'),
    'code',
  );
  expect([response.status, response.headers.get('www-authenticate')]).toEqual([
    401,
    'Basic realm="Sesame", charset="UTF-8"',
  ]);
});
