// The connection tester: a good server passes every step; each way to be broken is named, at its step and with its remedy (D54).

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { discover, firstCall, STEPS, type Step } from '../../../../src/agents/connection-test.ts';
import { consentElement } from '../../../../src/oauth/api.ts';
import { testerAddress } from '../../../../src/oauth/connection-tester.ts';
import { challengeOf, protectedResource } from '../../../../src/oauth/protected-resource.ts';
import type { NewApi } from '../../../../src/store/apis.ts';
import {
  type Answer,
  failed,
  hangUp,
  json,
  OFF_SLOT,
  passed,
  plain,
  remedy,
  stepOf,
  TEXT,
} from '../../../support/agents.ts';
import { exclude } from '../../../support/apis.ts';
import type { BrowserSession, Visit } from '../../../support/browser-session.ts';
import { atApi, fill, sendFields } from '../../../support/console.ts';
import { decide, signedInBrowser } from '../../../support/flow.ts';
import { signedInOperator } from '../../../support/operator.ts';
import { sql } from '../../../support/populate.ts';
import { startTestService, type TestUser, useTestService } from '../../../support/service.ts';

const service = useTestService({ AGENTS: 'https://agents.example' });
let owner: TestUser;
let browser: BrowserSession;
let http: Server;
let api: NewApi;
/** What the server answers by path and, at its own, without and with a token: a good one's answers unless a test says so. */
let answers: { refuse: Answer; document: Answer; call: Answer };
/** The tokens that it was brought. */
let brought: string[];
beforeAll(async () => {
  http = createServer((request, response) => {
    const { authorization } = request.headers;
    if (authorization !== undefined) brought.push(authorization.replace('Bearer ', ''));
    if (request.url?.startsWith('/.well-known/')) answers.document(request, response);
    else if (authorization === undefined) answers.refuse(request, response);
    else answers.call(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, 'localhost', resolve));
});
afterAll(async () => {
  http.closeAllConnections();
  http.close();
});
let counter = 0;
beforeEach(async () => {
  owner = await service.createUser();
  browser = await signedInBrowser(service, owner);
  counter += 1;
  const identifier = `http://localhost:${(http.address() as AddressInfo).port}/mcp${counter}`;
  api = await service.createApi({ ownerId: owner.userId, identifier, admits: 'agents' });
  brought = [];
  answers = {
    refuse: challenging(),
    document: json(protectedResource(identifier, service.baseUrl, ['read'])),
    call: json({ jsonrpc: '2.0', id: 1, result: {} }),
  };
});

const challenging = (): Answer => (_, response) =>
  response.writeHead(401, { 'www-authenticate': `Bearer ${challengeOf(api.identifier, ['read'])}` }).end();

const page = () => atApi(api.apiId, '/test');
/** Sends the form, and opens what it leads to. */
const begin = async (address = api.identifier): Promise<Visit> =>
  browser.follow(await fill(browser, page(), { address }));
/** Goes on to the person's decision, and to the end of the test. */
async function goOn(found: Visit, decision: 'allow' | 'deny' = 'allow'): Promise<Visit> {
  const { csrf = '', report = '' } = found.hidden;
  const consent = await browser.follow(await browser.post(page(), { csrf, report }));
  return browser.follow(await decide(browser, consent, decision));
}

describe('a good server', () => {
  test('passes every step, by the consent of the person, and the token is over afterwards', async () => {
    const found = await begin();
    expect(failed(found)).toEqual([]);
    expect(passed(found)).toEqual(STEPS.slice(0, 7));
    const done = await goOn(found);
    expect(passed(done), done.body).toEqual([...STEPS]);
    expect(done.body).toContain('Everything works');
    expect(brought).toHaveLength(1);
    const left = await sql(
      service.parts.database,
      'select from consents where user_id = $1 and withdrawn_at is null',
      [owner.userId],
    );
    expect(left, 'nothing of the test stays').toEqual([]);
    expect(done.body).not.toContain(brought[0]);
  });

  test('may name no scopes: the person picks (D51)', async () => {
    answers.refuse = plain(401, { 'www-authenticate': 'Bearer' });
    answers.document = json({ resource: api.identifier, authorization_servers: [service.baseUrl] });
    const { csrf = '', report = '' } = (await begin()).hidden;
    const { hidden } = await browser.follow(await browser.post(page(), { csrf, report }));
    const scope = consentElement(api.apiId, 'read');
    const answer = await sendFields(browser, '/consent', { ...hidden, decision: 'allow', scope });
    expect(passed(await browser.follow(answer))).toEqual([...STEPS]);
    expect(decodeJwt(brought[0] ?? '').scope).toBe('read');
  });

  test('may answer by a stream of events, which is not waited for to its end', async () => {
    answers.call = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
    };
    expect(passed(await goOn(await begin()))).toEqual([...STEPS]);
  });
});

