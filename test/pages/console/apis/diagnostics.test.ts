// The diagnostics page of an API: who sees it, what it says of refusals of the API and of applications over it.

import { beforeAll, describe, expect, test } from 'vitest';
import { messagesFor } from '../../../../src/i18n/index.ts';
import type { NewApi } from '../../../../src/store/apis.ts';
import { writeRefusals } from '../../../../src/store/refusals.ts';
import { apiWithSecret, exclude, introspect, obtainApiToken, type TestApi } from '../../../support/apis.ts';
import { type BrowserSession, openBrowserSession } from '../../../support/browser-session.ts';
import { atApi } from '../../../support/console.ts';
import { refusalsOf, refusalsOfApi } from '../../../support/diagnostics.ts';
import { authorizeAddress, obtainTokens, postForm, renew, signedInBrowser } from '../../../support/flow.ts';
import { signedInOperator } from '../../../support/operator.ts';
import { type TestApplication, type TestUser, useTestService } from '../../../support/service.ts';

const service = useTestService();
let owner: TestUser;
let api: TestApi;
let browser: BrowserSession;
beforeAll(async () => {
  owner = await service.createUser();
  api = await apiWithSecret(service, { ownerId: owner.userId });
  browser = await signedInBrowser(service, owner);
});

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
      ...{ address: '192.0.2.77', incident: 'MET4567890', at: new Date() },
      ...fields,
    },
  ]);

test('an operator sees it, is told whose it is not, and is offered nothing to change', async () => {
  const { browser: operator } = await signedInOperator(service);
  await refused();
  const { status, body } = await page('', operator);
  expect(status).toBe(200);
  expect(body).toContain('This API belongs to someone else.');
  const back = `/console/operations/apis/${api.apiId}`;
  expect(body).toContain(`href="${back}"`);
  expect((await operator.get(back)).body).toContain(`href="${atApi(api.apiId, '/diagnostics')}"`);
  expect(body).not.toContain(atApi(api.apiId, '/scopes'));
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

test('the API’s own page says that something was refused in the last week, and leads there', async () => {
  const noisy = await apiWithSecret(service, { ownerId: owner.userId });
  const overview = async () => (await browser.get(atApi(noisy.apiId))).body;
  expect(await overview()).not.toContain('in the last seven days');
  await refused(noisy);
  await page('', browser, noisy);
  expect(await overview()).toContain('One request was refused in the last seven days.');
  expect(await overview()).toContain(`href="${atApi(noisy.apiId, '/diagnostics')}"`);
});

test('what an application met over the API: its name and Client ID, in the owner’s words, without its address', async () => {
  const { clientId } = await service.createApplication({ name: 'Agenda <b>' });
  await metBy(clientId);
  const { body } = await page();
  expect(body).toContain('An application that your API does not admit asked for a token for it.');
  expect(body).toContain(`<dt>Application</dt><dd><bdi>Agenda &lt;b&gt;</bdi> <code>${clientId}</code></dd>`);
  expect(body).not.toContain('192.0.2.77');
});

test('one that is refused over and over keeps no other from being found', async () => {
  const [rare, noisy] = [
    await service.createApplication({ name: 'Rare' }),
    await service.createApplication({ name: 'Noisy' }),
  ];
  const ask = (application: TestApplication, scope: string) =>
    browser.get(authorizeAddress(service, application, { scope, resource: api.identifier }));
  await ask(rare, 'openid nothing');
  await service.parts.diagnostics.flush();
  for (let count = 0; count < 110; count++) await ask(noisy, `openid nothing${count}`);
  const clients = (await refusalsOfApi(service, api)).map(({ clientId }) => clientId);
  expect([clients.includes(rare.clientId), clients.includes(noisy.clientId)]).toEqual([true, true]);
  expect((await page()).body).toContain('Rare');
});

describe('what applications and agents were refused over it is found by both owners', () => {
  const asks = (application: TestApplication, parameters: Record<string, string>) =>
    openBrowserSession(service.baseUrl).get(authorizeAddress(service, application, parameters));
  const post = ({ clientId, clientSecret }: TestApplication, path: string, fields: Record<string, string>) =>
    postForm(service, `/oauth/${path}`, { client_id: clientId, client_secret: clientSecret, ...fields });
  type Meets = (application: TestApplication, of: TestApi) => Promise<unknown>;
  const cases: [string, string, Partial<NewApi>, Meets][] = [
    [
      ...(['the API admits its owner’s only', 'resource_closed', { admits: 'own' }] as const),
      (application, { identifier: resource }) => asks(application, { scope: 'openid read', resource }),
    ],
    [
      ...(['a scope that is not the API’s', 'scope_not_of_api', {}] as const),
      (application, { identifier: resource }) => asks(application, { scope: 'openid all', resource }),
    ],
    [
      ...(['a grant that does not name it', 'resource_beyond_grant', {}] as const),
      async (application, { identifier: resource }) => {
        const person = await signedInBrowser(service, await service.createUser());
        const { refreshToken } = await obtainTokens(service, application, person);
        await renew(service, application, refreshToken, { resource });
      },
    ],
    [
      ...(['cut off meanwhile', 'resource_excluded', {}] as const),
      async (application, of) => {
        const person = await signedInBrowser(service, await service.createUser());
        const { refreshToken } = await obtainApiToken(service, application, person, of);
        await exclude(service, of, application);
        await renew(service, application, refreshToken, { resource: of.identifier });
      },
    ],
    [
      ...(['on its own account, not granted', 'service_off', {}] as const),
      (application, { identifier: resource }) =>
        post(application, 'token', { grant_type: 'client_credentials', resource }),
    ],
  ];

  test.each(cases)('%s: %s', async (_, kind, fields, meets) => {
    const of = await apiWithSecret(service, { ownerId: owner.userId, ...fields });
    const application = await service.createApplication({ name: 'Agenda' });
    await meets(application, of);
    expect((await refusalsOf(service, application)).map((one) => one.kind)).toContain(kind);
    expect(await refusalsOfApi(service, of)).toMatchObject([
      { kind, clientId: application.clientId, applicationName: 'Agenda', address: '' },
    ]);
    const { body } = await page('', browser, of);
    const words = messagesFor('en').apiAccess.diagnostics.about[kind];
    expect(body).toContain(words?.what.split('{')[0]);
  });

  test('of one API not by the owner of another, and nothing of a resource that is nobody’s', async () => {
    const [of, other] = [await apiWithSecret(service, { admits: 'own' }), await apiWithSecret(service)];
    const application = await service.createApplication();
    await asks(application, { scope: 'openid read', resource: of.identifier });
    await asks(application, { scope: 'openid read', resource: 'https://nobody.example' });
    expect(await refusalsOfApi(service, of)).toHaveLength(1);
    expect(await refusalsOfApi(service, other)).toEqual([]);
  });
});
