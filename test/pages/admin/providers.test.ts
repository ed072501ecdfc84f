import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { IdentityProvider } from '../../../src/oauth/identity-provider.ts';
import { openProviderSecret } from '../../../src/providers/configuration.ts';
import { listEvents } from '../../../src/store/audit-log.ts';
import {
  findUserIdByIdentity,
  linkIdentity,
  listIdentities,
} from '../../../src/store/external-identities.ts';
import { findProvider, listProviders } from '../../../src/store/identity-providers.ts';
import { createSignedInAdmin, type TestAdmin } from '../../support/admin.ts';
import { readHeading, readMain, readText } from '../../support/markup.ts';
import { openSignedInBrowser } from '../../support/oauth-flow.ts';
import { useTestService } from '../../support/service.ts';
import { sql } from '../../support/store-fixtures.ts';

const service = useTestService();
let admin: TestAdmin;
beforeAll(async () => {
  admin = await createSignedInAdmin(service);
});
beforeEach(async () => {
  await sql(service.services.database, 'delete from external_identities');
  await sql(service.services.database, 'delete from external_identity_keys');
  await sql(service.services.database, 'delete from identity_providers');
});

const PROVIDERS_PATH = '/console/operations/providers';
const EXAMPLE = {
  name: 'Exemple',
  provider_id: 'exemple',
  issuer: 'https://idp.example',
  client_id: 'sesame',
  secret: 'a-secret-that-nobody-knows',
  email_domains: 'exemple.fr, EXAMPLE.com',
  mfa_acrs: 'urn:mfa',
};
const addProvider = (fields: Record<string, string> = {}, preset = 'oidc') => {
  const { provider_id: id } = fields;
  const name = id === undefined ? EXAMPLE.name : `Exemple ${id}`;
  return admin.submit(`${PROVIDERS_PATH}/new/${preset}`, { ...EXAMPLE, name, ...fields });
};
const findByProviderId = async (providerId: string) =>
  (await findProvider(service.services.database, providerId)) as IdentityProvider;
const listOrder = async () =>
  (await listProviders(service.services.database)).map(({ providerId }) => providerId);
const findLastEvent = async () => (await listEvents(service.services.database, {}, { limit: 1 }))[0];
const readErrors = async (fields: Record<string, string>, preset = 'oidc') => {
  const response = await addProvider(fields, preset);
  expect(response.status).toBe(400);
  return readText(readMain(response.body));
};
const linkUpstreamIdentity = async (
  userId: string,
  providerId = 'exemple',
  issuer = 'https://idp.example',
) => {
  const identity = { issuer, subject: `sub-${userId}`, providerId, label: 'ada' };
  await service.services.database.transaction((transaction) =>
    linkIdentity(transaction, userId, identity, service.clock.now()),
  );
  return identity;
};

