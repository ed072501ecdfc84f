import { afterAll, describe, expect, test } from 'vitest';
import { computeCodeChallenge } from '../../src/oauth/pkce.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { readHeading } from '../support/markup.ts';
import {
  buildAuthorizeUrl,
  createVerifier,
  openSignedInBrowser,
  redeemCode,
  submitDecision,
} from '../support/oauth-flow.ts';
import { startTestService, type TestClient } from '../support/service.ts';

const service = await startTestService();
const client = await service.createClient({
  redirectUris: [
    'https://client.example/callback',
    'https://client.example/callback/two?tenant=a%20b&x=%C3%A9',
    'http://127.0.0.1:4000/confidential',
  ],
});
const publicClient = await service.createClient({
  type: 'public',
  redirectUris: [
    'http://127.0.0.1/native',
    'http://[::1]:8080/native',
    'http://localhost:4000/native',
    'com.example.app:/native',
    'https://app.example/spa',
  ],
});
const browser = await openSignedInBrowser(service, await service.createUser());
afterAll(() => service.close());

const verifier = createVerifier();
const PKCE = { code_challenge: computeCodeChallenge(verifier), code_challenge_method: 'S256' };

const sendAuthorizationRequest = (client: TestClient, redirectUri: string) =>
  openBrowserSession(service.baseUrl).get(
    buildAuthorizeUrl(service, client, { ...PKCE, redirect_uri: redirectUri }),
  );

describe('a redirect URI', () => {
  test.each([
    'https://client.example/callback',
    'https://client.example/callback/two?tenant=a%20b&x=%C3%A9',
    'http://127.0.0.1:4000/confidential',
  ])('such as %s is accepted if it is registered', async (redirectUri) => {
    expect((await sendAuthorizationRequest(client, redirectUri)).location?.pathname).toBe('/signin');
  });

  test.each([
    ['a trailing slash', 'https://client.example/callback/'],
    ['a trailing question mark', 'https://client.example/callback?'],
    ['a different query', 'https://client.example/callback?next=1'],
    [
      'the registered query in a different order',
      'https://client.example/callback/two?x=%C3%A9&tenant=a%20b',
    ],
    ['a different encoding of the query', 'https://client.example/callback/two?tenant=a+b&x=%C3%A9'],
    ['lower-case percent-encoding', 'https://client.example/callback/two?tenant=a%20b&x=%c3%a9'],
    ['the default port', 'https://client.example:443/callback'],
    ['an upper-case host', 'https://CLIENT.example/callback'],
    ['an upper-case scheme', 'HTTPS://client.example/callback'],
    ['an upper-case path', 'https://client.example/Callback'],
    ['an encoded character', 'https://client.example/c%61llback'],
    ['a dot segment', 'https://client.example/x/../callback'],
    ['a fragment', 'https://client.example/callback#x'],
    ['a user name', 'https://client.example@evil.example/callback'],
    ['a longer host', 'https://client.example.evil.example/callback'],
    ['a subdomain', 'https://www.client.example/callback'],
    ['plain http', 'http://client.example/callback'],
    ['a leading space', ' https://client.example/callback'],
    ['a trailing space', 'https://client.example/callback '],
    ['a trailing line break', 'https://client.example/callback\n'],
    ['only a prefix of the path', 'https://client.example/call'],
    ['a javascript: URI', 'javascript:alert(1)//https://client.example/callback'],
    ['a different loopback port for a confidential client', 'http://127.0.0.1:4001/confidential'],
  ])('with %s is rejected', async (_, redirectUri) => {
    const visit = await sendAuthorizationRequest(client, redirectUri);
    expect(visit.status).toBe(400);
    expect(visit.location).toBeUndefined();
    expect(readHeading(visit.body)).toBe('This sign-in request is not safe');
  });

  test('is rejected if it is registered only for a different client', async () => {
    expect((await sendAuthorizationRequest(client, 'https://app.example/spa')).status).toBe(400);
  });
});

