// POST /oauth/token: form, order of checks, shape of answers (D10, D17; RFC 6749 §3.2, §5).
import { afterAll, describe, expect, test } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import {
  newVerifier,
  obtainCode,
  obtainCodeWithPkce,
  postForm,
  readJson,
  redeem,
  signedInBrowser,
} from '../support/flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const application = await service.createApplication();
const browser = await signedInBrowser(service, await service.createUser());
afterAll(() => service.close());

const FORM = 'application/x-www-form-urlencoded';

async function post(body: string | undefined, contentType?: string, path = '/oauth/token') {
  const headers = contentType === undefined ? {} : { 'content-type': contentType };
  // A Buffer, unlike a string, lets fetch send no content type at all.
  const bytes = body === undefined ? null : Buffer.from(body);
  return readJson(await fetch(new URL(path, service.baseUrl), { method: 'POST', body: bytes, headers }));
}

const goodForm = (code: string) =>
  new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: application.redirectUri,
    client_id: application.clientId,
    client_secret: application.clientSecret,
  }).toString();

describe('the answer (contract §2.2, RFC 6749 §5.1)', () => {
  test('has exactly the members of the contract, is JSON, and is never stored', async () => {
    const answer = await redeem(
      service,
      application,
      await obtainCode(service, application, browser, { scope: 'profile email' }),
    );
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body).sort()).toEqual([
      'access_token',
      'expires_in',
      'refresh_token',
      'scope',
      'token_type',
    ]);
    expect(answer.body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'profile email' });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('pragma')).toBe('no-cache');
    expect(answer.headers.get('set-cookie')).toBeNull();
  });
});

describe('the form (D17)', () => {
  test.each([
    `${FORM};charset=UTF-8`,
    `${FORM}; charset=utf-8`,
    `${FORM}; charset="utf-8"`,
    `${FORM};charset=UTF-8;`,
    'Application/X-WWW-Form-Urlencoded',
  ])('D17: %s is read', async (contentType) => {
    const code = await obtainCode(service, application, browser);
    expect((await post(goodForm(code), contentType)).status).toBe(200);
  });

  test.each([
    'application/json',
    'text/plain',
    'multipart/form-data; boundary=x',
    `${FORM}; charset=iso-8859-1`,
    `${FORM}-and-more`,
    'nonsense',
    undefined,
  ])(
    'D10, D17: a body declared as %s is 400 invalid_request, never 415, and consumes nothing',
    async (contentType) => {
      const code = await obtainCode(service, application, browser);
      expectError(await post(goodForm(code), contentType), 400, 'invalid_request');
      expect((await redeem(service, application, code)).status).toBe(200);
    },
  );

  test.each(['grant_type', 'code', 'redirect_uri', 'client_id', 'client_secret', 'unknown'])(
    'D17: a repeated %s is 400 invalid_request and consumes nothing',
    async (name) => {
      const code = await obtainCode(service, application, browser);
      const form = goodForm(code);
      const value = new URLSearchParams(form).get(name) ?? 'x';
      const twice = new URLSearchParams([
        [name, value],
        [name, value],
      ]);
      const rest = new URLSearchParams(form);
      rest.delete(name);
      expectError(await post(`${rest}&${twice}`, FORM), 400, 'invalid_request');
      expect((await redeem(service, application, code)).status).toBe(200);
    },
  );

  test.each(['grant_type', 'code', 'redirect_uri', 'client_id'])(
    'D17, RFC 6749 §3.1: an empty %s counts as missing: 400 invalid_request',
    async (name) => {
      const code = await obtainCode(service, application, browser);
      for (const value of ['', undefined])
        expect(
          expectError(await redeem(service, application, code, { [name]: value }), 400, 'invalid_request'),
        ).toContain(name);
      expect((await redeem(service, application, code)).status).toBe(200);
    },
  );

  test('contract §4.2: parameters in the query are not read', async () => {
    const code = await obtainCode(service, application, browser);
    expectError(await post('', FORM, `/oauth/token?${goodForm(code)}`), 400, 'invalid_request');
    expect((await redeem(service, application, code)).status).toBe(200);
  });
});

describe('grant types (D17, RFC 6749 §5.2)', () => {
  test.each(['password', 'client_credentials', 'implicit', 'Authorization_Code', '__proto__', 'toString'])(
    'D17: grant_type=%s is 400 unsupported_grant_type',
    async (grantType) => {
      const answer = await redeem(service, application, 'x', { grant_type: grantType });
      expectError(answer, 400, 'unsupported_grant_type');
    },
  );
});

describe('the order of checks (D10)', () => {
  const wrong = { client_id: 'app_nobody', client_secret: 'wrong' };

  test('D10: the method comes first: 405 with Allow, body or not', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']) {
      const response = await fetch(new URL('/oauth/token', service.baseUrl), { method });
      expect(response.headers.get('allow')).toBe('POST');
      if (method === 'HEAD') expect(response.status).toBe(405);
      else expectError(await readJson(response), 405, 'invalid_request');
    }
  });

  test('D10: missing parameters come before the application', async () => {
    const answer = await postForm(service, '/oauth/token', { grant_type: 'authorization_code', ...wrong });
    expect(expectError(answer, 400, 'invalid_request')).toContain('code');
    const renewal = await postForm(service, '/oauth/token', { grant_type: 'refresh_token', ...wrong });
    expect(expectError(renewal, 400, 'invalid_request')).toContain('refresh_token');
  });

  test('D10: the application comes before everything of the grant', async () => {
    const { code } = await obtainCodeWithPkce(service, application, browser);
    for (const fields of [
      {},
      { redirect_uri: 'https://other.example/' },
      { code_verifier: 'short' },
      { code_verifier: newVerifier() },
      { code: 'nonsense' },
    ])
      expectError(await redeem(service, application, code, { ...fields, ...wrong }), 401, 'invalid_client');
  });
});
