// Consent records in the audit log, on account pages and in emails.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { NewApi } from '../../../src/store/apis.ts';
import type { BrowserSession, Visit } from '../../support/browser-session.ts';
import { listEmailsTo, readLink } from '../../support/emails.ts';
import { lockTable } from '../../support/locks.ts';
import { readMain, readText } from '../../support/markup.ts';
import { createMetadataClient, type MetadataHost, openMetadataHost } from '../../support/metadata-clients.ts';
import {
  buildAuthorizeUrl,
  listCheckboxes,
  openSignedInBrowser,
  submitDecision,
} from '../../support/oauth-flow.ts';
import { startTestService, type TestClient, type TestService, type TestUser } from '../../support/service.ts';
import { sql } from '../../support/store-fixtures.ts';

let host: MetadataHost;
let service: TestService;
let api: NewApi;
let user: TestUser;
let browser: BrowserSession;
beforeAll(async () => {
  host = await openMetadataHost();
  service = await startTestService({ AGENTS: host.origin });
  const buildScope = (name: string, sensitive: boolean) => ({
    name,
    fr: `${name} en français`,
    en: `${name} in English`,
    sensitive,
    agents: true,
  });
  api = await service.createApi({
    allowedClients: 'agents',
    scopes: [buildScope('read', false), buildScope('write', true)],
  });
});
beforeEach(async () => {
  user = await service.createUser({ emailVerified: true });
  browser = await openSignedInBrowser(service, user);
  service.clock.advance(3600);
});
afterAll(async () => {
  await service.close();
  host.close();
});

const pkce = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' };
const openConsentPage = async (application: TestClient, scope = 'read'): Promise<Visit> => {
  const url = buildAuthorizeUrl(service, application, { scope, resource: api.identifier, ...pkce });
  return browser.follow(await browser.get(url));
};
const createAgent = () => createMetadataClient(host.publish(), 'https://agent.example/callback');
const allowScopes = (visit: Visit, ticked: readonly string[] = []) =>
  submitDecision(browser, visit, 'allow', ticked);
const listConsentEvents = (clientId: string) =>
  sql(
    service.services.database,
    "select actor_id, user_id, ip, detail from events where client_id = $1 and kind = 'consent_given' order by id",
    [clientId],
  );
const listAlerts = async () =>
  (await listEmailsTo(service, user.email)).filter(({ subject }) =>
    /^An (agent|application) (has|was given)/.test(subject),
  );

test('each consent is logged once with the granted scopes', async () => {
  const application = await service.createClient();
  const page = await openConsentPage(application, 'openid read write');
  await allowScopes(page);
  await allowScopes(page);
  expect(await listConsentEvents(application.clientId)).toEqual([
    {
      actor_id: user.userId,
      user_id: user.userId,
      ip: '127.0.0.1',
      detail: { scopes: ['openid', `read (${api.identifier})`] },
    },
  ]);
  await allowScopes(await openConsentPage(application, 'openid read write'), [`${api.apiId} write`]);
  const [, secondEvent] = await listConsentEvents(application.clientId);
  expect(secondEvent).toMatchObject({
    detail: { scopes: ['openid', `read (${api.identifier})`, `write (${api.identifier})`] },
  });
});

test('a consent form resubmitted with more scopes returns no code', async () => {
  const application = await service.createClient();
  const ticked = [`${api.apiId} write`];
  await allowScopes(await openConsentPage(application, 'read write'), ticked);
  const page = await openConsentPage(application, 'read write');
  await allowScopes(page);
  const otherVisit = await allowScopes(page, ticked);
  expect([otherVisit.location?.pathname, otherVisit.location?.searchParams.has('code')]).toEqual([
    '/oauth/authorize',
    false,
  ]);
  expect(await listConsentEvents(application.clientId)).toHaveLength(2);
});

test('denying access is not recorded as consent', async () => {
  const application = await service.createClient();
  await submitDecision(browser, await openConsentPage(application, 'read'), 'deny');
  expect(await listConsentEvents(application.clientId)).toEqual([]);
  await allowScopes(await openConsentPage(application, 'read'));
  const repeatedVisit = await browser.get(
    buildAuthorizeUrl(service, application, { scope: 'read', resource: api.identifier, ...pkce }),
  );
  expect(repeatedVisit.location?.searchParams.has('code')).toBe(true);
  expect(await listConsentEvents(application.clientId)).toHaveLength(1);
});

test('the account pages list every consent to an agent', async () => {
  const agent = createAgent();
  const headers = {
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  };
  for (let times = 0; times < 4; times += 1) {
    service.clock.advance(60);
    const { hidden } = await openConsentPage(agent, 'read write');
    const fields = { ...hidden, decision: 'allow', ...(times === 3 && { scope: `${api.apiId} write` }) };
    await browser.post('/consent', fields, times === 3 ? headers : {});
  }
  const text = readText(readMain((await browser.get('/account/applications')).body));
  expect(text).toMatch(/API Archives.*read in English, write in English sensitive Nothing received yet/);
  const { host: agentHost } = new URL(agent.clientId);
  const activity = readText(readMain((await browser.get('/account/activity')).body)).replaceAll(
    '\u00a0',
    ' ',
  );
  expect(activity.match(new RegExp(`Access allowed ${agentHost}`, 'g'))).toHaveLength(4);
  expect(activity).toContain(`Access allowed ${agentHost} Firefox on Linux · 127.0.0.1`);
});

test('an email is sent only for the first consent to an agent', async () => {
  const agent = createAgent();
  await allowScopes(await openConsentPage(agent, 'read'));
  const [mail, ...otherMails] = await listAlerts();
  expect(otherMails).toEqual([]);
  expect(readLink(mail ?? { text: '' })).toContain('token=');
  await allowScopes(await openConsentPage(agent, 'read'));
  expect(await listAlerts()).toHaveLength(1);
  await allowScopes(await openConsentPage(createAgent(), 'read'));
  expect(await listAlerts()).toHaveLength(2);
});

test('a consent and the email about it are stored in the same transaction', async () => {
  const agent = createAgent();
  const page = await openConsentPage(agent, 'read');
  const lock = await lockTable(service.databaseUrl, 'one_time_tokens');
  const visit = allowScopes(page);
  await lock.waitForBlocked(1);
  expect(await listConsentEvents(agent.clientId)).toEqual([]);
  await lock.release();
  await visit;
  expect([await listConsentEvents(agent.clientId), await listAlerts()]).toMatchObject([
    { length: 1 },
    { length: 1 },
  ]);
});

test('an email is sent for the first consent to a sensitive scope', async () => {
  const application = await service.createClient({ name: 'Carnet' });
  await allowScopes(await openConsentPage(application, 'read write'));
  expect(await listAlerts()).toEqual([]);
  const page = await openConsentPage(application, 'read write');
  const visit = await allowScopes(page, listCheckboxes(page));
  expect(visit.location?.searchParams.has('code')).toBe(true);
  const [mail] = await listAlerts();
  expect(mail?.text).toContain('Concerns: “Carnet”');
  await allowScopes(await openConsentPage(application, 'read write'), listCheckboxes(page));
  expect(await listAlerts()).toHaveLength(1);
});