describe('a public client’s redirect URI', () => {
  test.each([
    'http://127.0.0.1/native',
    'http://127.0.0.1:51004/native',
    'http://127.0.0.1:1/native',
    'http://[::1]/native',
    'http://[::1]:65535/native',
    'http://localhost:4000/native',
    'com.example.app:/native',
    'https://app.example/spa',
  ])('such as %s is accepted with any loopback port', async (redirectUri) => {
    expect((await sendAuthorizationRequest(publicClient, redirectUri)).location?.pathname).toBe('/signin');
  });

  test.each([
    ['a different path', 'http://127.0.0.1:51004/other'],
    ['a query', 'http://127.0.0.1:51004/native?x=1'],
    ['a different loopback IP address', 'http://127.0.0.2:51004/native'],
    ['a different notation of the IP address', 'http://127.1:51004/native'],
    ['localhost on a different port', 'http://localhost:51004/native'],
    ['https', 'https://127.0.0.1:51004/native'],
    ['a port that does not exist', 'http://127.0.0.1:65536/native'],
    ['a host that starts with the IP address', 'http://127.0.0.1.evil.example:80/native'],
    ['a user name that starts with the IP address', 'http://127.0.0.1:80@evil.example/native'],
    ['an https URI on a different port', 'https://app.example:8443/spa'],
    ['a different custom scheme', 'com.example.other:/native'],
    ['the custom scheme with slashes', 'com.example.app://native'],
  ])('with %s is rejected', async (_, redirectUri) => {
    const visit = await sendAuthorizationRequest(publicClient, redirectUri);
    expect(visit.status).toBe(400);
    expect(visit.location).toBeUndefined();
  });

  test('receives the response on the requested port', async () => {
    const redirectUri = 'http://127.0.0.1:51004/native';
    const consent = await browser.follow(
      await browser.get(buildAuthorizeUrl(service, publicClient, { ...PKCE, redirect_uri: redirectUri })),
    );
    expect(consent.body).toContain('127.0.0.1:51004');
    const response = await submitDecision(browser, consent, 'allow');
    expect(response.headers.get('location')).toMatch(/^http:\/\/127\.0\.0\.1:51004\/native\?code=/);
    const code = response.location?.searchParams.get('code') ?? '';
    const wrongPort = await redeemCode(service, publicClient, code, {
      redirect_uri: 'http://127.0.0.1:51005/native',
      code_verifier: verifier,
    });
    expect(wrongPort.body.error).toBe('invalid_grant');
    const right = await redeemCode(service, publicClient, code, {
      redirect_uri: redirectUri,
      code_verifier: verifier,
    });
    expect(right.status).toBe(200);
  });

  test('is not rewritten if it has a custom scheme', async () => {
    const consent = await browser.follow(
      await browser.get(
        buildAuthorizeUrl(service, publicClient, { ...PKCE, redirect_uri: 'com.example.app:/native' }),
      ),
    );
    expect(consent.body).toContain('com.example.app');
    const response = await submitDecision(browser, consent, 'allow');
    expect(response.headers.get('location')).toMatch(/^com\.example\.app:\/native\?code=/);
  });
});

describe('the query of a redirect URI', () => {
  const redirectUri = 'https://client.example/callback/two?tenant=a%20b&x=%C3%A9';

  test('is preserved when the code is appended', async () => {
    const consent = await browser.follow(
      await browser.get(buildAuthorizeUrl(service, client, { redirect_uri: redirectUri })),
    );
    const response = await submitDecision(browser, consent, 'allow');
    expect(response.headers.get('location')?.startsWith(`${redirectUri}&code=`)).toBe(true);
    expect([...(response.location?.searchParams.keys() ?? [])].sort()).toEqual([
      'code',
      'iss',
      'state',
      'tenant',
      'x',
    ]);
  });

  test('is preserved when an error is appended', async () => {
    const response = await browser.get(
      buildAuthorizeUrl(service, client, { redirect_uri: redirectUri, scope: 'nothing' }),
    );
    expect(response.headers.get('location')?.startsWith(`${redirectUri}&error=invalid_scope&`)).toBe(true);
  });
});
