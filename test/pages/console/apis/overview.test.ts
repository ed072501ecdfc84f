import { beforeAll, describe, expect, test } from 'vitest';
import { createApiWithSecret, obtainApiToken } from '../../../support/apis.ts';
import type { BrowserSession } from '../../../support/browser-session.ts';
import { apiPath } from '../../../support/console-forms.ts';
import { readText } from '../../../support/markup.ts';
import { openSignedInBrowser } from '../../../support/oauth-flow.ts';
import { type TestService, type TestUser, useTestService } from '../../../support/service.ts';

const service = useTestService();
let owner: TestUser;
let browser: BrowserSession;
beforeAll(async () => {
  owner = await service.createUser();
  browser = await openSignedInBrowser(service, owner);
});

const createApi = (fields: Parameters<TestService['createApi']>[0] = {}) =>
  createApiWithSecret(service, { ownerId: owner.userId, ...fields });
const loadPage = async ({ apiId }: { apiId: string }) => (await browser.get(apiPath(apiId))).body;
const buildScope = (name: string, fields = {}) => ({
  ...{ name, fr: `${name} en français`, en: `${name} in English` },
  ...{ sensitive: false, agents: false },
  ...fields,
});

describe("an API's overview", () => {
  test('shows who can request tokens, and the scopes with their properties', async () => {
    const scopes = [
      buildScope('read', { agents: true }),
      buildScope('write', { sensitive: true }),
      buildScope('list'),
    ];
    const api = await createApi({ allowedClients: 'agents', scopes });
    const body = await loadPage(api);
    const text = readText(body);
    expect(text).toContain('Who can request tokensapplications and agents');
    expect(text).toContain('readread in English available to agents');
    expect(text).toContain('writewrite in English sensitive');
    expect(text).toMatch(/listlist in English Edit/);
    for (const path of ['/edit#allowed_clients', '/scopes/edit-read', '/scopes/new'])
      expect(body).toContain(`href="${apiPath(api.apiId, path)}"`);
  });

  test('links to the other scopes of an API with many scopes', async () => {
    const names = Array.from({ length: 9 }, (_, index) => `scope${index}`);
    const api = await createApi({ scopes: names.map((name) => buildScope(name)) });
    const body = await loadPage(api);
    expect(names.filter((name) => body.includes(`<code>${name}</code>`))).toEqual(names.slice(0, 6));
    expect(body).toContain(`href="${apiPath(api.apiId, '/scopes')}">and 3 more</a>`);
  });

  test('suggests the connection test until an application has access', async () => {
    const api = await createApi();
    const task = `href="${apiPath(api.apiId, '/test')}">Test the connection</a>`;
    expect(await loadPage(api)).toContain(task);
    const user = await openSignedInBrowser(service, await service.createUser());
    const application = await service.createClient({ ownerId: owner.userId });
    await obtainApiToken(service, application, user, api);
    const body = await loadPage(api);
    expect(body).not.toContain(task);
    expect(readText(body)).toContain('Applications with access1');
  });
});