describe('the form to add a provider', () => {
  test('encrypts the client secret and records the administrator', async () => {
    const response = await addProvider();
    expect(response.location?.pathname).toBe(`${PROVIDERS_PATH}/exemple`);
    const provider = await findByProviderId('exemple');
    expect(provider).toMatchObject({
      preset: 'oidc',
      name: 'Exemple',
      issuer: 'https://idp.example',
      clientId: 'sesame',
      options: { acrs: { 'urn:mfa': '2' } },
      trustedEmailDomains: ['exemple.fr', 'example.com'],
      position: 1,
      disabledAt: null,
    });
    expect(provider.sealedSecret).not.toContain(EXAMPLE.secret);
    expect(openProviderSecret(service.services.sealer, provider)).toBe(EXAMPLE.secret);
    expect(await findLastEvent()).toMatchObject({
      kind: 'provider_added',
      actorId: admin.user.userId,
      detail: { provider: 'exemple', name: 'Exemple' },
    });
    expect(JSON.stringify((await findLastEvent())?.detail)).not.toContain(EXAMPLE.secret);
  });

  test('shows the redirect URI before and after submission', async () => {
    const buildRedirectUri = (id: string) => `${service.baseUrl}/signin/provider/${id}/callback`;
    expect(readText((await admin.browser.get(`${PROVIDERS_PATH}/new/google`)).body)).toContain(
      buildRedirectUri('google'),
    );
    const page = await admin.browser.follow(await addProvider());
    expect(readText(page.body)).toContain(buildRedirectUri('exemple'));
    expect(page.body).toContain('Provider added');
  });

  test('suggests an unused ID', async () => {
    await addProvider({ provider_id: 'oidc' });
    expect((await admin.browser.get(`${PROVIDERS_PATH}/new/oidc`)).body).toContain('value="oidc-2"');
  });

  test('shows all errors and keeps all values except the secret', async () => {
    const response = await addProvider({
      name: ' ',
      provider_id: 'À',
      issuer: 'ftp',
      client_id: '',
      email_domains: '*',
    });
    const { body } = response;
    const text = readText(readMain(body));
    for (const message of [
      'Enter the name to show on the button',
      'Use at most 40 lowercase letters',
      'Enter a complete URL',
      'Enter the Client ID',
      '“*”: Enter a complete domain name',
    ])
      expect(text).toContain(message);
    expect(body).toContain('value="ftp"');
    expect(body).not.toContain(EXAMPLE.secret);
    expect(await listOrder()).toEqual([]);
  });

  test.each([
    [
      'an issuer with a query',
      { issuer: 'https://idp.example?a=1' },
      'Remove “?” or “#” and everything after it',
    ],
    [
      'a discovery document URL as the issuer',
      { issuer: 'https://a.example/.well-known/openid-configuration' },
      'discovery document',
    ],
    ['credentials in the issuer', { issuer: 'https://a:b@idp.example' }, 'Enter a complete URL'],
    ['an issuer without a host', { issuer: 'https:idp.example' }, 'Enter a complete URL'],
    ['a reserved ID', { provider_id: 'new' }, 'reserved'],
    ['an overlong ID', { provider_id: 'a'.repeat(41) }, 'lowercase letters'],
    ['a missing secret', { secret: '' }, 'Enter the secret'],
    ['a secret with a line break', { secret: 'a\nb' }, 'single line'],
    ['a client ID with a space', { client_id: 'a b' }, 'contains no spaces'],
    [
      'too many domains',
      { email_domains: Array.from({ length: 51 }, (_, i) => `a${i}.fr`).join('\n') },
      'at most 50',
    ],
    ['an email address as a domain', { email_domains: 'ada@exemple.fr' }, 'complete domain name'],
  ])('rejects %s', async (_title, fields, message) => {
    expect(await readErrors(fields)).toContain(message);
    expect(await listOrder()).toEqual([]);
  });

  test('rejects the service’s own URL as the issuer', async () => {
    expect(await readErrors({ issuer: service.baseUrl })).toContain('This is the URL of this service');
  });

  test('rejects an ID or issuer that is in use', async () => {
    await addProvider();
    const text = await readErrors({});
    expect(text).toContain('already has this identifier');
    expect(text).toContain('already has this issuer');
  });

  test("rejects another provider's name, regardless of case", async () => {
    await addProvider();
    const other = { provider_id: 'autre', issuer: 'https://autre.example' };
    expect(await readErrors({ ...other, name: 'EXEMPLE' })).toContain('already has this name');
    await addProvider({ ...other, name: 'Autre' });
    const renamed = await admin.submit(`${PROVIDERS_PATH}/autre/edit`, { ...EXAMPLE, ...other });
    expect(readText(readMain(renamed.body))).toContain('already has this name');
    expect((await findByProviderId('autre')).name).toBe('Autre');
  });

  test('rejects a preset whose issuer is in use', async () => {
    const { hidden } = await admin.browser.get(`${PROVIDERS_PATH}/new/google`);
    await addProvider({ issuer: 'https://accounts.google.com' });
    const response = await admin.browser.post(`${PROVIDERS_PATH}/new/google`, {
      ...{ ...EXAMPLE, csrf: hidden.csrf ?? '', provider_id: 'google' },
    });
    expect(response.status).toBe(400);
    expect(readText(readMain(response.body))).toContain('already has this issuer');
    expect(response.body).not.toContain('aria-invalid');
  });

  test('links to the existing provider of a preset', async () => {
    await addProvider({ issuer: 'https://accounts.google.com' });
    const { body } = await admin.browser.get(`${PROVIDERS_PATH}/new`);
    expect(body).toContain(`<a class="preset-link" href="${PROVIDERS_PATH}/exemple">Google</a>`);
    expect(readText(readMain(body))).toContain('Google Already added. Open it to edit it.');
    expect((await admin.browser.get(`${PROVIDERS_PATH}/new/google`)).location?.pathname).toBe(
      `${PROVIDERS_PATH}/exemple`,
    );
  });

  test.each(['http://idp.example', 'http://192.168.1.5:8080', 'http://localhost.example'])(
    'rejects the issuer %s even in development',
    async (issuer) => {
      expect(await readErrors({ issuer })).toContain('http:// is accepted only for localhost and 127.0.0.1');
    },
  );

  test.each(['http://localhost:4001', 'http://127.0.0.1:4001', 'http://[::1]:4001'])(
    'accepts the issuer %s in development',
    async (issuer) => {
      expect((await addProvider({ issuer })).location?.pathname).toBe(`${PROVIDERS_PATH}/exemple`);
    },
  );

  test('detects a Microsoft secret’s ID in the secret field', async () => {
    const secret = '0b5c2c9e-7a33-4c40-9d3b-1f2a3b4c5d6e';
    expect(await readErrors({ secret }, 'microsoft')).toContain('This is the ID of the secret');
  });

  test('detects a domain name in the Microsoft tenant field', async () => {
    expect(await readErrors({ tenants: 'contoso.onmicrosoft.com' }, 'microsoft')).toContain('a UUID');
  });

  test('stores the settings of the preset', async () => {
    const tenant = '0B5C2C9E-7A33-4C40-9D3B-1F2A3B4C5D6E';
    await addProvider(
      { provider_id: 'ms', tenants: tenant, personal_accounts: 'yes', token_auth: 'client_secret_post' },
      'microsoft',
    );
    expect(await findByProviderId('ms')).toMatchObject({
      issuer: 'https://login.microsoftonline.com/organizations/v2.0',
      options: { tenants: [tenant.toLowerCase()], personalAccounts: true },
    });
    await addProvider({ provider_id: 'other', token_auth: 'client_secret_post', tenants: tenant });
    expect((await findByProviderId('other')).options).toEqual({
      tokenEndpointAuthMethod: 'client_secret_post',
      acrs: { 'urn:mfa': '2' },
    });
    const { body } = await admin.browser.get(`${PROVIDERS_PATH}/ms/edit`);
    expect(body).toContain(tenant.toLowerCase());
    expect(body).toMatch(/id="personal_accounts-yes"[^>]* checked/);
  });

  test('ignores the submitted issuer if the preset has one', async () => {
    await addProvider({ provider_id: 'google', issuer: 'https://evil.example' }, 'google');
    expect((await findByProviderId('google')).issuer).toBe('https://accounts.google.com');
    expect((await admin.browser.get(`${PROVIDERS_PATH}/new/gitlab`)).body).toContain(
      'value="https://gitlab.com"',
    );
  });

  test('accepts only a P-256 private key for Apple', async () => {
    const ids = { team_id: 'ABCDE12345', key_id: 'XYZ1234567', provider_id: 'apple' };
    const createPem = (curve: string) =>
      generateKeyPairSync('ec', { namedCurve: curve }).privateKey.export({
        type: 'pkcs8',
        format: 'pem',
      }) as string;
    for (const secret of ['not a key', createPem('P-384')])
      expect(await readErrors({ ...ids, secret }, 'apple')).toContain('not a private key from Apple');
    expect(await readErrors({ ...ids, secret: createPem('P-256'), team_id: 'abc' }, 'apple')).toContain(
      'A Team ID has ten',
    );
    const key = createPem('P-256');
    expect((await addProvider({ ...ids, secret: key }, 'apple')).location?.pathname).toBe(
      `${PROVIDERS_PATH}/apple`,
    );
    const provider = await findByProviderId('apple');
    expect(provider.options).toEqual({ teamId: 'ABCDE12345', keyId: 'XYZ1234567' });
    expect(openProviderSecret(service.services.sealer, provider)).toBe(key.trim());
  });

  test('allows at most twelve providers', async () => {
    for (let number = 1; number <= 12; number += 1)
      await addProvider({ provider_id: `p${number}`, issuer: `https://p${number}.example` });
    expect(await readErrors({})).toContain('There are already 12');
    expect(await listOrder()).toHaveLength(12);
    expect((await admin.browser.get(PROVIDERS_PATH)).body).not.toContain(`${PROVIDERS_PATH}/new"`);
  });

  test('allows at most twelve providers, even with concurrent submissions', async () => {
    for (let number = 1; number <= 11; number += 1)
      await addProvider({ provider_id: `p${number}`, issuer: `https://p${number}.example` });
    await Promise.all(
      [12, 13, 14].map((n) => addProvider({ provider_id: `p${n}`, issuer: `https://p${n}.example` })),
    );
    expect(await listOrder()).toHaveLength(12);
  });

  test('returns 404 for an unknown preset', async () => {
    expect((await admin.browser.get(`${PROVIDERS_PATH}/new/facebook`)).status).toBe(404);
  });
});

