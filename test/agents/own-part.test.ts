// This service's own part in the connection tester: what stands in front of its public address is noticed where it answers in its
// place, and where that address is not reached from here nobody is alarmed (D54).

import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { discover, firstCall, STEPS } from '../../src/agents/connection-test.ts';
import { askOwnAddress, silenceOf } from '../../src/agents/own-part.ts';
import { TESTER_DOCUMENT } from '../../src/oauth/connection-tester.ts';
import { challengeOf, protectedResource } from '../../src/oauth/protected-resource.ts';
import { SERVER_METADATA } from '../../src/oauth/server-metadata.ts';
import type { NewApi } from '../../src/store/apis.ts';
import { atApi } from '../support/api-console.ts';
import type { BrowserSession, Visit } from '../support/browser-session.ts';
import {
  type Answer,
  failed,
  hangUp,
  json,
  passed,
  plain,
  remedy,
  stepOf,
  TEXT,
} from '../support/connection-test.ts';
import { fill } from '../support/console.ts';
import { decide, signedInBrowser } from '../support/flow.ts';
import { OFF_SLOT } from '../support/off-slot.ts';
import { startTestService, type TestService } from '../support/service.ts';

const PATHS = { metadata: SERVER_METADATA, identity: TESTER_DOCUMENT };
const BOTH = Object.values(PATHS);
const NOTE = 'Checked from the inside only';

const opened: { close(): unknown }[] = [];
afterAll(() => Promise.all(opened.map((one) => one.close())));
const portOf = (server: Server) => (server.address() as AddressInfo).port;
async function listening(answer: Answer): Promise<Server> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  opened.push({
    close() {
      server.close();
      server.closeAllConnections();
    },
  });
  return server;
}

let inFront: Record<string, Answer> = {};
/** What was asked for of the two, in order. */
let asked: string[] = [];
const front = await listening((incoming, outgoing) => {
  const { url = '' } = incoming;
  if (BOTH.includes(url)) asked.push(url);
  const answer = inFront[url] ?? inFront[incoming.method ?? ''] ?? pass;
  answer(incoming, outgoing);
});
const port = portOf(front);
beforeEach(() => {
  inFront = {};
  asked = [];
});

/** A service behind it, with somebody who owns an API, and the good server of that. */
interface House {
  service: TestService;
  browser: BrowserSession;
  api: NewApi;
}
let house: House;
async function settle(environment: Record<string, string>): Promise<House> {
  const service = await startTestService({ BASE_URL: `http://localhost:${port}`, ...environment });
  opened.unshift(service);
  behind = service;
  const owner = await service.createUser();
  const server = await listening(({ url, headers }, response) => {
    const answer =
      url === '/mcp'
        ? headers.authorization === undefined
          ? plain(401, { 'www-authenticate': `Bearer ${challengeOf(identifier, ['read'])}` })
          : json({ jsonrpc: '2.0', id: 1, result: {} })
        : json(protectedResource(identifier, service.baseUrl, ['read']));
    answer({} as IncomingMessage, response);
  });
  const identifier = `http://localhost:${portOf(server)}/mcp`;
  const api = await service.createApi({ ownerId: owner.userId, identifier, admits: 'agents' });
  return { service, browser: await signedInBrowser(service, owner), api };
}
/** What the front passes on to. */
let behind: TestService;
function pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, url, headers } = incoming;
  const on = { host: '127.0.0.1', port: behind.parts.config.port, method, path: url, headers };
  incoming.pipe(
    request(on, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    }),
  );
}

const page = () => atApi(house.api.apiId, '/test');
const send = () => fill(house.browser, page(), { address: house.api.identifier });
const begin = async (): Promise<Visit> => house.browser.follow(await send());
async function goOn({ hidden: { csrf = '', report = '' } }: Visit): Promise<Visit> {
  const { browser } = house;
  const consent = await browser.follow(await browser.post(page(), { csrf, report }));
  return browser.follow(await decide(browser, consent, 'allow'));
}

