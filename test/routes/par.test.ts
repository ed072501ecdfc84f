// POST /oauth/par: pushed authorization requests (RFC 9126).
import { afterAll, describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { lastRefusal } from '../support/diagnostics.ts';
import { expectError } from '../support/expect-error.ts';
import { decide, postForm, readJson, redeem, signedInBrowser, signIn } from '../support/flow.ts';
import { textIn } from '../support/markup.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const application = await service.createApplication();
const user = await service.createUser();
const browser = await signedInBrowser(service, user);
afterAll(() => service.close());

type Fields = Record<string, string | undefined>;
const push = (fields: Fields = {}, app = application, headers: Record<string, string> = {}) =>
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
const pushed = async (fields: Fields = {}, app = application) =>
  String((await push(fields, app)).body.request_uri);
const bring = (requestUri: string, fields: Record<string, string> = {}, app = application) =>
  `/oauth/authorize?${new URLSearchParams({ client_id: app.clientId, request_uri: requestUri, ...fields })}`;

const requirePar = statement('test_require_par', 'update clients set par_required = $2 where client_id = $1');

describe('pushing', () => {
  test('RFC 9126 §2.2: 201 with request_uri and expires_in, not cached', async () => {
    const { status, body, headers } = await push();
    expect(status).toBe(201);
    expect(Object.keys(body).sort()).toEqual(['expires_in', 'request_uri']);
    expect(body.request_uri).toMatch(/^urn:ietf:params:oauth:request_uri:[A-Za-z0-9_-]{100,}$/);
    expect(body.expires_in).toBe(90);
    expect(headers.get('cache-control')).toBe('no-store');
    expect((await push()).body.request_uri).not.toBe(body.request_uri);
  });

  test('authenticates the application as the token endpoint does (§2.1)', async () => {
    expectError(await push({ client_secret: 'wrong' }), 401, 'invalid_client');
    expectError(await push({ client_secret: undefined }), 401, 'invalid_client');
    expectError(await push({ client_id: undefined }), 400, 'invalid_request');
    const basic = `Basic ${btoa(`${application.clientId}:${application.clientSecret}`)}`;
    const fields = { client_id: undefined, client_secret: undefined };
    expect((await push(fields, application, { authorization: basic })).status).toBe(201);
  });

  test.each([
    ['a request_uri', { request_uri: 'urn:x' }, 'invalid_request'],
    ['a request object', { request: 'eyJ.e30.' }, 'request_not_supported'],
    ['no callback', { redirect_uri: undefined }, 'invalid_request'],
    ['an unregistered callback', { redirect_uri: 'https://evil.example/cb' }, 'invalid_request'],
    ['an unknown scope', { scope: 'unknown' }, 'invalid_scope'],
    ['no state in contract mode', { state: undefined }, 'invalid_request'],
    ['plain PKCE', { code_challenge: 'a'.repeat(43), code_challenge_method: 'plain' }, 'invalid_request'],
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
  ] as [string, Fields, string][])('%s is refused at once, as JSON', async (_, fields, error) => {
    expectError(await push(fields), 400, error);
  });
});

describe('the browser brings it', () => {
  test('sign-in, consent, code: all as it was pushed, and the code can be redeemed', async () => {
    const person = openBrowserSession(service.baseUrl);
    const page = await person.follow(
      await person.get(bring(await pushed({ login_hint: 'ada@example.com' }))),
    );
    expect(page.body).toContain('value="ada@example.com"');
    const answer = await decide(person, await signIn(person, user, page), 'allow');
    expect(answer.location?.searchParams.get('state')).toBe('pushed');
    const code = answer.location?.searchParams.get('code') ?? '';
    expect((await redeem(service, application, code)).body.scope).toBe('openid profile');
  });

  test('claims hold, too: nobody but the account that they name may sign in', async () => {
    const answerFor = async (value: string) => {
      const claims = JSON.stringify({ id_token: { sub: { value } } });
      const { location } = await browser.get(bring(await pushed({ prompt: 'none', claims })));
      return location?.searchParams.get('error');
    };
    const other = await service.createUser();
    expect(await answerFor(other.userId)).toBe('login_required');
    expect(await answerFor(user.userId)).not.toBe('login_required');
  });

  test('what else the address holds does not count (RFC 9101 §5)', async () => {
    const address = bring(await pushed(), {
      state: 'other',
      scope: 'phone',
      redirect_uri: 'https://evil.example',
    });
    const { location } = await browser.follow(await browser.get(address));
    expect([location?.origin, location?.searchParams.get('state')]).toEqual([
      'https://client.example',
      'pushed',
    ]);
    expect(location?.searchParams.get('code')).toBeTruthy();
  });

  test('another application, an altered name, one of nobody: 400 and no redirect', async () => {
    const requestUri = await pushed();
    const other = await service.createApplication();
    for (const address of [
      bring(requestUri, {}, other),
      bring(`${requestUri.slice(0, -1)}${requestUri.endsWith('A') ? 'B' : 'A'}`),
      bring('urn:ietf:params:oauth:request_uri:nobody'),
    ]) {
      const visit = await browser.get(address);
      expect([visit.status, visit.location]).toEqual([400, undefined]);
      const told = await readJson(await fetch(new URL(address, service.baseUrl), { redirect: 'manual' }));
      expectError(told, 400, 'invalid_request_uri');
    }
    const { redirectUri: redirect_uri } = other;
    const { location } = await browser.get(bring(requestUri, { redirect_uri, state: 's' }, other));
    expect(location?.searchParams.get('error')).toBe('invalid_request_uri');
    expect(location?.searchParams.get('state')).toBe('s');
    expect(await lastRefusal(service, other)).toMatchObject({ kind: 'pushed_request_unknown' });
  });

  test('after 90 seconds it has expired', async () => {
    const requestUri = await pushed();
    service.clock.advance(89);
    expect((await browser.get(bring(requestUri))).location).toBeDefined();
    service.clock.advance(1);
    const visit = await browser.get(bring(requestUri));
    expect([visit.status, visit.location]).toEqual([400, undefined]);
  });
});

test('an application that has to push: nothing else is accepted (§6), told at its callback', async () => {
  const strict = await service.createApplication();
  await service.parts.database.query(requirePar, [strict.clientId, true]);
  const query = new URLSearchParams({
    client_id: strict.clientId,
    redirect_uri: strict.redirectUri,
    response_type: 'code',
    scope: 'openid',
    state: 's',
  });
  const plain = await browser.get(`/oauth/authorize?${query}`);
  expect(plain.location?.searchParams.get('error')).toBe('invalid_request');
  expect(plain.location?.searchParams.get('error_description')).toContain('/oauth/par');
  const visit = await browser.follow(await browser.get(bring(await pushed({}, strict), {}, strict)));
  expect(visit.body).toContain('action="/consent"');
});

describe('an expired request of an application that has to push: only the application can make it again', () => {
  const HOME = statement('test_home_page', 'update clients set home_page = $2 where client_id = $1');

  test.each([
    ['its home page, where its owner gave one', 'https://carnet.example/home?a=1'],
    ['words alone, where there is none', null],
  ])('the page leads to %s, never to a start that would be refused', async (_, homePage) => {
    const strict = await service.createApplication();
    const { database } = service.parts;
    await database.query(requirePar, [strict.clientId, true]);
    await database.query(HOME, [strict.clientId, homePage]);
    const requestUri = await pushed({}, strict);
    const stranger = openBrowserSession(service.baseUrl);
    const onTheWay = await stranger.follow(await stranger.get(bring(requestUri, {}, strict)));
    service.clock.advance(3601);
    for (const address of [`/signin?pending=${onTheWay.hidden.pending}`, bring(requestUri, {}, strict)]) {
      const page = await stranger.get(address);
      expect([page.status, page.location]).toEqual([400, undefined]);
      expect(textIn(page.body)).toContain('has expired');
      expect(page.body).not.toContain('response_type');
      expect(page.body.includes('href="https://carnet.example/home?a=1"')).toBe(homePage !== null);
      expect(page.body.includes('Go back to Carnet')).toBe(homePage !== null);
    }
  });
});
