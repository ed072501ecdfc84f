// GET /console/apis/:api_id/integrate: who sees it, and what of an API stands there.

import { beforeAll, describe, expect, test } from 'vitest';
import { API_TEMPLATES } from '../../../../src/pages/console/snippets/templates.ts';
import type { NewApi } from '../../../../src/store/apis.ts';
import type { BrowserSession } from '../../../support/browser-session.ts';
import { atApi } from '../../../support/console.ts';
import { signedInBrowser } from '../../../support/flow.ts';
import { codeOf } from '../../../support/markup.ts';
import { useTestService } from '../../../support/service.ts';

const service = useTestService();
let browser: BrowserSession;
let api: NewApi;
beforeAll(async () => {
  const owner = await service.createUser();
  browser = await signedInBrowser(service, owner);
  api = await service.createApi({ ownerId: owner.userId, identifier: 'https://api.example/v1/mcp' });
});

const pageOf = async ({ apiId }: NewApi, query = '') =>
  (await browser.get(atApi(apiId, `/integrate${query}`))).body;

const factOf = (page: string, id: string) =>
  new RegExp(`<code class="whole" id="${id}">(.*?)</code>`).exec(page)?.[1]?.replaceAll(/<[^>]*>/g, '') ?? '';

describe('what the API serves and answers (RFC 9728)', () => {
  test('the document, after the well-known path that its identifier gives', async () => {
    const page = await pageOf(api);
    expect(factOf(page, 'document-address')).toBe(
      'https://api.example/.well-known/oauth-protected-resource/v1/mcp',
    );
    expect(JSON.parse(codeOf(page, 'document'))).toEqual({
      resource: api.identifier,
      authorization_servers: [service.baseUrl],
      scopes_supported: ['read', 'write'],
      bearer_methods_supported: ['header'],
    });
  });

  test('the challenges name the document and the scope', async () => {
    const page = await pageOf(api);
    const rest =
      'resource_metadata="https://api.example/.well-known/oauth-protected-resource/v1/mcp", scope="read"';
    expect(codeOf(page, 'challenge')).toBe(`WWW-Authenticate: Bearer ${rest}`);
    expect(codeOf(page, 'challenge-scope')).toBe(
      `WWW-Authenticate: Bearer error="insufficient_scope", ${rest}`,
    );
  });
});

test('one library after the other, the first where none or no such one is named', async () => {
  for (const { id } of API_TEMPLATES)
    expect(codeOf(await pageOf(api, `?library=${id}`), `${id}-1`)).toContain(service.baseUrl);
  for (const query of ['', '?library=x', '?library=__proto__'])
    expect(await pageOf(api, query), query).toContain('id="api-node-1"');
});

test('what code has to know agrees with discovery', async () => {
  const page = await pageOf(api);
  const metadata = await (await fetch(factOf(page, 'metadata'))).json();
  expect(metadata).toMatchObject({
    issuer: factOf(page, 'issuer'),
    jwks_uri: factOf(page, 'keys'),
    introspection_endpoint: factOf(page, 'introspection'),
  });
});

test('without a scope, it says that the code is filled with an example', async () => {
  const bare = await service.createApi({ ownerId: api.ownerId, scopes: [] });
  const page = await pageOf(bare);
  expect(page).toContain(`href="${atApi(bare.apiId, '/scopes/new')}"`);
  expect(await pageOf(api)).not.toContain('scopes/new');
});
