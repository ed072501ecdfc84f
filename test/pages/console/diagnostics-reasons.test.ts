// Every refused request of a known application leaves the exact reason behind, from real flows over HTTP.
import { beforeAll, describe, expect, test } from 'vitest';
import { challengeOf } from '../../../src/oauth/pkce.ts';
import { newClientSecret } from '../../../src/oauth/secrets.ts';
import { expireFormerSecrets, insertSecret } from '../../../src/store/secrets.ts';
import { statement } from '../../../src/store/statement.ts';
import { openBrowserSession } from '../../support/browser-session.ts';
import { lastRefusal, refusalsOf } from '../../support/diagnostics.ts';
import {
  authorize,
  authorizeAddress,
  decide,
  newVerifier,
  obtainTokens,
  postForm,
  redeem,
  renew,
  revoke,
  signedInBrowser,
  userinfo,
} from '../../support/flow.ts';
import {
  startTestService,
  type TestApplication,
  type TestUser,
  useTestService,
} from '../../support/service.ts';

const service = useTestService();
let application: TestApplication;
let other: TestApplication;
let publicOne: TestApplication;
let owner: TestUser;
beforeAll(async () => {
  owner = await service.createUser();
  const registered = { ownerId: owner.userId, scopes: ['openid', 'profile', 'email'] };
  application = await service.createApplication(registered);
  other = await service.createApplication({ ...registered, name: 'Agenda' });
  publicOne = await service.createApplication({ ...registered, type: 'public' });
});

const last = () => lastRefusal(service, application);
const visit = (parameters: Record<string, string | undefined>, app = application) =>
  openBrowserSession(service.baseUrl).get(authorizeAddress(service, app, parameters));
/** A browser with a person in it who is asked for consent each time. */
const person = async () => signedInBrowser(service, await service.createUser());
const tokens = async (app = application) => obtainTokens(service, app, await person());
const code = async (parameters: Record<string, string | undefined> = {}) => {
  const callback = await authorize(service, application, await person(), parameters);
  return callback.searchParams.get('code') ?? '';
};
/** A code whose person signed out before it was redeemed. */
const codeOfEnded = async () => {
  const browser = await person();
  const callback = await authorize(service, application, browser);
  const { hidden } = await browser.get('/signout');
  await browser.post('/signout', { csrf: hidden.csrf ?? '' });
  return callback.searchParams.get('code') ?? '';
};

