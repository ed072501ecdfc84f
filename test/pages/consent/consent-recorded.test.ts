// Each consent is recorded: in the audit log, on the account's page, and by email where an agent or a sensitive scope is new.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { NewApi } from '../../../src/store/apis.ts';
import { type AgentHost, agentAt, openAgentHost } from '../../support/agents.ts';
import type { BrowserSession, Visit } from '../../support/browser-session.ts';
import { authorizeAddress, checkboxesOf, decide, signedInBrowser } from '../../support/flow.ts';
import { lockTable } from '../../support/locks.ts';
import { linkIn, mailsTo } from '../../support/mail.ts';
import { mainOf, textIn } from '../../support/markup.ts';
import { sql } from '../../support/populate.ts';
import {
  startTestService,
  type TestApplication,
  type TestService,
  type TestUser,
} from '../../support/service.ts';

let host: AgentHost;
let service: TestService;
let api: NewApi;
let user: TestUser;
let browser: BrowserSession;
beforeAll(async () => {
  host = await openAgentHost();
  service = await startTestService({ AGENTS: host.origin });
  const scope = (name: string, sensitive: boolean) => ({
    name,
    fr: `${name} en français`,
    en: `${name} in English`,
    sensitive,
    agents: true,
  });
  api = await service.createApi({ admits: 'agents', scopes: [scope('read', false), scope('write', true)] });
});
beforeEach(async () => {
  user = await service.createUser({ emailVerified: true });
  browser = await signedInBrowser(service, user);
  service.clock.advance(3600);
});
afterAll(async () => {
  await service.close();
  host.close();
});

const pkce = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' };
const ask = async (application: TestApplication, scope = 'read'): Promise<Visit> => {
  const url = authorizeAddress(service, application, { scope, resource: api.identifier, ...pkce });
  return browser.follow(await browser.get(url));
};
const newAgent = () => agentAt(host.publish(), 'https://agent.example/callback');
const allow = (visit: Visit, ticked: readonly string[] = []) => decide(browser, visit, 'allow', ticked);
const events = (clientId: string) =>
  sql(
    service.parts.database,
    "select actor_id, user_id, address, detail from events where client_id = $1 and kind = 'consent_given' order by id",
    [clientId],
  );
const alerts = async () =>
  (await mailsTo(service, user.email)).filter(({ subject }) =>
    /^(An agent|Sensitive) (has )?access/.test(subject),
  );

test('the audit log has each consent with what was granted, and from where; a form sent twice is one', async () => {
  const application = await service.createApplication();
  const page = await ask(application, 'openid read write');
  await allow(page);
  await allow(page);
  expect(await events(application.clientId)).toEqual([
    {
      actor_id: user.userId,
      user_id: user.userId,
      address: '127.0.0.1',
      detail: { scopes: ['openid', `read (${api.identifier})`] },
    },
  ]);
  await allow(await ask(application, 'openid read write'), [`${api.apiId} write`]);
  const [, second] = await events(application.clientId);
  expect(second).toMatchObject({
    detail: { scopes: ['openid', `read (${api.identifier})`, `write (${api.identifier})`] },
  });
});

test('a form sent again with a box that was granted before, but not by this form, gives no code', async () => {
  const application = await service.createApplication();
  const boxes = [`${api.apiId} write`];
  await allow(await ask(application, 'read write'), boxes);
  const page = await ask(application, 'read write');
  await allow(page);
  const more = await allow(page, boxes);
  expect([more.location?.pathname, more.location?.searchParams.has('code')]).toEqual([
    '/oauth/authorize',
    false,
  ]);
  expect(await events(application.clientId)).toHaveLength(2);
});

test('a refusal, and an authorization without a page, record none', async () => {
  const application = await service.createApplication();
  await decide(browser, await ask(application, 'read'), 'deny');
  expect(await events(application.clientId)).toEqual([]);
  await allow(await ask(application, 'read'));
  const silent = await browser.get(
    authorizeAddress(service, application, { scope: 'read', resource: api.identifier, ...pkce }),
  );
  expect(silent.location?.searchParams.has('code')).toBe(true);
  expect(await events(application.clientId)).toHaveLength(1);
});

test('the account shows what an agent holds, and the last three times that it was allowed, with browser and IP address', async () => {
  const agent = newAgent();
  const headers = {
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  };
  for (let times = 0; times < 4; times += 1) {
    service.clock.advance(60);
    const { hidden } = await ask(agent, 'read write');
    const fields = { ...hidden, decision: 'allow', ...(times === 3 && { scope: `${api.apiId} write` }) };
    await browser.post('/consent', fields, times === 3 ? headers : {});
  }
  const words = textIn(mainOf((await browser.get('/account/applications')).body));
  expect(words).toMatch(/API Archives.*read in English write in English sensitive Allowed/);
  expect(words.match(/127\.0\.0\.1/g)).toHaveLength(3);
  expect(words).toMatch(/Allowed [^,]+, \d\d:\d\d UTC Firefox on Linux, 127\.0\.0\.1/);
});

test('the first consent to an agent is mailed, with a link to report it; later ones are not', async () => {
  const agent = newAgent();
  await allow(await ask(agent, 'read'));
  const [mail, ...more] = await alerts();
  expect(more).toEqual([]);
  expect(linkIn(mail ?? { text: '' })).toContain('token=');
  await allow(await ask(agent, 'read'));
  expect(await alerts()).toHaveLength(1);
  await allow(await ask(newAgent(), 'read'));
  expect(await alerts()).toHaveLength(2);
});

test('the mail is written with the consent: neither exists without the other', async () => {
  const agent = newAgent();
  const page = await ask(agent, 'read');
  const lock = await lockTable(service.databaseUrl, 'one_time_tokens');
  const visit = allow(page);
  await lock.heldUp(1);
  expect(await events(agent.clientId)).toEqual([]);
  await lock.release();
  await visit;
  expect([await events(agent.clientId), await alerts()]).toMatchObject([{ length: 1 }, { length: 1 }]);
});

test('the first consent to a sensitive scope is mailed, whoever asks; one left unticked is not', async () => {
  const application = await service.createApplication({ name: 'Carnet' });
  await allow(await ask(application, 'read write'));
  expect(await alerts()).toEqual([]);
  const page = await ask(application, 'read write');
  const visit = await allow(page, checkboxesOf(page));
  expect(visit.location?.searchParams.has('code')).toBe(true);
  const [mail] = await alerts();
  expect(mail?.text).toContain('Concerns: “Carnet”');
  await allow(await ask(application, 'read write'), checkboxesOf(page));
  expect(await alerts()).toHaveLength(1);
});
