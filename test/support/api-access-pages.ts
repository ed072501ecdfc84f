// The pages of an API's access and diagnostics, opened in one go: every state, with names that have to be escaped.
import { writeRefusals } from '../../src/store/refusals.ts';
import { atApi } from './api-console.ts';
import { apiWithSecret, introspect } from './apis.ts';
import type { Visit } from './browser-session.ts';
import type { OpenedPage } from './every-page.ts';
import { signedInBrowser } from './flow.ts';
import type { TestService } from './service.ts';

const HOSTILE = 'Notes & "Cie" <b>\'x\'';

/** Opens the pages in a language. */
export async function openApiAccessPages(service: TestService, language: 'fr' | 'en'): Promise<OpenedPage[]> {
  const pages: OpenedPage[] = [];
  const add = (name: string, status: number, visit: Visit) => {
    pages.push({ name: `api access: ${name}`, status, visit, pending: false });
    return visit;
  };
  const owner = await service.createUser();
  const browser = await signedInBrowser(service, owner);
  await browser.get(`/account?lang=${language}`);
  const calm = await apiWithSecret(service, { ownerId: owner.userId });
  const api = await apiWithSecret(service, { ownerId: owner.userId, name: HOSTILE });
  const application = await service.createApplication({ name: HOSTILE });
  await introspect(service, api, 'x', { client_secret: '"><b>' });
  await writeRefusals(
    service.parts.database,
    ['resource_closed', 'scope_not_of_api'].map((kind) => ({
      ...{ clientId: application.clientId, apiId: api.apiId, authenticated: false, held: false, kind },
      ...{ endpoint: 'authorize', error: 'invalid_target', facts: { sent: '"><b>' }, address: '192.0.2.1' },
      ...{ incidents: ['ABCDEFGHJK'], firstAt: service.clock.now(), lastAt: service.clock.now(), count: 3 },
      fingerprint: Buffer.from(`${kind} ${language}`),
    })),
  );
  const diagnostics = (of: typeof api, query = '') => browser.get(atApi(of.apiId, `/diagnostics${query}`));
  add('nothing refused', 200, await diagnostics(calm));
  add('much refused', 200, await diagnostics(api));
  add('no such incident', 200, await diagnostics(api, '?incident=%22%3E%3Cb%3E'));
  return pages;
}
