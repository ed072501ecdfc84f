// The consent page of agents (D49 to D53): who asks, where the answer goes, and what a person picks.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { challengeOf } from '../../../src/oauth/pkce.ts';
import type { NewApi } from '../../../src/store/apis.ts';
import { listConsents } from '../../../src/store/consents.ts';
import { type AgentHost, agentAt, openAgentHost } from '../../support/agents.ts';
import type { BrowserSession, Visit } from '../../support/browser-session.ts';
import { authorizeAddress, decide, newVerifier, redeem, signedInBrowser } from '../../support/flow.ts';
import { addressesOf, elementsOf, formErrors, headingOf, mainOf, textIn } from '../../support/markup.ts';
import { sql } from '../../support/populate.ts';
import { startTestService, type TestService, type TestUser } from '../../support/service.ts';

let host: AgentHost;
let service: TestService;
let user: TestUser;
let browser: BrowserSession;
/** Of its scopes agents may ask for `read`, `list` and, sensitive, `write`. */
let api: NewApi;
beforeAll(async () => {
  host = await openAgentHost();
  service = await startTestService({ AGENTS: host.origin });
  user = await service.createUser();
  browser = await signedInBrowser(service, user);
  api = await createApi();
});
afterAll(async () => {
  await service.close();
  host.close();
});

const scopeOf = (name: string, fields = {}) => ({
  name,
  fr: `${name} en français`,
  en: `${name} in English`,
  sensitive: false,
  agents: true,
  ...fields,
});
const createApi = () =>
  service.createApi({
    admits: 'agents',
    scopes: [
      scopeOf('read'),
      scopeOf('list'),
      scopeOf('write', { sensitive: true }),
      scopeOf('delete', { agents: false }),
    ],
  });

const verifier = newVerifier();
const CALLBACK = 'https://agent.example/callback';
type Asked = { redirectUri?: string; language?: string } & Record<string, string | undefined>;

async function ask(clientId: string, { redirectUri = CALLBACK, ...parameters }: Asked = {}): Promise<Visit> {
  const url = authorizeAddress(service, agentAt(clientId, redirectUri), {
    scope: undefined,
    resource: api.identifier,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    ...parameters,
  });
  return browser.follow(await browser.get(url));
}

/** The boxes of a page by what they stand for, and whether each is ticked. */
const boxesOf = (visit: Visit) =>
  Object.fromEntries(
    elementsOf(visit.body)
      .filter(({ attributes }) => attributes.type === 'checkbox')
      .map(({ attributes }) => [attributes.value, 'checked' in attributes]),
  );
const allow = (visit: Visit, ticked: string[]) => decide(browser, visit, 'allow', ticked);
const of = (...words: string[]) => words.map((word) => `${api.apiId} ${word}`);
const codeOf = (visit: Visit) => visit.location?.searchParams.get('code') ?? '';
const exchange = async (clientId: string, visit: Visit, resource: string | null = api.identifier) =>
  (
    await redeem(service, agentAt(clientId, CALLBACK), codeOf(visit), {
      code_verifier: verifier,
      resource: resource ?? undefined,
    })
  ).body;
/** What is remembered of this service and of the API. */
const consentedTo = async (clientId: string) => {
  const rows = await listConsents(service.parts.database, user.userId);
  const row = rows.find((one) => one.clientId === clientId);
  return row && [...row.scopes, ...row.apis.flatMap(({ scopes }) => of(...scopes.map(({ name }) => name)))];
};

