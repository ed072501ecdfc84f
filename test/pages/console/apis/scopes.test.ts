import { describe, expect, test } from 'vitest';
import type { ApiScope } from '../../../../src/oauth/api.ts';
import { listEvents } from '../../../../src/store/audit-log.ts';
import { findOwnedApi } from '../../../../src/store/owned-apis.ts';
import { APIS_PATH, apiPath, type FormFields, submitForm } from '../../../support/console-forms.ts';
import { listEmailsTo } from '../../../support/emails.ts';
import { findInput, readFieldError, readFormErrors } from '../../../support/markup.ts';
import { openSignedInBrowser } from '../../../support/oauth-flow.ts';
import { PASSWORD, useTestService } from '../../../support/service.ts';

const service = useTestService();

const buildScope = (name: string): ApiScope => ({
  name,
  fr: `${name} !`,
  en: name,
  sensitive: false,
  agents: false,
});

async function createOwnedApi(...names: string[]) {
  const user = await service.createUser();
  const { apiId } = await service.createApi({ ownerId: user.userId, scopes: names.map(buildScope) });
  const browser = await openSignedInBrowser(service, user);
  const findScopes = async () =>
    (await findOwnedApi(service.services.database, user.userId, apiId))?.scopes ?? [];
  const findEvents = async () =>
    (await listEvents(service.services.database, { apiId }, { limit: 10 })).map(({ kind, detail }) => [
      kind,
      detail.scope,
    ]);
  const addScope = (fields: FormFields) =>
    submitForm(browser, apiPath(apiId, '/scopes/new'), { ...NOTES_SCOPE, ...fields });
  return { user, apiId, browser, scopes: findScopes, events: findEvents, add: addScope };
}

const NOTES_SCOPE: FormFields = {
  scope: 'notes.read',
  description_fr: 'Lire vos notes',
  description_en: 'Read your notes',
};
const buildEditPath = (name: string) => `/scopes/edit-${encodeURIComponent(name)}`;
const buildRemovalPath = (name: string) => `/scopes/remove-${encodeURIComponent(name)}`;

