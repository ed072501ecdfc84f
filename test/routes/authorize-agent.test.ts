// Agents at the authorize address: whoever is signed in sees what their document says, everybody else signs in first, and
// what a person saw is what holds (D49 to D53).
import { afterAll, describe, expect, test } from 'vitest';
import { agentAddress, agentAt, authorizeAgent, documentOf, openAgentHost } from '../support/agents.ts';
import { openBrowserSession, type Visit } from '../support/browser-session.ts';
import { expectError } from '../support/expect-error.ts';
import { decide, goThrough, redeem, renew, signedInBrowser, signIn, userinfo } from '../support/flow.ts';
import { startTestService } from '../support/service.ts';

const host = await openAgentHost();
const service = await startTestService({ AGENTS: host.origin });
afterAll(async () => {
  host.close();
  await service.close();
});

const ASKS = 'action="/consent"';
const asks = ({ body }: Visit) => body.includes(ASKS);
const person = async () => signedInBrowser(service, await service.createUser());

describe('somebody who is signed in', () => {
  test('is asked, and the agent gets what an application gets', async () => {
    const clientId = host.publish({ client_name: 'Scribe of tests' });
    const browser = await person();
    const { address, verifier } = agentAddress(service, clientId);
    const consent = await browser.follow(await browser.get(address));
    expect(consent.body).toContain('Scribe of tests');
    const { location: callback } = await decide(browser, consent, 'allow');
    expect(callback?.origin).toBe('http://localhost:7777');
    const code = callback?.searchParams.get('code') ?? '';
    const tokens = await redeem(service, agentAt(clientId), code, { code_verifier: verifier });
    expect(tokens.status).toBe(200);
    expect((await userinfo(service, String(tokens.body.access_token))).body).toMatchObject({
      email: expect.anything(),
    });
  });

  test('its document is asked for once, with no cookie and nothing else', async () => {
    const clientId = host.publish();
    const [one, other] = [await person(), await person()];
    host.asked.length = 0;
    await authorizeAgent(service, clientId, one);
    await authorizeAgent(service, clientId, other);
    expect(host.asked).toEqual([
      {
        path: new URL(clientId).pathname,
        headers: {
          accept: 'application/cimd+json, application/json',
          'accept-encoding': 'identity',
          host: new URL(host.origin).host,
          connection: 'close',
        },
      },
    ]);
  });

  test('PKCE is demanded, phone is not to be had, state may be left out', async () => {
    const clientId = host.publish();
    const browser = await person();
    const answer = async (parameters: Record<string, string | undefined>) =>
      (await browser.get(agentAddress(service, clientId, parameters).address)).location?.searchParams;
    const bare = { code_challenge: undefined, code_challenge_method: undefined };
    expect((await answer(bare))?.get('error')).toBe('invalid_request');
    expect((await answer({ scope: 'openid phone' }))?.get('error')).toBe('invalid_scope');
    const { callback } = await authorizeAgent(service, clientId, browser, { state: undefined });
    expect([...callback.searchParams.keys()].sort()).toEqual(['code', 'iss']);
  });

  test('where any agent is let in, is led to its site by no fault of a request before they have agreed: only on their own device', async () => {
    const clientId = host.publish();
    const anyones = await startTestService({ AGENTS: '*' }, { databaseUrl: service.databaseUrl });
    const browser = await signedInBrowser(anyones, await service.createUser());
    const site = { redirect_uri: 'https://agent.example/callback' };
    const refused = async (parameters: Record<string, string | undefined>) => {
      const { status, location } = await browser.get(agentAddress(anyones, clientId, parameters).address);
      return [status, location?.origin];
    };
    const faults = [{ scope: 'openid phone' }, { response_type: 'token' }, { prompt: 'none' }];
    for (const fault of faults) {
      expect(await refused({ ...site, ...fault })).toEqual([400, undefined]);
      expect(await refused(fault)).toEqual([303, 'http://localhost:7777']);
    }
    await authorizeAgent(anyones, clientId, browser, site);
    for (const fault of faults)
      expect(await refused({ ...site, ...fault })).toEqual([303, 'https://agent.example']);
    await anyones.close();
  });

  test('D2: of an origin that the operator lists, a fault is told to the agent at its callback', async () => {
    const clientId = host.publish();
    const redirect_uri = 'https://agent.example/callback';
    const { address } = agentAddress(service, clientId, { redirect_uri, scope: 'openid phone' });
    const { status, location } = await (await person()).get(address);
    expect([status, location?.origin]).toEqual([303, 'https://agent.example']);
    expect(location?.searchParams.get('error')).toBe('invalid_scope');
  });

  test('a callback that the document does not name is never redirected to', async () => {
    const clientId = host.publish();
    const { address } = agentAddress(service, clientId, { redirect_uri: 'https://evil.example/callback' });
    const answer = await (await person()).get(address);
    expect([answer.status, answer.location]).toEqual([400, undefined]);
  });
});

