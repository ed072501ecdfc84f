// What operators see of agents and do about them: the list and its search, one of them, blocking it and letting it in again.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listEvents } from '../../../src/store/events.ts';
import {
  type AgentHost,
  agentAddress,
  agentAt,
  authorizeAgent,
  openAgentHost,
  readDocument,
} from '../../support/agents.ts';
import { redeem, renew, signedInBrowser, userinfo } from '../../support/flow.ts';
import { headingOf, mainOf, textIn } from '../../support/markup.ts';
import { type Operator, signedInOperator } from '../../support/operator.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let host: AgentHost;
let service: TestService;
let operator: Operator;
beforeAll(async () => {
  host = await openAgentHost();
  service = await startTestService({ AGENTS: host.origin, AGENTS_REGISTRATION: 'on' });
  operator = await signedInOperator(service);
});
afterAll(async () => {
  host.close();
  await service.close();
});

const LIST = '/console/operations/agents';
const pathOf = (clientId: string, action = '') => `${LIST}/${encodeURIComponent(clientId)}${action}`;
const known = async (document: Record<string, unknown> = {}) => {
  const clientId = host.publish(document);
  service.clock.advance(200); // what may be read of one origin drains
  await readDocument(service, clientId);
  return clientId;
};
test('what one calls itself never stands without its host in front, be it the name of an application that is registered', async () => {
  await service.createApplication({ name: 'Ma Banque' });
  const { host: name } = new URL(host.origin);
  const registration = await fetch(`${service.baseUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Ma Banque', redirect_uris: ['https://evil.example/cb'] }),
  });
  const { client_id: registered } = (await registration.json()) as { client_id: string };
  for (const [clientId, called] of [
    [await known({ client_name: 'Ma Banque' }), name],
    [registered, 'evil.example'],
  ] as const) {
    for (const path of [pathOf(clientId), pathOf(clientId, '/block')]) {
      const { body } = await operator.browser.get(path);
      expect(headingOf(body)).toContain(called);
      expect(headingOf(body) + /<title>(.*)<\/title>/.exec(body)?.[1]).not.toContain('Ma Banque');
      expect(textIn(mainOf(body))).toMatch(new RegExp(`${called}[^]*Calls itself ?Ma Banque`));
    }
    for (const path of [LIST, '/console/operations/search?search=ma+banque']) {
      const { body } = await operator.browser.get(path);
      const [, link] = new RegExp(`<a [^>]*href="${pathOf(clientId)}">([^]*?)</a>`).exec(body) ?? [];
      expect(link, path).toBe(called);
      expect(textIn(mainOf(body)), path).toContain('Calls itself');
    }
  }
});

test('one of them: its host, its callbacks, its age, who lets it in', async () => {
  const clientId = await known({ client_name: 'Scribe <b>' });
  await authorizeAgent(service, clientId, await signedInBrowser(service, await service.createUser()));
  const { body } = await operator.browser.get(pathOf(clientId));
  expect(body).toContain('Scribe &lt;b&gt;');
  expect(headingOf(body)).toBe(new URL(host.origin).host);
  expect(body).toContain('http://localhost/callback');
  expect(body).toMatch(/id="people">1</);
  for (const path of [pathOf('agent_nobody'), pathOf('https://nobody.example/x'), pathOf('app_x', '/block')])
    expect((await operator.browser.get(path)).status).toBe(404);
});

test('what was refused is found by its incident code, in the diagnostics that operators see', async () => {
  const clientId = await known();
  const browser = await signedInBrowser(service, await service.createUser());
  await authorizeAgent(service, clientId, browser);
  const evil = { redirect_uri: 'https://evil.example/callback' };
  const page = await browser.get(agentAddress(service, clientId, evil).address);
  const incident = /<code>([2-9A-Z]{10})<\/code>/.exec(page.body)?.[1] ?? '';
  const found = await operator.browser.get(`/console/operations/search?search=${incident}`);
  const [, path = ''] = /href="(\/console\/applications\/[^"]*)"/.exec(found.body) ?? [];
  expect(path).toContain(encodeURIComponent(clientId));
  const diagnostics = await operator.browser.get(path);
  expect([diagnostics.status, diagnostics.body]).toEqual([200, expect.stringContaining('evil.example')]);
});

describe('blocking', () => {
  test('ends all that the agent has, keeps it out, and is written down; letting it in again brings nothing back', async () => {
    const clientId = await known();
    const browser = await signedInBrowser(service, await service.createUser());
    const { code, verifier } = await authorizeAgent(service, clientId, browser, {
      scope: 'openid profile offline_access',
    });
    const agent = agentAt(clientId);
    const tokens = await redeem(service, agent, code, { code_verifier: verifier });
    const now = await signedInOperator(service);
    const done = await now.act(pathOf(clientId, '/block'), { reason: 'spam' });
    expect((await now.browser.follow(done)).body).toMatch(/role="status"[\s\S]*?Agent blocked/);
    const { access_token: accessToken, refresh_token: refreshToken } = tokens.body;
    expect((await userinfo(service, String(accessToken))).status).toBe(401);
    expect((await renew(service, agent, String(refreshToken))).status).toBeGreaterThanOrEqual(400);
    const page = await browser.get(agentAddress(service, clientId).address);
    expect([page.status, page.body]).toEqual([401, expect.stringContaining('This agent is blocked here')]);

    // However old its document is, nothing is asked for.
    service.clock.advance(100_000);
    host.asked.length = 0;
    await browser.get(agentAddress(service, clientId).address);
    expect(host.asked).toEqual([]);

    await (await signedInOperator(service)).act(pathOf(clientId, '/unblock'));
    expect((await renew(service, agent, String(refreshToken))).body.error).toBe('invalid_grant');
    const events = await listEvents(service.parts.database, { clientId }, { limit: 10 });
    expect(events.map(({ kind, detail }) => [kind, detail.reason])).toEqual([
      ['agent_unblocked', undefined],
      ['agent_blocked', 'spam'],
      ['consent_given', undefined],
    ]);
    const log = await (await signedInOperator(service)).browser.get(
      `/console/operations/audit?${new URLSearchParams({ client_id: clientId })}`,
    );
    expect(log.body).toContain(`href="${pathOf(clientId)}"`);
  });
});
