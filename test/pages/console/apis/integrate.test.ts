import { beforeAll, describe, expect, test } from 'vitest';
import { API_TEMPLATES } from '../../../../src/pages/console/snippets/templates.ts';
import type { NewApi } from '../../../../src/store/apis.ts';
import type { BrowserSession } from '../../../support/browser-session.ts';
import { apiPath } from '../../../support/console-forms.ts';
import { readCodeBlock } from '../../../support/markup.ts';
import { openSignedInBrowser } from '../../../support/oauth-flow.ts';
import { useTestService } from '../../../support/service.ts';

const service = useTestService();
let browser: BrowserSession;
let api: NewApi;
beforeAll(async () => {
  const owner = await service.createUser();
  browser = await openSignedInBrowser(service, owner);
  api = await service.createApi({ ownerId: owner.userId, identifier: 'https://api.example/v1/mcp' });
});

const loadPage = async ({ apiId }: NewApi, query = '') =>
  (await browser.get(apiPath(apiId, `/integrate${query}`))).body;

const readCodeElement = (page: string, id: string) =>
  new RegExp(`<code class="whole" id="${id}">(.*?)</code>`).exec(page)?.[1]?.replaceAll(/<[^>]*>/g, '') ?? '';

describe("an API's integration page", () => {
  test('shows the protected resource metadata (RFC 9728)', async () => {
    const page = await loadPage(api, '?tab=reference');
    expect(readCodeElement(page, 'document-address')).toBe(
      'https://api.example/.well-known/oauth-protected-resource/v1/mcp',
    );
    expect(JSON.parse(readCodeBlock(page, 'document'))).toEqual({
      resource: api.identifier,
      authorization_servers: [service.baseUrl],
      scopes_supported: ['read', 'write'],
      bearer_methods_supported: ['header'],
    });
  });

  test('shows WWW-Authenticate challenges with the metadata URL and the scope', async () => {
    const page = await loadPage(api, '?tab=reference');
    const parameters =
      'resource_metadata="https://api.example/.well-known/oauth-protected-resource/v1/mcp", scope="read"';
    expect(readCodeBlock(page, 'challenge')).toBe(`WWW-Authenticate: Bearer ${parameters}`);
    expect(readCodeBlock(page, 'challenge-scope')).toBe(
      `WWW-Authenticate: Bearer error="insufficient_scope", ${parameters}`,
    );
  });
});

test("an API's integration page omits scopes from the reference values if there are none", async () => {
  const owner = await service.createUser();
  const { apiId } = await service.createApi({ ownerId: owner.userId, scopes: [] });
  const page = (
    await (await openSignedInBrowser(service, owner)).get(apiPath(apiId, '/integrate?tab=reference'))
  ).body;
  expect(JSON.parse(readCodeBlock(page, 'document'))).not.toHaveProperty('scopes_supported');
  expect(readCodeBlock(page, 'challenge')).not.toContain('scope=');
  expect(page).not.toContain('id="challenge-scope"');
});

test("an API's integration page shows the first library by default", async () => {
  for (const { id } of API_TEMPLATES)
    expect(readCodeBlock(await loadPage(api, `?library=${id}`), `${id}-1`)).toContain(service.baseUrl);
  for (const query of ['', '?library=x', '?library=__proto__', '?tab=x'])
    expect(await loadPage(api, query), query).toContain('id="api-node-1"');
});

test("an API's integration page has separate tabs for code and reference values", async () => {
  const page = await loadPage(api);
  for (const tab of ['', '?tab=reference'])
    expect(page).toContain(`href="${apiPath(api.apiId, `/integrate${tab}`)}"`);
  expect(page).not.toContain('id="document"');
  expect(await loadPage(api, '?tab=reference')).not.toContain('id="api-node-1"');
});

test("an API's integration page shows the endpoints from the discovery document", async () => {
  const page = await loadPage(api, '?tab=reference');
  const metadata = await (await fetch(readCodeElement(page, 'metadata'))).json();
  expect(metadata).toMatchObject({
    issuer: readCodeElement(page, 'issuer'),
    jwks_uri: readCodeElement(page, 'keys'),
    introspection_endpoint: readCodeElement(page, 'introspection'),
  });
});

test("an API's integration page links to the scope form if there are no scopes", async () => {
  const apiWithoutScopes = await service.createApi({ ownerId: api.ownerId, scopes: [] });
  const page = await loadPage(apiWithoutScopes);
  expect(page).toContain(`href="${apiPath(apiWithoutScopes.apiId, '/scopes/new')}"`);
  expect(await loadPage(api)).not.toContain('scopes/new');
});