describe('a stranger', () => {
  test('signs in first; nothing is read before', async () => {
    const clientId = host.publish();
    host.asked.length = 0;
    const browser = openBrowserSession(service.baseUrl);
    const signInPage = await browser.follow(await browser.get(agentAddress(service, clientId).address));
    expect(signInPage.hidden.next).toMatch(/^\/oauth\/authorize\?/);
    expect(host.asked).toEqual([]);
    const consent = await signIn(browser, await service.createUser(), signInPage);
    expect(consent.body).toContain(ASKS);
    expect(host.asked).toHaveLength(1);
    const { location } = await decide(browser, consent, 'allow');
    expect(location?.searchParams.get('code')).toBeTruthy();
    expect(location?.searchParams.get('state')).toBe('state-1');
  });

  test('a request that is too long to wait in a URL is refused', async () => {
    const { address } = agentAddress(service, host.publish(), { unknown: 'x'.repeat(8000) });
    const refused = await openBrowserSession(service.baseUrl).get(address);
    expect([refused.status, refused.location]).toEqual([400, undefined]);
  });

  test('a request by POST arrives, too, and nothing is read for it before the GET', async () => {
    const clientId = host.publish();
    host.asked.length = 0;
    const browser = await person();
    const { address } = agentAddress(service, clientId);
    const answer = await browser.post('/oauth/authorize', Object.fromEntries(address.searchParams));
    expect([answer.status, host.asked]).toEqual([303, []]);
    const consent = await browser.follow(answer);
    expect([asks(consent), host.asked.length]).toEqual([true, 1]);
  });

  test('a browser that prefetches the page reads nothing, and asks again when somebody opens it', async () => {
    const clientId = host.publish();
    const browser = await person();
    host.asked.length = 0;
    const { address } = agentAddress(service, clientId);
    expect((await browser.get(address, { 'sec-purpose': 'prefetch;prerender' })).status).toBe(503);
    expect(host.asked).toEqual([]);
    expect((await browser.get(address)).status).toBe(303);
    expect(host.asked).toHaveLength(1);
  });
});

describe('a document that changes', () => {
  test('ends what was given before, and people are asked again; what the person saw holds until then', async () => {
    const path = '/changing/client.json';
    const clientId = host.publish({}, { path });
    const browser = await person();
    const agent = agentAt(clientId);
    const { code, verifier } = await authorizeAgent(service, clientId, browser);
    const waiting = await authorizeAgent(service, clientId, browser);
    host.publish({ redirect_uris: ['https://evil.example/callback'], client_name: 'Evil' }, { path });
    // Nothing is read at the token endpoint: what was agreed to stands.
    const tokens = await redeem(service, agent, code, { code_verifier: verifier });
    expect(tokens.status).toBe(200);

    service.clock.advance(301);
    const evil = { redirect_uri: 'https://evil.example/callback' };
    const consent = await browser.follow(await browser.get(agentAddress(service, clientId, evil).address));
    expect(consent.body).toContain('Evil');
    for (const answer of [
      await renew(service, agent, String(tokens.body.refresh_token)),
      await redeem(service, agent, waiting.code, { code_verifier: waiting.verifier }),
    ])
      expect(answer.body.error).toBe('invalid_grant');
    expect((await userinfo(service, String(tokens.body.access_token))).status).toBe(401);
  });

  test('while the consent page is open: the page is shown again', async () => {
    const path = '/changing-meanwhile/client.json';
    const clientId = host.publish({ client_name: 'Before' }, { path });
    const [browser, other] = [await person(), await person()];
    const consent = await browser.follow(await browser.get(agentAddress(service, clientId).address));
    host.publish({ client_name: 'After' }, { path });
    service.clock.advance(301);
    await other.follow(await other.get(agentAddress(service, clientId).address));
    const again = await decide(browser, consent, 'allow');
    expect([again.status, again.location]).toEqual([409, undefined]);
    expect(again.body).toContain('After');
    expect((await decide(browser, again, 'allow')).location?.searchParams.get('code')).toBeTruthy();
  });
});

