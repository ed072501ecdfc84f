import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { computeCodeChallenge } from '../../../src/oauth/pkce.ts';
import type { NewApi } from '../../../src/store/apis.ts';
import { listConsents } from '../../../src/store/consents.ts';
import type { BrowserSession, Visit } from '../../support/browser-session.ts';
import {
  listUrls,
  parseElements,
  readFormErrors,
  readHeading,
  readMain,
  readText,
} from '../../support/markup.ts';
import { createMetadataClient, type MetadataHost, openMetadataHost } from '../../support/metadata-clients.ts';
import {
  buildAuthorizeUrl,
  createVerifier,
  openSignedInBrowser,
  redeemCode,
  submitDecision,
} from '../../support/oauth-flow.ts';
import { startTestService, type TestService, type TestUser } from '../../support/service.ts';
import { sql } from '../../support/store-fixtures.ts';

let host: MetadataHost;
let service: TestService;
let user: TestUser;
let browser: BrowserSession;
/** An API that offers agents the scopes `read`, `list` and `write` (sensitive). */
let api: NewApi;
beforeAll(async () => {
  host = await openMetadataHost();
  service = await startTestService({ AGENTS: host.origin });
  user = await service.createUser();
  browser = await openSignedInBrowser(service, user);
  api = await createApi();
});
afterAll(async () => {
  await service.close();
  host.close();
});

const buildScope = (name: string, fields = {}) => ({
  name,
  fr: `${name} en français`,
  en: `${name} in English`,
  sensitive: false,
  agents: true,
  ...fields,
});
const createApi = () =>
  service.createApi({
    allowedClients: 'agents',
    scopes: [
      buildScope('read'),
      buildScope('list'),
      buildScope('write', { sensitive: true }),
      buildScope('delete', { agents: false }),
    ],
  });

const verifier = createVerifier();
const REDIRECT_URI = 'https://agent.example/callback';
type RequestOptions = { redirectUri?: string; language?: string } & Record<string, string | undefined>;

async function openConsentPage(
  clientId: string,
  { redirectUri = REDIRECT_URI, ...parameters }: RequestOptions = {},
): Promise<Visit> {
  const url = buildAuthorizeUrl(service, createMetadataClient(clientId, redirectUri), {
    scope: undefined,
    resource: api.identifier,
    code_challenge: computeCodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...parameters,
  });
  return browser.follow(await browser.get(url));
}

const readCheckboxes = (visit: Visit) =>
  Object.fromEntries(
    parseElements(visit.body)
      .filter(({ attributes }) => attributes.type === 'checkbox')
      .map(({ attributes }) => [attributes.value, 'checked' in attributes]),
  );
const allowScopes = (visit: Visit, ticked: string[]) => submitDecision(browser, visit, 'allow', ticked);
const buildScopeValues = (...names: string[]) => names.map((name) => `${api.apiId} ${name}`);
const readCode = (visit: Visit) => visit.location?.searchParams.get('code') ?? '';
const redeemCodeFor = async (clientId: string, visit: Visit, resource: string | null = api.identifier) =>
  (
    await redeemCode(service, createMetadataClient(clientId, REDIRECT_URI), readCode(visit), {
      code_verifier: verifier,
      resource: resource ?? undefined,
    })
  ).body;
const readConsentedScopes = async (clientId: string) => {
  const rows = await listConsents(service.services.database, user.userId);
  const row = rows.find((consent) => consent.clientId === clientId);
  return (
    row && [
      ...row.scopes,
      ...row.apis.flatMap(({ scopes }) => buildScopeValues(...scopes.map(({ name }) => name))),
    ]
  );
};

