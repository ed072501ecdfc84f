// sesame agents list|block|unblock.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentHost, openAgentHost, readDocument } from '../support/agents.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { sesameCommand } from '../support/sesame-command.ts';

let host: AgentHost;
let service: TestService;
const cli = sesameCommand(() => service.databaseUrl);
beforeAll(async () => {
  host = await openAgentHost();
  service = await startTestService({ AGENTS: host.origin });
});
afterAll(async () => {
  host.close();
  await service.close();
});

test('agents are listed, blocked and let in again by their client_id', async () => {
  const clientId = host.publish();
  await readDocument(service, clientId);
  const row = async () => (await cli.rows('agents', 'list')).find(({ client_id }) => client_id === clientId);
  expect(await row()).toMatchObject({ name: 'Scribe', way: 'document', people: 0, blocked: false });
  expect((await cli.json('agents', 'block', clientId, '--reason', 'spam')).changed).toBe(true);
  expect((await row())?.blocked).toBe(true);
  expect(await cli.json('agents', 'block', clientId)).toEqual({ client_id: clientId, changed: false });
  expect((await cli.json('agents', 'unblock', clientId)).changed).toBe(true);
  expect(await cli.fault(['agents', 'block', 'agent_nobody'])).toBe(
    'sesame: No agent has the client_id agent_nobody.\n',
  );
  const events = await cli.rows('audit', '--app', clientId);
  expect(events.map(({ kind }) => kind)).toEqual(['agent_unblocked', 'agent_blocked']);
  const { stdout } = await cli.run(['agents', 'list']);
  expect(stdout).toContain(clientId);
});
