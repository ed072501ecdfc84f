// The lists of accounts, applications, APIs and agents: search, states, pages.
import { beforeAll, expect, test } from 'vitest';
import { keepDocument } from '../../../src/store/agents.ts';
import { accountPath, applicationPath, type Operator, signedInOperator } from '../../support/operator.ts';
import { useTestService } from '../../support/service.ts';

const service = useTestService();
const OPERATIONS = '/console/operations';
const AGENT = 'https://scribe.example/agent.json';
let operator: Operator;
/** The id of the row that searches and states find. */
let ids: { accounts: string; applications: string; apis: string; agents: string };
beforeAll(async () => {
  operator = await signedInOperator(service);
  const { userId } = await service.createUser({ name: 'Élodie %_', email: 'Elodie.Search@exemple.fr' });
  const owner = { ownerId: userId, name: 'Écran %_' };
  const { clientId } = await service.createApplication(owner);
  const { apiId } = await service.createApi({
    ...owner,
    identifier: 'https://find.example',
    admits: 'agents',
  });
  const now = service.clock.now();
  const agent = { clientId: AGENT, name: 'Écrivain %_', redirectUris: ['http://localhost/cb'], jwks: null };
  const document = { ...agent, origin: 'https://scribe.example', etag: null, freshUntil: now };
  await keepDocument(service.parts.database, document, 10, now);
  ids = { accounts: userId, applications: clientId, apis: apiId, agents: AGENT };
  await service.createUser({ name: 'Another' });
  await service.createApplication({ name: 'Another' });
  await service.createApi({ name: 'Another' });
});

/** The ids in the first column of a list, and the URL of the next page. */
async function list(path: string, query: Record<string, string> = {}) {
  const { status, body } = await operator.browser.get(
    path.includes('?') ? path : `${OPERATIONS}/${path}?${new URLSearchParams(query)}`,
  );
  expect(status).toBe(200);
  const links = body.matchAll(/<tr><td[^>]*><div><a [^>]*href="[^"]*\/([^/"]+)"/g);
  const next = /href="([^"]*)" rel="next"/.exec(body)?.[1]?.replaceAll('&amp;', '&');
  return { rows: [...links].map(([, id = '']) => decodeURIComponent(id)), next };
}

test('each is searched by the beginning of a name or email and by identifier; patterns and SQL are literal', async () => {
  const missing = ['lodie', 'cran', '_', '\\', `' or '1'='1`, '\u{10ffff}', 'a'.repeat(5000)];
  for (const [section, found, others] of [
    ['accounts', ['élo', 'ELODIE.S', 'élodie %_', ids.accounts], [ids.accounts.slice(0, 8)]],
    ['applications', ['écr', 'elodie.s', 'ÉCRAN %_', ids.applications], ['app_']],
    ['apis', ['écr', 'elodie.s', 'https://find.example', 'https://find.example/', ids.apis], ['api_']],
    ['agents', ['écr', 'ÉCRIVAIN %', AGENT], []],
  ] as const) {
    for (const search of found)
      expect([search, (await list(section, { search })).rows]).toEqual([search, [ids[section]]]);
    for (const search of [...missing, ...others])
      expect([section, search, (await list(section, { search })).rows]).toEqual([section, search, []]);
  }
});

test('each is filtered by state', async () => {
  const act = (section: string, id: string, action: string) =>
    operator.act(`${OPERATIONS}/${section}/${encodeURIComponent(id)}/${action}`);
  await operator.act(accountPath(ids.accounts, 'suspend'));
  await operator.act(applicationPath(ids.applications, 'suspend'));
  await operator.act(applicationPath(ids.applications, 'verify'));
  await act('apis', ids.apis, 'suspend');
  await act('agents', AGENT, 'block');
  for (const [section, state] of [
    ['accounts', 'suspended'],
    ['applications', 'suspended'],
    ['applications', 'verified'],
    ['apis', 'suspended'],
    ['apis', 'agents'],
    ['agents', 'blocked'],
    ['agents', 'document'],
  ] as const)
    expect([state, (await list(section, { state })).rows]).toEqual([state, [ids[section]]]);
  expect((await list('accounts', { state: 'operator' })).rows).toEqual([operator.user.userId]);
  expect((await list('applications', { state: 'unverified' })).rows).not.toContain(ids.applications);
  expect((await list('agents', { state: 'registration' })).rows).toEqual([]);
});

test('pages have forty rows; each row is shown once, also when rows are added meanwhile', async () => {
  const made: string[] = [];
  for (let n = 0; n < 60; n += 1) made.push((await service.createUser({ name: `Paging ${n}` })).userId);
  const first = await list('accounts', { search: 'paging' });
  await service.createUser({ name: 'Paging late' });
  const second = await list(first.next ?? '');
  expect([first.rows.length, second.rows.length, second.next]).toEqual([40, 20, undefined]);
  expect([...first.rows, ...second.rows].toSorted()).toEqual(made.toSorted());
});

test('a forged position leads to the first page', async () => {
  const { rows } = await list('accounts');
  for (const after of ['x', '1.x', "1.' or true", '99999999999999999.app', `1.${'f'.repeat(65)}`])
    expect([after, (await list('accounts', { after })).rows]).toEqual([after, rows]);
});
