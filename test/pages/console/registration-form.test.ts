import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { isWellFormedClientSecret } from '../../../src/oauth/secrets.ts';
import { findOwnedClient, listOwnedClients } from '../../../src/store/owned-clients.ts';
import {
  clientPath,
  type FormFields,
  NEW_CLIENT_PATH,
  REDIRECT_URI,
  readCredentials,
  registerClient,
  submitForm,
} from '../../support/console-forms.ts';
import {
  findInput,
  findMarkupErrors,
  parseElements,
  readCodeBlock,
  readFormErrors,
  readText,
} from '../../support/markup.ts';
import { authorize, createSignedInUser, fetchUserinfo, obtainTokens } from '../../support/oauth-flow.ts';
import { LARGE_POOL, type TestUser, useTestService } from '../../support/service.ts';
import { sql } from '../../support/store-fixtures.ts';

const service = useTestService(LARGE_POOL);
const otherProcess = useTestService({}, () => ({ databaseUrl: service.databaseUrl }));

const runSql = (text: string, values: unknown[]) => sql(service.services.database, text, values);
const listApplications = ({ userId }: TestUser) => listOwnedClients(service.services.database, userId);

describe('the registration form', () => {
  test('offers four kinds of application', async () => {
    const { browser } = await createSignedInUser(service);
    const kinds = parseElements((await browser.get(NEW_CLIENT_PATH)).body).filter(
      ({ attributes }) => attributes.type === 'radio',
    );
    expect(
      kinds.map(({ attributes }) => [attributes.name, attributes.value, 'checked' in attributes]),
    ).toEqual([
      ['type', 'web', true],
      ['type', 'spa', false],
      ['type', 'native', false],
      ['type', 'machine', false],
    ]);
  });

  test('creates an application with working credentials', async () => {
    const { browser, user } = await createSignedInUser(service);
    const result = await registerClient(browser, {
      name: ' Mon  carnet ',
      ...{ owner_id: 'x', client_id: 'app_chosen', client_secret: 'chosen', verified: 'true', logo: 'x' },
      ...{ scopes: 'phone', standard: 'off', post_logout_redirect_uris: 'https://client.example/out' },
    });
    expect(result.headers.get('cache-control')).toBe('no-store');
    const { clientId, clientSecret = '' } = readCredentials(result);
    expect([clientId, isWellFormedClientSecret(clientSecret)]).toEqual([
      expect.stringMatching(/^app_[A-Za-z0-9_-]{20}$/),
      true,
    ]);
    expect(await listApplications(user)).toMatchObject([
      {
        ...{ clientId, name: 'Mon carnet', type: 'confidential', redirectUris: [REDIRECT_URI] },
        ...{ scopes: ['openid', 'profile', 'email'], standard: true, refreshGrace: 10 },
        ...{ verified: false, suspended: false, logo: null, postLogoutRedirectUris: [] },
      },
    ]);
    const testClient = { clientId, clientSecret, redirectUri: REDIRECT_URI };
    const { accessToken } = await obtainTokens(service, testClient, browser, { scope: 'openid profile' });
    const userinfo = await fetchUserinfo(otherProcess, accessToken);
    expect(userinfo.status).toBe(200);
    expect(userinfo.body).toHaveProperty('picture');
    const events = await runSql('select * from events where client_id = $1', [clientId]);
    expect(events[0]).toMatchObject({ kind: 'application_registered', actor_id: user.userId });
    expect(JSON.stringify(events)).not.toContain('sesame_secret_');
  });

  test.each([
    ['spa', 'https://spa.example/cb'],
    ['native', 'com.example.app:/cb\r\n\r\nhttps://app.example/cb\r\n'],
  ])('creates an application of type %s without a secret', async (type, redirect_uris) => {
    const { browser } = await createSignedInUser(service);
    const result = await registerClient(browser, { type, redirect_uris });
    const { clientId, clientSecret } = readCredentials(result);
    expect(clientSecret).toBeUndefined();
    expect(result.body).toContain('Carnet is registered');
    const redirectUri = redirect_uris.trim().split('\r\n').at(-1) ?? '';
    const testClient = { clientId, clientSecret: '', redirectUri };
    const callback = await authorize(service, testClient, browser);
    expect(callback.searchParams.get('error')).toBe('invalid_request');
    const parameters = { scope: 'openid profile email' };
    expect((await obtainTokens(service, testClient, browser, parameters)).accessToken).not.toBe('');
  });

  test('lists errors in the order of the fields', async () => {
    const { browser, user } = await createSignedInUser(service);
    const result = await registerClient(browser, {
      ...{ name: '', type: '' },
      redirect_uris: 'https://good.example/\n\n/callback\nhttps://x.example/#f\nhttps://x.example/?code=1',
    });
    expect(result.status).toBe(400);
    expect(readFormErrors(result.body)).toEqual([
      'Choose the type of the application.',
      'Enter a name for the application.',
      'Line 3: it is not a full URL, such as https://example.com/callback.',
      'Line 4: it contains a fragment (#).',
      'Line 5: it contains code, state, iss or error, which are reserved for the response.',
    ]);
    expect(result.body).toContain('https://good.example/\n\n/callback\nhttps://x.example/#f');
    expect(result.body).not.toContain(' checked');
    expect(findInput(result.body, 'name')?.['aria-invalid']).toBe('true');
    expect(await listApplications(user)).toEqual([]);
  });

  test('rejects invalid values', async () => {
    const { browser, user } = await createSignedInUser(service);
    const tooManyUris = Array.from({ length: 21 }, (_, n) => `https://a.example/${n}`).join('\n');
    const httpsRequired = 'Line 1: it must start with https:// (http:// only in development mode).';
    const cases: [FormFields, string][] = [
      [{ redirect_uris: ' \n ' }, 'Enter at least one callback URL.'],
      [{ type: 'spa', redirect_uris: '' }, 'Enter at least one callback URL.'],
      [{ redirect_uris: tooManyUris }, 'Enter at most 20 callback URLs.'],
      [{ redirect_uris: 'com.example.app:/cb' }, httpsRequired],
      [{ type: 'confidential' }, 'Choose the type of the application.'],
      [{ type: '__proto__' }, 'Choose the type of the application.'],
      [{ name: 'n'.repeat(101) }, 'The name must be 100 characters or fewer.'],
      [{ name: '\u202e\u200b' }, 'Enter a name for the application.'],
    ];
    const errors: unknown[] = [];
    for (const [fields] of cases) {
      const { status, body } = await registerClient(browser, fields);
      errors.push([status, ...readFormErrors(body)]);
    }
    expect(errors).toEqual(cases.map(([, message]) => [400, message]));
    expect(await listApplications(user)).toEqual([]);
  });
});

