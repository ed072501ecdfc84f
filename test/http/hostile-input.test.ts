// Hostile parameters, methods, headers and URLs never cause a 5xx response.
import { Agent } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { expectNoServerError } from '../support/expect-error.ts';
import { type HttpRequestOptions, sendHttpRequest } from '../support/http-request.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const client = await service.createClient();
const port = service.services.config.port;
afterAll(() => service.close());

const POST_PATHS = [
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
const GET_PATHS = [
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
const FORM_HEADERS = { 'content-type': 'application/x-www-form-urlencoded' };

/** Reuses connections because the tests send about 8,000 requests. */
const agent = new Agent({ keepAlive: true });
afterAll(() => agent.destroy());
const send = (path: string, request: HttpRequestOptions = {}) =>
  sendHttpRequest(port, path, { agent, ...request });

const PARAMETER_NAMES = [
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
const HOSTILE_VALUES: [string, string][] = [
  ['a NUL character', 'a%00b'],
  ['invalid percent-encoding', '%zz%'],
  ['invalid UTF-8', '%ff%fe%c0%80'],
  ['a lone surrogate', '%ed%a0%80'],
  ['control characters', '%0d%0aset-cookie:%20a=b'],
  ['a right-to-left override', '%E2%80%AE'],
];

/** Builds a form or query in which only the given parameter is hostile. */
function buildHostileForm(name: string, value: string): string {
  const parameters = new URLSearchParams({
    grant_type: 'authorization_code',
    response_type: 'code',
    client_id: client.clientId,
    client_secret: client.clientSecret,
    redirect_uri: client.redirectUri,
    scope: 'openid',
    state: 's',
    code: 'x',
    token: 'x',
    email: 'a@example.com',
    password: 'x',
    name: 'x',
  });
  parameters.delete(name);
  return `${parameters}&${name}=${value}`;
}

describe('the service never responds with 5xx', () => {
  test.each(HOSTILE_VALUES)('if a parameter contains %s', async (description, value) => {
    for (const path of POST_PATHS)
      for (const name of PARAMETER_NAMES) {
        const response = await send(path, {
          method: 'POST',
          body: buildHostileForm(name, value),
          headers: FORM_HEADERS,
        });
        expectNoServerError(response, `${description} in ${name} of POST ${path}`, path);
      }
    for (const path of ['/oauth/authorize', '/oauth/logout', '/signin'])
      for (const name of PARAMETER_NAMES)
        expectNoServerError(
          await send(`${path}?${buildHostileForm(name, value)}`),
          `${description} in ${name} of ${path}`,
          path,
        );
  });

  test.each([
    ['arrays', 'client_id[]=a&client_id[]=b&scope[0]=x&scope[a][b]=c&code[]='],
    [
      '__proto__',
      '__proto__=x&__proto__[a]=b&constructor=x&prototype=x&toString=x&hasOwnProperty=x&get=x&repeated=x',
    ],
    ['parameters without a name', '=&==&&&=a&a&%00=x&%zz=x'],
    ['10,000 parameters', Array.from({ length: 10_000 }, (_, index) => `${index.toString(36)}=`).join('&')],
    ['5,000 parameters with the same name', 'a=1&'.repeat(5000)],
    ['bytes that are not text', Buffer.from([0, 255, 254, 128, 61, 192, 38, 10]).toString('latin1')],
  ])('if the form contains %s', async (description, body) => {
    for (const path of POST_PATHS) {
      const bytes = Buffer.from(body, 'latin1');
      expectNoServerError(
        await send(path, { method: 'POST', body: bytes, headers: FORM_HEADERS }),
        `${description} to ${path}`,
        path,
      );
    }
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });

  test('for any combination of method and path', async () => {
    for (const path of new Set([...POST_PATHS, ...GET_PATHS]))
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'])
        expectNoServerError(await send(path, { method }), `${method} ${path}`);
  });

  test('for any combination of content type and path', async () => {
    for (const path of POST_PATHS)
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
        expectNoServerError(
          await send(path, {
            method: 'POST',
            body: '{"a":',
            headers: { 'content-type': Buffer.from(type).toString('latin1') },
          }),
          `${type} to ${path}`,
        );
  });

  test('if a header has a hostile value', async () => {
    const hostile = ['', ' ', ';', '%00', '=;=;;', 'x'.repeat(7000), '\u00ff\u00fe', '__proto__=x', '"'];
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
      for (const value of hostile)
        for (const path of ['/oauth/userinfo', '/signin', '/images/logo.svg'])
          expectNoServerError(
            await send(path, { headers: { [name]: value } }),
            `${name}: ${value.slice(0, 20)}`,
          );
  });

  test('if the URL is hostile', async () => {
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
      expectNoServerError(await send(path), path.slice(0, 60));
  });
});