describe('refused, on a page that leads nowhere', () => {
  test.each<[string, () => string, RegExp]>([
    ['another client_id', () => host.publish({ client_id: 'https://other.example/x' }), /not the address/],
    ['a secret', () => host.publish({ client_secret: 'x' }), /client_secret must not be there/],
    ['nothing there', () => `${host.origin}/nothing`, /answered 404/],
    ['an origin that is not listed', () => 'https://other.example/client.json', /no agents of this origin/],
    ['an address with a query', () => `${host.publish()}?x`, /without query/],
  ])('%s', async (_, publish, words) => {
    const { address } = agentAddress(service, publish());
    const browser = await person();
    const page = await browser.get(address);
    expect([page.status, page.location]).toEqual([401, undefined]);
    expect(page.body).toMatch(words);
    expect(page.body).toContain('What the agent’s developer needs to know');
    const { body } = await browser.get(address, { accept: 'application/json' });
    expect(JSON.parse(body)).toMatchObject({
      error: 'invalid_client',
      error_description: expect.stringMatching(words),
    });
  });

  test('without agents none is let in, and discovery says so', async () => {
    const closed = await startTestService({ AGENTS: '' });
    try {
      const answer = await openBrowserSession(closed.baseUrl).get(
        agentAddress(closed, host.publish()).address,
      );
      expect(answer.status).toBe(401);
      const supported = async (baseUrl: string) =>
        (
          (await (await fetch(`${baseUrl}/.well-known/openid-configuration`)).json()) as Record<
            string,
            unknown
          >
        ).client_id_metadata_document_supported;
      expect(await supported(closed.baseUrl)).toBeUndefined();
      expect(await supported(service.baseUrl)).toBe(true);
    } finally {
      await closed.close();
    }
  });

  test('an agent whose document names a registered application is not that application', async () => {
    const application = await service.createApplication();
    const clientId = host.publish({ client_id: application.clientId, client_name: 'Carnet' });
    expect((await (await person()).get(agentAddress(service, clientId).address)).status).toBe(401);
    const own = host.publish({ client_name: 'Carnet', redirect_uris: [application.redirectUri] });
    const parameters = { redirect_uri: application.redirectUri };
    const { code, verifier } = await authorizeAgent(service, own, await person(), parameters);
    // Its code is worth nothing to the application whose name and callback it took, and the other way round.
    const stolen = await redeem(service, application, code, { code_verifier: verifier });
    expect(stolen.body.error).toBe('invalid_grant');
    expect(documentOf(own).client_id).toBe(own);
    expect(await goThrough(await person(), agentAddress(service, own, parameters).address)).toBeDefined();
  });
});

test('an origin that is let in no more: nothing is renewed there, and nothing exchanged', async () => {
  const clientId = host.publish();
  const browser = await person();
  const first = await authorizeAgent(service, clientId, browser, { scope: 'openid offline_access' });
  const { body } = await redeem(service, agentAt(clientId), first.code, { code_verifier: first.verifier });
  const second = await authorizeAgent(service, clientId, browser);
  for (const environment of [{ AGENTS: 'https://agents.example' }, { AGENTS: '' }]) {
    const closed = await startTestService(environment, { databaseUrl: service.databaseUrl });
    const renewed = await renew(closed, agentAt(clientId), String(body.refresh_token));
    expectError(renewed, 401, 'invalid_client');
    const exchanged = await redeem(closed, agentAt(clientId), second.code, {
      code_verifier: second.verifier,
    });
    expectError(exchanged, 401, 'invalid_client');
    await closed.close();
  }
  expect((await renew(service, agentAt(clientId), String(body.refresh_token))).status).toBe(200);
});
