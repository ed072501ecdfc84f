// Connected applications with APIs, and agents apart: what each may do, when it last did it, and the end of it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AgentHost,
  agentAddress,
  agentAt,
  authorizeAgent,
  openAgentHost,
} from '../../support/agents.ts';
import { authorize, newPerson, redeem, signedInBrowser, userinfo } from '../../support/flow.ts';
import { mainOf, textIn } from '../../support/markup.ts';
import { sql } from '../../support/populate.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let host: AgentHost;
let service: TestService;
beforeAll(async () => {
  host = await openAgentHost();
  service = await startTestService({ AGENTS: host.origin, AGENTS_REGISTRATION: 'on' });
});
afterAll(async () => {
  await service.close();
  host.close();
});

const person = async () => {
  const { user, browser } = await newPerson(service);
  const page = async () => textIn(mainOf((await browser.get('/account/applications')).body));
  return { user, browser, page };
};
const consentOf = async (userId: string) =>
  (await sql(service.parts.database, 'select scopes from consents where user_id = $1', [userId]))[0];

describe('an application', () => {
  test('is shown with the APIs that it may use and their scopes in words; what is gone is not', async () => {
    const { user, browser, page } = await person();
    const application = await service.createApplication({ name: 'Carnet' });
    const api = await service.createApi({ name: 'Archives <b>' });
    const doomed = await service.createApi({ name: 'Doomed' });
    await authorize(service, application, browser, { scope: 'openid read write', resource: api.identifier });
    await authorize(service, application, browser, { scope: 'read', resource: doomed.identifier });
    const before = await page();
    expect(before).toContain('Has access toidentifier');
    expect(before).toContain('API Archives <b>');
    expect(before).toContain('read in English write in English sensitive');
    expect(before).toContain('API Doomed');
    await sql(service.parts.database, 'delete from apis where api_id = $1', [doomed.apiId]);
    await sql(service.parts.database, 'update apis set scopes = scopes - 0 where api_id = $1', [api.apiId]);
    const after = await page();
    expect(after).not.toContain('Doomed');
    expect(after).not.toContain('read in English');
    expect(after).toContain('write in English');
    const pages = ['/account', '/account/data', '/account/delete'];
    for (const address of pages) expect((await browser.get(address)).status, address).toBeLessThan(400);
    expect((await consentOf(user.userId))?.scopes).toHaveLength(4);
  });

  test('of which nothing is left says so, and can be ended', async () => {
    const { browser, page } = await person();
    const application = await service.createApplication();
    const api = await service.createApi();
    await authorize(service, application, browser, { scope: 'read', resource: api.identifier });
    await sql(service.parts.database, 'delete from apis where api_id = $1', [api.apiId]);
    expect(await page()).toContain('Nothing any more');
  });
});

describe('an agent', () => {
  test('stands apart by its host, with what it calls itself, what it may do and when it last did it', async () => {
    const { browser, page } = await person();
    const application = await service.createApplication({ name: 'Carnet' });
    await authorize(service, application, browser);
    const api = await service.createApi({ name: 'Archives', admits: 'agents' });
    const clientId = host.publish({ client_name: 'Carnet' });
    const { host: name } = new URL(clientId);
    const { code, verifier } = await authorizeAgent(service, clientId, browser, {
      scope: 'read',
      resource: api.identifier,
    });
    expect(await page()).toContain('Last usedNot yet');
    expect((await redeem(service, agentAt(clientId), code, { code_verifier: verifier })).status).toBe(200);
    await service.parts.usage.flush();
    const connections = mainOf((await browser.get('/account/applications')).body);
    const shown = connections.slice(connections.indexOf(name));
    expect(shown).toMatch(/<dt>Last used<\/dt><dd><time datetime="20\d\d-/);
    const [before = '', after = ''] = (await page()).split('Nobody has registered them here');
    expect(before).toContain('client.example');
    expect(before).not.toContain(name);
    expect(after).toContain(`${name} Calls itself Carnet`);
    expect(after).toContain('API Archives');
    expect(after).toContain('read in English');
    expect(textIn(mainOf((await browser.get('/account')).body))).toContain(name);
  });

  test('that registered itself stands everywhere by where its answers go, never by the name that it gave itself', async () => {
    const { browser } = await person();
    const registration = await fetch(`${service.baseUrl}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Ma Banque', redirect_uris: ['https://evil.example/cb'] }),
    });
    const { client_id: clientId } = (await registration.json()) as { client_id: string };
    const agent = agentAt(clientId, 'https://evil.example/cb');
    const { code, verifier } = await authorizeAgent(service, clientId, browser, {
      redirect_uri: agent.redirectUri,
      scope: 'openid profile',
    });
    const { body } = await redeem(service, agent, code, { code_verifier: verifier });
    expect((await userinfo(service, String(body.access_token))).status).toBe(200);
    await service.parts.usage.flush();
    const overview = textIn(mainOf((await browser.get('/account')).body));
    expect(overview).toContain('evil.example');
    expect(overview).not.toContain('Ma Banque');
    expect(textIn(mainOf((await browser.get('/account/applications')).body))).toContain(
      'evil.example Calls itself Ma Banque · registered itself',
    );
    const { csrf = '' } = (await browser.get('/account')).hidden;
    await browser.post('/account/applications/withdraw', { csrf, client_id: clientId });
    const former = textIn(mainOf((await browser.get('/account/applications')).body));
    expect(former).toContain('Agent that registered itself');
    expect(former).not.toContain('Ma Banque');
    const operator = await signedInBrowser(service, await service.createUser({ operator: true }));
    await service.parts.activity.flush();
    for (const address of ['/console/operations/audit', '/console/operations/activity']) {
      const operators = textIn(mainOf((await operator.get(address)).body));
      expect(operators, address).toContain(`Agent that registered itself ${clientId}`);
      expect(operators, address).not.toContain('Ma Banque');
    }
    const { address } = agentAddress(service, clientId, { redirect_uri: 'https://evil.example/other' });
    const [, incident = ''] = /<code>([2-9A-Z]{10})<\/code>/.exec((await browser.get(address)).body) ?? [];
    const { body: found } = await operator.get(`/console/operations/search?search=${incident}`);
    const [, diagnostics = ''] = /href="([^"]*diagnostics[^"]*)"/.exec(found) ?? [];
    const { body: why } = await operator.get(diagnostics);
    for (const operators of [found, why]) {
      expect(textIn(mainOf(operators))).toContain('Diagnostics for Agent that registered itself');
      expect(operators).not.toContain('Ma Banque');
    }
    expect(why).toContain(`href="/console/operations/agents/${clientId}"`);
  });
});
