import { describe, expect, test } from 'vitest';
import { messagesFor } from '../../../src/i18n/index.ts';
import { addActivity } from '../../../src/store/activity.ts';
import { revokeAllSecrets } from '../../../src/store/secrets.ts';
import { openBrowserSession } from '../../support/browser-session.ts';
import { buildAuthorizeUrl, openSignedInBrowser } from '../../support/oauth-flow.ts';
import { type TestUser, useTestService } from '../../support/service.ts';
import { sql } from '../../support/store-fixtures.ts';

const service = useTestService();
const DAY = 24 * 3600 * 1000;
const { tasks, list } = messagesFor('en').applications;

async function readRows(user: TestUser, path = '/console/applications'): Promise<Record<string, string[]>> {
  const browser = await openSignedInBrowser(service, user);
  browser.cookies.set('sesame-language', 'en');
  const { body } = await browser.get(path);
  const rows = [...body.matchAll(/<tr>(<td.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) =>
      cell
        .replace(/<svg.*?aria-label="([^"]*)".*?<\/svg>/gs, '[$1]')
        .replaceAll('<wbr>', '')
        .replace(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    ),
  );
  return Object.fromEntries(rows.map(([name = '', ...cells]) => [name.replace(/ app_\S+$/, ''), cells]));
}

const addSignIns = (clientId: string, ...totals: [daysAgo: number, total: number][]) => {
  const today = Math.floor(service.clock.now().getTime() / DAY) * DAY;
  return addActivity(
    service.services.database,
    totals.map(([daysAgo, total]) => ({
      ...{ clientId, kind: 'signed_in', day: new Date(today - daysAgo * DAY), total },
      counts: [total],
    })),
  );
};

describe('the list of applications', () => {
  test("shows each application's recent sign-ins", async () => {
    const user = await service.createUser();
    const recent = await service.createClient({ ownerId: user.userId, name: 'Recent' });
    const old = await service.createClient({ ownerId: user.userId, name: 'Old' });
    await addSignIns(recent.clientId, [0, 3], [6, 4], [7, 100]);
    await addSignIns(old.clientId, [30, 5]);
    const rows = await readRows(user);
    expect(rows.Recent?.[0]).toBe(`7 [${list.perDay(['4', '0', '0', '0', '0', '0', '3'])}]`);
    expect(rows.Old?.[0]).toBe(`0 [${list.perDay(Array.from({ length: 7 }, () => '0'))}]`);
    const lastDay = new Date(service.clock.now().getTime() - 30 * DAY);
    expect(rows.Old?.[1]).toBe(messagesFor('en').date(lastDay).replace(/\s/g, ' '));
  });

  test('shows the number of recently refused requests', async () => {
    const user = await service.createUser();
    const client = await service.createClient({ ownerId: user.userId, name: 'Refused' });
    const invalid = buildAuthorizeUrl(service, client, { redirect_uri: 'https://other.example/' });
    for (let i = 0; i < 3; i += 1) await openBrowserSession(service.baseUrl).get(invalid);
    await service.services.diagnostics.flush();
    expect((await readRows(user)).Refused?.[2]).toBe('3');
    await sql(
      service.services.database,
      "update refusals set at = at - interval '8 days' where client_id = $1",
      [client.clientId],
    );
    expect((await readRows(user)).Refused?.[2]).toBe('0');
  });

  test('shows the most urgent task for each application', async () => {
    const user = await service.createUser();
    const createApplication = (name: string, fields = {}) =>
      service.createClient({ ownerId: user.userId, name, ...fields });
    const { database } = service.services;
    const withoutSecret = await createApplication('WithoutSecret');
    await revokeAllSecrets(database, withoutSecret.clientId, service.clock.now());
    const expiring = await createApplication('Expiring');
    await sql(database, 'update secrets set expires_at = $2 where client_id = $1', [
      expiring.clientId,
      new Date(service.clock.now().getTime() + 3 * DAY),
    ]);
    await createApplication('Unused');
    await createApplication('Public', { type: 'public' });
    await createApplication('Machine', { redirectUris: [] });
    const withApi = await createApplication('MachineWithApi', { redirectUris: [] });
    const { apiId } = await service.createApi({ allowedClients: 'applications' });
    await sql(
      database,
      'insert into api_service_access (api_id, client_id, scopes, requested_at) values ($1, $2, $3, $4)',
      [apiId, withApi.clientId, ['read'], service.clock.now()],
    );
    const refused = await createApplication('Refused');
    const used = await createApplication('Used');
    for (const { clientId } of [refused, used]) await addSignIns(clientId, [0, 1]);
    const unusedAndRefused = await createApplication('UnusedAndRefused');
    for (const client of [refused, unusedAndRefused, expiring, withoutSecret])
      await openBrowserSession(service.baseUrl).get(
        buildAuthorizeUrl(service, client, { redirect_uri: 'https://other.example/' }),
      );
    await service.services.diagnostics.flush();
    const rows = await readRows(user);
    expect(rows.WithoutSecret?.[3]).toBe(`${list.noSecret} ${tasks.newSecret}`);
    expect(rows.Expiring?.[3]).toContain(list.secretEnds);
    expect(rows.Unused?.[3]).toBe(tasks.integrate);
    expect(rows.Public?.[3]).toBe(tasks.integrate);
    expect(rows.Machine?.[3]).toBe(tasks.requestAccess);
    expect(rows.MachineWithApi?.[3]).toBe('');
    const seeRefused = `${list.requestsRefused} ${tasks.seeRefused}`;
    expect([rows.Refused?.[3], rows.UnusedAndRefused?.[3]]).toEqual([seeRefused, seeRefused]);
    expect(rows.Used?.[3]).toBe('');
    expect([rows.Unused?.[1], rows.Public?.[1]]).toEqual([list.never, list.never]);
  });

  test("does not show other users' applications", async () => {
    const other = await service.createUser();
    await service.createClient({ ownerId: other.userId, name: 'Foreign' });
    const user = await service.createUser();
    await service.createClient({ ownerId: user.userId, name: 'Own' });
    expect(Object.keys(await readRows(user))).toEqual(['Own']);
  });
});

test('the list of APIs shows who can request tokens', async () => {
  const user = await service.createUser();
  const api = await service.createApi({ ownerId: user.userId, name: 'Archives', allowedClients: 'agents' });
  const rows = await readRows(user, '/console/apis');
  expect(rows[`Archives ${api.identifier}`]).toEqual(['read write', 'applications and agents', '0']);
});
