// Which callbacks a request may name, and what becomes of a registered one in the answer (D3).
import { afterAll, describe, expect, test } from 'vitest';
import { challengeOf } from '../../src/oauth/pkce.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { authorizeAddress, decide, newVerifier, redeem, signedInBrowser } from '../support/flow.ts';
import { headingOf } from '../support/markup.ts';
import { startTestService, type TestApplication } from '../support/service.ts';

const service = await startTestService();
const application = await service.createApplication({
  redirectUris: [
    'https://client.example/callback',
    'https://client.example/callback/two?tenant=a%20b&x=%C3%A9',
    'http://127.0.0.1:4000/confidential',
  ],
});
const mobile = await service.createApplication({
  type: 'public',
  redirectUris: [
    'http://127.0.0.1/native',
    'http://[::1]:8080/native',
    'http://localhost:4000/native',
    'com.example.app:/native',
    'https://app.example/spa',
  ],
});
const browser = await signedInBrowser(service, await service.createUser());
afterAll(() => service.close());

const verifier = newVerifier();
const PKCE = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' };

const ask = (asking: TestApplication, redirectUri: string) =>
  openBrowserSession(service.baseUrl).get(
    authorizeAddress(service, asking, { ...PKCE, redirect_uri: redirectUri }),
  );

describe('a callback matches when it is equal to a registered one, byte for byte (D3)', () => {
  test.each([
    'https://client.example/callback',
    'https://client.example/callback/two?tenant=a%20b&x=%C3%A9',
    'http://127.0.0.1:4000/confidential',
  ])('%s is accepted', async (redirectUri) => {
    expect((await ask(application, redirectUri)).location?.pathname).toBe('/signin');
  });

  test.each([
    ['a trailing slash', 'https://client.example/callback/'],
    ['a trailing question mark', 'https://client.example/callback?'],
    ['another query', 'https://client.example/callback?next=1'],
    ['the registered query in another order', 'https://client.example/callback/two?x=%C3%A9&tenant=a%20b'],
    ['another spelling of the query', 'https://client.example/callback/two?tenant=a+b&x=%C3%A9'],
    ['lower-case percent-encoding', 'https://client.example/callback/two?tenant=a%20b&x=%c3%a9'],
    ['the default port', 'https://client.example:443/callback'],
    ['an upper-case host', 'https://CLIENT.example/callback'],
    ['an upper-case scheme', 'HTTPS://client.example/callback'],
    ['an upper-case path', 'https://client.example/Callback'],
    ['an encoded letter', 'https://client.example/c%61llback'],
    ['a dot segment', 'https://client.example/x/../callback'],
    ['a fragment', 'https://client.example/callback#x'],
    ['a user name', 'https://client.example@evil.example/callback'],
    ['a longer host', 'https://client.example.evil.example/callback'],
    ['a subdomain', 'https://www.client.example/callback'],
    ['plain http', 'http://client.example/callback'],
    ['a space before', ' https://client.example/callback'],
    ['a space after', 'https://client.example/callback '],
    ['a line break after', 'https://client.example/callback\n'],
    ['only a prefix', 'https://client.example/call'],
    ['a scheme of its own kind', 'javascript:alert(1)//https://client.example/callback'],
    ['another loopback port: it is confidential', 'http://127.0.0.1:4001/confidential'],
  ])('with %s it is refused', async (_, redirectUri) => {
    const visit = await ask(application, redirectUri);
    expect(visit.status).toBe(400);
    expect(visit.location).toBeUndefined();
    expect(headingOf(visit.body)).toBe('This sign-in request is not safe');
  });

  test('another application’s callback is refused', async () => {
    expect((await ask(application, 'https://app.example/spa')).status).toBe(400);
  });
});

