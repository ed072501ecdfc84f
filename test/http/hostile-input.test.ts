// Whatever is sent to whatever address: never a 5xx, and D10's shape where machines call. Broken HTTP: client-error.

import { Agent } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { expectDecent } from '../support/expect-error.ts';
import { type HttpRequest, httpRequest } from '../support/http-request.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const application = await service.createApplication();
const port = service.parts.config.port;
afterAll(() => service.close());

const POSTED = [
  '/oauth/token',
  '/oauth/token/revoke',
  '/oauth/userinfo',
  '/oauth/authorize',
  '/signin',
  '/signup',
  '/signout',
  '/consent',
  '/',
];
const FETCHED = [
  '/oauth/authorize',
  '/oauth/userinfo',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
  '/.well-known/jwks.json',
  '/livez',
  '/readyz',
  '/signin',
  '/signup',
  '/consent',
  '/',
  '/images/logo.svg',
  '/avatars/initials/A-1.svg',
  '/nothing-here',
];
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** A new connection for each of some 8,000 requests would take as long as they do. */
const agent = new Agent({ keepAlive: true });
afterAll(() => agent.destroy());
const send = (path: string, request: HttpRequest = {}) => httpRequest(port, path, { agent, ...request });

const NAMES = [
  ...[
    'client_id',
    'redirect_uri',
    'state',
    'scope',
    'code',
    'code_verifier',
    'refresh_token',
    'token',
    'access_token',
  ],
  ...[
    'pending',
    'email',
    'password',
    'csrf',
    'decision',
    'name',
    'lang',
    'ui_locales',
    'max_age',
    'prompt',
    'nonce',
  ],
];
const VALUES: [string, string][] = [
  ['a NUL', 'a%00b'],
  ['bad percent-encoding', '%zz%'],
  ['bad UTF-8', '%ff%fe%c0%80'],
  ['a lone surrogate', '%ed%a0%80'],
  ['control characters', '%0d%0aset-cookie:%20a=b'],
  ['a right-to-left override', '%E2%80%AE'],
];

/** A form or query in which one parameter is odd and the others are as they should be. */
function withOdd(name: string, value: string): string {
  const good = new URLSearchParams({
    grant_type: 'authorization_code',
    response_type: 'code',
    client_id: application.clientId,
    client_secret: application.clientSecret,
    redirect_uri: application.redirectUri,
    scope: 'openid',
    state: 's',
    code: 'x',
    token: 'x',
    email: 'a@example.com',
    password: 'x',
    name: 'x',
  });
  good.delete(name);
  return `${good}&${name}=${value}`;
}

describe('hostile parameters', () => {
  test.each(VALUES)('D10: %s in any parameter is never a 5xx', async (what, value) => {
    for (const path of POSTED)
      for (const name of NAMES) {
        const answer = await send(path, { method: 'POST', body: withOdd(name, value), headers: FORM });
        expectDecent(answer, `${what} in ${name} of POST ${path}`, path);
      }
    for (const path of ['/oauth/authorize', '/oauth/logout', '/signin'])
      for (const name of NAMES)
        expectDecent(await send(`${path}?${withOdd(name, value)}`), `${what} in ${name} of ${path}`, path);
  });

  test.each([
    ['arrays', 'client_id[]=a&client_id[]=b&scope[0]=x&scope[a][b]=c&code[]='],
    [
      '__proto__',
      '__proto__=x&__proto__[a]=b&constructor=x&prototype=x&toString=x&hasOwnProperty=x&get=x&repeated=x',
    ],
    ['no names', '=&==&&&=a&a&%00=x&%zz=x'],
    ['10,000 parameters', Array.from({ length: 10_000 }, (_, at) => `${at.toString(36)}=`).join('&')],
    ['5,000 times the same one', 'a=1&'.repeat(5000)],
    ['bytes that are no text', Buffer.from([0, 255, 254, 128, 61, 192, 38, 10]).toString('latin1')],
  ])('D10: %s in a form are refused or ignored, never a 5xx', async (what, body) => {
    for (const path of POSTED) {
      const bytes = Buffer.from(body, 'latin1');
      expectDecent(
        await send(path, { method: 'POST', body: bytes, headers: FORM }),
        `${what} to ${path}`,
        path,
      );
    }
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });
});

describe('hostile methods, types and headers', () => {
  test('D10: no method on any address is a 5xx', async () => {
    for (const path of new Set([...POSTED, ...FETCHED]))
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'])
        expectDecent(await send(path, { method }), `${method} ${path}`);
  });

  test('D10: no content type on any address is a 5xx', async () => {
    for (const path of POSTED)
      for (const type of [
        'application/json',
        'multipart/form-data',
        'text/plain',
        '',
        ';',
        'a/b; charset=',
        '*/*',
        'é',
      ])
        expectDecent(
          await send(path, {
            method: 'POST',
            body: '{"a":',
            headers: { 'content-type': Buffer.from(type).toString('latin1') },
          }),
          `${type} to ${path}`,
        );
  });

  test('D10: odd headers are never a 5xx', async () => {
    const odd = ['', ' ', ';', '%00', '=;=;;', 'x'.repeat(7000), '\u00ff\u00fe', '__proto__=x', '"'];
    const names = [
      'authorization',
      'cookie',
      'accept',
      'accept-language',
      'origin',
      'sec-fetch-site',
      'if-none-match',
    ];
    for (const name of [...names, 'x-forwarded-for', 'x-forwarded-proto', 'user-agent', 'referer'])
      for (const value of odd)
        for (const path of ['/oauth/userinfo', '/signin', '/images/logo.svg'])
          expectDecent(await send(path, { headers: { [name]: value } }), `${name}: ${value.slice(0, 20)}`);
  });

  test('D10: odd addresses are never a 5xx', async () => {
    for (const path of [
      '/%',
      '/%zz',
      '/oauth/%zz',
      '/oauth/%ff',
      '/a;%ff',
      '/a%3b%ff#%ff',
      '/%00',
      '/oauth/token%00',
      '/oauth//token',
      '//evil.example/',
      '/..;/',
      '/oauth/../oauth/token',
      '/?',
      '/?%',
      '/#',
      '/*',
      '/:file',
      '/oauth/*',
      `/avatars/initials/${'x'.repeat(2000)}`,
      '/avatars/initials/%2f%2f-1.svg',
      '/avatars/initials/%zz-1.svg',
      '/avatars/initials/%00-1.svg',
      `/${'a/'.repeat(4000)}`,
      '/__proto__',
      '/constructor',
      '/oauth/__proto__',
    ])
      expectDecent(await send(path), path.slice(0, 60));
  });
});
