// Tests `sesame agents list`, `block` and `unblock`.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fetchMetadataDocument, type MetadataHost, openMetadataHost } from '../support/metadata-clients.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createSesameCommand } from '../support/sesame-command.ts';

let host: MetadataHost;
let service: TestService;
const cli = createSesameCommand(() => service.databaseUrl);
beforeAll(async () => {
  host = await openMetadataHost();
  service = await startTestService({ AGENTS: host.origin });
});
afterAll(async () => {
  host.close();
  await service.close();
});

test('the `agents` commands list, block and unblock agents', async () => {
  const clientId = host.publish();
  await fetchMetadataDocument(service, clientId);
  const readRow = async () =>
    (await cli.runJsonList('agents', 'list')).find(({ client_id }) => client_id === clientId);
  expect(await readRow()).toMatchObject({ name: 'Scribe', kind: 'document', users: 0, blocked: false });
  expect((await cli.runJson('agents', 'block', clientId, '--reason', 'spam')).changed).toBe(true);
  expect((await readRow())?.blocked).toBe(true);
  expect(await cli.runJson('agents', 'block', clientId)).toEqual({ client_id: clientId, changed: false });
  expect((await cli.runJson('agents', 'unblock', clientId)).changed).toBe(true);
  expect(await cli.runFailing(['agents', 'block', 'agent_nobody'])).toContain(
    'No agent has the client_id agent_nobody.',
  );
  const events = await cli.runJsonList('audit', '--app', clientId);
  expect(events.map(({ kind }) => kind)).toEqual(['agent_unblocked', 'agent_blocked']);
  const { stdout } = await cli.run(['agents', 'list']);
  expect(stdout).toContain(clientId);
});