describe('a public application’s loopback callback matches on any port (D3, RFC 8252 §7.3)', () => {
  test.each([
    'http://127.0.0.1/native',
    'http://127.0.0.1:51004/native',
    'http://127.0.0.1:1/native',
    'http://[::1]/native',
    'http://[::1]:65535/native',
    'http://localhost:4000/native',
    'com.example.app:/native',
    'https://app.example/spa',
  ])('%s is accepted', async (redirectUri) => {
    expect((await ask(mobile, redirectUri)).location?.pathname).toBe('/signin');
  });

  test.each([
    ['another path', 'http://127.0.0.1:51004/other'],
    ['a query', 'http://127.0.0.1:51004/native?x=1'],
    ['another loopback address', 'http://127.0.0.2:51004/native'],
    ['another spelling of the address', 'http://127.1:51004/native'],
    ['localhost on another port', 'http://localhost:51004/native'],
    ['https', 'https://127.0.0.1:51004/native'],
    ['a port that does not exist', 'http://127.0.0.1:65536/native'],
    ['a host that only begins like it', 'http://127.0.0.1.evil.example:80/native'],
    ['a user name that looks like it', 'http://127.0.0.1:80@evil.example/native'],
    ['an ordinary callback on another port', 'https://app.example:8443/spa'],
    ['another custom scheme', 'com.example.other:/native'],
    ['another form of the custom scheme', 'com.example.app://native'],
  ])('%s is refused', async (_, redirectUri) => {
    const visit = await ask(mobile, redirectUri);
    expect(visit.status).toBe(400);
    expect(visit.location).toBeUndefined();
  });

  test('the answer goes to the offered port, and the code is redeemed with that callback', async () => {
    const redirectUri = 'http://127.0.0.1:51004/native';
    const consent = await browser.follow(
      await browser.get(authorizeAddress(service, mobile, { ...PKCE, redirect_uri: redirectUri })),
    );
    expect(consent.body).toContain('127.0.0.1:51004');
    const answer = await decide(browser, consent, 'allow');
    expect(answer.headers.get('location')).toMatch(/^http:\/\/127\.0\.0\.1:51004\/native\?code=/);
    const code = answer.location?.searchParams.get('code') ?? '';
    const wrongPort = await redeem(service, mobile, code, {
      redirect_uri: 'http://127.0.0.1:51005/native',
      code_verifier: verifier,
    });
    expect(wrongPort.body.error).toBe('invalid_grant');
    const right = await redeem(service, mobile, code, { redirect_uri: redirectUri, code_verifier: verifier });
    expect(right.status).toBe(200);
  });

  test('a custom scheme is answered as registered', async () => {
    const consent = await browser.follow(
      await browser.get(
        authorizeAddress(service, mobile, { ...PKCE, redirect_uri: 'com.example.app:/native' }),
      ),
    );
    expect(consent.body).toContain('com.example.app');
    const answer = await decide(browser, consent, 'allow');
    expect(answer.headers.get('location')).toMatch(/^com\.example\.app:\/native\?code=/);
  });
});

describe('a registered query is kept byte for byte, the answer is added to it (D3)', () => {
  const redirectUri = 'https://client.example/callback/two?tenant=a%20b&x=%C3%A9';

  test('with a code', async () => {
    const consent = await browser.follow(
      await browser.get(authorizeAddress(service, application, { redirect_uri: redirectUri })),
    );
    const answer = await decide(browser, consent, 'allow');
    expect(answer.headers.get('location')?.startsWith(`${redirectUri}&code=`)).toBe(true);
    expect([...(answer.location?.searchParams.keys() ?? [])].sort()).toEqual([
      'code',
      'iss',
      'state',
      'tenant',
      'x',
    ]);
  });

  test('with an error', async () => {
    const answer = await browser.get(
      authorizeAddress(service, application, { redirect_uri: redirectUri, scope: 'nothing' }),
    );
    expect(answer.headers.get('location')?.startsWith(`${redirectUri}&error=invalid_scope&`)).toBe(true);
  });
});
