// The authorization request as it is read: what is in it, its bounds, and the order of the refusals (RFC 6749 §4.1.1, §4.1.2.1).
import { describe, expect, test } from 'vitest';
import { AuthorizationError, checkAuthorizationRequest } from '../../src/oauth/authorization-request.ts';
import type { Client } from '../../src/oauth/client.ts';
import { parseParameters } from '../../src/oauth/parameters.ts';

const CALLBACK = 'https://client.example/cb';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const CLIENT: Client = {
  clientId: 'app_1',
  name: 'Carnet',
  type: 'confidential',
  redirectUris: [CALLBACK],
  scopes: ['openid', 'profile', 'email'],
  standard: false,
};
const GOOD = {
  client_id: 'app_1',
  redirect_uri: CALLBACK,
  response_type: 'code',
  scope: 'openid profile',
  state: 'xyz',
};
type Fields = Record<string, string | undefined>;

/** The request as text; undefined leaves a parameter out, `extra` is appended as it stands. */
function parametersOf(fields: Fields, extra = '') {
  const given = Object.entries({ ...GOOD, ...fields }).filter(([, value]) => value !== undefined);
  return parseParameters(new URLSearchParams(given as [string, string][]).toString() + extra);
}
const check = (fields: Fields = {}, client: Partial<Client> = {}, extra = '') =>
  checkAuthorizationRequest(parametersOf(fields, extra), { ...CLIENT, ...client });

function refusal(fields: Fields, client: Partial<Client> = {}, extra = ''): AuthorizationError {
  try {
    check(fields, client, extra);
  } catch (error) {
    if (error instanceof AuthorizationError) return error;
    throw error;
  }
  throw new Error('was not refused');
}

describe('a good request', () => {
  test('with the required parameters alone', () => {
    expect(check()).toEqual({
      clientId: 'app_1',
      redirectUri: CALLBACK,
      scopes: ['openid', 'profile'],
      state: 'xyz',
      nonce: undefined,
      codeChallenge: undefined,
      prompts: [],
      maxAge: undefined,
      acr: { values: [], essential: false },
      uiLocales: undefined,
      loginHint: undefined,
      idTokenHint: undefined,
      apis: [],
      responseMode: 'query',
    });
  });

  test('with everything', () => {
    const request = check({
      nonce: 'n',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      response_mode: 'form_post',
      id_token_hint: 'a.b.c',
      acr_values: '1 silver phr 1',
      claims: '{"userinfo":{"name":null}}',
      display: 'popup',
      prompt: 'login consent',
      max_age: '0',
      ui_locales: 'en fr',
      login_hint: 'zoe@example.com',
      unknown: 'ignored',
    });
    expect(request).toMatchObject({
      nonce: 'n',
      codeChallenge: CHALLENGE,
      prompts: ['login', 'consent'],
      maxAge: 0,
      acr: { values: ['1', 'phr'], essential: false },
      uiLocales: 'en fr',
      loginHint: 'zoe@example.com',
      idTokenHint: 'a.b.c',
      responseMode: 'form_post',
    });
  });

  test('unknown scopes are ignored beside a known one, unknown prompts always (D4; OpenID Connect Core §3.1.2.1)', () => {
    expect(check({ scope: 'openid address', prompt: 'create login' })).toMatchObject({
      scopes: ['openid'],
      prompts: ['login'],
    });
  });

  test('state is optional in standard mode alone (D19)', () => {
    expect(check({ state: undefined }, { standard: true })).toMatchObject({ state: undefined });
  });
});

// Each refusal by itself: test/routes/authorize-errors.test.ts.
describe('bounds and repetition', () => {
  test('limits are inclusive', () => {
    expect(
      check({ state: 'x'.repeat(4096), nonce: 'n'.repeat(1024), login_hint: 'é'.repeat(128) }),
    ).toMatchObject({
      state: 'x'.repeat(4096),
    });
  });
});

describe('order of the checks: the first fault is the one that is told', () => {
  test('each fault hides those after it', () => {
    const faults: [fields: Fields, error: string, words: RegExp][] = [
      [{ request: 'x' }, 'request_not_supported', /request object/],
      [{ request_uri: 'x' }, 'request_uri_not_supported', /request_uri/],
      [{ response_type: 'token' }, 'unsupported_response_type', /response_type/],
      [{ response_mode: 'fragment' }, 'invalid_request', /response_mode/],
      [{ scope: 'phone' }, 'invalid_scope', /phone/],
      [{ state: undefined }, 'invalid_request', /state/],
      [{ nonce: 'x'.repeat(2000) }, 'invalid_request', /nonce/],
      [{ code_challenge_method: 'plain' }, 'invalid_request', /code_challenge_method/],
      [{ prompt: 'none login' }, 'invalid_request', /prompt/],
      [{ max_age: 'x' }, 'invalid_request', /max_age/],
    ];
    for (let i = 0; i < faults.length; i++) {
      const all = Object.assign({}, ...faults.slice(i).map(([fields]) => fields));
      const [, error, words] = faults[i] ?? [{}, '', /never/];
      const refused = refusal(all);
      expect(refused.refusal.error).toBe(error);
      expect(refused.refusal.description).toMatch(words);
    }
    const repeated = refusal(Object.assign({}, ...faults.map(([fields]) => fields)), {}, '&x=1&x=2');
    expect(repeated.refusal.description).toContain("'x'");
  });
});
