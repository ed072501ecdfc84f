// Who has access to an API, and cutting one off: what its owner sees, what ends and what goes on.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { excludeClient } from '../../../../src/store/api-access.ts';
import { listEvents } from '../../../../src/store/events.ts';
import { limitsOf } from '../../../../src/store/pruning.ts';
import { statement } from '../../../../src/store/statement.ts';
import { type AgentHost, agentAt, authorizeAgent, openAgentHost } from '../../../support/agents.ts';
import {
  apiWithSecret,
  exclude,
  introspect,
  obtainApiToken,
  obtainServiceToken,
  type TestApi,
} from '../../../support/apis.ts';
import type { BrowserSession } from '../../../support/browser-session.ts';
import { atApi, fill, sendFields } from '../../../support/console.ts';
import { expectError } from '../../../support/expect-error.ts';
import { authorize, postForm, redeem, renew, signedInBrowser, userinfo } from '../../../support/flow.ts';
import { lastMailTo } from '../../../support/mail.ts';
import { formErrors } from '../../../support/markup.ts';
import { pruneAll, sql } from '../../../support/populate.ts';
import {
  CROWD,
  PASSWORD,
  startTestService,
  type TestApplication,
  type TestService,
  type TestUser,
} from '../../../support/service.ts';

let host: AgentHost;
let service: TestService;
let owner: TestUser;
let api: TestApi;
let browser: BrowserSession;
beforeAll(async () => {
  host = await openAgentHost();
  service = await startTestService({ ...CROWD, AGENTS: host.origin });
  owner = await service.createUser();
  api = await apiWithSecret(service, { ownerId: owner.userId });
  browser = await signedInBrowser(service, owner);
});
afterAll(async () => {
  await service.close();
  host.close();
});

const page = async (of: Pick<TestApi, 'apiId'> = api) => (await browser.get(atApi(of.apiId, '/access'))).body;
const address = (does: 'cut' | 'readmit', { clientId }: Pick<TestApplication, 'clientId'>, of = api) =>
  `${atApi(of.apiId, `/access/${does}`)}?${new URLSearchParams({ client_id: clientId })}`;
const cut = (application: TestApplication) => fill(browser, address('cut', application));
const person = async () => signedInBrowser(service, await service.createUser());
const active = async (token: string, of = api) => (await introspect(service, of, token)).body.active;
/** The entry of an application. */
const entryOf = (body: string, name: string) =>
  body.split('<li>').find((entry) => entry.includes(`<h3><bdi>${name}</bdi></h3>`)) ?? '';

describe('who is listed', () => {
  test('each application with its live grants, the people they are of, and when tokens were given', async () => {
    const application = await service.createApplication({ name: 'Agenda' });
    const [one, two] = [await person(), await person()];
    const first = await obtainApiToken(service, application, one, api);
    await obtainApiToken(service, application, one, api);
    await obtainApiToken(service, application, two, api);
    const entry = entryOf(await page(), 'Agenda');
    expect(entry).toContain(`<code>${application.clientId}</code>`);
    expect(entry).toContain('<dd>3, from 2 people</dd>');
    await postForm(service, '/oauth/token/revoke', {
      token: first.refreshToken,
      client_id: application.clientId,
      client_secret: application.clientSecret,
    });
    expect(entryOf(await page(), 'Agenda')).toContain('<dd>2, from 2 people</dd>');
  });

  test('not one whose people only signed in, nor one of another API', async () => {
    const fresh = await apiWithSecret(service, { ownerId: owner.userId });
    const application = await service.createApplication();
    await authorize(service, application, await person());
    await obtainApiToken(service, application, await person(), api);
    expect(await page(fresh)).toContain('No application has access to this API yet.');
  });

  test('one that the settings admit no more is said to be so, for then its live grants count for nothing', async () => {
    const narrowed = await apiWithSecret(service, { ownerId: owner.userId });
    const foreign = await service.createApplication({ name: 'Agenda' });
    const own = await service.createApplication({ name: 'Carnet', ownerId: owner.userId });
    const { apiToken } = await obtainApiToken(service, foreign, await person(), narrowed);
    await obtainApiToken(service, own, await person(), narrowed);
    const settings = {
      name: 'Archives',
      words_fr: 'Vos papiers.',
      words_en: 'Your papers.',
      token_lifetime: '3600',
    };
    const admit = (admits: string) => fill(browser, atApi(narrowed.apiId, '/edit'), { ...settings, admits });
    const said = async (name: string) => entryOf(await page(narrowed), name).includes('do not admit it');
    expect([await said('Agenda'), await active(apiToken, narrowed)]).toEqual([false, true]);
    await admit('own');
    expect([await said('Agenda'), await active(apiToken, narrowed)]).toEqual([true, false]);
    expect(await said('Carnet')).toBe(false);
    expect(entryOf(await page(narrowed), 'Agenda')).toContain('<dd>1, from one person</dd>');
    await admit('applications');
    expect([await said('Agenda'), await active(apiToken, narrowed)]).toEqual([false, true]);
  });

  test('agents apart, by the host of their document', async () => {
    const agents = await apiWithSecret(service, { ownerId: owner.userId, admits: 'agents' });
    const agent = host.publish({ client_name: 'Assistant' });
    for (const who of [await person(), await person()]) {
      const asked = { scope: 'read offline_access', resource: agents.identifier };
      const { code, verifier } = await authorizeAgent(service, agent, who, asked);
      const tokens = await redeem(service, agentAt(agent), code, { code_verifier: verifier });
      expect(tokens.status).toBe(200);
    }
    const body = await page(agents);
    expect(body).toContain('<h2>Agents</h2>');
    expect(body).not.toContain('<h2>Applications</h2>');
    expect(body).toContain(`<h3 class="host">${new URL(agent).host}</h3>`);
    expect(body).toContain('<bdi>Assistant</bdi>');
    expect(body).toContain('<dd>2, from 2 people</dd>');
    const decision = await fill(browser, address('cut', { clientId: agent }, agents));
    expect((await browser.follow(decision)).body).toContain('<h2>Cut off</h2>');
  });
});

