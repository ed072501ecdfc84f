// Pruning deletes unused agents but keeps those with live grants.

import { afterAll, expect, test } from 'vitest';
import { findAgent } from '../../src/store/agents.ts';
import { pruneCutoffs } from '../../src/store/pruning.ts';
import {
  authorizeMetadataClient,
  createMetadataClient,
  fetchMetadataDocument,
  openMetadataHost,
} from '../support/metadata-clients.ts';
import { openSignedInBrowser, redeemCode, redeemRefreshToken } from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';
import { pruneAll } from '../support/store-fixtures.ts';

const DAY = 86_400;
const host = await openMetadataHost();
const service = await startTestService({ AGENTS: host.origin, AGENTS_REGISTRATION: 'on' });
afterAll(async () => {
  await service.close();
  host.close();
});

const isStored = async (clientId: string) =>
  (await findAgent(service.services.database, clientId)) !== undefined;
const prune = () =>
  pruneAll(service.services.database, pruneCutoffs(service.services.config, service.clock.now()));

async function registerClient(): Promise<string> {
  const response = await fetch(`${service.baseUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Scribe', redirect_uris: ['http://localhost/callback'] }),
  });
  return ((await response.json()) as { client_id: string }).client_id;
}

test('agents with a live grant are not deleted', async () => {
  const agents = [host.publish(), await registerClient()].map((clientId) => createMetadataClient(clientId));
  const browser = await openSignedInBrowser(service, await service.createUser());
  const tokens = new Map<string, string>();
  for (const agent of agents) {
    const scope = 'openid profile offline_access';
    const { code, verifier } = await authorizeMetadataClient(service, agent.clientId, browser, { scope });
    const { body } = await redeemCode(service, agent, code, { code_verifier: verifier });
    tokens.set(agent.clientId, String(body.refresh_token));
  }
  for (let days = 20; days <= 120; days += 20) {
    service.clock.advance(20 * DAY);
    for (const agent of agents) {
      const { status, body } = await redeemRefreshToken(service, agent, tokens.get(agent.clientId) ?? '');
      expect([agent.clientId, days, status]).toEqual([agent.clientId, days, 200]);
      tokens.set(agent.clientId, String(body.refresh_token));
    }
    await prune();
  }
  // The grant expires after 30 days and is no longer counted as live.
  service.clock.advance(28 * DAY);
  for (let days = 28; days <= 32; days += 1) {
    await prune();
    service.clock.advance(DAY);
  }
  for (const { clientId } of agents) expect(await isStored(clientId), clientId).toBe(false);
});

test('a metadata client without a consent is deleted after 90 days', async () => {
  const clientId = host.publish();
  await fetchMetadataDocument(service, clientId);
  for (const [seconds, isKept] of [
    [90 * DAY - 3600, true],
    [7200, false],
  ] as const) {
    service.clock.advance(seconds);
    await prune();
    expect(await isStored(clientId)).toBe(isKept);
  }
});
