// The pages of an API's access and diagnostics, opened in one go: every state, with names that have to be escaped.
import { writeRefusals } from '../../src/store/refusals.ts';
import { statement } from '../../src/store/statement.ts';
import { atApi } from './api-console.ts';
import { apiWithSecret, introspect, obtainApiToken } from './apis.ts';
import { fill } from './console.ts';
import { signedInBrowser } from './flow.ts';
import { type OpenedPage, pageList } from './opened-page.ts';
import type { TestService } from './service.ts';
import { grantServiceAccess } from './service-access.ts';

const HOSTILE = 'Notes & "Cie" <b>\'x\'';

/** Opens the pages in a language. */
export async function openApiAccessPages(service: TestService, language: 'fr' | 'en'): Promise<OpenedPage[]> {
  const { pages, add } = pageList('api access');
  const owner = await service.createUser();
  const browser = await signedInBrowser(service, owner);
  await browser.get(`/account?lang=${language}`);
  const calm = await apiWithSecret(service, { ownerId: owner.userId });
  const api = await apiWithSecret(service, { ownerId: owner.userId, name: HOSTILE });
  const application = await service.createApplication({ name: HOSTILE });
  await introspect(service, api, 'x', { client_secret: '"><b>' });
  await writeRefusals(
    service.parts.database,
    ['resource_closed', 'scope_not_of_api', 'scope_not_of_api'].map((kind) => ({
      ...{ clientId: application.clientId, apiId: api.apiId, authenticated: false, held: false, kind },
      ...{ endpoint: 'authorize', error: 'invalid_target', facts: { sent: '"><b>' }, address: '192.0.2.1' },
      ...{ incident: 'ABCDEFGHJK', at: service.clock.now() },
    })),
  );
  const diagnostics = (of: typeof api, query = '') => browser.get(atApi(of.apiId, `/diagnostics${query}`));
  add('nothing refused', 200, await diagnostics(calm));
  add('much refused', 200, await diagnostics(api));
  const { clientId } = await service.createApplication({ name: HOSTILE, type: 'public' });
  const agent = `https://assistant-${language}.example/client.json`;
  const become = 'update clients set client_id = $2, owner_id = null where client_id = $1';
  await service.parts.database.query(statement('test_become_agent', become), [clientId, agent]);
  await grantServiceAccess(service.parts.database, api, { clientId: agent });
  await obtainApiToken(service, application, browser, api);
  const access = (below: string, client?: string) => {
    const query = client === undefined ? '' : `?${new URLSearchParams({ client_id: client })}`;
    return `${atApi(api.apiId, `/access${below}`)}${query}`;
  };
  add('nobody has access', 200, await browser.get(atApi(calm.apiId, '/access')));
  add('an application and an agent have access', 200, await browser.get(access('')));
  add('cut off', 200, await browser.get(access('/cut', agent)));
  add('one is cut off', 200, await browser.follow(await fill(browser, access('/cut', agent))));
  add('let in again', 200, await browser.get(access('/readmit', agent)));
  add('no such incident', 200, await diagnostics(api, '?incident=%22%3E%3Cb%3E'));
  return pages;
}