describe('the form to add a scope', () => {
  test('adds the scope to the end of the list', async () => {
    const { add, browser, scopes, events } = await createOwnedApi('first');
    const response = await add({ description_en: ' Read  your notes ', traits: ['sensitive', 'agents'] });
    const { body } = await browser.follow(response);
    expect(body).toContain('The scope has been added.');
    for (const text of ['notes.read', 'Read your notes', 'sensitive', 'available to agents'])
      expect(body).toContain(text);
    expect(await scopes()).toEqual([
      buildScope('first'),
      { name: 'notes.read', fr: 'Lire vos notes', en: 'Read your notes', sensitive: true, agents: true },
    ]);
    expect(await events()).toEqual([['api_scope_added', 'notes.read']]);
    expect((await browser.get(APIS_PATH)).body).toContain('notes.read');
  });

  test('accepts names of up to 64 printable ASCII characters', async () => {
    const { add, scopes } = await createOwnedApi();
    const names = [
      "!#$%&'()*+,-./:;<=>?@[]^_`{|}~",
      'a/b',
      '..',
      '%2e',
      'new',
      'x'.repeat(64),
      '%'.repeat(64),
    ];
    for (const name of names) expect((await add({ scope: name })).location?.search).toBe('?done=added');
    expect((await scopes()).map(({ name }) => name)).toEqual(names);
  });

  test('rejects invalid names with a field error', async () => {
    const { add, browser, scopes } = await createOwnedApi('first');
    const reserved = ['openid', 'profile', 'email', 'phone', 'offline_access'];
    const cases = [
      ['', 'Enter a name for the scope.'],
      ['x'.repeat(65), '64 characters or fewer'],
      ...['two words', '"', '\\', 'é'].map((name) => [name, 'must not contain spaces'] as const),
      ...reserved.map((name) => [name, 'a scope of this service'] as const),
      ['first', 'already has a scope with this name'],
    ] as const;
    const errors: unknown[] = [];
    for (const [name] of cases) {
      const { body } = await browser.follow(await add({ scope: name }));
      errors.push([findInput(body, 'scope')?.value, readFieldError(body, 'scope')]);
    }
    expect(errors).toEqual(cases.map(([name, message]) => [name, expect.stringContaining(message)]));
    expect(await scopes()).toHaveLength(1);
  });

  test('requires a description of at most 200 characters', async () => {
    const { add, apiId, browser, scopes } = await createOwnedApi();
    const readErrors = async (description_fr: string, description_en: string) => {
      const { body } = await browser.follow(await add({ description_fr, description_en }));
      expect(readFormErrors(body)).toHaveLength(description_fr.length > 200 ? 2 : 1);
      return ['description', 'description_fr', 'description_en'].map((field) => readFieldError(body, field));
    };
    const [missing] = await readErrors(' ', '\u202e\u200b');
    expect(missing).toContain('Enter the description in French or English.');
    const [, french, english] = await readErrors('x'.repeat(201), 'x'.repeat(201));
    expect(french).toContain('The French description must be 200 characters or fewer.');
    expect(english).toContain('The English description must be 200 characters or fewer.');
    expect((await add({ description_fr: ' Lire  vos notes ', description_en: '' })).status).toBe(303);
    expect((await scopes()).at(-1)).toMatchObject({ fr: 'Lire vos notes', en: '' });
    const { body } = await browser.get(apiPath(apiId, '/scopes'));
    expect(body, 'the English page shows the French description').toContain('Lire vos notes');
  });

  test('allows at most 40 scopes per API', async () => {
    const { add, browser, scopes } = await createOwnedApi(
      ...Array.from({ length: 40 }, (_, index) => `s${index}`),
    );
    expect((await browser.follow(await add({}))).body).toContain('An API can have at most 40 scopes.');
    expect(await scopes()).toHaveLength(40);
    expect((await browser.get(APIS_PATH)).body, 'the list shows only the first scopes').toContain(
      'and 34 more',
    );
  });

  test('opens the scope to agents only if the API allows agents', async () => {
    const { browser, apiId, user } = await createOwnedApi();
    const agentsBox = /value="agents" disabled/;
    const { body } = await browser.get(apiPath(apiId, '/scopes/new'));
    expect(body).toMatch(agentsBox);
    expect(body).toContain(`href="${apiPath(apiId, '/edit')}#allowed_clients">Allow agents</a>`);
    const agentApi = await service.createApi({ ownerId: user.userId, allowedClients: 'agents' });
    expect((await browser.get(apiPath(agentApi.apiId, '/scopes/new'))).body).not.toMatch(agentsBox);
  });

  test('keeps the scope closed to agents by default', async () => {
    const { browser, apiId, user } = await createOwnedApi();
    expect((await browser.get(apiPath(apiId, '/scopes/new'))).body).not.toMatch(/value="agents" checked/);
    const agentApi = await service.createApi({ ownerId: user.userId, allowedClients: 'agents' });
    expect((await browser.get(apiPath(agentApi.apiId, '/scopes/new'))).body).not.toMatch(
      /value="agents" checked/,
    );
  });
});