describe('the form to edit a provider', () => {
  test('shows the state and the redirect URI', async () => {
    await addProvider();
    const instructions = 'create a confidential client';
    expect((await admin.browser.get(`${PROVIDERS_PATH}/new/oidc`)).body).toContain(instructions);
    const { body } = await admin.browser.get(`${PROVIDERS_PATH}/exemple/edit`);
    expect(body).not.toContain(instructions);
    expect(readText(body)).toMatch(/Status ?enabled Callback URL ?\S+\/signin\/provider\/exemple\/callback/);
  });

  test('shows the callback URL below the identifier', async () => {
    const text = readText((await admin.browser.get(`${PROVIDERS_PATH}/new/oidc`)).body);
    expect(text).toMatch(/Identifier.*create a confidential client.*Callback URL.*Client ID/s);
  });

  test('keeps the client secret if the field is empty', async () => {
    await addProvider();
    await admin.submit(`${PROVIDERS_PATH}/exemple/edit`, { ...EXAMPLE, name: 'Autre', secret: '' });
    const provider = await findByProviderId('exemple');
    expect(provider.name).toBe('Autre');
    expect(openProviderSecret(service.services.sealer, provider)).toBe(EXAMPLE.secret);
    expect(await findLastEvent()).toMatchObject({ kind: 'provider_changed', detail: { changed: ['name'] } });
  });

  test('replaces the client secret without showing it', async () => {
    await addProvider();
    expect((await admin.browser.get(`${PROVIDERS_PATH}/exemple/edit`)).body).not.toContain(EXAMPLE.secret);
    await admin.submit(`${PROVIDERS_PATH}/exemple/edit`, { ...EXAMPLE, secret: 'another-secret' });
    expect(openProviderSecret(service.services.sealer, await findByProviderId('exemple'))).toBe(
      'another-secret',
    );
    expect(await findLastEvent()).toMatchObject({ detail: { changed: ['secret'] } });
  });

  test('never changes the issuer or the ID', async () => {
    await addProvider();
    await admin.submit(`${PROVIDERS_PATH}/exemple/edit`, {
      ...EXAMPLE,
      issuer: 'https://evil.example',
      provider_id: 'evil',
    });
    expect(await findByProviderId('exemple')).toMatchObject({
      issuer: 'https://idp.example',
      preset: 'oidc',
    });
    expect(await listOrder()).toEqual(['exemple']);
  });

  test('logs no event if nothing was changed', async () => {
    await addProvider();
    const before = await findLastEvent();
    await admin.submit(`${PROVIDERS_PATH}/exemple/edit`, { ...EXAMPLE, secret: '' });
    expect(await findLastEvent()).toEqual(before);
  });

  test('does not overwrite the change of another administrator', async () => {
    await addProvider();
    const edit = `${PROVIDERS_PATH}/exemple/edit`;
    const { hidden } = await admin.browser.get(edit);
    const { provider_id: _, ...example } = EXAMPLE;
    await admin.submit(edit, { ...example, secret: '', client_id: 'changed' });
    const stale = await admin.browser.post(edit, { ...hidden, ...example, secret: '', name: 'Mine' });
    expect([stale.status, readText(stale.body)]).toEqual([
      409,
      expect.stringContaining('The provider has changed since you opened this page.'),
    ]);
    expect(stale.body).toContain('value="Mine"');
    expect(await findByProviderId('exemple')).toMatchObject({ name: 'Exemple', clientId: 'changed' });
    // The form contains the provider's version, which disabling doesn't change.
    await admin.submit(`${PROVIDERS_PATH}/exemple/disable`);
    const again = await admin.browser.post(edit, { ...stale.hidden, ...example, secret: '', name: 'Mine' });
    expect(again.status).toBe(303);
    expect(await findByProviderId('exemple')).toMatchObject({ name: 'Mine', clientId: 'sesame' });
    const repeated = await admin.browser.post(edit, {
      ...stale.hidden,
      ...example,
      secret: '',
      name: 'Mine',
    });
    expect(repeated.status).toBe(303);
  });

  test('does not overwrite a concurrent change after a form error', async () => {
    await addProvider();
    const edit = `${PROVIDERS_PATH}/exemple/edit`;
    const { hidden } = await admin.browser.get(edit);
    const { provider_id: _, ...example } = EXAMPLE;
    await admin.submit(edit, { ...example, secret: '', client_id: 'changed' });
    const rejected = await admin.browser.post(edit, { ...hidden, ...example, secret: '', name: '' });
    expect(rejected.body).toContain('Enter the name to show on the button.');
    const entries = { ...rejected.hidden, ...example, secret: '', name: 'Mine' };
    expect((await admin.browser.post(edit, entries)).status).toBe(409);
    expect(await findByProviderId('exemple')).toMatchObject({ name: 'Exemple', clientId: 'changed' });
  });

  test('shows the error for an invalid field', async () => {
    await addProvider();
    const response = await admin.submit(`${PROVIDERS_PATH}/exemple/edit`, { ...EXAMPLE, client_id: '' });
    expect(response.body).toContain('Enter the Client ID');
    expect(await findByProviderId('exemple')).toMatchObject({ clientId: 'sesame' });
  });
});