describe('a broken server is told what is wrong, at the step that it is wrong at', () => {
  const document = (change: object) => {
    answers.document = json({ ...protectedResource(api.identifier, service.baseUrl, ['read']), ...change });
  };
  const CASES: [string, Step, keyof typeof TEXT.remedies, string, () => void][] = [
    ['lets everybody in', 'reach', 'open', 'HTTP 200', () => (answers.refuse = json({}))],
    ['answers something else', 'reach', 'not401', 'HTTP 404', () => (answers.refuse = plain(404))],
    [
      'redirects',
      'reach',
      'redirect',
      'HTTP 307 https://elsewhere.example/',
      () => (answers.refuse = plain(307, { location: 'https://elsewhere.example/' })),
    ],
    ['hangs up', 'reach', 'failed', '', () => (answers.refuse = hangUp)],
    ['refuses without a challenge', 'challenge', 'noChallenge', '', () => (answers.refuse = plain(401))],
    [
      'challenges for something else',
      'challenge',
      'notBearer',
      'Basic realm=&quot;x&quot;',
      () => (answers.refuse = plain(401, { 'www-authenticate': 'Basic realm="x"' })),
    ],
    [
      'names a document nowhere',
      'challenge',
      'badAddress',
      '/here',
      () => (answers.refuse = plain(401, { 'www-authenticate': 'Bearer resource_metadata="/here"' })),
    ],
    ['has no document', 'document', 'not200', 'HTTP 404', () => (answers.document = plain(404))],
    [
      'has a page for a document',
      'document',
      'notJson',
      'text/html &lt;h1&gt;',
      () => (answers.document = plain(200, { 'content-type': 'text/html' }, '<h1>')),
    ],
    [
      'has a document without end',
      'document',
      'too-large',
      '',
      () => (answers.document = plain(200, {}, 'x'.repeat(70_000))),
    ],
    [
      'is another resource',
      'resource',
      'otherResource',
      'https://other.example',
      () => document({ resource: 'https://other.example' }),
    ],
    [
      'is sent elsewhere',
      'server',
      'otherServer',
      'https://other.example',
      () => document({ authorization_servers: ['https://other.example'] }),
    ],
    [
      'asks for what there is not',
      'scopes',
      'otherScopes',
      'delete',
      () => {
        answers.refuse = plain(401, { 'www-authenticate': 'Bearer scope="read delete"' });
      },
    ],
  ];

  test.each(CASES)('it %s', async (_, step, kind, seen, breaks) => {
    breaks();
    const found = await begin();
    expect(failed(found), found.body).toEqual([step]);
    expect(found.body).toContain(TEXT.failedAt(TEXT.steps[step]));
    expect(passed(found)).toEqual(STEPS.slice(0, STEPS.indexOf(step)));
    expect(stepOf(found, step)).toContain(remedy(kind));
    expect(stepOf(found, step)).toContain(seen);
    expect(found.hidden.report, 'nothing to go on to').toBeUndefined();
  });

  test('nobody learns which names are known in the network around the service', async () => {
    const found = ['https://nobody.invalid/', 'https://10.0.0.1/'].map(async (identifier) => {
      const { apiId } = await service.createApi({ ownerId: owner.userId, identifier });
      return browser.follow(await fill(browser, atApi(apiId, '/test'), { address: identifier }));
    });
    for (const one of await Promise.all(found)) expect(stepOf(one, 'reach')).toContain(remedy('not-public'));
  });

  test('what it says is shown as text, short, and without what looks like a secret', async () => {
    answers.refuse = plain(401, { 'www-authenticate': `<b>"'\t${'x'.repeat(3000)}` });
    const step = stepOf(await begin(), 'challenge');
    expect(step).toContain('&lt;b&gt;');
    expect(step).toContain('x…<');
    expect(step.length).toBeLessThan(2500);
  });

  test.each<[string, 'tokenRefused' | 'scopeRefused' | 'notMcp' | 'redirect', () => void]>([
    ['refuses the token', 'tokenRefused', () => (answers.call = challenging())],
    ['wants another scope', 'scopeRefused', () => (answers.call = plain(403))],
    ['speaks something else', 'notMcp', () => (answers.call = json({ hello: 1 }))],
    ['redirects', 'redirect', () => (answers.call = plain(308, { location: '/' }))],
  ])('with the token it %s', async (_, kind, breaks) => {
    breaks();
    const done = await goOn(await begin());
    expect(failed(done), done.body).toEqual(['call']);
    expect(stepOf(done, 'call')).toContain(remedy(kind));
  });

  test('it says the token again: that is not shown', async () => {
    answers.call = (request, response) => response.writeHead(401).end(`no: ${request.headers.authorization}`);
    const done = await goOn(await begin());
    expect(failed(done)).toEqual(['call']);
    expect(done.body).not.toContain(brought[0]);
    expect(done.body).not.toContain(brought[0]?.split('.')[2]);
  });
});