describe('where agents are let in', () => {
  beforeAll(async () => {
    house = await settle({ AGENTS: 'https://agents.example' });
  });
  // Ten tests an hour for each person.
  afterEach(() => house.service.clock.advance(400));

  test('both are asked once, at the same time; where all is well, nothing is said of it', async () => {
    const waiting: (() => void)[] = [];
    for (const path of BOTH)
      inFront[path] = (incoming, outgoing) => {
        // Neither is answered before the other has been asked.
        waiting.push(() => pass(incoming, outgoing));
        if (waiting.length === 2) for (const go of waiting) go();
      };
    const found = await begin();
    expect(failed(found), found.body).toEqual([]);
    expect(passed(found)).toEqual(STEPS.slice(0, 8));
    expect(asked.sort()).toEqual([...BOTH].sort());
    expect(found.body).not.toContain(NOTE);
  });

  /** The metadata as the service has it, but for this. */
  const metadata =
    (change: object, status = 200): Answer =>
    async (incoming, outgoing) => {
      const good = await fetch(`http://127.0.0.1:${behind.parts.config.port}${SERVER_METADATA}`);
      json({ ...((await good.json()) as object), ...change }, status)(incoming, outgoing);
    };
  const PAGE = plain(200, { 'content-type': 'text/html' }, '<h1>Welcome inside</h1>');

  test.each<['metadata' | 'identity', string, keyof typeof TEXT.remedies, string, Answer]>([
    ['metadata', 'swallows the path', 'swallowed', 'HTTP 404', plain(404)],
    ['metadata', 'has a page of its own', 'swallowed', 'HTTP 200 text/html', PAGE],
    ['metadata', 'redirects', 'swallowed', 'HTTP 301 /x', plain(301, { location: '/x' })],
    ['metadata', 'answers JSON that is no metadata', 'swallowed', 'HTTP 200', json({ error: 'no' })],
    ['metadata', 'answers it as an error', 'swallowed', 'HTTP 503', metadata({}, 503)],
    ['metadata', 'answers a list', 'swallowed', 'HTTP 200', json(['x'])],
    ['metadata', 'hangs up', 'swallowed', '', hangUp],
    ['metadata', 'answers without end', 'swallowed', '65536', plain(200, {}, 'x'.repeat(70_000))],
    [
      'metadata',
      'leads to another service',
      'notOurs',
      'issuer: https://other.example',
      metadata({ issuer: 'https://other.example' }),
    ],
    [
      'metadata',
      'keeps what was said before agents were let in',
      'outdated',
      '&quot;client_id_metadata_document_supported&quot;:null',
      metadata({ client_id_metadata_document_supported: undefined }),
    ],
    [
      'metadata',
      'keeps what was said when agents registered themselves',
      'outdated',
      'https://x.example/register',
      metadata({ registration_endpoint: 'https://x.example/register' }),
    ],
    ['identity', 'swallows the path', 'swallowed', 'HTTP 403', plain(403)],
    ['identity', 'has a page of its own', 'swallowed', 'HTTP 200 text/html', PAGE],
    ['identity', 'hangs up', 'swallowed', '', hangUp],
    [
      'identity',
      'leads to another service',
      'notOurs',
      'client_id: https://other.example/x',
      json({ client_id: 'https://other.example/x' }),
    ],
  ])('at the step %s, what is in front %s', async (step, _, kind, seen, answer) => {
    inFront[PATHS[step]] = answer;
    const found = await begin();
    expect(failed(found), found.body).toEqual([step]);
    expect(passed(found)).toEqual(STEPS.slice(0, STEPS.indexOf(step)));
    expect(stepOf(found, step)).toContain(remedy(kind));
    expect(stepOf(found, step)).toContain(seen);
    expect(stepOf(found, step).includes(`<dt>${TEXT.seen}</dt>`), 'no words of the system').toBe(seen !== '');
    expect(stepOf(found, step)).toContain(PATHS[step]);
    expect(found.body, 'it may be what only this network is to see').not.toContain('Welcome inside');
    expect(found.body).not.toContain(NOTE);
    expect(found.hidden.report, 'nothing to go on to').toBeUndefined();
  });

  test('what hangs up on both is not told from a network that leads nowhere: it is noted, and the test goes on', async () => {
    for (const path of BOTH) inFront[path] = hangUp;
    const found = await begin();
    expect(failed(found), found.body).toEqual([]);
    expect(stepOf(found, 'metadata')).toContain(NOTE);
    expect(stepOf(found, 'metadata')).toContain(TEXT.silences.failed);
    expect(found.body.split(NOTE), 'once').toHaveLength(2);
    const done = await goOn(found);
    expect(passed(done), done.body).toEqual([...STEPS]);
    expect(stepOf(done, 'metadata'), 'still').toContain(NOTE);
    expect(done.body).toContain('Everything works');
  });

  test('nor is anybody alarmed where nothing listens', async () => {
    inFront.POST = (incoming, outgoing) => {
      front.close(); // takes no more connections; this one stays
      pass(incoming, outgoing);
    };
    const sent = await send();
    await new Promise<void>((resolve) => front.listen(port, 'localhost', resolve));
    const found = await house.browser.follow(sent);
    expect(failed(found), found.body).toEqual([]);
    expect(passed(found)).toEqual(STEPS.slice(0, 8));
    expect(stepOf(found, 'metadata')).toContain(NOTE);
    expect(stepOf(found, 'metadata')).toContain(TEXT.silences.refused);
    expect(asked).toEqual([]);
  });
});