describe('the order of providers', () => {
  const moveProvider = async (id: string, direction: string) => {
    const { hidden } = await admin.browser.get(PROVIDERS_PATH);
    return admin.browser.post(`${PROVIDERS_PATH}/${id}/${direction}`, { csrf: hidden.csrf ?? '' });
  };
  beforeEach(async () => {
    for (const id of ['a', 'b', 'c']) await addProvider({ provider_id: id, issuer: `https://${id}.example` });
  });

  test('can be changed without JavaScript', async () => {
    await moveProvider('c', 'up');
    expect(await listOrder()).toEqual(['a', 'c', 'b']);
    await moveProvider('a', 'down');
    expect(await listOrder()).toEqual(['c', 'a', 'b']);
    expect(await findLastEvent()).toMatchObject({
      kind: 'provider_changed',
      detail: { provider: 'a', changed: ['order'] },
    });
  });

  test('does not change when the first provider is moved up', async () => {
    await moveProvider('a', 'up');
    await moveProvider('c', 'down');
    expect(await listOrder()).toEqual(['a', 'b', 'c']);
  });
});

describe('disabling a provider', () => {
  test('keeps all linked identities', async () => {
    await addProvider();
    const { userId } = await service.createUser();
    await linkUpstreamIdentity(userId);
    await admin.submit(`${PROVIDERS_PATH}/exemple/disable`, { reason: 'incident' });
    expect((await findByProviderId('exemple')).disabledAt).not.toBeNull();
    expect(await findLastEvent()).toMatchObject({
      kind: 'provider_disabled',
      detail: { reason: 'incident' },
    });
    expect(await listIdentities(service.services.database, userId)).toHaveLength(1);
    await admin.submit(`${PROVIDERS_PATH}/exemple/enable`);
    expect((await findByProviderId('exemple')).disabledAt).toBeNull();
  });

  test('warns of accounts without another sign-in method', async () => {
    await addProvider();
    await addProvider({ provider_id: 'autre', issuer: 'https://autre.example' });
    const { database } = service.services;
    const [needsIt, hasPassword, hasOther] = [
      await service.createUser(),
      await service.createUser(),
      await service.createUser(),
    ];
    for (const { userId } of [needsIt, hasOther])
      await sql(database, `update users set password_hash = null where id = '${userId}'`);
    for (const { userId } of [needsIt, hasPassword, hasOther]) await linkUpstreamIdentity(userId);
    await linkUpstreamIdentity(hasOther.userId, 'autre', 'https://autre.example');
    const warning = 'One account has no other way to sign in';
    for (const action of ['disable', 'remove'])
      expect((await admin.browser.get(`${PROVIDERS_PATH}/exemple/${action}`)).body).toContain(warning);
    await admin.submit(`${PROVIDERS_PATH}/autre/disable`);
    expect((await admin.browser.get(`${PROVIDERS_PATH}/exemple/disable`)).body).toContain(
      '2 accounts have no other way',
    );
    expect((await admin.browser.get(`${PROVIDERS_PATH}/autre/remove`)).body).not.toContain('no other way');
  });
});