describe('what this service refuses', () => {
  test('every agent: the server is tested all the same, and the result says so', async () => {
    await using shut = await startTestService();
    const mine = await shut.createUser();
    const { apiId, identifier } = await shut.createApi({
      ...{ ownerId: mine.userId, identifier: `${api.identifier}/shut`, admits: 'agents' },
    } as Partial<NewApi>);
    answers.document = json(protectedResource(identifier, shut.baseUrl, ['read']));
    answers.refuse = plain(401, { 'www-authenticate': `Bearer ${challengeOf(identifier, ['read'])}` });
    const there = await signedInBrowser(shut, mine);
    const at = atApi(apiId, '/test');
    const found = await there.follow(await fill(there, at, { address: identifier }));
    const { csrf = '', report = '' } = found.hidden;
    const consent = await there.follow(await there.post(at, { csrf, report }));
    const done = await there.follow(await decide(there, consent, 'allow'));
    expect(passed(done)).toEqual([...STEPS]);
    expect(done.body).toContain('this service lets no agents in yet');
    expect(done.body).not.toContain('Everything works');
  });

  test('an API that is not open to agents, or that cut the test off', async () => {
    const own = await service.createApi({ ownerId: owner.userId, identifier: `${api.identifier}/own` });
    answers.document = json(protectedResource(own.identifier, service.baseUrl, ['read']));
    answers.refuse = plain(401, { 'www-authenticate': `Bearer ${challengeOf(own.identifier, ['read'])}` });
    const there = atApi(own.apiId, '/test');
    const closed = await browser.follow(await fill(browser, there, { address: own.identifier }));
    expect(stepOf(closed, 'scopes')).toContain(remedy('closed'));
    answers.document = json(protectedResource(api.identifier, service.baseUrl, ['read']));
    await begin();
    await exclude(service, api, { clientId: testerAddress(service.baseUrl) });
    expect(stepOf(await begin(), 'scopes')).toContain(remedy('excluded'));
  });

  test('an agent that operators have blocked, this one too', async () => {
    await begin();
    const change = 'update clients set suspended_at = $2 where client_id = $1';
    const block = (at: Date | null) =>
      sql(service.parts.database, change, [testerAddress(service.baseUrl), at]);
    await block(service.clock.now());
    const refused = await begin();
    expect(failed(refused)).toEqual(['identity']);
    expect(stepOf(refused, 'identity')).toContain(remedy('blocked'));
    await block(null);
    expect(failed(await begin())).toEqual([]);
  });

  test('the token, after the person has allowed it: nothing of what they agreed to stays', async () => {
    const { csrf = '', report = '' } = (await begin()).hidden;
    const consent = await browser.follow(await browser.post(page(), { csrf, report }));
    const answer = await decide(browser, consent, 'allow');
    await exclude(service, api, { clientId: testerAddress(service.baseUrl) });
    const done = await browser.follow(answer);
    expect(failed(done), done.body).toEqual(['token']);
    expect(stepOf(done, 'token')).toContain(remedy('noToken'));
    const left = 'select from consents where user_id = $1 and withdrawn_at is null';
    expect(await sql(service.parts.database, left, [owner.userId])).toEqual([]);
    expect(brought).toEqual([]);
  });

  test('the person says no', async () => {
    const done = await goOn(await begin(), 'deny');
    expect(failed(done)).toEqual(['authorization']);
    expect(stepOf(done, 'authorization')).toContain(remedy('denied'));
    expect(brought).toEqual([]);
  });
});