describe('cutting off', () => {
  test('at once: inactive at introspection, not renewed, nothing new, of any person; others go on', async () => {
    const [application, other] = [await service.createApplication(), await service.createApplication()];
    const who = await person();
    const tokens = await obtainApiToken(service, application, who, api);
    const own = await obtainServiceToken(service, application, api);
    const theirs = await obtainApiToken(service, other, who, api);
    const callback = await authorize(service, application, who, {
      scope: 'openid read',
      resource: api.identifier,
    });
    const answer = await cut(application);
    expect(answer.location?.search).toBe('?done=cut');
    expect((await browser.follow(answer)).body).toContain('Access is now cut off.');

    for (const token of [tokens.apiToken, own]) expect(await active(token)).toBe(false);
    const resource = api.identifier;
    expect((await renew(service, application, tokens.refreshToken, { resource })).status).toBe(400);
    const { clientId: client_id, clientSecret: client_secret, redirectUri: redirect_uri } = application;
    const code = callback.searchParams.get('code') ?? '';
    const grant_type = 'authorization_code';
    const exchange = { grant_type, code, redirect_uri, resource, client_id, client_secret };
    expect((await postForm(service, '/oauth/token', exchange)).status).toBe(400);
    const again = await authorize(service, application, who, { scope: 'openid read', resource });
    expect(again.searchParams.get('error')).toBe('invalid_target');
    expectError(
      await postForm(service, '/oauth/token', {
        ...{ grant_type: 'client_credentials', resource, client_id, client_secret },
      }),
      400,
      'invalid_target',
    );

    expect(await active(theirs.apiToken)).toBe(true);
    expect((await renew(service, other, theirs.refreshToken, { resource })).status).toBe(200);
    expect((await userinfo(service, tokens.accessToken)).status).toBe(200); // the person's profile is not the API's
  });

  test('is listed as such, is in the audit log, and its owner is told by mail', async () => {
    const application = await service.createApplication({ name: 'Intrus' });
    await obtainApiToken(service, application, await person(), api);
    await cut(application);
    const body = await page();
    expect(body.slice(body.indexOf('<h2>Cut off</h2>'))).toContain('<bdi>Intrus</bdi>');
    const [event] = await listEvents(service.parts.database, { apiId: api.apiId }, { limit: 1 });
    expect(event).toMatchObject({ kind: 'api_access_cut', clientId: application.clientId });
    expect((await lastMailTo(service, owner.email)).text).toContain('Concerns: “Intrus”');
  });

  test('asks for the password when nobody has signed in for a while', async () => {
    const application = await service.createApplication();
    service.clock.advance(15 * 60 + 1);
    const asked = await browser.follow(await cut(application));
    expect([asked.status, formErrors(asked.body)]).toEqual([400, ['Enter your current password.']]);
    expect(asked.body).toContain(`client_id=${application.clientId}`);
    const done = await sendFields(browser, address('cut', application), {
      ...asked.hidden,
      current_password: PASSWORD,
    });
    expect(done.location?.search).toBe('?done=cut');
  });
});