describe('removing a provider', () => {
  test('requires its ID and the current number of linked identities', async () => {
    await addProvider();
    const { database } = service.services;
    const { userId } = await service.createUser();
    const identity = await linkUpstreamIdentity(userId);
    const unconfirmed = await admin.submit(`${PROVIDERS_PATH}/exemple/remove`, { id: '1' });
    expect(unconfirmed.body).toContain('This is not the identifier of the provider to remove.');
    const refused = await admin.submit(`${PROVIDERS_PATH}/exemple/remove`, { id: 'exemple', links: '2' });
    expect(refused.body).toContain('The number of linked accounts has changed to 1');
    expect(await listOrder()).toEqual(['exemple']);
    const response = await admin.submit(`${PROVIDERS_PATH}/exemple/remove`, { id: 'exemple' });
    expect((await admin.browser.follow(response)).body).toContain('Provider removed');
    expect(await listOrder()).toEqual([]);
    expect(await listIdentities(database, userId)).toEqual([]);
    expect(await findUserIdByIdentity(database, identity)).toBeUndefined();
    expect(await findLastEvent()).toMatchObject({
      kind: 'provider_removed',
      detail: { provider: 'exemple', identities: 1 },
    });
  });

  test('deletes identities imported before it was added', async () => {
    const { userId } = await service.createUser();
    const imported = await linkUpstreamIdentity(userId, 'https://idp.example');
    await addProvider();
    const [listed] = await listIdentities(service.services.database, userId);
    expect(listed).toMatchObject({ providerId: 'exemple', providerName: 'Exemple', enabled: true });
    await admin.submit(`${PROVIDERS_PATH}/exemple/remove`, { id: 'exemple' });
    expect(await findUserIdByIdentity(service.services.database, imported)).toBeUndefined();
  });

  test('keeps the identities of other providers', async () => {
    await addProvider();
    await addProvider({ provider_id: 'autre', issuer: 'https://autre.example' });
    const { userId } = await service.createUser();
    const kept = await linkUpstreamIdentity(userId, 'autre', 'https://autre.example');
    await linkUpstreamIdentity(userId);
    await admin.submit(`${PROVIDERS_PATH}/exemple/remove`, { id: 'exemple' });
    expect(await findUserIdByIdentity(service.services.database, kept)).toBe(userId);
  });

  test('has no effect the second time', async () => {
    await addProvider();
    const { hidden } = await admin.browser.get(`${PROVIDERS_PATH}/exemple/remove`);
    const fields = { csrf: hidden.csrf ?? '', ...hidden };
    const [first, second] = [
      await admin.browser.post(`${PROVIDERS_PATH}/exemple/remove`, fields),
      await admin.browser.post(`${PROVIDERS_PATH}/exemple/remove`, fields),
    ];
    expect([first.location?.pathname, second.location?.pathname]).toEqual([PROVIDERS_PATH, PROVIDERS_PATH]);
  });

  test('unlinks thousands of accounts', async () => {
    await addProvider();
    const { database } = service.services;
    await sql(
      database,
      `insert into users (id, email, email_key, name, email_verified, is_admin, profile_updated_at, created_at)
      select md5(n::text)::uuid, n || '@b.example', n || '@b.example', 'B', true, false, now(), now()
      from generate_series(1, 2500) n`,
    );
    await sql(
      database,
      `insert into external_identities (user_id, issuer, subject, provider_id, label, created_at)
      select md5(n::text)::uuid, 'https://idp.example', n::text, 'exemple', 'b', now() from generate_series(1, 2500) n`,
    );
    await admin.submit(`${PROVIDERS_PATH}/exemple/remove`, { id: 'exemple' });
    expect(await listOrder()).toEqual([]);
    const rows = await sql(database, 'select 1 from external_identities limit 1');
    expect(rows).toEqual([]);
  });
});