describe('the consent page for an agent', () => {
  test("marks the agent's name as unverified", async () => {
    await service.createClient({ name: 'Ma Banque' });
    const page = await openConsentPage(
      host.publish({ client_name: 'Ma Banque', logo_uri: `${host.origin}/logo.png` }),
    );
    const { host: name } = new URL(host.origin);
    expect(readHeading(page.body)).toBe(`Give ${name} access to Archives?`);
    const text = readText(readMain(page.body));
    expect(text.indexOf(name)).toBeLessThan(text.indexOf('Ma Banque'));
    expect(text).toContain('Calls itself Ma Banque');
    expect(text).toContain('unregistered agent');
    expect(text).toContain('Deny if you do not recognize this address');
    expect(text).toContain('The response goes to agent.example');
    const externalUrls = listUrls(page.body).filter((url) => /^https?:|^\/\//.test(url));
    expect(externalUrls.filter((url) => !url.startsWith(service.baseUrl))).toEqual([]);
    expect(host.requests.map(({ path }) => path)).not.toContain('/logo.png');
    const { body } = await browser.get(`/signin?pending=${page.hidden.pending}`);
    expect([body.includes(name), body.includes('Ma Banque')]).toEqual([true, false]);
  });

  test.each([
    [
      'http://localhost/callback',
      'http://localhost:7777/callback',
      'Any program on this device can receive the response (localhost:7777)',
    ],
    [
      'http://127.0.0.1/callback',
      'http://127.0.0.1:7777/callback',
      'Any program on this device can receive the response (127.0.0.1:7777)',
    ],
    [
      'com.example.agent:/callback',
      'com.example.agent:/callback',
      'Any application on this device can receive the response',
    ],
  ])('warns about a redirect to %s', async (registered, redirectUri, warning) => {
    const agent = host.publish({ redirect_uris: [registered, REDIRECT_URI] });
    expect(readText((await openConsentPage(agent, { redirectUri })).body)).toContain(warning);
    expect(readText((await openConsentPage(agent)).body)).not.toContain('on this device');
  });

  test('shows the redirect host of a dynamic client', async () => {
    const application = await service.createClient({ type: 'public', redirectUris: [REDIRECT_URI] });
    const id = 'agent_registered';
    await sql(
      service.services.database,
      "update clients set owner_id = null, scopes = '{openid}', client_id = $2 where client_id = $1",
      [application.clientId, id],
    );
    const page = await openConsentPage(id, { scope: 'read' });
    expect(readHeading(page.body)).toBe('Give agent.example access to Archives?');
    expect(readText(page.body)).toContain('unverified agent');
  });

  const LOOPBACK_CALLBACK = 'http://127.0.0.1:8080/callback';
  const openLoopbackAgentPage = async (name: string) => {
    const redirectUris = [LOOPBACK_CALLBACK];
    const { clientId } = await service.createClient({ type: 'public', name, redirectUris });
    const id = clientId.replace('app_', 'agent_');
    await sql(
      service.services.database,
      "update clients set owner_id = null, scopes = '{openid}', client_id = $2 where client_id = $1",
      [clientId, id],
    );
    return openConsentPage(id, { scope: 'read', redirectUri: LOOPBACK_CALLBACK });
  };

  test('marks the name of an agent with a loopback redirect URI as unverified', async () => {
    const page = await openLoopbackAgentPage('Scribe');
    expect(readHeading(page.body)).toBe('Give the unverified agent “Scribe” access to Archives?');
    const text = readText(readMain(page.body));
    expect(text).toContain('Any program on this device can receive the response (127.0.0.1:8080)');
    expect(text).toContain('Calls itself Scribe unverified agent');
    const metadataAgent = host.publish({ redirect_uris: [LOOPBACK_CALLBACK], client_name: 'Scribe' });
    const { body } = await openConsentPage(metadataAgent, { scope: 'read', redirectUri: LOOPBACK_CALLBACK });
    expect(readHeading(body)).toBe(`Give ${new URL(host.origin).host} access to Archives?`);
  });

  test.each([
    ['a closing quotation mark', 'Scribe” or “Google', 'the unverified agent “Scribe or Google”'],
    ['a host', 'google.com', 'the unverified agent “google com”'],
    ['spaces', `Scribe${'\u00a0'.repeat(40)}Google`, 'the unverified agent “Scribe Google”'],
    ['stacked marks', `S${'\u0338'.repeat(40)}`, `the unverified agent “S${'\u0338'.repeat(3)}”`],
    ['80 letters', 'W'.repeat(80), `the unverified agent “${'W'.repeat(39)}…”`],
    ['only quotation marks', '“”', '127.0.0.1:8080'],
  ])('is safe against an unverified name with %s', async (_, name, shown) => {
    const page = await openLoopbackAgentPage(name);
    expect(readHeading(page.body)).toBe(`Give ${shown} access to Archives?`);
    expect(readText(readMain(page.body))).toContain('unverified agent');
  });
});

describe('the consent page for a request without scopes', () => {
  // Reset the rate limit on document fetches.
  beforeAll(() => service.clock.advance(3600));

  test('shows a checkbox for each available scope', async () => {
    const agent = host.publish();
    const page = await openConsentPage(agent);
    expect(readCheckboxes(page)).toEqual({
      [`${api.apiId} read`]: true,
      [`${api.apiId} list`]: true,
      [`${api.apiId} write`]: false,
    });
    const visit = await allowScopes(page, buildScopeValues('read', 'write'));
    expect(await readConsentedScopes(agent)).toEqual(buildScopeValues('read', 'write'));
    const body = await redeemCodeFor(agent, visit);
    expect(body.scope).toBe('read write');
    expect(decodeJwt(String(body.access_token)).scope).toBe('read write');
  });

  test('ignores scopes that were not shown', async () => {
    const agent = host.publish();
    const other = await createApi();
    const page = await openConsentPage(agent);
    const forged = [
      ...buildScopeValues('read', 'delete', 'admin'),
      `${other.apiId} read`,
      'profile',
      'phone',
      'read',
    ];
    const visit = await allowScopes(page, forged);
    expect(await readConsentedScopes(agent)).toEqual(buildScopeValues('read'));
    expect((await redeemCodeFor(agent, visit)).scope).toBe('read');
  });

  test('shows an error if no scope is selected', async () => {
    const agent = host.publish();
    for (const ticked of [[], ['phone', ...buildScopeValues('delete')]]) {
      const nextPage = await allowScopes(await openConsentPage(agent), ticked);
      expect([nextPage.status, readCode(nextPage)]).toEqual([400, '']);
      expect(readText(nextPage.body)).toContain('Select at least one');
      expect(readFormErrors(nextPage.body)).toHaveLength(1);
      expect(Object.values(readCheckboxes(nextPage))).toEqual([false, false, false]);
      expect(readCode(await allowScopes(nextPage, buildScopeValues('list')))).toBeTruthy();
    }
  });

  test('grants access to APIs with a selected scope', async () => {
    const agent = host.publish();
    const other = await createApi();
    const url = buildAuthorizeUrl(service, createMetadataClient(agent, REDIRECT_URI), {
      scope: undefined,
      resource: api.identifier,
      code_challenge: computeCodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    url.searchParams.append('resource', other.identifier);
    const page = await browser.follow(await browser.get(url));
    expect(Object.keys(readCheckboxes(page))).toHaveLength(6);
    const visit = await allowScopes(page, buildScopeValues('read'));
    expect((await redeemCodeFor(agent, visit, other.identifier)).error).toBe('invalid_target');
    expect((await redeemCodeFor(agent, visit)).scope).toBe('read');
  });

  test('is shown again on resubmission with different scopes', async () => {
    const agent = host.publish();
    const page = await openConsentPage(agent);
    const first = await allowScopes(page, buildScopeValues('read'));
    expect(readCode(await allowScopes(page, buildScopeValues('read')))).toBe(readCode(first));
    const secondVisit = await allowScopes(page, buildScopeValues('read', 'write'));
    expect(readCode(secondVisit)).toBe('');
    expect((await browser.follow(secondVisit)).body).toContain('action="/consent"');
    expect(await readConsentedScopes(agent)).toEqual(buildScopeValues('read'));
  });
});

describe('the consent page for a request with scopes', () => {
  beforeEach(async () => {
    service.clock.advance(3600);
    await browser.get('/account?lang=en');
  });

  test('shows checkboxes only for sensitive scopes', async () => {
    const page = await openConsentPage(host.publish(), { scope: 'read list write' });
    expect(readCheckboxes(page)).toEqual({ [`${api.apiId} write`]: false });
    const text = readText(readMain(page.body));
    expect(text.indexOf('Sensitive access')).toBeLessThan(text.indexOf('write in English'));
    expect(text.indexOf('write in English')).toBeLessThan(text.indexOf('read in English'));
  });

  test('does not grant an unselected sensitive scope', async () => {
    const agent = host.publish();
    const visit = await allowScopes(await openConsentPage(agent, { scope: 'openid read write' }), []);
    expect(await readConsentedScopes(agent)).toEqual(['openid', ...buildScopeValues('read')]);
    const body = await redeemCodeFor(agent, visit);
    expect(body.scope).toBe('read');
    expect(decodeJwt(String(body.access_token)).scope).toBe('read');
  });

  test('shows an error if no scope is selected', async () => {
    for (const scope of ['write', 'offline_access write']) {
      const nextPage = await allowScopes(await openConsentPage(host.publish(), { scope }), []);
      expect([nextPage.status, readCode(nextPage)]).toEqual([400, '']);
      expect(readFormErrors(nextPage.body)).toHaveLength(1);
      expect(readCode(await allowScopes(nextPage, buildScopeValues('write')))).toBeTruthy();
    }
  });

  test('ignores scopes added to the form', async () => {
    const agent = host.publish();
    const other = await createApi();
    const page = await openConsentPage(agent, { scope: 'read' });
    const forged = [
      ...buildScopeValues('write', 'list', 'delete'),
      `${other.apiId} read`,
      'profile',
      'write',
      '__proto__',
    ];
    expect((await redeemCodeFor(agent, await allowScopes(page, forged))).scope).toBe('read');
    expect(await readConsentedScopes(agent)).toEqual(buildScopeValues('read'));
  });

  test('ignores scopes selected for a different request', async () => {
    const [firstAgent, secondAgent] = [host.publish(), host.publish()];
    const first = await openConsentPage(firstAgent, { scope: 'read write' });
    const second = await openConsentPage(secondAgent, { scope: 'read' });
    const visit = await allowScopes(
      { ...first, hidden: { ...first.hidden, ...second.hidden } },
      buildScopeValues('write'),
    );
    expect((await redeemCodeFor(secondAgent, visit)).scope).toBe('read');
    expect(await readConsentedScopes(firstAgent)).toBeUndefined();
  });
});

describe('a consent form for an agent', () => {
  beforeAll(() => service.clock.advance(3600));

  test('is shown again if a scope has become sensitive', async () => {
    const agent = host.publish();
    const changing = await createApi();
    const page = await openConsentPage(agent, { resource: changing.identifier });
    await sql(
      service.services.database,
      "update apis set scopes = jsonb_set(scopes, '{1,sensitive}', 'true') where api_id = $1",
      [changing.apiId],
    );
    const nextPage = await allowScopes(page, [`${changing.apiId} read`, `${changing.apiId} list`]);
    expect([nextPage.status, readCode(nextPage)]).toEqual([409, '']);
    expect(readCheckboxes(nextPage)).toEqual({
      [`${changing.apiId} read`]: true,
      [`${changing.apiId} list`]: false,
      [`${changing.apiId} write`]: false,
    });
  });

  test('is shown again if the agent’s name has changed', async () => {
    const agent = host.publish();
    const page = await openConsentPage(agent, { scope: 'read' });
    await sql(service.services.database, "update clients set name = 'Other' where client_id = $1", [agent]);
    const nextPage = await submitDecision(browser, page, 'allow');
    expect([nextPage.status, readCode(nextPage)]).toEqual([409, '']);
    expect(nextPage.body).toContain('Other');
  });

  test('is shown again if a redirect URI was added', async () => {
    const agent = host.publish();
    const page = await openConsentPage(agent, { scope: 'read' });
    const addRedirectUri =
      'update clients set redirect_uris = redirect_uris || $2::text where client_id = $1';
    await sql(service.services.database, addRedirectUri, [agent, 'https://evil.example/callback']);
    const nextPage = await submitDecision(browser, page, 'allow');
    expect([nextPage.status, readCode(nextPage)]).toEqual([409, '']);
    expect(readCode(await submitDecision(browser, nextPage, 'allow'))).not.toBe('');
  });

  test('can deny access after the agent has changed', async () => {
    const agent = host.publish();
    const page = await openConsentPage(agent, { scope: 'read' });
    await sql(service.services.database, "update clients set name = 'Other' where client_id = $1", [agent]);
    const response = await submitDecision(browser, page, 'deny');
    expect(response.location?.searchParams.get('error')).toBe('access_denied');
    const otherUsersBrowser = await openSignedInBrowser(service, await service.createUser());
    expect((await submitDecision(otherUsersBrowser, page, 'deny')).location).toBeUndefined();
  });
});
