import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { callServer, discoverServer, STEPS, type Step } from '../../../../src/agents/connection-test.ts';
import { toConsentScope } from '../../../../src/oauth/api.ts';
import { buildTestClientId } from '../../../../src/oauth/connection-test-client.ts';
import { buildBearerChallenge, buildResourceMetadata } from '../../../../src/oauth/resource-metadata.ts';
import type { NewApi } from '../../../../src/store/apis.ts';
import { createSignedInAdmin } from '../../../support/admin.ts';
import { insertExclusion } from '../../../support/apis.ts';
import type { BrowserSession, Visit } from '../../../support/browser-session.ts';
import { apiPath, postFields, submitForm } from '../../../support/console-forms.ts';
import {
  CONNECTION_TEST_TEXT,
  closeWithoutResponse,
  type Handler,
  listFailedSteps,
  listPassedSteps,
  readRemedy,
  readStep,
  respondJson,
  respondText,
  UNUSED_SLOT,
} from '../../../support/metadata-clients.ts';
import { openSignedInBrowser, submitDecision } from '../../../support/oauth-flow.ts';
import { startTestService, type TestUser, useTestService } from '../../../support/service.ts';
import { sql } from '../../../support/store-fixtures.ts';

const service = useTestService({ AGENTS: 'https://agents.example' });
let owner: TestUser;
let browser: BrowserSession;
let http: Server;
let api: NewApi;
/** `refuse` handles requests without a token, `call` those with a token. */
let responses: { refuse: Handler; document: Handler; call: Handler };
let receivedTokens: string[];
beforeAll(async () => {
  http = createServer((request, response) => {
    const { authorization } = request.headers;
    if (authorization !== undefined) receivedTokens.push(authorization.replace('Bearer ', ''));
    if (request.url?.startsWith('/.well-known/')) responses.document(request, response);
    else if (authorization === undefined) responses.refuse(request, response);
    else responses.call(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, 'localhost', resolve));
});
afterAll(async () => {
  http.closeAllConnections();
  http.close();
});
let serverCount = 0;
beforeEach(async () => {
  owner = await service.createUser();
  browser = await openSignedInBrowser(service, owner);
  serverCount += 1;
  const identifier = `http://localhost:${(http.address() as AddressInfo).port}/mcp${serverCount}`;
  api = await service.createApi({ ownerId: owner.userId, identifier, allowedClients: 'agents' });
  receivedTokens = [];
  responses = {
    refuse: respondWithChallenge(),
    document: respondJson(buildResourceMetadata(identifier, service.baseUrl, ['read'])),
    call: respondJson({ jsonrpc: '2.0', id: 1, result: {} }),
  };
});

const respondWithChallenge = (): Handler => (_, response) =>
  response
    .writeHead(401, { 'www-authenticate': `Bearer ${buildBearerChallenge(api.identifier, ['read'])}` })
    .end();

const buildPagePath = () => apiPath(api.apiId, '/test');
const startTest = async (url = api.identifier): Promise<Visit> =>
  browser.follow(await submitForm(browser, buildPagePath(), { address: url }));
async function finishTest(startPage: Visit, decision: 'allow' | 'deny' = 'allow'): Promise<Visit> {
  const { csrf = '', report = '' } = startPage.hidden;
  const consent = await browser.follow(await browser.post(buildPagePath(), { csrf, report }));
  return browser.follow(await submitDecision(browser, consent, decision));
}

describe('a correct API server', () => {
  test('passes every step of the connection test', async () => {
    const report = await startTest();
    expect(listFailedSteps(report)).toEqual([]);
    expect(listPassedSteps(report)).toEqual(STEPS.slice(0, 7));
    const finished = await finishTest(report);
    expect(listPassedSteps(finished), finished.body).toEqual([...STEPS]);
    expect(finished.body).toContain('Everything works');
    expect(receivedTokens).toHaveLength(1);
    const remainingConsents = await sql(
      service.services.database,
      'select from consents where user_id = $1 and withdrawn_at is null',
      [owner.userId],
    );
    expect(remainingConsents, 'the test revokes its consent').toEqual([]);
    expect(finished.body).not.toContain(receivedTokens[0]);
  });

  test('can omit scopes from the challenge', async () => {
    responses.refuse = respondText(401, { 'www-authenticate': 'Bearer' });
    responses.document = respondJson({ resource: api.identifier, authorization_servers: [service.baseUrl] });
    const { csrf = '', report = '' } = (await startTest()).hidden;
    const { hidden } = await browser.follow(await browser.post(buildPagePath(), { csrf, report }));
    const scope = toConsentScope(api.apiId, 'read');
    const consentResponse = await postFields(browser, '/consent', { ...hidden, decision: 'allow', scope });
    expect(listPassedSteps(await browser.follow(consentResponse))).toEqual([...STEPS]);
    expect(decodeJwt(receivedTokens[0] ?? '').scope).toBe('read');
  });

  test('can respond with an endless event stream', async () => {
    responses.call = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
    };
    expect(listPassedSteps(await finishTest(await startTest()))).toEqual([...STEPS]);
  });
});

