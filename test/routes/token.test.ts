import { afterAll, describe, expect, test } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import {
  createVerifier,
  obtainCode,
  obtainCodeWithPkce,
  openSignedInBrowser,
  postForm,
  readJson,
  redeemCode,
} from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const client = await service.createClient();
const browser = await openSignedInBrowser(service, await service.createUser());
afterAll(() => service.close());

const FORM_TYPE = 'application/x-www-form-urlencoded';

async function post(body: string | undefined, contentType?: string, path = '/oauth/token') {
  const headers = contentType === undefined ? {} : { 'content-type': contentType };
  // fetch adds a content type to string bodies.
  const bytes = body === undefined ? null : Buffer.from(body);
  return readJson(await fetch(new URL(path, service.baseUrl), { method: 'POST', body: bytes, headers }));
}

const buildValidForm = (code: string) =>
  new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: client.redirectUri,
    client_id: client.clientId,
    client_secret: client.clientSecret,
  }).toString();

describe('the token response', () => {
  test('is uncached JSON with exactly the expected members', async () => {
    const response = await redeemCode(
      service,
      client,
      await obtainCode(service, client, browser, { scope: 'profile email' }),
    );
    expect(response.status).toBe(200);
    expect(Object.keys(response.body).sort()).toEqual([
      'access_token',
      'expires_in',
      'refresh_token',
      'scope',
      'token_type',
    ]);
    expect(response.body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'profile email' });
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('pragma')).toBe('no-cache');
    expect(response.headers.get('set-cookie')).toBeNull();
  });
});

describe('a token request', () => {
  test.each([
    `${FORM_TYPE};charset=UTF-8`,
    `${FORM_TYPE}; charset=utf-8`,
    `${FORM_TYPE}; charset="utf-8"`,
    `${FORM_TYPE};charset=UTF-8;`,
    'Application/X-WWW-Form-Urlencoded',
  ])('may have the content type %s', async (contentType) => {
    const code = await obtainCode(service, client, browser);
    expect((await post(buildValidForm(code), contentType)).status).toBe(200);
  });

  test.each([
    'application/json',
    'text/plain',
    'multipart/form-data; boundary=x',
    `${FORM_TYPE}; charset=iso-8859-1`,
    `${FORM_TYPE}-and-more`,
    'nonsense',
    undefined,
  ])('gets 400 invalid_request for the content type %s', async (contentType) => {
    const code = await obtainCode(service, client, browser);
    expectError(await post(buildValidForm(code), contentType), 400, 'invalid_request');
    expect((await redeemCode(service, client, code)).status).toBe(200);
  });

  test.each(['grant_type', 'code', 'redirect_uri', 'client_id', 'client_secret', 'unknown'])(
    'gets 400 invalid_request if %s is repeated',
    async (name) => {
      const code = await obtainCode(service, client, browser);
      const form = buildValidForm(code);
      const value = new URLSearchParams(form).get(name) ?? 'x';
      const repeatedParameter = new URLSearchParams([
        [name, value],
        [name, value],
      ]);
      const others = new URLSearchParams(form);
      others.delete(name);
      expectError(await post(`${others}&${repeatedParameter}`, FORM_TYPE), 400, 'invalid_request');
      expect((await redeemCode(service, client, code)).status).toBe(200);
    },
  );

  test.each(['grant_type', 'code', 'redirect_uri', 'client_id'])(
    'gets 400 invalid_request if %s is empty or missing (RFC 6749 §3.1)',
    async (name) => {
      const code = await obtainCode(service, client, browser);
      for (const value of ['', undefined])
        expect(
          expectError(await redeemCode(service, client, code, { [name]: value }), 400, 'invalid_request'),
        ).toContain(name);
      expect((await redeemCode(service, client, code)).status).toBe(200);
    },
  );

  test('takes no parameters from the query', async () => {
    const code = await obtainCode(service, client, browser);
    expectError(await post('', FORM_TYPE, `/oauth/token?${buildValidForm(code)}`), 400, 'invalid_request');
    expect((await redeemCode(service, client, code)).status).toBe(200);
  });
});

describe('a token request with an unsupported grant type', () => {
  test.each(['password', 'client_credentials', 'implicit', 'Authorization_Code', '__proto__', 'toString'])(
    'gets 400 unsupported_grant_type for %s',
    async (grantType) => {
      const response = await redeemCode(service, client, 'x', { grant_type: grantType });
      expectError(response, 400, 'unsupported_grant_type');
    },
  );
});

describe('the token endpoint', () => {
  const wrongCredentials = { client_id: 'app_nobody', client_secret: 'wrong' };

  test('allows only POST', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']) {
      const response = await fetch(new URL('/oauth/token', service.baseUrl), { method });
      expect(response.headers.get('allow')).toBe('POST');
      if (method === 'HEAD') expect(response.status).toBe(405);
      else expectError(await readJson(response), 405, 'invalid_request');
    }
  });

  test('checks for missing parameters before it authenticates the client', async () => {
    const response = await postForm(service, '/oauth/token', {
      grant_type: 'authorization_code',
      ...wrongCredentials,
    });
    expect(expectError(response, 400, 'invalid_request')).toContain('code');
    const refresh = await postForm(service, '/oauth/token', {
      grant_type: 'refresh_token',
      ...wrongCredentials,
    });
    expect(expectError(refresh, 400, 'invalid_request')).toContain('refresh_token');
  });

  test('authenticates the client before it checks the code', async () => {
    const { code } = await obtainCodeWithPkce(service, client, browser);
    for (const fields of [
      {},
      { redirect_uri: 'https://other.example/' },
      { code_verifier: 'short' },
      { code_verifier: createVerifier() },
      { code: 'nonsense' },
    ])
      expectError(
        await redeemCode(service, client, code, { ...fields, ...wrongCredentials }),
        401,
        'invalid_client',
      );
  });
});