test.each(['new/oidc', 'exemple/edit', 'exemple/disable', 'exemple/remove'])(
  'the provider form at %s requires re-authentication',
  async (path) => {
    if (path !== 'new/oidc') await addProvider();
    const before = await listProviders(service.services.database);
    const other = await createSignedInAdmin(service);
    service.clock.advance(16 * 60);
    admin = await createSignedInAdmin(service);
    const fields = { ...EXAMPLE, name: 'Changed' };
    const refused = await other.submit(`${PROVIDERS_PATH}/${path}`, fields);
    expect([refused.status, await listProviders(service.services.database)]).toEqual([400, before]);
    await other.submit(`${PROVIDERS_PATH}/${path}`, { ...fields, current_password: other.user.password });
    expect(await listProviders(service.services.database)).not.toEqual(before);
  },
);

test('the list of providers shows their order, state and sign-ins of the last 30 days', async () => {
  await addProvider({ name: 'Notes & "Cie" <b>' });
  const { activity } = service.services;
  const now = service.clock.now();
  for (const daysAgo of [0, 29, 29, 30]) {
    const at = new Date(now.getTime() - daysAgo * 24 * 3_600_000);
    activity.countSignIn('signed_in', 'provider', at, 'exemple');
  }
  activity.countSignIn('signed_in', 'provider', now, 'another');
  await admin.submit(`${PROVIDERS_PATH}/exemple/disable`);
  const text = readText(readMain((await admin.browser.get(PROVIDERS_PATH)).body));
  expect(text).toMatch(/Sign-ins, 30 days.*Notes & "Cie" <b> ?OpenID Connect ?3 ?disabled/);
  expect(readHeading((await admin.browser.get(`${PROVIDERS_PATH}/exemple`)).body)).toContain('Notes &');
});

