// The identity provider test on the administration page and command line: each step that can fail.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSignedInAdmin, type TestAdmin } from '../support/admin.ts';
import {
  addProvider,
  followThroughProvider,
  UPSTREAM_USER,
  useUpstream,
} from '../support/identity-provider.ts';
import { readMain, readText } from '../support/markup.ts';
import { SECRET_KEY } from '../support/secret-key.ts';
import { useTestService } from '../support/service.ts';
import { createSesameCommand } from '../support/sesame-command.ts';
import { sql } from '../support/store-fixtures.ts';

const service = useTestService();
const upstream = useUpstream(service, {
  trustedEmailDomains: ['upstream.example'],
  options: { acrs: { mfa: '2' } },
});
const cli = createSesameCommand(() => service.databaseUrl);
let admin: TestAdmin;
let issuer: string;

/** The tested provider's responses, which each test may change. */
interface ProviderResponses {
  document: Record<string, unknown>;
  documentStatus: number;
  documentBody: string | undefined;
  keys: unknown;
  token: [status: number, body: Record<string, unknown>];
}
let responses: ProviderResponses;
let received: URLSearchParams | undefined;
const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const send = (status: number, body: string) =>
    response.writeHead(status, { 'content-type': 'application/json', location: '/elsewhere' }).end(body);
  if (request.url?.includes('.well-known'))
    return send(responses.documentStatus, responses.documentBody ?? JSON.stringify(responses.document));
  if (request.url === '/keys') return send(200, JSON.stringify(responses.keys));
  received = new URLSearchParams(Buffer.concat(chunks).toString());
  return send(responses.token[0], JSON.stringify(responses.token[1]));
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await addProvider(service, { issuer, providerId: 'odd', name: 'Odd' });
  admin = await createSignedInAdmin(service);
});
afterAll(() => server.close());
const { publicKey } = await generateKeyPair('RS256', { extractable: true });
const jwk = await exportJWK(publicKey);
beforeEach(async () => {
  await sql(service.services.database, 'delete from throttles');
  responses = {
    document: {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      id_token_signing_alg_values_supported: ['RS256'],
    },
    documentStatus: 200,
    documentBody: undefined,
    keys: { keys: [{ ...jwk, alg: 'RS256', use: 'sig', kid: '1' }] },
    token: [400, { error: 'invalid_grant' }],
  };
});

const testPath = (providerId: string) => `/console/operations/providers/${providerId}/test`;
/** Runs the automatic checks. @returns the result page's text */
const runChecks = async (providerId = 'odd') => {
  const response = await admin.submit(testPath(providerId));
  return readText(readMain((await admin.browser.follow(response)).body));
};
const readStep = (text: string, title: string) =>
  new RegExp(`${title}\\s+(passed|failed|not run yet|skipped)`).exec(text)?.[1];