describe('the form to edit a scope', () => {
  test('changes the descriptions and flags but not the name', async () => {
    const { browser, apiId, scopes, events } = await createOwnedApi('a/b', 'c');
    const fields = {
      scope: 'other',
      description_fr: 'Autre',
      description_en: 'Other',
      traits: ['sensitive'],
    };
    const response = await submitForm(browser, apiPath(apiId, buildEditPath('a/b')), fields);
    expect(response.location?.search).toBe('?done=changed');
    expect(await scopes()).toEqual([
      { name: 'a/b', fr: 'Autre', en: 'Other', sensitive: true, agents: false },
      buildScope('c'),
    ]);
    expect(await events()).toEqual([['api_scope_changed', 'a/b']]);
  });

  test('requires re-authentication if the change relaxes restrictions', async () => {
    const { browser, user, apiId, scopes } = await createOwnedApi('c');
    const settings = {
      name: 'A',
      description_fr: 'A',
      description_en: 'A',
      allowed_clients: 'own',
      token_lifetime: '90',
    };
    await submitForm(browser, apiPath(apiId, '/edit'), settings);
    await submitForm(browser, apiPath(apiId, buildEditPath('c')), { ...NOTES_SCOPE, traits: 'sensitive' });
    const readState = async () => {
      const [firstScope] = await scopes();
      const api = await findOwnedApi(service.services.database, user.userId, apiId);
      return [api?.allowedClients, firstScope?.sensitive, firstScope?.agents, (await scopes()).length];
    };
    service.clock.advance(16 * 60);
    const cases: [path: string, fields: FormFields][] = [
      ['/edit', { ...settings, allowed_clients: 'applications' }],
      [buildEditPath('c'), NOTES_SCOPE],
      [buildEditPath('c'), { ...NOTES_SCOPE, traits: ['sensitive', 'agents'] }],
      ['/scopes/new', NOTES_SCOPE],
    ];
    for (const [path, fields] of cases) {
      const response = await browser.follow(await submitForm(browser, apiPath(apiId, path), fields));
      expect(readFormErrors(response.body), path).toEqual(['Enter your current password.']);
    }
    expect(await readState()).toEqual(['own', true, false, 1]);
    // New descriptions and stricter flags need no re-authentication.
    await submitForm(browser, apiPath(apiId, buildEditPath('c')), {
      ...NOTES_SCOPE,
      description_en: 'Other',
      traits: 'sensitive',
    });
    expect((await scopes())[0]?.en).toBe('Other');
    await submitForm(browser, apiPath(apiId, '/scopes/new'), {
      ...NOTES_SCOPE,
      scope: 'd',
      traits: 'sensitive',
    });
    const expectedSubject = 'API settings changed on Sésame';
    const countEmails = async () =>
      (await listEmailsTo(service, user.email)).filter(({ subject }) => subject === expectedSubject).length;
    expect(await countEmails()).toBe(0);
    for (const [path, fields] of cases)
      await submitForm(browser, apiPath(apiId, path), { ...fields, current_password: PASSWORD });
    expect(await readState()).toEqual(['applications', true, true, 3]);
    expect(await countEmails()).toBe(3);
  });

  test('opens for a name with special characters', async () => {
    const names = ['..', '%2e', '?', "!#$%&'()*+,-./:;<=>?@[]^_`{|}~", '%'.repeat(64)];
    const { browser, apiId } = await createOwnedApi(...names);
    const { body } = await browser.get(apiPath(apiId, '/scopes'));
    for (const subpath of names.flatMap((name) => [buildEditPath(name), buildRemovalPath(name)])) {
      expect(body).toContain(apiPath(apiId, subpath).replace(/&/g, '&amp;').replace(/'/g, '&#39;'));
      expect((await browser.get(apiPath(apiId, subpath))).status).toBe(200);
    }
  });
});

describe('removing a scope', () => {
  test('requires confirmation', async () => {
    const { browser, apiId, scopes, events } = await createOwnedApi('a', 'b');
    const page = await browser.get(apiPath(apiId, buildRemovalPath('a')));
    expect(page.body).toContain('lose it at their next token refresh');
    const response = await submitForm(browser, apiPath(apiId, buildRemovalPath('a')));
    expect(response.location?.search).toBe('?done=removed');
    expect(await scopes()).toEqual([buildScope('b')]);
    expect(await events()).toEqual([['api_scope_removed', 'a']]);
    expect((await browser.get(apiPath(apiId, buildRemovalPath('a')))).status, 'gone').toBe(404);
  });
});