describe('authorization', () => {
  test('a callback with a slash that is not registered', async () => {
    const sent = `${application.redirectUri}/`;
    expect((await visit({ redirect_uri: sent })).status).toBe(400);
    expect(await last()).toEqual({
      kind: 'callback_unregistered',
      facts: {
        sent,
        nearest: application.redirectUri,
        differences: [{ kind: 'trailing_slash', sent: '/callback/', registered: '/callback' }],
      },
      authenticated: false,
      held: false,
      error: 'invalid_request',
      endpoint: 'authorize',
    });
  });

  test.each<[string, Record<string, string | undefined>, string, object]>([
    ['no redirect_uri', { redirect_uri: undefined }, 'parameter_missing', { parameter: 'redirect_uri' }],
    ['no response_type', { response_type: undefined }, 'parameter_missing', { parameter: 'response_type' }],
    ['another response_type', { response_type: 'token' }, 'response_type', { sent: 'token' }],
    ['another response_mode', { response_mode: 'fragment' }, 'response_mode', { sent: 'fragment' }],
    ['no scope', { scope: undefined }, 'parameter_missing', { parameter: 'scope' }],
    ['an unknown scope', { scope: 'read write' }, 'scope_unknown', { sent: 'read write' }],
    [
      'a scope not chosen at registration (D4)',
      { scope: 'openid phone' },
      'scope_not_registered',
      { scope: 'phone' },
    ],
    ['no state', { state: undefined }, 'state_missing', {}],
    ['a long state', { state: 'x'.repeat(5000) }, 'parameter_too_long', { parameter: 'state' }],
    [
      'a challenge without method (D5)',
      { code_challenge: 'a'.repeat(43) },
      'parameter_missing',
      { parameter: 'code_challenge_method' },
    ],
    [
      'a method without challenge (D5)',
      { code_challenge_method: 'S256' },
      'parameter_missing',
      { parameter: 'code_challenge' },
    ],
    [
      'plain',
      { code_challenge: 'a'.repeat(43), code_challenge_method: 'plain' },
      'challenge_method',
      { sent: 'plain' },
    ],
    [
      'a padded challenge',
      { code_challenge: `${'a'.repeat(43)}=`, code_challenge_method: 'S256' },
      'challenge_malformed',
      { length: 44 },
    ],
    ['prompt=none and more', { prompt: 'none login' }, 'prompt_conflict', {}],
    ['a bad max_age', { max_age: 'soon' }, 'max_age', {}],
    ['a request object', { request: 'x.y.z' }, 'request_object', {}],
    ['a foreign id_token_hint', { id_token_hint: 'x.y.z' }, 'id_token_hint', {}],
    ['prompt=none without a session', { prompt: 'none' }, 'not_signed_in', {}],
  ])('%s', async (_, parameters, kind, facts) => {
    await visit(parameters);
    expect(await last()).toMatchObject({ kind, facts, authenticated: false, endpoint: 'authorize' });
  });

  test('words of the scope that are ignored (D4) leave a trace, though nothing is refused', async () => {
    const fresh = await service.createApplication({ ownerId: owner.userId });
    const words = 'roles  groups "><b> openid roles';
    for (const scope of [words, words, 'openid', 'profile  openid '])
      expect((await visit({ scope }, fresh)).status).toBe(303);
    const { clientId, redirectUri } = fresh;
    const pushed = { client_id: clientId, client_secret: fresh.clientSecret, redirect_uri: redirectUri };
    await postForm(service, '/oauth/par', {
      ...pushed,
      response_type: 'code',
      state: 's',
      scope: 'openid x',
    });
    const kept = (await refusalsOf(service, fresh)).sort((a, b) => a.endpoint.localeCompare(b.endpoint));
    expect(kept).toMatchObject([
      {
        kind: 'scope_words_ignored',
        facts: { words: 'groups roles …' },
        error: '',
        count: 2,
        endpoint: 'authorize',
      },
      { kind: 'scope_words_ignored', facts: { words: 'x' }, authenticated: false, endpoint: 'par' },
    ]);
  });

  test('of many words, few are shown', async () => {
    const fresh = await service.createApplication({ ownerId: owner.userId });
    await visit({ scope: `openid ${Array.from({ length: 400 }, (_, i) => `w${100 + i}`).join(' ')}` }, fresh);
    expect(await lastRefusal(service, fresh)).toMatchObject({
      facts: { words: 'w100 w101 w102 w103 w104 …' },
    });
  });

  test('a repeated parameter', async () => {
    await openBrowserSession(service.baseUrl).get(`${authorizeAddress(service, application)}&state=again`);
    expect(await last()).toMatchObject({ kind: 'parameter_repeated', facts: { parameter: 'state' } });
  });

  test('no PKCE from a public application', async () => {
    await visit({}, publicOne);
    expect(await lastRefusal(service, publicOne)).toMatchObject({ kind: 'challenge_missing' });
  });

  test('prompt=none without consent, and a person who refuses', async () => {
    const browser = await person();
    await browser.get(authorizeAddress(service, application, { prompt: 'none' }));
    expect(await last()).toMatchObject({ kind: 'consent_needed', error: 'consent_required' });
    const consent = await browser.follow(await browser.get(authorizeAddress(service, application)));
    await decide(browser, consent, 'deny');
    expect(await last()).toMatchObject({ kind: 'person_refused', error: 'access_denied' });
  });

  test('a request by POST', async () => {
    await openBrowserSession(service.baseUrl).post('/oauth/authorize', {
      client_id: application.clientId,
      redirect_uri: 'https://client.example/Callback',
    });
    expect(await last()).toMatchObject({
      kind: 'callback_unregistered',
      facts: { differences: [{ kind: 'path' }] },
    });
  });

  test('a suspended application', async () => {
    const suspended = await service.createApplication();
    const suspend = statement('test_suspend', 'update clients set suspended_at = now() where client_id = $1');
    await service.parts.database.query(suspend, [suspended.clientId]);
    await visit({}, suspended);
    expect(await lastRefusal(service, suspended)).toMatchObject({ kind: 'application_suspended' });
  });

  test('an unknown application leaves nothing', async () => {
    await visit({ client_id: 'app_nobody' });
    expect(await refusalsOf(service, { clientId: 'app_nobody' })).toEqual([]);
  });
});