describe('who may test what', () => {
  test('its owner and operators, nobody else', async () => {
    const other = await signedInBrowser(service, await service.createUser());
    expect((await other.get(page())).status).toBe(404);
    const { browser: operator } = await signedInOperator(service);
    expect((await operator.get(page())).status).toBe(200);
  });

  test('only the server of the API, not any address', async () => {
    for (const address of ['https://elsewhere.example/', 'x', `${service.baseUrl}/`, 'http://a:b@localhost/'])
      expect((await fill(browser, page(), { address })).body, address).toContain(
        'Enter an address of this API',
      );
  });

  test('ten an hour', async () => {
    for (let count = 0; count < 10; count += 1) expect((await begin()).status).toBe(200);
    const refused = await fill(browser, page(), { address: api.identifier });
    expect(refused.status).toBe(429);
    service.clock.advance(3600);
    expect((await begin()).status).toBe(200);
  });

  test('ten endings an hour: one report goes on as often, and no further', async () => {
    const found = await begin();
    for (let count = 0; count < 10; count += 1) expect(failed(await goOn(found))).toEqual([]);
    expect((await goOn(found)).status).toBe(429);
    expect(brought).toHaveLength(10);
  });

  test('the callback is not found without a state that was sealed for the person, nor by HEAD', async () => {
    const callback = '/console/connection-test';
    for (const query of ['', '?code=x', '?code=x&state=x'])
      expect((await browser.get(callback + query)).status, query).toBe(404);
    const { csrf = '', report = '' } = (await begin()).hidden;
    const consent = await browser.follow(await browser.post(page(), { csrf, report }));
    const { location } = await decide(browser, consent, 'allow');
    const other = await signedInBrowser(service, await service.createUser());
    expect((await other.get(String(location))).status).toBe(404);
    expect((await browser.send(String(location), { method: 'HEAD' })).status).toBe(404);
    expect(brought).toEqual([]);
    expect(passed(await browser.get(String(location)).then((visit) => browser.follow(visit)))).toEqual([
      ...STEPS,
    ]);
  });

  test('a report is for whoever made the test, and for half an hour', async () => {
    const sent = await fill(browser, page(), { address: api.identifier });
    const address = String(sent.location);
    const { browser: operator } = await signedInOperator(service);
    expect((await operator.get(address)).body).not.toContain('step-reach');
    service.clock.advance(31 * 60);
    expect((await browser.get(address)).body).not.toContain('step-reach');
  });
});

describe('in production', () => {
  const parts = { config: { production: true, baseUrl: 'https://sesame.example' } };
  test.each([
    ['http://mcp.example/', 'not-https'],
    ['https://localhost/', 'not-public'],
    ['https://127.0.0.1/', 'not-public'],
    ['https://[::ffff:10.0.0.1]/', 'not-public'],
    ['https://169.254.169.254/', 'not-public'],
  ])('%s is not called: %s', async (address, kind) => {
    await expect(discover(parts, address, api.identifier, OFF_SLOT)).rejects.toMatchObject({
      step: 'reach',
      kind,
    });
    await expect(firstCall(parts, address, 'x', OFF_SLOT)).rejects.toMatchObject({ step: 'call', kind });
  });
});