test('where no agents are let in, that is said at its step, whether the address is reached or not', async () => {
  house = await settle({});
  for (const answer of [pass, hangUp]) {
    for (const path of BOTH) inFront[path] = answer;
    const found = await begin();
    expect(failed(found), found.body).toEqual(['metadata']);
    expect(stepOf(found, 'metadata')).toContain(remedy('noAgents'));
    expect(stepOf(found, 'metadata').includes(NOTE)).toBe(answer === hangUp);
    expect(found.hidden.report, 'it goes on').toBeDefined();
  }
});

test('with registration switched on, the metadata that arrives has to say where', async () => {
  house = await settle({ AGENTS_REGISTRATION: 'on' });
  expect(failed(await begin())).toEqual([]);
  inFront[SERVER_METADATA] = json({ issuer: house.service.baseUrl });
  const found = await begin();
  expect(failed(found)).toEqual(['metadata']);
  expect(stepOf(found, 'metadata')).toContain(remedy('outdated'));
});

test('neither address counts against a rate limit', async () => {
  const service = await startTestService({ RATE_LIMIT_PER_MINUTE: '1' });
  opened.unshift(service);
  await fetch(`${service.baseUrl}/signin`);
  expect((await fetch(`${service.baseUrl}/signin`)).status).toBe(429);
  for (const path of [...BOTH, ...BOTH]) expect((await fetch(`${service.baseUrl}${path}`)).status).toBe(200);
});

describe('how long it may take, and where it may lead', () => {
  const silent = () => undefined;
  const here = (production = false) => ({ config: { production, baseUrl: `http://localhost:${port}` } });

  test('one that does not answer in time is silent', async () => {
    for (const path of BOTH) inFront[path] = silent;
    expect(silenceOf(await askOwnAddress({ ...here(), within: 100 }, OFF_SLOT))).toBe('timeout');
  });

  test('a name that is not known here is silent', async () => {
    const config = { production: true, baseUrl: 'https://nobody.invalid' };
    expect(silenceOf(await askOwnAddress({ config }, OFF_SLOT))).toBe('unknown-name');
  });

  test('in production, the public address may be on this machine; what anybody types may not, though it is the same', async () => {
    for (const path of BOTH) inFront[path] = json({});
    const parts = here(true);
    expect(silenceOf(await askOwnAddress(parts, OFF_SLOT))).toBeUndefined();
    expect(asked).toHaveLength(2);
    const address = `${parts.config.baseUrl}/mcp`;
    const refused = { kind: 'not-https' };
    await expect(discover(parts, address, address, OFF_SLOT)).rejects.toMatchObject({
      step: 'reach',
      ...refused,
    });
    await expect(firstCall(parts, address, 'x', OFF_SLOT)).rejects.toMatchObject({
      step: 'call',
      ...refused,
    });
  });
});
