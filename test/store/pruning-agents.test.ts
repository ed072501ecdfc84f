// Which agents are forgotten: those that nobody uses any more, never one with a grant that lives (D49, D55).

import { afterAll, expect, test } from 'vitest';
import { findAgent } from '../../src/store/agents.ts';
import { limitsOf } from '../../src/store/pruning.ts';
import { agentAt, authorizeAgent, openAgentHost, readDocument } from '../support/agents.ts';
import { redeem, renew, signedInBrowser } from '../support/flow.ts';
import { pruneAll } from '../support/populate.ts';
import { startTestService } from '../support/service.ts';

const DAY = 86_400;
const host = await openAgentHost();
const service = await startTestService({ AGENTS: host.origin, AGENTS_REGISTRATION: 'on' });
afterAll(async () => {
  await service.close();
  host.close();
});

const isKnown = async (clientId: string) => (await findAgent(service.parts.database, clientId)) !== undefined;
const prune = () => pruneAll(service.parts.database, limitsOf(service.parts.config, service.clock.now()));

async function registered(): Promise<string> {
  const answer = await fetch(`${service.baseUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Scribe', redirect_uris: ['http://localhost/callback'] }),
  });
  return ((await answer.json()) as { client_id: string }).client_id;
}

test('an agent whose grant is renewed stays, by document or registered, however long ago it was agreed to', async () => {
  const agents = [host.publish(), await registered()].map((clientId) => agentAt(clientId));
  const browser = await signedInBrowser(service, await service.createUser());
  const tokens = new Map<string, string>();
  for (const agent of agents) {
    const scope = 'openid profile offline_access';
    const { code, verifier } = await authorizeAgent(service, agent.clientId, browser, { scope });
    const { body } = await redeem(service, agent, code, { code_verifier: verifier });
    tokens.set(agent.clientId, String(body.refresh_token));
  }
  for (let days = 20; days <= 120; days += 20) {
    service.clock.advance(20 * DAY);
    for (const agent of agents) {
      const { status, body } = await renew(service, agent, tokens.get(agent.clientId) ?? '');
      expect([agent.clientId, days, status]).toEqual([agent.clientId, days, 200]);
      tokens.set(agent.clientId, String(body.refresh_token));
    }
    await prune();
  }
  // Nobody renews it any more: it ends after 30 days, and the next count says so.
  service.clock.advance(28 * DAY);
  for (let days = 28; days <= 32; days += 1) {
    await prune();
    service.clock.advance(DAY);
  }
  for (const { clientId } of agents) expect(await isKnown(clientId), clientId).toBe(false);
});

test('a document that nobody agreed to is forgotten after 90 days, and not before', async () => {
  const clientId = host.publish();
  await readDocument(service, clientId);
  for (const [seconds, known] of [
    [90 * DAY - 3600, true],
    [7200, false],
  ] as const) {
    service.clock.advance(seconds);
    await prune();
    expect(await isKnown(clientId)).toBe(known);
  }
});