describe('client authentication (D11)', () => {
  const fails = (secret: string | undefined) => redeem(service, application, 'x', { client_secret: secret });

  test.each<[string, () => string | undefined, string]>([
    ['no secret', () => undefined, 'secret_missing'],
    ['a secret with a line break', () => `${application.clientSecret}\n`, 'secret_white_space'],
    ['an encoded secret', () => `${application.clientSecret}%0A`, 'secret_encoded'],
    ['the Client ID', () => application.clientId, 'secret_is_client_id'],
    ['half a secret', () => application.clientSecret.slice(0, 40), 'secret_shortened'],
    ['a secret with a slip in it', () => application.clientSecret.replace(/.$/, '~'), 'secret_altered'],
    ['something else', () => 'changeme', 'secret_not_ours'],
    ['a secret of nobody', () => newClientSecret(), 'secret_unknown'],
    ['the secret of another owner’s application', () => foreign.clientSecret, 'secret_unknown'],
  ])('%s', async (_, secret, kind) => {
    await fails(secret());
    expect(await last()).toMatchObject({ kind, authenticated: false, error: 'invalid_client' });
  });
  let foreign: TestApplication;
  beforeAll(async () => {
    foreign = await service.createApplication();
  });

  test('the secret of another application of the same owner', async () => {
    await fails(other.clientSecret);
    expect(await last()).toMatchObject({ kind: 'secret_of_other', facts: { holder: 'Agenda' } });
  });

  test('an expired secret: its number and its dates, told from what strangers send', async () => {
    const rotated = await service.createApplication({ ownerId: owner.userId });
    const { database, now } = service.parts;
    const ends = new Date(now().getTime() - 1000);
    await expireFormerSecrets(database, rotated.clientId, 2, ends, ends);
    await insertSecret(database, 'application', rotated.clientId, 'another secret', now());
    await redeem(service, rotated, 'x');
    expect(await lastRefusal(service, rotated)).toMatchObject({
      kind: 'secret_expired',
      facts: { number: 1, expired: ends.toISOString() },
      authenticated: false,
      held: true,
    });
  });

  test('a signed assertion that is not good', async () => {
    await redeem(service, application, 'x', {
      client_secret: undefined,
      client_assertion: 'x.y.z',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    });
    expect(await last()).toMatchObject({ kind: 'assertion_refused', authenticated: false });
  });

  test('a secret from a public application', async () => {
    await redeem(service, publicOne, 'x', { client_secret: 'anything' });
    expect(await lastRefusal(service, publicOne)).toMatchObject({ kind: 'secret_not_expected' });
  });

  test('a wrong secret that comes with a code of its own is not just anybody’s', async () => {
    await redeem(service, application, await code(), { client_secret: 'changeme' });
    expect(await last()).toMatchObject({ kind: 'secret_not_ours', authenticated: false, held: true });
  });

  test('HTTP Basic: twice, two names, and a wrong secret', async () => {
    const basic = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` });
    const form = { grant_type: 'refresh_token', refresh_token: 'x' };
    const { clientId, clientSecret } = application;
    const post = (fields: object, headers: Record<string, string>) =>
      postForm(service, '/oauth/token', { ...form, ...fields }, headers);
    await post({ client_secret: clientSecret }, basic(clientId, clientSecret));
    expect(await last()).toMatchObject({ kind: 'credentials_twice' });
    await post({ client_id: clientId }, basic(other.clientId, clientSecret));
    expect(await last()).toMatchObject({ kind: 'client_ids_differ' });
    await post({}, basic(clientId, 'wrong'));
    expect(await last()).toMatchObject({ kind: 'secret_not_ours', error: 'invalid_client' });
  });
});

describe('codes and verifiers', () => {
  const challenge = (verifier: string) => ({
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
  });

  test('verifiers: malformed, missing, not expected, the challenge itself, another', async () => {
    const verifier = newVerifier();
    const bound = await code(challenge(verifier));
    const steps: [string | undefined, string, object][] = [
      ['short', 'verifier_malformed', { length: 5 }],
      [undefined, 'verifier_missing', {}],
      [challengeOf(verifier), 'verifier_is_challenge', {}],
      [newVerifier(), 'verifier_mismatch', {}],
    ];
    for (const [sent, kind, facts] of steps) {
      await redeem(service, application, bound, { code_verifier: sent });
      expect(await last()).toMatchObject({ kind, facts, authenticated: true, endpoint: 'token' });
    }
    await redeem(service, application, await code(), { code_verifier: verifier });
    expect(await last()).toMatchObject({ kind: 'verifier_not_expected', authenticated: true });
  });

  test('another callback at the exchange', async () => {
    await redeem(service, application, await code(), { redirect_uri: 'http://client.example/callback' });
    expect(await last()).toMatchObject({
      kind: 'exchange_callback',
      facts: { differences: [{ kind: 'scheme', sent: 'http://', registered: 'https://' }] },
    });
  });

  test('codes: unreadable, altered, a refresh token, used, expired, of an ended session, of another application', async () => {
    const good = await code();
    const { refreshToken } = await tokens();
    const refused = async (text: string, app = application) => {
      await redeem(service, app, text);
      return lastRefusal(service, app);
    };
    const what = 'code';
    expect(await refused('x')).toMatchObject({ kind: 'token_unreadable', facts: { what } });
    expect(await refused(good.slice(0, -4))).toMatchObject({ kind: 'token_altered', facts: { what } });
    expect(await refused(refreshToken)).toMatchObject({
      kind: 'token_mixed_up',
      facts: { sent: 'refresh_token', expected: what },
    });
    expect(await refused(good, other)).toMatchObject({ kind: 'token_of_other', facts: { what } });
    const used = await code();
    await redeem(service, application, used);
    expect((await refused(used)).kind).toBe('code_used');
    expect((await refused(await codeOfEnded())).kind).toBe('access_ended');
    service.clock.advance(61);
    expect((await refused(good)).kind).toBe('code_expired');
  });

  test('a code of another application says nothing about its request', async () => {
    const bound = await code(challenge(newVerifier()));
    await redeem(service, other, bound, { redirect_uri: 'https://elsewhere.example/' });
    expect(await lastRefusal(service, other)).toMatchObject({
      kind: 'token_of_other',
      facts: { what: 'code' },
    });
  });
});

describe('refresh tokens', () => {
  const refused = async (token: string, fields = {}, app = application) => {
    await renew(service, app, token, fields);
    return lastRefusal(service, app);
  };

  test('unreadable, altered, a code, another application’s, a wider scope', async () => {
    const { refreshToken } = await obtainTokens(service, application, await person(), {
      scope: 'openid profile',
    });
    const what = 'refresh_token';
    expect(await refused('x')).toMatchObject({ kind: 'token_unreadable', facts: { what } });
    expect(await refused(refreshToken.slice(0, -4))).toMatchObject({
      kind: 'token_altered',
      facts: { what },
    });
    expect(await refused(await code())).toMatchObject({
      kind: 'token_mixed_up',
      facts: { sent: 'code', expected: what },
    });
    expect(await refused(refreshToken, {}, other)).toMatchObject({ kind: 'token_of_other', facts: { what } });
    expect(await refused(refreshToken, { scope: 'email' })).toMatchObject({
      kind: 'scope_beyond_grant',
      facts: { scope: 'email' },
      authenticated: true,
    });
    expect(await refused(refreshToken, { scope: 'nothing' })).toMatchObject({
      kind: 'scope_beyond_grant',
      facts: { scope: 'nothing' },
    });
  });

  test('used again (D15), revoked, expired, and after consent was withdrawn', async () => {
    const used = (await tokens()).refreshToken;
    await renew(service, application, used);
    expect((await refused(used)).kind).toBe('refresh_token_used');
    const revoked = (await tokens()).refreshToken;
    await revoke(service, application, revoked);
    expect((await refused(revoked)).kind).toBe('access_ended');
    const withdrawn = (await tokens()).refreshToken;
    const ends = statement('test_end', 'update clients set epoch = epoch + 1 where client_id = $1');
    await service.parts.database.query(ends, [application.clientId]);
    expect((await refused(withdrawn)).kind).toBe('access_ended');
    const idle = (await tokens()).refreshToken;
    service.clock.advance(30 * 86_400 + 1);
    expect(await refused(idle)).toMatchObject({ kind: 'refresh_token_expired', authenticated: true });
  });

  test('of a public application, the grant alone tells it from anybody', async () => {
    await renew(service, publicOne, 'x');
    expect(await lastRefusal(service, publicOne)).toMatchObject({ authenticated: false });
    const verifier = newVerifier();
    const callback = await authorize(service, publicOne, await person(), challengeOfPublic(verifier));
    await redeem(service, publicOne, callback.searchParams.get('code') ?? '', {
      code_verifier: newVerifier(),
    });
    expect(await lastRefusal(service, publicOne)).toMatchObject({
      kind: 'verifier_mismatch',
      authenticated: false,
      held: true,
    });
  });
  const challengeOfPublic = (verifier: string) => ({
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
  });
});

describe('userinfo and revocation', () => {
  test('an access token: expired, revoked, without profile; a refresh token in its place', async () => {
    const bare = await obtainTokens(service, application, await person(), { scope: 'openid' });
    await userinfo(service, bare.accessToken);
    expect(await last()).toMatchObject({ kind: 'profile_scope_missing', endpoint: 'userinfo' });
    await userinfo(service, bare.refreshToken);
    expect(await last()).toMatchObject({
      kind: 'token_mixed_up',
      facts: { sent: 'refresh_token', expected: 'access_token' },
      authenticated: false,
      held: true,
    });
    const revoked = await tokens();
    await revoke(service, application, revoked.refreshToken);
    await userinfo(service, revoked.accessToken);
    expect(await last()).toMatchObject({ kind: 'access_ended', authenticated: false, held: true });
    service.clock.advance(3601);
    await userinfo(service, bare.accessToken);
    expect(await last()).toMatchObject({ kind: 'access_token_expired', error: 'invalid_token' });
  });

  test('a token that nobody signed leaves nothing behind', async () => {
    const before = await refusalsOf(service, application);
    const { accessToken } = await tokens();
    await userinfo(service, `${accessToken.slice(0, -4)}AAAA`);
    await userinfo(service, 'x');
    expect(await refusalsOf(service, application)).toEqual(before);
  });

  test('the token of another application, and none', async () => {
    await revoke(service, application, (await tokens(other)).refreshToken);
    expect(await last()).toMatchObject({ kind: 'token_of_other', authenticated: true, endpoint: 'revoke' });
    await postForm(service, '/oauth/token/revoke', { client_id: application.clientId });
    expect(await last()).toMatchObject({ kind: 'parameter_missing', facts: { parameter: 'token' } });
  });
});

describe('whatever else is wrong with a request', () => {
  test('introspection without a secret (RFC 7662)', async () => {
    await postForm(service, '/oauth/introspect', { token: 'x', client_id: application.clientId });
    expect(await last()).toMatchObject({ kind: 'secret_missing', endpoint: 'introspect' });
  });

  test('method and content type, where the application is known', async () => {
    await fetch(new URL(`/oauth/token?client_id=${application.clientId}`, service.baseUrl));
    expect(await last()).toMatchObject({ kind: 'method', facts: { sent: 'GET' } });
    await fetch(new URL('/oauth/token', service.baseUrl), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Basic ${btoa(`${application.clientId}:${application.clientSecret}`)}`,
      },
      body: '{}',
    });
    expect(await last()).toMatchObject({ kind: 'content_type', facts: { sent: 'application/json' } });
  });

  test('grant types', async () => {
    await postForm(service, '/oauth/token', {
      grant_type: 'password',
      client_id: application.clientId,
      client_secret: application.clientSecret,
    });
    expect(await last()).toMatchObject({ kind: 'grant_type_unsupported', facts: { sent: 'password' } });
    await postForm(service, '/oauth/token', { client_id: application.clientId });
    expect(await last()).toMatchObject({ kind: 'parameter_missing', facts: { parameter: 'grant_type' } });
  });

  test('a pushed request with a callback that is not registered (RFC 9126)', async () => {
    await postForm(service, '/oauth/par', {
      client_id: application.clientId,
      client_secret: application.clientSecret,
      redirect_uri: 'https://client.example:8443/callback',
    });
    expect(await last()).toMatchObject({
      kind: 'callback_unregistered',
      facts: { differences: [{ kind: 'port', sent: ':8443', registered: '' }] },
      authenticated: true,
      endpoint: 'par',
    });
  });

  test('a request that succeeds leaves nothing', async () => {
    const fresh = await service.createApplication();
    const { accessToken, refreshToken } = await tokens(fresh);
    await userinfo(service, accessToken);
    await renew(service, fresh, refreshToken);
    expect(await refusalsOf(service, fresh)).toEqual([]);
  });
});

test('the rate limit, where the application is known (D25)', async () => {
  const limited = await startTestService({ RATE_LIMIT_PER_MINUTE: '2' });
  try {
    const busy = await limited.createApplication();
    for (let i = 0; i < 3; i += 1)
      await openBrowserSession(limited.baseUrl).get(authorizeAddress(limited, busy));
    expect(await lastRefusal(limited, busy)).toMatchObject({ kind: 'rate_limited', error: 'rate_limited' });
  } finally {
    await limited.close();
  }
});