describe('who asks', () => {
  test('is the host of its document, first and in the heading; its own name is its own word', async () => {
    await service.createApplication({ name: 'Ma Banque' });
    const page = await ask(host.publish({ client_name: 'Ma Banque', logo_uri: `${host.origin}/logo.png` }));
    const { host: name } = new URL(host.origin);
    expect(headingOf(page.body)).toBe(`Give ${name} access?`);
    const words = textIn(mainOf(page.body));
    expect(words.indexOf(name)).toBeLessThan(words.indexOf('Ma Banque'));
    expect(words).toContain('Calls itself Ma Banque');
    expect(words).toContain('unregistered agent');
    expect(words).toContain('Deny if you do not recognise this address');
    expect(words).toContain('The answer goes to agent.example');
    const elsewhere = addressesOf(page.body).filter((address) => /^https?:|^\/\//.test(address));
    expect(elsewhere.filter((address) => !address.startsWith(service.baseUrl))).toEqual([]);
    expect(host.asked.map(({ path }) => path)).not.toContain('/logo.png');
    const { body } = await browser.get(`/signin?pending=${page.hidden.pending}`);
    expect([body.includes(name), body.includes('Ma Banque')]).toEqual([true, false]);
  });

  test.each([
    ['http://localhost/callback', 'http://localhost:7777/callback', 'on this device: any program here'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:7777/callback', 'on this device: any program here'],
    ['com.example.agent:/callback', 'com.example.agent:/callback', 'an application on this device'],
  ])('where the answer goes to %s, the page warns', async (registered, redirectUri, warning) => {
    const agent = host.publish({ redirect_uris: [registered, CALLBACK] });
    expect(textIn((await ask(agent, { redirectUri })).body)).toContain(warning);
    expect(textIn((await ask(agent)).body)).not.toContain('on this device');
  });

  test('one that registered itself is known by where the answer goes alone', async () => {
    const application = await service.createApplication({ type: 'public', redirectUris: [CALLBACK] });
    const id = 'agent_registered';
    await sql(
      service.parts.database,
      "update clients set owner_id = null, scopes = '{openid}', client_id = $2 where client_id = $1",
      [application.clientId, id],
    );
    const page = await ask(id, { scope: 'read' });
    expect(headingOf(page.body)).toBe('Give agent.example access?');
    expect(textIn(page.body)).toContain('unverified agent');
  });
});

describe('D48, D51: a request without scopes', () => {
  // So many documents are read for one person in an hour (D49).
  beforeAll(() => service.clock.advance(3600));

  test('has a box for each scope on offer to agents, sensitive ones not ticked; the code gets those that are', async () => {
    const agent = host.publish();
    const page = await ask(agent);
    expect(boxesOf(page)).toEqual({
      [`${api.apiId} read`]: true,
      [`${api.apiId} list`]: true,
      [`${api.apiId} write`]: false,
    });
    const visit = await allow(page, of('read', 'write'));
    expect(await consentedTo(agent)).toEqual(of('read', 'write'));
    const body = await exchange(agent, visit);
    expect(body.scope).toBe('read write');
    expect(decodeJwt(String(body.access_token)).scope).toBe('read write');
  });

  test('a scope that was not on offer, forged into the form, is not given', async () => {
    const agent = host.publish();
    const other = await createApi();
    const page = await ask(agent);
    const forged = [...of('read', 'delete', 'admin'), `${other.apiId} read`, 'profile', 'phone', 'read'];
    const visit = await allow(page, forged);
    expect(await consentedTo(agent)).toEqual(of('read'));
    expect((await exchange(agent, visit)).scope).toBe('read');
  });

  test('none ticked: the page again, which says so, and no code', async () => {
    const agent = host.publish();
    for (const ticked of [[], ['phone', ...of('delete')]]) {
      const again = await allow(await ask(agent), ticked);
      expect([again.status, codeOf(again)]).toEqual([400, '']);
      expect(textIn(again.body)).toContain('Tick at least one');
      expect(formErrors(again.body)).toHaveLength(1);
      expect(Object.values(boxesOf(again))).toEqual([false, false, false]);
      expect(codeOf(await allow(again, of('list')))).toBeTruthy();
    }
  });

  test('of several APIs those without a tick are not in the code', async () => {
    const agent = host.publish();
    const other = await createApi();
    const url = authorizeAddress(service, agentAt(agent, CALLBACK), {
      scope: undefined,
      resource: api.identifier,
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
    });
    url.searchParams.append('resource', other.identifier);
    const page = await browser.follow(await browser.get(url));
    expect(Object.keys(boxesOf(page))).toHaveLength(6);
    const visit = await allow(page, of('read'));
    expect((await exchange(agent, visit, other.identifier)).error).toBe('invalid_target');
    expect((await exchange(agent, visit)).scope).toBe('read');
  });

  test('sent again with other boxes, it is another answer, which is asked for anew', async () => {
    const agent = host.publish();
    const page = await ask(agent);
    const first = await allow(page, of('read'));
    expect(codeOf(await allow(page, of('read')))).toBe(codeOf(first));
    const more = await allow(page, of('read', 'write'));
    expect(codeOf(more)).toBe('');
    expect((await browser.follow(more)).body).toContain('action="/consent"');
    expect(await consentedTo(agent)).toEqual(of('read'));
  });
});

describe('a request that names scopes', () => {
  // Only so many documents are read per person and hour.
  beforeEach(async () => {
    service.clock.advance(3600);
    await browser.get('/account?lang=en');
  });

  test('has a checkbox for the sensitive ones alone, unticked and first in the list', async () => {
    const page = await ask(host.publish(), { scope: 'read list write' });
    expect(boxesOf(page)).toEqual({ [`${api.apiId} write`]: false });
    const words = textIn(mainOf(page.body));
    expect(words.indexOf('Sensitive access')).toBeLessThan(words.indexOf('write in English'));
    expect(words.indexOf('write in English')).toBeLessThan(words.indexOf('read in English'));
  });

  test('a sensitive scope left unticked is not granted, and the token response says so', async () => {
    const agent = host.publish();
    const visit = await allow(await ask(agent, { scope: 'openid read write' }), []);
    expect(await consentedTo(agent)).toEqual(['openid', ...of('read')]);
    const body = await exchange(agent, visit);
    expect(body.scope).toBe('read');
    expect(decodeJwt(String(body.access_token)).scope).toBe('read');
  });

  test('sensitive scopes alone, none ticked: the page again, which says so, and no code', async () => {
    for (const scope of ['write', 'offline_access write']) {
      const again = await allow(await ask(host.publish(), { scope }), []);
      expect([again.status, codeOf(again)]).toEqual([400, '']);
      expect(formErrors(again.body)).toHaveLength(1);
      expect(codeOf(await allow(again, of('write')))).toBeTruthy();
    }
  });

  test('forged ticks: scopes that the request did not name, of other APIs, of this service are not granted', async () => {
    const agent = host.publish();
    const other = await createApi();
    const page = await ask(agent, { scope: 'read' });
    const forged = [...of('write', 'list', 'delete'), `${other.apiId} read`, 'profile', 'write', '__proto__'];
    expect((await exchange(agent, await allow(page, forged))).scope).toBe('read');
    expect(await consentedTo(agent)).toEqual(of('read'));
  });

  test('the form of one agent with the pending request of another grants what that one asked', async () => {
    const [one, other] = [host.publish(), host.publish()];
    const first = await ask(one, { scope: 'read write' });
    const second = await ask(other, { scope: 'read' });
    const visit = await allow({ ...first, hidden: { ...first.hidden, ...second.hidden } }, of('write'));
    expect((await exchange(other, visit)).scope).toBe('read');
    expect(await consentedTo(one)).toBeUndefined();
  });
});

describe('what was seen is what holds', () => {
  // As above.
  beforeAll(() => service.clock.advance(3600));

  test('a scope that became sensitive while the page was open is not ticked on the next one', async () => {
    const agent = host.publish();
    const changing = await createApi();
    const page = await ask(agent, { resource: changing.identifier });
    await sql(
      service.parts.database,
      "update apis set scopes = jsonb_set(scopes, '{1,sensitive}', 'true') where api_id = $1",
      [changing.apiId],
    );
    const again = await allow(page, [`${changing.apiId} read`, `${changing.apiId} list`]);
    expect([again.status, codeOf(again)]).toEqual([409, '']);
    expect(boxesOf(again)).toEqual({
      [`${changing.apiId} read`]: true,
      [`${changing.apiId} list`]: false,
      [`${changing.apiId} write`]: false,
    });
  });

  test('an agent that calls itself otherwise meanwhile', async () => {
    const agent = host.publish();
    const page = await ask(agent, { scope: 'read' });
    await sql(service.parts.database, "update clients set name = 'Other' where client_id = $1", [agent]);
    const again = await decide(browser, page, 'allow');
    expect([again.status, codeOf(again)]).toEqual([409, '']);
    expect(again.body).toContain('Other');
  });

  test('an agent whose document names another callback beside the one that the answer goes to', async () => {
    const agent = host.publish();
    const page = await ask(agent, { scope: 'read' });
    const more = 'update clients set redirect_uris = redirect_uris || $2::text where client_id = $1';
    await sql(service.parts.database, more, [agent, 'https://evil.example/callback']);
    const again = await decide(browser, page, 'allow');
    expect([again.status, codeOf(again)]).toEqual([409, '']);
    expect(codeOf(await decide(browser, again, 'allow'))).not.toBe('');
  });

  test('refusing holds, whatever the page would say by now', async () => {
    const agent = host.publish();
    const page = await ask(agent, { scope: 'read' });
    await sql(service.parts.database, "update clients set name = 'Other' where client_id = $1", [agent]);
    const answer = await decide(browser, page, 'deny');
    expect(answer.location?.searchParams.get('error')).toBe('access_denied');
    const foreign = await signedInBrowser(service, await service.createUser());
    expect((await decide(foreign, page, 'deny')).location).toBeUndefined();
  });
});