describe('a machine-to-machine application', () => {
  test('obtains API tokens with client credentials', async () => {
    const { browser, user } = await createSignedInUser(service);
    const result = await registerClient(browser, { type: 'machine', redirect_uris: '/ignored' });
    const { clientId, clientSecret = '' } = readCredentials(result);
    expect(result.body).toContain(`href="${clientPath(clientId, '/apis')}"`);
    expect(readText(result.body)).toContain(`CLIENT_SECRET=${clientSecret}`);
    expect(result.body).not.toContain('REDIRECT_URI');
    expect(await listApplications(user)).toMatchObject([
      { clientId, type: 'confidential', redirectUris: [] },
    ]);

    const overview = await browser.get(clientPath(clientId));
    expect(readText(overview.body)).toContain('Machine to machine');
    expect(readText(overview.body)).toContain('No access to an API yet.');
    const list = await browser.get('/console/applications');
    for (const { body } of [overview, list]) expect(body).not.toContain(clientPath(clientId, '/integrate'));

    const { identifier } = await service.createApi({ ownerId: user.userId });
    await submitForm(browser, clientPath(clientId, '/apis'), { identifier, scopes: 'read' });
    expect(readText((await browser.get(clientPath(clientId))).body)).not.toContain(
      'No access to an API yet.',
    );
    const command = readCodeBlock((await browser.get(clientPath(clientId, '/apis'))).body, 'get-token');
    const env = { ...process.env, CLIENT_SECRET: clientSecret };
    const { stdout } = await promisify(execFile)('bash', ['-c', command.replace('curl', 'curl -s')], { env });
    expect(JSON.parse(stdout)).toMatchObject({ token_type: 'Bearer', scope: 'read' });
  });

  test('cannot sign users in without a redirect URI', async () => {
    const { browser, user } = await createSignedInUser(service);
    const { clientId } = readCredentials(await registerClient(browser, { type: 'machine' }));
    const refused = await browser.get(
      `/oauth/authorize?response_type=code&client_id=${clientId}&redirect_uri=${encodeURIComponent(REDIRECT_URI)}&scope=openid`,
    );
    expect(refused.status).toBe(400);
    const rejected = await submitForm(browser, clientPath(clientId, '/edit'), {
      name: 'Carnet',
      redirect_uris: REDIRECT_URI,
    });
    expect([rejected.status, readText(rejected.body)]).toEqual([
      400,
      expect.stringContaining('A machine-to-machine application has no callback URLs.'),
    ]);
    expect(await listApplications(user)).toMatchObject([{ clientId, redirectUris: [] }]);
  });

  test('has only settings that apply without users', async () => {
    const { browser, user } = await createSignedInUser(service);
    const { clientId } = readCredentials(await registerClient(browser, { type: 'machine' }));
    const findStoredClient = () => findOwnedClient(service.services.database, user.userId, clientId);
    const before = await findStoredClient();
    for (const [page, names] of [
      ['/edit', ['name']],
      ['/protocol', ['jwks']],
    ] as const) {
      const { body } = await browser.get(clientPath(clientId, page));
      const fields = parseElements(body).filter(
        ({ attributes }) => attributes.id && attributes.name && attributes.type !== 'hidden',
      );
      expect(fields.map(({ attributes }) => attributes.name)).toEqual(names);
      expect(findMarkupErrors(body)).toEqual([]);
    }
    expect(readText((await browser.get(clientPath(clientId))).body)).not.toContain('Verification');
    expect((await submitForm(browser, clientPath(clientId, '/edit'), { name: 'Batch' })).status).toBe(303);
    expect((await submitForm(browser, clientPath(clientId, '/protocol'), { jwks: '' })).status).toBe(303);
    expect(await findStoredClient()).toEqual({ ...before, name: 'Batch' });
  });
});
