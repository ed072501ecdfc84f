// The authorization request: each refusal of D2, D4 and D5, and their order (RFC 6749 §4.1.1, §4.1.2.1).
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

describe('a callback that is not the application’s is never redirected to (D1)', () => {
  test.each([
    ['missing', { redirect_uri: undefined }, ''],
    ['empty', { redirect_uri: '' }, ''],
    ['another', { redirect_uri: `${CALLBACK}/` }, ''],
    ['repeated', {}, `&redirect_uri=${encodeURIComponent(CALLBACK)}`],
    ['malformed', { redirect_uri: undefined }, '&redirect_uri=%ff'],
  ])('%s', (_, fields, extra) => {
    expect(check(fields, {}, extra)).toBe('unregisteredCallback');
  });

  test('even if everything else is wrong too', () => {
    const all = {
      redirect_uri: 'https://evil.example/',
      response_type: 'token',
      scope: 'x',
      state: undefined,
    };
    expect(check(all, {}, '&client_id=again')).toBe('unregisteredCallback');
  });
});

describe('told to the application at its callback (D2)', () => {
  test.each<[string, string, Fields, Partial<Client>]>([
    ['response_type is missing', 'invalid_request', { response_type: undefined }, {}],
    ['response_type is empty', 'invalid_request', { response_type: '' }, {}],
    ['response_type=token', 'unsupported_response_type', { response_type: 'token' }, {}],
    ['response_type=code id_token', 'unsupported_response_type', { response_type: 'code id_token' }, {}],
    ['response_type=CODE', 'unsupported_response_type', { response_type: 'CODE' }, {}],
    ['response_mode=fragment', 'invalid_request', { response_mode: 'fragment' }, {}],
    ['response_mode=FORM_POST', 'invalid_request', { response_mode: 'FORM_POST' }, {}],
    ['an id_token_hint of 4,609 bytes', 'invalid_request', { id_token_hint: 'x'.repeat(4609) }, {}],
    ['scope is missing', 'invalid_request', { scope: undefined }, {}],
    ['scope names nothing known (D4)', 'invalid_scope', { scope: 'offline_access' }, {}],
    ['scope was not chosen at registration (D4)', 'invalid_scope', { scope: 'openid phone' }, {}],
    ['state is missing', 'invalid_request', { state: undefined }, {}],
    ['a request object', 'request_not_supported', { request: 'e30.e30.' }, {}],
    ['a request_uri', 'request_uri_not_supported', { request_uri: 'https://client.example/r' }, {}],
    ['prompt=none with another', 'invalid_request', { prompt: 'none login' }, {}],
    ['max_age is no number', 'invalid_request', { max_age: 'soon' }, {}],
    ['max_age is negative', 'invalid_request', { max_age: '-1' }, {}],
    ['max_age is a fraction', 'invalid_request', { max_age: '1.5' }, {}],
    ['a challenge without the method (D5)', 'invalid_request', { code_challenge: CHALLENGE }, {}],
    ['the method without a challenge (D5)', 'invalid_request', { code_challenge_method: 'S256' }, {}],
    ['plain (D5)', 'invalid_request', { code_challenge: CHALLENGE, code_challenge_method: 'plain' }, {}],
    [
      'a challenge of another length (D5)',
      'invalid_request',
      { code_challenge: `${CHALLENGE}A`, code_challenge_method: 'S256' },
      {},
    ],
    ['no PKCE from a public application (D5, D12)', 'invalid_request', {}, { type: 'public' }],
    ['a nonce of 1,025 bytes', 'invalid_request', { nonce: 'x'.repeat(1025) }, {}],
    ['a login_hint of 257 bytes', 'invalid_request', { login_hint: 'x'.repeat(257) }, {}],
    ['ui_locales of 257 bytes', 'invalid_request', { ui_locales: 'x'.repeat(257) }, {}],
    ['bytes count, not characters', 'invalid_request', { login_hint: 'é'.repeat(129) }, {}],
  ])('%s: %s', (_, error, fields, client) => {
    const refused = refusal(fields, client);
    expect(refused.refusal.error).toBe(error);
    expect(refused.callback).toEqual({
      redirectUri: CALLBACK,
      responseMode: 'query',
      state: 'state' in fields ? fields.state : 'xyz',
    });
    expect(refused.refusal.description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/); // RFC 6749 §4.1.2.1
  });

  test('a state of 4,097 bytes, as JSON counts them: invalid_request, and not echoed', () => {
    for (const state of ['x'.repeat(4097), '"'.repeat(2049)]) {
      const refused = refusal({ state }, {});
      expect(refused.refusal.error).toBe('invalid_request');
      expect(refused.callback).toEqual({ redirectUri: CALLBACK, responseMode: 'query', state: undefined });
    }
  });

  test('limits are inclusive', () => {
    expect(
      check({ state: 'x'.repeat(4096), nonce: 'n'.repeat(1024), login_hint: 'é'.repeat(128) }),
    ).toMatchObject({
      state: 'x'.repeat(4096),
    });
  });

  test.each(['client_id', 'response_type', 'scope', 'nonce', 'prompt', 'code_challenge', 'unknown'])(
    'a repeated %s: invalid_request, with the state',
    (name) => {
      const refused = refusal({}, {}, `&${name}=a&${name}=b`);
      expect(refused.refusal.error).toBe('invalid_request');
      expect(refused.callback.state).toBe('xyz');
    },
  );

  test('a repeated or malformed state: invalid_request without any state (D2: if sent once)', () => {
    for (const [fields, extra] of [
      [{}, '&state=other'],
      [{}, '&state=xyz'],
      [{ state: undefined }, '&state=%ff'],
    ] as [Fields, string][]) {
      const refused = refusal(fields, {}, extra);
      expect(refused.refusal.error).toBe('invalid_request');
      expect(refused.callback.state).toBeUndefined();
    }
  });
});

test('a refusal travels as the application asked for its answer (Form Post Response Mode §2)', () => {
  expect(refusal({ response_mode: 'form_post', scope: undefined }).callback.responseMode).toBe('form_post');
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
