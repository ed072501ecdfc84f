import { beforeAll, describe, expect, test } from 'vitest';
import { newClientSecret } from '../../../src/oauth/secrets.ts';
import { changeResource } from '../../../src/store/admin-actions.ts';
import { insertSecret } from '../../../src/store/secrets.ts';
import { grantServiceAccess } from '../../support/apis.ts';
import { readText } from '../../support/markup.ts';
import { buildAuthorizeUrl, obtainTokens, openSignedInBrowser } from '../../support/oauth-flow.ts';
import { type TestService, type TestUser, useTestService } from '../../support/service.ts';
import { sql } from '../../support/store-fixtures.ts';

const service = useTestService({ SUPPORT: 'help@example.org' });
let owner: TestUser;
beforeAll(async () => {
  owner = await service.createUser({ emailVerified: true });
});

const DAY = 86_400;
const createClient = (fields: Parameters<TestService['createClient']>[0] = {}) =>
  service.createClient({ ownerId: owner.userId, ...fields });
const loadPage = async ({ clientId }: { clientId: string }) =>
  (await (await openSignedInBrowser(service, owner)).get(`/console/applications/${clientId}`)).body;
const readTasks = (body: string): [text: string, href: string][] =>
  [
    ...body.matchAll(/<li class="task[^"]*">\n<p>([\s\S]*?)<\/p>\n<a class="touch-target" href="([^"]*)"/g),
  ].map(([, text = '', href = '']) => [text.replaceAll(/<[^>]*>/g, ''), href.replace(/^.*\//, '')]);
const timeAfter = (seconds: number) => new Date(service.clock.now().getTime() + seconds * 1000).toISOString();
async function createIntegratedApplication(fields: Parameters<TestService['createClient']>[0] = {}) {
  const application = await createClient(fields);
  const userBrowser = await openSignedInBrowser(service, await service.createUser());
  await obtainTokens(service, application, userBrowser);
  return application;
}
/** The old secret expires after `overlap` seconds. */
async function rotateSecret({ clientId }: { clientId: string }, overlap: number): Promise<void> {
  const { services, clock } = service;
  await insertSecret(services.database, 'application', clientId, newClientSecret(), clock.now());
  await sql(
    service.services.database,
    `update secrets set expires_at = '${timeAfter(overlap)}' where client_id = '${clientId}' and number = 1`,
  );
}

describe("an application's task list", () => {
  test('suggests integrating a new application', async () => {
    expect(readTasks(await loadPage(await createClient()))).toEqual([
      ['Nobody has signed in yet.', 'integrate'],
    ]);
  });

  test('is empty once the application is integrated', async () => {
    for (const type of ['confidential', 'public'] as const)
      expect(await loadPage(await createIntegratedApplication({ type }))).not.toContain('task-list');
  });

  test('asks for a new secret if none is active', async () => {
    const application = await createIntegratedApplication();
    const expireSecretIn = (seconds: number) =>
      sql(
        service.services.database,
        `update secrets set expires_at = '${timeAfter(seconds)}' where client_id = '${application.clientId}'`,
      );
    await expireSecretIn(-1);
    expect(readTasks(await loadPage(application))).toEqual([
      ['No active secret: nobody can sign in.', 'secrets'],
    ]);
    await expireSecretIn(2 * DAY);
    expect(readTasks(await loadPage(application))[0]?.[0]).toMatch(/^The last secret expires on \d/);
    await expireSecretIn(60 * DAY);
    expect(await loadPage(application)).not.toContain('task-list');
    await rotateSecret(application, DAY);
    expect(await loadPage(application)).not.toContain('task-list');
  });

  test('is empty while the application is suspended', async () => {
    const application = await createClient();
    await changeResource(
      service.services.database,
      'application',
      'suspend',
      application.clientId,
      service.clock.now(),
    );
    const body = await loadPage(application);
    expect(body).not.toContain('task-list');
    expect(body).toContain(
      'Contact your administrator. Support: <a href="mailto:help@example.org" rel="noopener noreferrer">help@example.org</a></p>',
    );
    const list = (await (await openSignedInBrowser(service, owner)).get('/console/applications')).body;
    expect(list).not.toContain(`/console/applications/${application.clientId}/integrate`);
    const integrate = (
      await (
        await openSignedInBrowser(service, owner)
      ).get(`/console/applications/${application.clientId}/integrate`)
    ).body;
    expect(integrate).toMatch(/<p class="warning">Suspended: /);
    expect(integrate).not.toContain('class="snippet"');
  });

  test('mentions requests refused in the last week', async () => {
    const application = await createIntegratedApplication();
    const browser = await openSignedInBrowser(service, await service.createUser());
    const redirectUri = 'https://evil.example/';
    await browser.get(buildAuthorizeUrl(service, application, { redirect_uri: redirectUri }));
    await service.services.diagnostics.flush();
    const diagnosticsTask = ['One request was refused in the last seven days.', 'diagnostics'];
    expect(readTasks(await loadPage(application))).toEqual([diagnosticsTask]);
    service.clock.advance(8 * DAY);
    expect(await loadPage(application)).not.toContain('task-list');
  });
});

test("an application's page shows when each secret expires", async () => {
  const application = await createIntegratedApplication();
  await rotateSecret(application, 3 * DAY);
  await service.services.usage.flush();
  const body = await loadPage(application);
  const text = body.replaceAll(/<(?!time)[^>]*>/g, '');
  expect(text).toMatch(/Secret no\. 1 \(….{4}\), used <time [^>]*>[^<]* expires on <time/);
  expect(text).toMatch(/Secret no\. 2 \(….{4}\), never used/);
  expect(body).toContain('expires on <time');
  expect(body).not.toContain('class="tile"');
});

test("an application's page shows its callback URLs and a link to change them", async () => {
  const redirectUris = Array.from({ length: 7 }, (_, index) => `https://notes.example/callback/${index}`);
  const { clientId } = await createClient({ redirectUris });
  const body = (await loadPage({ clientId })).replaceAll('<wbr>', '');
  expect(redirectUris.filter((uri) => body.includes(`<code class="whole">${uri}</code>`))).toEqual(
    redirectUris.slice(0, 5),
  );
  expect(body).toContain('and 2 more');
  expect(body).toContain(`href="/console/applications/${clientId}/edit#redirect_uris"`);
  expect(body).toContain('data-copy="#client-id"');
});

test("a machine-to-machine application's page shows the state of its access to APIs", async () => {
  const machine = await createClient({ redirectUris: [] });
  expect(await loadPage(machine)).not.toContain('edit#redirect_uris');
  const granted = await service.createApi({ name: 'Archives' });
  await grantServiceAccess(service.services.database, granted, machine);
  const requested = await service.createApi({ name: 'Ledger' });
  await grantServiceAccess(service.services.database, requested, machine);
  const revoke = 'update api_service_access set granted_at = null where api_id = $1';
  await sql(service.services.database, revoke, [requested.apiId]);
  const text = readText(await loadPage(machine));
  expect(text).toMatch(/Archives read granted/);
  expect(text).toMatch(/Ledger read pending/);
});