test('the list of providers explains the collapsed buttons only if there are any', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const explanation = 'The first four have a button';
  for (const [index, id] of names.entries()) {
    expect((await admin.browser.get(PROVIDERS_PATH)).body).not.toContain(explanation);
    await addProvider({ provider_id: id, issuer: `https://${id}.example`, name: `P${index}` });
  }
  expect((await admin.browser.get(PROVIDERS_PATH)).body).toContain(explanation);
  await admin.submit(`${PROVIDERS_PATH}/e/disable`);
  expect((await admin.browser.get(PROVIDERS_PATH)).body).not.toContain(explanation);
});

test('the page of a new provider links to its test', async () => {
  const { body } = await admin.browser.follow(await addProvider());
  expect(body).toMatch(
    new RegExp(`on the sign-in page. <a href="${PROVIDERS_PATH}/exemple/test">Test it now</a>`),
  );
});

test('the page of a provider warns if SECRET_KEY cannot decrypt the client secret', async () => {
  await addProvider();
  await sql(service.services.database, `update identity_providers set sealed_secret = 'x'`);
  expect((await admin.browser.get(`${PROVIDERS_PATH}/exemple`)).body).toContain(
    'SECRET_KEY does not decrypt it',
  );
  const overview = (await admin.browser.get('/console/operations')).body;
  expect(overview).toContain('SECRET_KEY does not decrypt the secret of Exemple');
});

test('the provider pages return 404 for unknown providers and non-administrators', async () => {
  await addProvider();
  const user = await openSignedInBrowser(service, await service.createUser());
  for (const path of [
    '',
    '/new',
    '/new/oidc',
    '/exemple',
    '/exemple/edit',
    '/exemple/remove',
    '/exemple/disable',
  ])
    expect((await user.get(`${PROVIDERS_PATH}${path}`)).status).toBe(404);
  for (const path of ['/unknown', '/unknown/edit', '/unknown/remove', '/%00', '/a%2Fb'])
    expect([400, 404]).toContain((await admin.browser.get(`${PROVIDERS_PATH}${path}`)).status);
});