describe('the automatic provider checks', () => {
  test('pass for a provider that rejects only the invalid code', async () => {
    const text = await runChecks();
    expect(readStep(text, 'The Client ID and the secret are accepted')).toBe('passed');
    expect(readStep(text, 'The provider accepts the sign-in request')).toBe('not run yet');
    expect(text).toContain('Sign in to Odd');
    expect(received?.get('redirect_uri')).toBe(`${service.baseUrl}/signin/provider/odd/callback`);
  });

  test('pass for a certified provider', async () => {
    expect(await runChecks('upstream')).toContain('All automatic checks passed');
  });

  const cases: [title: string, change: () => void, step: string, remedy: string][] = [
    [
      'a missing document',
      () => {
        responses.documentStatus = 404;
      },
      'The discovery document can be read',
      'HTTP 404',
    ],
    [
      'a redirect',
      () => {
        responses.documentStatus = 302;
      },
      'The discovery document can be read',
      'Redirects are not followed',
    ],
    [
      'a web page',
      () => {
        responses.documentBody = '<html>';
      },
      'The discovery document can be read',
      'The response is not JSON',
    ],
    [
      'an oversized document',
      () => {
        responses.documentBody = 'x'.repeat(70_000);
      },
      'The discovery document can be read',
      'The response exceeds 64 kB',
    ],
    [
      'a different issuer',
      () => {
        responses.document.issuer = `${issuer}/`;
      },
      'The document names this issuer',
      'The document names another issuer',
    ],
    [
      'missing endpoints',
      () => {
        delete responses.document.token_endpoint;
        delete responses.document.jwks_uri;
      },
      'The document contains the endpoints',
      'token_endpoint, jwks_uri',
    ],
    [
      'an endpoint that is not a URL',
      () => {
        responses.document.token_endpoint = 'javascript:alert(1)';
      },
      'The document contains the endpoints',
      'This value must be a complete',
    ],
    [
      'only HS256',
      () => {
        responses.document.id_token_signing_alg_values_supported = ['HS256', 'none'];
      },
      'A signature algorithm is accepted',
      '["HS256","none"]',
    ],
    [
      'no keys',
      () => {
        responses.keys = { keys: [] };
      },
      'The signing keys can be read',
      'contains no usable key',
    ],
    [
      'keys on a private network',
      () => {
        responses.document.jwks_uri = 'http://192.168.0.1/keys';
      },
      'The signing keys can be read',
      'has no public IP address',
    ],
    [
      'a rejected client',
      () => {
        responses.token = [401, { error: 'invalid_client' }];
      },
      'The Client ID and the secret are accepted',
      'The provider refuses the Client ID or the secret',
    ],
    [
      'an unregistered redirect URI',
      () => {
        responses.token = [400, { error: 'redirect_uri_mismatch' }];
      },
      'The Client ID and the secret are accepted',
      'Register the callback URL from the previous page',
    ],
    [
      'a broken token endpoint',
      () => {
        responses.token = [500, {}];
      },
      'The Client ID and the secret are accepted',
      'unexpected response',
    ],
    [
      'a token endpoint that accepts any code',
      () => {
        responses.token = [200, { access_token: 'a-secret-token', token_type: 'bearer' }];
      },
      'The Client ID and the secret are accepted',
      'unexpected response',
    ],
  ];
  test.each(cases)('report %s and suggest a remedy', async (_title, change, step, remedy) => {
    change();
    const text = await runChecks();
    expect(readStep(text, step)).toBe('failed');
    expect(text).toContain(remedy);
    expect(text).not.toContain('a-secret-token');
    expect(text).not.toContain('Sign in to Odd');
  });

  test('offer to remove the provider only if its issuer URL may be wrong', async () => {
    const fetchReport = async () => (await admin.browser.follow(await admin.submit(testPath('odd')))).body;
    const link = 'href="/console/operations/providers/odd/remove">Remove this provider</a>';
    responses.token = [401, { error: 'invalid_client' }];
    expect(await fetchReport()).not.toContain(link);
    responses.documentStatus = 404;
    const body = await fetchReport();
    expect(body).toContain(link);
    const text = readText(readMain(body));
    expect(readStep(text, 'The document names this issuer')).toBe('skipped');
  });

  test('suggest an HTTP server as the cause if TLS fails', async () => {
    const secure = issuer.replace('http://', 'https://');
    await addProvider(service, { issuer: secure, providerId: 'plain', name: 'Plain' });
    expect(await runChecks('plain')).toContain('so it is probably an HTTP server');
  });

  test('offer to start again only if a check failed', async () => {
    const readPrimaryButtons = async () => {
      const { body } = await admin.browser.follow(await admin.submit(testPath('odd')));
      return [...body.matchAll(/button--primary"[^>]*><span>([^<]*)/g)].map(([, text]) => text);
    };
    expect(await readPrimaryButtons()).toEqual(['Sign in to Odd']);
    responses.documentStatus = 404;
    expect(await readPrimaryButtons()).toEqual(['Start again']);
  });

  test('are reported in the administrator’s language', async () => {
    await addProvider(service, { issuer: 'https://192.168.0.1', providerId: 'internal', name: 'Interne' });
    admin.browser.cookies.set('sesame-language', 'fr');
    const text = await runChecks('internal');
    admin.browser.cookies.set('sesame-language', 'en');
    expect(text).toContain('ne correspond pas à une adresse IP publique');
  });

  test('escape text from the provider and show it on one line', async () => {
    responses.document.issuer = '<script>\u202e\nalert(1)</script>';
    const response = await admin.submit(testPath('odd'));
    const { body } = await admin.browser.follow(response);
    expect(body).toContain('&lt;script&gt;');
    expect(body).not.toContain('\u202e');
  });

  test('report a secret that SECRET_KEY cannot decrypt', async () => {
    await addProvider(service, { issuer: 'https://other.example', providerId: 'sealed', name: 'Sealed' });
    await sql(
      service.services.database,
      `update identity_providers set sealed_secret = 'x' where provider_id = 'sealed'`,
    );
    expect(await runChecks('sealed')).toContain('has changed since the secret was stored');
  });

  test('may be run ten times per hour by each administrator', async () => {
    for (let count = 0; count < 10; count += 1) await runChecks();
    const refused = await admin.submit(testPath('odd'));
    expect([refused.status, refused.body]).toEqual([
      429,
      expect.stringContaining('limit of ten tests per hour'),
    ]);
    const other = await createSignedInAdmin(service);
    expect((await other.submit(testPath('odd'))).status).toBe(303);
  });

  test('show a report only to the administrator who requested it', async () => {
    const { location } = await admin.submit(testPath('odd'));
    const report = `?report=${location?.searchParams.get('report')}`;
    const other = await createSignedInAdmin(service);
    for (const [browser, path] of [
      [other.browser, `${testPath('odd')}${report}`],
      [admin.browser, `${testPath('upstream')}${report}`],
      [admin.browser, `${testPath('odd')}?report=x`],
    ] as const)
      expect((await browser.get(path)).body).toContain('This result is no longer available');
    service.clock.advance(31 * 60);
    expect((await admin.browser.get(`${testPath('odd')}${report}`)).body).toContain('no longer available');
  });
});

describe('the automatic checks for GitHub', () => {
  const runGitHubChecks = async (error: string) => {
    responses.token = [200, { error }];
    return runChecks('github');
  };
  beforeAll(() =>
    addProvider(service, {
      ...{
        issuer: issuer.replace('127.0.0.1', 'localhost'),
        providerId: 'github',
        preset: 'github',
        name: 'GitHub',
      },
    }),
  );

  test('skip the discovery document and keys', async () => {
    const text = await runGitHubChecks('bad_verification_code');
    expect(readStep(text, 'The Client ID and the secret are accepted')).toBe('passed');
    expect(text).not.toContain('The discovery document can be read');
    expect(received?.get('client_id')).toBe('sesame');
  });

  test.each([
    ['incorrect_client_credentials', 'The provider refuses the Client ID or the secret'],
    ['redirect_uri_mismatch', 'Register the callback URL from the previous page'],
    ['<b>', 'unexpected response'],
  ])('report the error %s', async (error, remedy) => {
    expect(await runGitHubChecks(error)).toContain(remedy);
  });

  test('report an unknown client ID', async () => {
    responses.token = [404, {}];
    expect(await runChecks('github')).toContain('The provider refuses the Client ID or the secret');
  });
});

describe('the provider sign-in test', () => {
  const signIn = async () =>
    followThroughProvider(admin.browser, await admin.browser.get('/signin/provider/upstream?purpose=test'));

  test('shows the profile without linking it to an account', async () => {
    const result = await signIn();
    const text = readText(readMain(result.body));
    for (const value of [upstream.issuer, UPSTREAM_USER.sub, 'ada@upstream.example', 'Ada Upstream'])
      expect(text).toContain(value);
    expect(text).toContain('you trust its domain');
    expect(text).toContain('counts as a single factor');
    expect(readStep(text, 'The profile can be read')).toBe('passed');
    expect(await sql(service.services.database, 'select 1 from external_identities')).toEqual([]);
  });

  test.each([
    [{ email_verified: false }, 'the provider does not guarantee that it belongs to the user'],
    [{ email: 'ada@other.example' }, 'its domain is not a trusted domain'],
  ])('explains why the user must verify the email address (%j)', async (claims, reason) => {
    upstream.user = { ...UPSTREAM_USER, sub: `sub-${reason}`, ...claims };
    expect(readText(readMain((await signIn()).body))).toContain(reason);
    upstream.user = UPSTREAM_USER;
  });

  test('reports a cancellation by the administrator', async () => {
    // A new administrator's browser has no session at the provider.
    admin = await createSignedInAdmin(service);
    upstream.user = undefined;
    const text = readText(readMain((await signIn()).body));
    upstream.user = UPSTREAM_USER;
    expect(readStep(text, 'The provider accepts the sign-in request')).toBe('failed');
    expect(text).toContain('You canceled the sign-in');
  });

  test('shows no text from the URL other than a short error code', async () => {
    for (const query of [
      'step=token&code=%3Cb%3Ex',
      'step=evil&code=x',
      `step=token&code=${'x'.repeat(200)}`,
    ])
      expect((await admin.browser.get(`${testPath('odd')}?${query}`)).body).not.toContain('id="step-token"');
  });
});

describe('`sesame providers test`', () => {
  const getEnvironment = () => ({ SECRET_KEY, BASE_URL: service.baseUrl });

  test('prints the URL of the sign-in test if all automatic checks pass', async () => {
    const { code, stdout } = await cli.run(['providers', 'test', 'odd', '--json'], '', getEnvironment());
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { provider_id: 'odd', passed: true, sign_in_test: `${service.baseUrl}${testPath('odd')}` },
    ]);
  });

  test('prints the failed step and a remedy', async () => {
    responses.token = [401, { error: 'invalid_client' }];
    const error = await cli.runFailing(['providers', 'test', 'odd'], '', getEnvironment());
    expect(error).toContain('The Client ID and the secret are accepted (credentials)');
    expect(error).toContain('The provider refuses the Client ID or the secret');
    expect(await cli.runFailing(['providers', 'test', 'none'], '', getEnvironment())).toContain(
      'No provider has the ID',
    );
  });
});
