// The consent pages of requests that name APIs, opened in one go: an application's, an agent's with boxes, none of them ticked.
import type { Visit } from './browser-session.ts';
import { authorizeAddress, browserIn, decide, signIn } from './flow.ts';
import type { OpenedPage } from './opened-page.ts';
import { sql } from './populate.ts';
import type { TestApplication, TestService } from './service.ts';

const HOSTILE = 'Notes & "Cie" <b>\'x\'';

/** Opens the pages in a language. */
export async function openConsentPages(service: TestService, language: 'fr' | 'en'): Promise<OpenedPage[]> {
  const pages: OpenedPage[] = [];
  const add = (name: string, status: number, visit: Visit) => {
    pages.push({ name: `consent: ${name}`, status, visit, pending: true });
    return visit;
  };
  const owner = await service.createUser({ name: HOSTILE });
  const scope = (name: string, sensitive: boolean) => ({
    name,
    fr: HOSTILE,
    en: HOSTILE,
    sensitive,
    agents: true,
  });
  const api = await service.createApi({
    ownerId: owner.userId,
    name: HOSTILE,
    wordsFr: HOSTILE,
    wordsEn: HOSTILE,
    admits: 'agents',
    scopes: [scope('read', false), scope('delete', true)],
  });
  const browser = await browserIn(service, language);
  await signIn(browser, await service.createUser());
  const ask = async (application: TestApplication, parameters: Record<string, string | undefined>) => {
    const address = authorizeAddress(service, application, { resource: api.identifier, ...parameters });
    return browser.follow(await browser.get(address));
  };
  const application = await service.createApplication({ name: HOSTILE });
  add('API', 200, await ask(application, { scope: 'profile read delete' }));
  const agent = await createAgent(service, `agent_pages_${language}`);
  const pkce = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' };
  const picks = add('agent', 200, await ask(agent, { scope: undefined, ...pkce }));
  add('nothing picked', 400, await decide(browser, picks, 'allow'));
  add('agent, profile', 200, await ask(agent, { scope: undefined, resource: undefined, ...pkce }));
  return pages;
}

/** An agent that registered itself, and whose answers stay on the device. */
async function createAgent(service: TestService, clientId: string): Promise<TestApplication> {
  const application = await service.createApplication({
    name: HOSTILE,
    type: 'public',
    standard: true,
    redirectUris: ['http://127.0.0.1:8080/callback'],
    scopes: ['openid', 'profile', 'email'],
  });
  await sql(
    service.parts.database,
    'update clients set owner_id = null, client_id = $2 where client_id = $1',
    [application.clientId, clientId],
  );
  return { ...application, clientId };
}
