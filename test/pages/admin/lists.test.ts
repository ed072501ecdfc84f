// Lists of accounts, applications, APIs and agents.
import { beforeAll, expect, test } from 'vitest';
import { storeDocument } from '../../../src/store/agents.ts';
import {
  adminAccountPath,
  adminClientPath,
  createSignedInAdmin,
  type TestAdmin,
} from '../../support/admin.ts';
import { openSignedInBrowser } from '../../support/oauth-flow.ts';
import { useTestService } from '../../support/service.ts';

const service = useTestService();
const OPERATIONS_PATH = '/console/operations';
const AGENT_URL = 'https://scribe.example/agent.json';
let admin: TestAdmin;
/** ID of the row that each list must contain, by list. */
let ids: { accounts: string; applications: string; apis: string; agents: string };
beforeAll(async () => {
  admin = await createSignedInAdmin(service);
  const { userId } = await service.createUser({ name: 'Élodie %_', email: 'Elodie.Search@exemple.fr' });
  const owner = { ownerId: userId, name: 'Écran %_' };
  const { clientId } = await service.createClient(owner);
  const { apiId } = await service.createApi({
    ...owner,
    identifier: 'https://find.example',
    allowedClients: 'agents',
  });
  const now = service.clock.now();
  const agent = {
    clientId: AGENT_URL,
    name: 'Écrivain %_',
    redirectUris: ['http://localhost/cb'],
    jwks: null,
  };
  const document = { ...agent, origin: 'https://scribe.example', etag: null, freshUntil: now };
  await storeDocument(service.services.database, document, 10, now);
  ids = { accounts: userId, applications: clientId, apis: apiId, agents: AGENT_URL };
  await service.createUser({ name: 'Another' });
  await service.createClient({ name: 'Another' });
  await service.createApi({ name: 'Another' });
});

/** Reads the first column and the URL of the next page. */
async function loadList(path: string, query: Record<string, string> = {}) {
  const { status, body } = await admin.browser.get(
    path.includes('?') ? path : `${OPERATIONS_PATH}/${path}?${new URLSearchParams(query)}`,
  );
  expect(status).toBe(200);
  const links = body.matchAll(/<tr><td[^>]*><div><a [^>]*href="[^"]*\/([^/"]+)"/g);
  const nextUrl = /href="([^"]*)" rel="next"/.exec(body)?.[1]?.replaceAll('&amp;', '&');
  return { rows: [...links].map(([, id = '']) => decodeURIComponent(id)), next: nextUrl };
}

test('each list can be searched by ID or name prefix', async () => {
  const missing = ['lodie', 'cran', '_', '\\', `' or '1'='1`, '\u{10ffff}', 'a'.repeat(5000)];
  for (const [section, found, others] of [
    ['accounts', ['élo', 'ELODIE.S', 'élodie %_', ids.accounts], [ids.accounts.slice(0, 8)]],
    ['applications', ['écr', 'elodie.s', 'ÉCRAN %_', ids.applications], ['app_']],
    ['apis', ['écr', 'elodie.s', 'https://find.example', 'https://find.example/', ids.apis], ['api_']],
    ['agents', ['écr', 'ÉCRIVAIN %', AGENT_URL], []],
  ] as const) {
    for (const search of found)
      expect([search, (await loadList(section, { search })).rows]).toEqual([search, [ids[section]]]);
    for (const search of [...missing, ...others])
      expect([section, search, (await loadList(section, { search })).rows]).toEqual([section, search, []]);
  }
});

test('each list can be filtered by state', async () => {
  const moderateResource = (section: string, id: string, action: string) =>
    admin.submit(`${OPERATIONS_PATH}/${section}/${encodeURIComponent(id)}/${action}`);
  await admin.submit(adminAccountPath(ids.accounts, 'suspend'));
  await admin.submit(adminClientPath(ids.applications, 'suspend'));
  await admin.submit(adminClientPath(ids.applications, 'verify'));
  await moderateResource('apis', ids.apis, 'suspend');
  await moderateResource('agents', AGENT_URL, 'block');
  for (const [section, state] of [
    ['accounts', 'suspended'],
    ['applications', 'suspended'],
    ['applications', 'verified'],
    ['apis', 'suspended'],
    ['apis', 'agents'],
    ['agents', 'blocked'],
    ['agents', 'document'],
  ] as const)
    expect([state, (await loadList(section, { state })).rows]).toEqual([state, [ids[section]]]);
  expect((await loadList('accounts', { state: 'admin' })).rows).toEqual([admin.user.userId]);
  expect((await loadList('applications', { state: 'unverified' })).rows).not.toContain(ids.applications);
  expect((await loadList('agents', { state: 'registration' })).rows).toEqual([]);
});

test('an empty list links to the complete list and suggests a shorter search', async () => {
  for (const [query, suggestsShorter] of [
    ['search=nobody', true],
    ['search=nobody&state=admin', false],
    ['state=suspended&search=x', false],
  ] as const) {
    const { body } = await admin.browser.get(`${OPERATIONS_PATH}/accounts?${query}`);
    expect(body).toContain(`href="${OPERATIONS_PATH}/accounts">Show all</a>`);
    expect([query, body.includes('Try a shorter search')]).toEqual([query, suggestsShorter]);
  }
});

test('a list has 40 rows per page', async () => {
  const createdIds: string[] = [];
  for (let n = 0; n < 60; n += 1) createdIds.push((await service.createUser({ name: `Paging ${n}` })).userId);
  const first = await loadList('accounts', { search: 'paging' });
  await service.createUser({ name: 'Paging late' });
  const second = await loadList(first.next ?? '');
  expect([first.rows.length, second.rows.length, second.next]).toEqual([40, 20, undefined]);
  expect([...first.rows, ...second.rows].toSorted()).toEqual(createdIds.toSorted());
});

test('a list shows the first page for an invalid position', async () => {
  const { rows } = await loadList('accounts');
  for (const cursor of ['x', '1.x', "1.' or true", '99999999999999999.app', `1.${'f'.repeat(65)}`])
    expect([cursor, (await loadList('accounts', { after: cursor })).rows]).toEqual([cursor, rows]);
});

test('the list of accounts shows each account’s last sign-in', async () => {
  const user = await service.createUser();
  const findRow = async () =>
    (await admin.browser.get(`${OPERATIONS_PATH}/accounts?search=${encodeURIComponent(user.email)}`)).body
      .split('<td data-heading="Last sign-in"><div>')[1]
      ?.split('</div>')[0];
  expect(await findRow()).toBe('Never');
  await openSignedInBrowser(service, user);
  expect(await findRow()).toContain(`datetime="${service.clock.now().toISOString().slice(0, 16)}`);
});
