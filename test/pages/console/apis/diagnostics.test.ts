// The diagnostics page of an API: who sees it, what it says of refusals of the API and of applications over it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeRefusals } from '../../../../src/store/refusals.ts';
import { statement } from '../../../../src/store/statement.ts';
import { atApi } from '../../../support/api-console.ts';
import { apiWithSecret, introspect, type TestApi } from '../../../support/apis.ts';
import { type BrowserSession, openBrowserSession } from '../../../support/browser-session.ts';
import { refusalsOfApi } from '../../../support/diagnostics.ts';
import { signedInBrowser } from '../../../support/flow.ts';
import { signedInOperator } from '../../../support/operator.ts';
import { startTestService, type TestService, type TestUser } from '../../../support/service.ts';

let service: TestService;
let owner: TestUser;
let api: TestApi;
let browser: BrowserSession;
beforeAll(async () => {
  service = await startTestService();
  owner = await service.createUser();
  api = await apiWithSecret(service, { ownerId: owner.userId });
  browser = await signedInBrowser(service, owner);
});
afterAll(() => service.close());

const page = (query = '', who = browser, of: Pick<TestApi, 'apiId'> = api) =>
  who.get(atApi(of.apiId, `/diagnostics${query}`));
const refused = async (who = api) => {
  const answer = await introspect(service, who, 'x', { client_secret: 'changeme' });
  expect(answer.status).toBe(401);
};
/** A refusal that an application met over the API. */
const metBy = (clientId: string, fields: { kind?: string; facts?: Record<string, string> } = {}) =>
  writeRefusals(service.parts.database, [
    {
      ...{ clientId, apiId: api.apiId, authenticated: true, held: false, endpoint: 'token' },
      ...{ error: 'invalid_target', kind: 'resource_closed', facts: { sent: api.identifier } },
      ...{
        address: '192.0.2.77',
        incidents: ['MET4567890'],
        firstAt: new Date(),
        lastAt: new Date(),
        count: 1,
      },
      ...fields,
      fingerprint: Buffer.from(`${clientId} ${fields.kind}`),
    },
  ]);

test('another account finds nothing there, and nobody does without a session', async () => {
  const stranger = await signedInBrowser(service, await service.createUser());
  expect((await page('', stranger)).status).toBe(404);
  expect((await page('?incident=ABCDEFGHJK', stranger)).status).toBe(404);
  expect((await page('', openBrowserSession(service.baseUrl))).location?.pathname).toBe('/signin');
  expect((await browser.get('/console/apis/api_nobody/diagnostics')).status).toBe(404);
});

test('an operator sees it, is told whose it is not, and is offered nothing to change', async () => {
  const { browser: operator } = await signedInOperator(service);
  await refused();
  const { status, body } = await page('', operator);
  expect(status).toBe(200);
  expect(body).toContain('This API belongs to someone else.');
  expect(body).not.toContain(atApi(api.apiId, '/scopes'));
});

test('nothing refused: said so, in both languages', async () => {
  const calm = await apiWithSecret(service, { ownerId: owner.userId });
  expect((await page('', browser, calm)).body).toContain('Nothing was refused.');
  expect((await page('?lang=fr', browser, calm)).body).toContain('Rien n’a été refusé');
  await page('?lang=en');
});

test('a wrong secret at introspection: what it was, from where, and the code that leads to it', async () => {
  await refused();
  const { body } = await page();
  expect(body).toContain('What was sent is not a secret of this service');
  expect(body).toContain('Introspection');
  expect(body).toContain('<dt>IP address</dt><dd>127.0.0.1</dd>');
  const [latest] = await refusalsOfApi(service, api);
  const found = (await page(`?incident=${latest?.incidents[0]?.toLowerCase()}`)).body;
  expect(found.match(/<li class="refusal">/g)).toHaveLength(1);
  expect((await page('?incident=ABCDEFGHJK')).body).toContain('No request kept for this API');
});

test('what an application met over the API: its name and Client ID, in the owner’s words, without its address', async () => {
  const { clientId } = await service.createApplication({ name: 'Agenda <b>' });
  await metBy(clientId);
  const { body } = await page();
  expect(body).toContain('An application that your API does not admit asked for a token for it.');
  expect(body).toContain(`<dt>Application</dt><dd><bdi>Agenda &lt;b&gt;</bdi> <code>${clientId}</code></dd>`);
  expect(body).not.toContain('192.0.2.77');
});

test('an agent by its host', async () => {
  const { clientId } = await service.createApplication({ name: 'Assistant', type: 'public' });
  const agent = 'https://assistant.example/client.json';
  const become = 'update clients set client_id = $2, owner_id = null where client_id = $1';
  await service.parts.database.query(statement('test_become_agent', become), [clientId, agent]);
  await metBy(agent, { kind: 'scope_not_of_api', facts: { sent: 'all', resource: api.identifier } });
  const { body } = await page();
  expect(body).toContain('<dt>Agent</dt><dd><bdi>Assistant</bdi> <code>assistant.example</code></dd>');
  expect(body).toContain('The request named no scope of your API');
});

test('an API that is suspended finds that it asked all the same', async () => {
  const held = await apiWithSecret(service, { ownerId: owner.userId });
  const suspend = 'update apis set suspended_at = created_at where api_id = $1';
  await service.parts.database.query(statement('test_suspend_api', suspend), [held.apiId]);
  await introspect(service, held, 'x');
  expect((await page('', browser, held)).body).toContain('every token is inactive for it');
});