describe('the connection test of an incorrect API server', () => {
  const respondWithDocument = (change: object) => {
    responses.document = respondJson({
      ...buildResourceMetadata(api.identifier, service.baseUrl, ['read']),
      ...change,
    });
  };
  const CASES: [string, Step, keyof typeof CONNECTION_TEST_TEXT.remedies, string, () => void][] = [
    [
      'accepts requests without a token',
      'reach',
      'open',
      'HTTP 200',
      () => (responses.refuse = respondJson({})),
    ],
    [
      'responds with a status other than 401',
      'reach',
      'not401',
      'HTTP 404',
      () => (responses.refuse = respondText(404)),
    ],
    [
      'redirects',
      'reach',
      'redirect',
      'HTTP 307 https://elsewhere.example/',
      () => (responses.refuse = respondText(307, { location: 'https://elsewhere.example/' })),
    ],
    ['hangs up', 'reach', 'failed', '', () => (responses.refuse = closeWithoutResponse)],
    [
      'responds without a challenge',
      'challenge',
      'noChallenge',
      '',
      () => (responses.refuse = respondText(401)),
    ],
    [
      'sends a challenge with a different scheme',
      'challenge',
      'notBearer',
      'Basic realm=&quot;x&quot;',
      () => (responses.refuse = respondText(401, { 'www-authenticate': 'Basic realm="x"' })),
    ],
    [
      'has an invalid metadata URL',
      'challenge',
      'invalidUrl',
      '/here',
      () => (responses.refuse = respondText(401, { 'www-authenticate': 'Bearer resource_metadata="/here"' })),
    ],
    ['has no metadata', 'document', 'not200', 'HTTP 404', () => (responses.document = respondText(404))],
    [
      'serves HTML as metadata',
      'document',
      'notJson',
      'text/html &lt;h1&gt;',
      () => (responses.document = respondText(200, { 'content-type': 'text/html' }, '<h1>')),
    ],
    [
      'serves overlong metadata',
      'document',
      'too-large',
      '',
      () => (responses.document = respondText(200, {}, 'x'.repeat(70_000))),
    ],
    [
      'has metadata for a different resource',
      'resource',
      'otherResource',
      'https://other.example',
      () => respondWithDocument({ resource: 'https://other.example' }),
    ],
    [
      'names a different authorization server',
      'server',
      'otherServer',
      'https://other.example',
      () => respondWithDocument({ authorization_servers: ['https://other.example'] }),
    ],
    [
      'requests an unknown scope',
      'scopes',
      'otherScopes',
      'delete',
      () => {
        responses.refuse = respondText(401, { 'www-authenticate': 'Bearer scope="read delete"' });
      },
    ],
  ];

  test.each(CASES)('fails if the server %s', async (_, step, kind, shownDetail, breakServer) => {
    breakServer();
    const report = await startTest();
    expect(listFailedSteps(report), report.body).toEqual([step]);
    expect(report.body).toContain(CONNECTION_TEST_TEXT.failedAt(CONNECTION_TEST_TEXT.steps[step]));
    expect(listPassedSteps(report)).toEqual(STEPS.slice(0, STEPS.indexOf(step)));
    expect(report.body).toMatch(/button--primary"[^>]*><span>Start again</);
    expect(readStep(report, step)).toContain(readRemedy(kind));
    expect(readStep(report, step)).toContain(shownDetail);
    expect(report.hidden.report, 'the test cannot continue').toBeUndefined();
  });

  test('reports internal and unreachable hosts with the same error', async () => {
    const reports = ['https://nobody.invalid/', 'https://10.0.0.1/'].map(async (identifier) => {
      const { apiId } = await service.createApi({ ownerId: owner.userId, identifier });
      return browser.follow(await submitForm(browser, apiPath(apiId, '/test'), { address: identifier }));
    });
    for (const report of await Promise.all(reports))
      expect(readStep(report, 'reach')).toContain(readRemedy('not-public'));
  });

  test('reports an escaped excerpt of the response', async () => {
    responses.refuse = respondText(401, { 'www-authenticate': `<b>"'\t${'x'.repeat(3000)}` });
    const step = readStep(await startTest(), 'challenge');
    expect(step).toContain('&lt;b&gt;');
    expect(step).toContain('x…<');
    expect(step.length).toBeLessThan(2500);
  });

  test.each<[string, 'tokenRefused' | 'scopeRefused' | 'notMcp' | 'redirect', () => void]>([
    ['rejects a valid token', 'tokenRefused', () => (responses.call = respondWithChallenge())],
    ["rejects the token's scope", 'scopeRefused', () => (responses.call = respondText(403))],
    ['responds in a different protocol', 'notMcp', () => (responses.call = respondJson({ hello: 1 }))],
    ['redirects the request', 'redirect', () => (responses.call = respondText(308, { location: '/' }))],
  ])('fails at the last step if the server %s', async (_, kind, breakServer) => {
    breakServer();
    const finished = await finishTest(await startTest());
    expect(listFailedSteps(finished), finished.body).toEqual(['call']);
    expect(readStep(finished, 'call')).toContain(readRemedy(kind));
  });

  test('removes the token from the reported response', async () => {
    responses.call = (request, response) =>
      response.writeHead(401).end(`no: ${request.headers.authorization}`);
    const finished = await finishTest(await startTest());
    expect(listFailedSteps(finished)).toEqual(['call']);
    expect(finished.body).not.toContain(receivedTokens[0]);
    expect(finished.body).not.toContain(receivedTokens[0]?.split('.')[2]);
  });
});

describe('the connection test report', () => {
  test('says if the service does not allow agents', async () => {
    await using serviceWithoutAgents = await startTestService();
    const otherOwner = await serviceWithoutAgents.createUser();
    const { apiId, identifier } = await serviceWithoutAgents.createApi({
      ...{ ownerId: otherOwner.userId, identifier: `${api.identifier}/shut`, allowedClients: 'agents' },
    } as Partial<NewApi>);
    responses.document = respondJson(
      buildResourceMetadata(identifier, serviceWithoutAgents.baseUrl, ['read']),
    );
    responses.refuse = respondText(401, {
      'www-authenticate': `Bearer ${buildBearerChallenge(identifier, ['read'])}`,
    });
    const otherBrowser = await openSignedInBrowser(serviceWithoutAgents, otherOwner);
    const path = apiPath(apiId, '/test');
    const startPage = await otherBrowser.follow(
      await submitForm(otherBrowser, path, { address: identifier }),
    );
    const { csrf = '', report = '' } = startPage.hidden;
    const consent = await otherBrowser.follow(await otherBrowser.post(path, { csrf, report }));
    const finished = await otherBrowser.follow(await submitDecision(otherBrowser, consent, 'allow'));
    expect(listPassedSteps(finished)).toEqual([...STEPS]);
    expect(finished.body).toContain('this service does not allow agents yet');
    expect(finished.body).not.toContain('Everything works');
  });

  test('says if the API does not allow agents', async () => {
    const closedApi = await service.createApi({ ownerId: owner.userId, identifier: `${api.identifier}/own` });
    responses.document = respondJson(buildResourceMetadata(closedApi.identifier, service.baseUrl, ['read']));
    responses.refuse = respondText(401, {
      'www-authenticate': `Bearer ${buildBearerChallenge(closedApi.identifier, ['read'])}`,
    });
    const path = apiPath(closedApi.apiId, '/test');
    const report = await browser.follow(await submitForm(browser, path, { address: closedApi.identifier }));
    expect(readStep(report, 'scopes')).toContain(readRemedy('closed'));
    responses.document = respondJson(buildResourceMetadata(api.identifier, service.baseUrl, ['read']));
    await startTest();
    await insertExclusion(service, api, { clientId: buildTestClientId(service.baseUrl) });
    expect(readStep(await startTest(), 'scopes')).toContain(readRemedy('excluded'));
  });

  test('says if administrators have blocked the test client', async () => {
    await startTest();
    const setSuspendedAt = 'update clients set suspended_at = $2 where client_id = $1';
    const setSuspension = (suspendedAt: Date | null) =>
      sql(service.services.database, setSuspendedAt, [buildTestClientId(service.baseUrl), suspendedAt]);
    await setSuspension(service.clock.now());
    const rejected = await startTest();
    expect(listFailedSteps(rejected)).toEqual(['identity']);
    expect(readStep(rejected, 'identity')).toContain(readRemedy('blocked'));
    await setSuspension(null);
    expect(listFailedSteps(await startTest())).toEqual([]);
  });

  test('says if the token endpoint rejects the request', async () => {
    const { csrf = '', report = '' } = (await startTest()).hidden;
    const consent = await browser.follow(await browser.post(buildPagePath(), { csrf, report }));
    const redirect = await submitDecision(browser, consent, 'allow');
    await insertExclusion(service, api, { clientId: buildTestClientId(service.baseUrl) });
    const finished = await browser.follow(redirect);
    expect(listFailedSteps(finished), finished.body).toEqual(['token']);
    expect(readStep(finished, 'token')).toContain(readRemedy('noToken'));
    const liveConsents = 'select from consents where user_id = $1 and withdrawn_at is null';
    expect(await sql(service.services.database, liveConsents, [owner.userId])).toEqual([]);
    expect(receivedTokens).toEqual([]);
  });

  test('says if the user denies access', async () => {
    const finished = await finishTest(await startTest(), 'deny');
    expect(listFailedSteps(finished)).toEqual(['authorization']);
    expect(readStep(finished, 'authorization')).toContain(readRemedy('denied'));
    expect(receivedTokens).toEqual([]);
  });
});

describe('the connection test', () => {
  test('is available only to the owner and administrators', async () => {
    const other = await openSignedInBrowser(service, await service.createUser());
    expect((await other.get(buildPagePath())).status).toBe(404);
    const { browser: admin } = await createSignedInAdmin(service);
    expect((await admin.get(buildPagePath())).status).toBe(200);
  });

  test("accepts only URLs with the API's origin", async () => {
    for (const url of ['https://elsewhere.example/', 'x', `${service.baseUrl}/`, 'http://a:b@localhost/'])
      expect((await submitForm(browser, buildPagePath(), { address: url })).body, url).toContain(
        'Enter a URL with the same scheme',
      );
  });

  test('can be started at most ten times per hour', async () => {
    for (let count = 0; count < 10; count += 1) expect((await startTest()).status).toBe(200);
    const rejected = await submitForm(browser, buildPagePath(), { address: api.identifier });
    expect(rejected.status).toBe(429);
    service.clock.advance(3600);
    expect((await startTest()).status).toBe(200);
  });

  test('can be completed at most ten times per hour', async () => {
    const report = await startTest();
    for (let count = 0; count < 10; count += 1) expect(listFailedSteps(await finishTest(report))).toEqual([]);
    expect((await finishTest(report)).status).toBe(429);
    expect(receivedTokens).toHaveLength(10);
  });

  test('cannot be completed by a different user', async () => {
    const callback = '/console/connection-test';
    for (const query of ['', '?code=x', '?code=x&state=x'])
      expect((await browser.get(callback + query)).status, query).toBe(404);
    const { csrf = '', report = '' } = (await startTest()).hidden;
    const consent = await browser.follow(await browser.post(buildPagePath(), { csrf, report }));
    const { location } = await submitDecision(browser, consent, 'allow');
    const other = await openSignedInBrowser(service, await service.createUser());
    expect((await other.get(String(location))).status).toBe(404);
    expect((await browser.send(String(location), { method: 'HEAD' })).status).toBe(404);
    expect(receivedTokens).toEqual([]);
    expect(
      listPassedSteps(await browser.get(String(location)).then((visit) => browser.follow(visit))),
    ).toEqual([...STEPS]);
  });

  test('shows the report only to the user who started the test', async () => {
    const response = await submitForm(browser, buildPagePath(), { address: api.identifier });
    const reportUrl = String(response.location);
    const { browser: admin } = await createSignedInAdmin(service);
    expect((await admin.get(reportUrl)).body).not.toContain('step-reach');
    service.clock.advance(31 * 60);
    expect((await browser.get(reportUrl)).body).not.toContain('step-reach');
  });
});

describe('the connection test in production', () => {
  const services = { config: { production: true, baseUrl: 'https://sesame.example' } };
  test.each([
    ['http://mcp.example/', 'not-https'],
    ['https://localhost/', 'not-public'],
    ['https://127.0.0.1/', 'not-public'],
    ['https://[::ffff:10.0.0.1]/', 'not-public'],
    ['https://169.254.169.254/', 'not-public'],
  ])('rejects %s with the error %s', async (url, kind) => {
    await expect(discoverServer(services, url, api.identifier, UNUSED_SLOT)).rejects.toMatchObject({
      step: 'reach',
      kind,
    });
    await expect(callServer(services, url, 'x', UNUSED_SLOT)).rejects.toMatchObject({
      step: 'call',
      kind,
    });
  });
});