test('an exclusion of an application that was deleted is pruned', async () => {
  const [gone, left] = [await service.createApplication(), await service.createApplication()];
  for (const application of [gone, left]) await exclude(service, api, application);
  const { database, config } = service.parts;
  await sql(database, 'delete from clients where client_id = $1', [gone.clientId]);
  await pruneAll(database, limitsOf(config, service.clock.now()));
  const rows = await sql(database, 'select client_id from api_exclusions where client_id = any($1::text[])', [
    [gone.clientId, left.clientId],
  ]);
  expect(rows).toEqual([{ client_id: left.clientId }]);
});

describe('an agent that is cut off', () => {
  test('stays so when it was forgotten and comes back by the same document', async () => {
    const open = await startTestService({ AGENTS: host.origin });
    const mine = await open.createUser();
    const of = await apiWithSecret(open, { ownerId: mine.userId, admits: 'agents' });
    const [agent, { host: name }] = [host.publish(), new URL(host.origin)];
    const who = await signedInBrowser(open, await open.createUser());
    const scope = { scope: 'openid read', resource: of.identifier };
    expect((await authorizeAgent(open, agent, who, scope)).code).not.toBe('');
    const console = await signedInBrowser(open, mine);
    await fill(console, address('cut', { clientId: agent }, of));
    const forget = 'delete from clients where client_id = $1';
    await open.parts.database.query(statement('test_forget_agent', forget), [agent]);
    await pruneAll(open.parts.database, limitsOf(open.parts.config, open.clock.now()));
    const body = (await console.get(atApi(of.apiId, '/access'))).body;
    expect(body.slice(body.indexOf('<h2>Cut off</h2>'))).toContain(`<h3 class="host">${name}</h3>`);
    expect((await authorizeAgent(open, agent, who, scope)).callback.searchParams.get('error')).toBe(
      'invalid_target',
    );
    await open.parts.database.query(statement('test_forget_agent', forget), [agent]);
    const answer = await fill(console, address('readmit', { clientId: agent }, of));
    expect(answer.location?.search).toBe('?done=readmit');
    expect((await authorizeAgent(open, agent, who, scope)).code).not.toBe('');
    await open.close();
  });
});

describe('letting in again', () => {
  test('new requests are served; what was cut off stays so', async () => {
    const application = await service.createApplication({ name: 'Revenant' });
    const who = await person();
    const before = await obtainApiToken(service, application, who, api);
    await cut(application);
    service.clock.advance(1);
    const answer = await fill(browser, address('readmit', application));
    expect(answer.location?.search).toBe('?done=readmit');
    expect(await active(before.apiToken)).toBe(false);
    const resource = api.identifier;
    expect((await renew(service, application, before.refreshToken, { resource })).status).toBe(400);
    service.clock.advance(1);
    const after = await obtainApiToken(service, application, who, api);
    expect(await active(after.apiToken)).toBe(true);
    expect(entryOf(await page(), 'Revenant')).toContain('<dd>1, from one person</dd>');
    const [event] = await listEvents(service.parts.database, { apiId: api.apiId }, { limit: 1 });
    expect(event).toMatchObject({ kind: 'api_access_restored', clientId: application.clientId });
    await cut(application);
    expect(await active(after.apiToken)).toBe(false);
  });

  test('nor does it revive what was being given at that moment, by requests that had not seen it yet', async () => {
    const [application, who] = [await service.createApplication(), await person()];
    const ids = { apiId: api.apiId, clientId: application.clientId };
    const meanwhile = await service.parts.database.transaction(async (transaction) => {
      expect(await excludeClient(transaction, owner.userId, ids, service.clock.now())).toBe(true);
      service.clock.advance(1);
      return obtainApiToken(service, application, who, api);
    });
    expect(await active(meanwhile.apiToken)).toBe(false);
    service.clock.advance(1);
    await fill(browser, address('readmit', application));
    expect(await active(meanwhile.apiToken)).toBe(false);
    const resource = api.identifier;
    expect((await renew(service, application, meanwhile.refreshToken, { resource })).status).toBe(400);
    expect(await page()).not.toContain(application.clientId);
    expect(await active((await obtainApiToken(service, application, who, api)).apiToken)).toBe(true);
  });
});

test('is decided about applications that there are, and no others', async () => {
  for (const clientId of ['', 'app_nobody', '"><b>', '%00', 'x'.repeat(3000)]) {
    const { status } = await browser.get(`${atApi(api.apiId, '/access/cut')}?client_id=${clientId}`);
    expect([clientId, status]).toEqual([clientId, 404]);
  }
});
