import { afterAll, describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { readLastRefusal } from '../support/diagnostics.ts';
import { expectError } from '../support/expect-error.ts';
import { readText } from '../support/markup.ts';
import {
  openSignedInBrowser,
  postForm,
  readJson,
  redeemCode,
  signIn,
  submitDecision,
} from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const client = await service.createClient();
const user = await service.createUser();
const browser = await openSignedInBrowser(service, user);
afterAll(() => service.close());

type Fields = Record<string, string | undefined>;
const pushRequest = (fields: Fields = {}, app = client, headers: Record<string, string> = {}) =>
  postForm(
    service,
    '/oauth/par',
    {
      client_id: app.clientId,
      client_secret: app.clientSecret || undefined,
      redirect_uri: app.redirectUri,
      response_type: 'code',
      scope: 'openid profile',
      state: 'pushed',
      ...fields,
    },
    headers,
  );
const obtainRequestUri = async (fields: Fields = {}, app = client) =>
  String((await pushRequest(fields, app)).body.request_uri);
const buildAuthorizePath = (requestUri: string, fields: Record<string, string> = {}, app = client) =>
  `/oauth/authorize?${new URLSearchParams({ client_id: app.clientId, request_uri: requestUri, ...fields })}`;

const requirePar = statement('test_require_par', 'update clients set par_required = $2 where client_id = $1');

describe('a pushed authorization request', () => {
  test('gets a 201 response with request_uri and expires_in (RFC 9126 §2.2)', async () => {
    const { status, body, headers } = await pushRequest();
    expect(status).toBe(201);
    expect(Object.keys(body).sort()).toEqual(['expires_in', 'request_uri']);
    expect(body.request_uri).toMatch(/^urn:ietf:params:oauth:request_uri:[A-Za-z0-9_-]{100,}$/);
    expect(body.expires_in).toBe(90);
    expect(headers.get('cache-control')).toBe('no-store');
    expect((await pushRequest()).body.request_uri).not.toBe(body.request_uri);
  });

  test('requires client authentication (RFC 9126 §2.1)', async () => {
    expectError(await pushRequest({ client_secret: 'wrong' }), 401, 'invalid_client');
    expectError(await pushRequest({ client_secret: undefined }), 401, 'invalid_client');
    expectError(await pushRequest({ client_id: undefined }), 400, 'invalid_request');
    const basic = `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}`;
    const fields = { client_id: undefined, client_secret: undefined };
    expect((await pushRequest(fields, client, { authorization: basic })).status).toBe(201);
  });

  test.each([
    ['a request_uri', { request_uri: 'urn:x' }, 'invalid_request'],
    ['a request object', { request: 'eyJ.e30.' }, 'request_not_supported'],
    ['no redirect_uri', { redirect_uri: undefined }, 'invalid_request'],
    ['an unregistered redirect_uri', { redirect_uri: 'https://evil.example/cb' }, 'invalid_request'],
    ['an unknown scope', { scope: 'unknown' }, 'invalid_scope'],
    ['no state outside standard mode', { state: undefined }, 'invalid_request'],
    ['plain PKCE', { code_challenge: 'a'.repeat(43), code_challenge_method: 'plain' }, 'invalid_request'],
    ['a different response type', { response_type: 'token' }, 'unsupported_response_type'],
  ] as [string, Fields, string][])('with %s gets a JSON error', async (_, fields, error) => {
    expectError(await pushRequest(fields), 400, error);
  });
});

describe('the authorization endpoint', () => {
  test('applies the pushed parameters to sign-in, consent and the code', async () => {
    const visitor = openBrowserSession(service.baseUrl);
    const page = await visitor.follow(
      await visitor.get(buildAuthorizePath(await obtainRequestUri({ login_hint: 'ada@example.com' }))),
    );
    expect(page.body).toContain('value="ada@example.com"');
    const response = await submitDecision(visitor, await signIn(visitor, user, page), 'allow');
    expect(response.location?.searchParams.get('state')).toBe('pushed');
    const code = response.location?.searchParams.get('code') ?? '';
    expect((await redeemCode(service, client, code)).body.scope).toBe('openid profile');
  });

  test('returns login_required if the pushed claims name a different user', async () => {
    const requestError = async (value: string) => {
      const claims = JSON.stringify({ id_token: { sub: { value } } });
      const { location } = await browser.get(
        buildAuthorizePath(await obtainRequestUri({ prompt: 'none', claims })),
      );
      return location?.searchParams.get('error');
    };
    const other = await service.createUser();
    expect(await requestError(other.userId)).toBe('login_required');
    expect(await requestError(user.userId)).not.toBe('login_required');
  });

  test('ignores other parameters if request_uri is present (RFC 9101 §5)', async () => {
    const url = buildAuthorizePath(await obtainRequestUri(), {
      state: 'other',
      scope: 'phone',
      redirect_uri: 'https://evil.example',
    });
    const { location } = await browser.follow(await browser.get(url));
    expect([location?.origin, location?.searchParams.get('state')]).toEqual([
      'https://client.example',
      'pushed',
    ]);
    expect(location?.searchParams.get('code')).toBeTruthy();
  });

  test('rejects a request_uri that is unknown or belongs to a different client', async () => {
    const requestUri = await obtainRequestUri();
    const other = await service.createClient();
    for (const url of [
      buildAuthorizePath(requestUri, {}, other),
      buildAuthorizePath(`${requestUri.slice(0, -1)}${requestUri.endsWith('A') ? 'B' : 'A'}`),
      buildAuthorizePath('urn:ietf:params:oauth:request_uri:unknown'),
    ]) {
      const visit = await browser.get(url);
      expect([visit.status, visit.location]).toEqual([400, undefined]);
      const response = await readJson(await fetch(new URL(url, service.baseUrl), { redirect: 'manual' }));
      expectError(response, 400, 'invalid_request_uri');
    }
    const { redirectUri: redirect_uri } = other;
    const { location } = await browser.get(
      buildAuthorizePath(requestUri, { redirect_uri, state: 's' }, other),
    );
    expect(location?.searchParams.get('error')).toBe('invalid_request_uri');
    expect(location?.searchParams.get('state')).toBe('s');
    expect(await readLastRefusal(service, other)).toMatchObject({ kind: 'pushed_request_unknown' });
  });

  test('accepts a request_uri for only 90 seconds', async () => {
    const requestUri = await obtainRequestUri();
    service.clock.advance(89);
    expect((await browser.get(buildAuthorizePath(requestUri))).location).toBeDefined();
    service.clock.advance(1);
    const visit = await browser.get(buildAuthorizePath(requestUri));
    expect([visit.status, visit.location]).toEqual([400, undefined]);
  });
});

test('a request without request_uri gets an error redirect if the client requires PAR (RFC 9126 §6)', async () => {
  const parClient = await service.createClient();
  await service.services.database.query(requirePar, [parClient.clientId, true]);
  const query = new URLSearchParams({
    client_id: parClient.clientId,
    redirect_uri: parClient.redirectUri,
    response_type: 'code',
    scope: 'openid',
    state: 's',
  });
  const withoutPar = await browser.get(`/oauth/authorize?${query}`);
  expect(withoutPar.location?.searchParams.get('error')).toBe('invalid_request');
  expect(withoutPar.location?.searchParams.get('error_description')).toContain('/oauth/par');
  const visit = await browser.follow(
    await browser.get(buildAuthorizePath(await obtainRequestUri({}, parClient), {}, parClient)),
  );
  expect(visit.body).toContain('action="/consent"');
});

describe('the error page for an expired PAR request', () => {
  const SET_HOME_PAGE = statement('test_home_page', 'update clients set home_page = $2 where client_id = $1');

  test.each([
    ['links to the client’s home page', 'https://carnet.example/home?a=1'],
    ['has no link if the client has no home page', null],
  ])('%s', async (_, homePage) => {
    const parClient = await service.createClient();
    const { database } = service.services;
    await database.query(requirePar, [parClient.clientId, true]);
    await database.query(SET_HOME_PAGE, [parClient.clientId, homePage]);
    const requestUri = await obtainRequestUri({}, parClient);
    const anonymous = openBrowserSession(service.baseUrl);
    const signInPage = await anonymous.follow(
      await anonymous.get(buildAuthorizePath(requestUri, {}, parClient)),
    );
    service.clock.advance(3601);
    for (const url of [
      `/signin?pending=${signInPage.hidden.pending}`,
      buildAuthorizePath(requestUri, {}, parClient),
    ]) {
      const page = await anonymous.get(url);
      expect([page.status, page.location]).toEqual([400, undefined]);
      expect(readText(page.body)).toContain('has expired');
      expect(page.body).not.toContain('response_type');
      expect(page.body.includes('href="https://carnet.example/home?a=1"')).toBe(homePage !== null);
      expect(page.body.includes('Go back to Carnet')).toBe(homePage !== null);
    }
  });
});
