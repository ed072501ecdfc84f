// Agents' documents: how long they are gone by, how often and how many at once they are read, and what is none.
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import {
  type AgentHost,
  agentAddress,
  agentAt,
  authorizeAgent,
  documentOf,
  openAgentHost,
} from '../support/agents.ts';
import { postForm, redeem, signedInBrowser } from '../support/flow.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let host: AgentHost;
let service: TestService;
beforeAll(async () => {
  host = await openAgentHost();
});
afterAll(() => host.close());
beforeEach(async () => {
  service = await startTestService({ AGENT_ORIGINS: host.origin });
  host.asked.length = 0;
});
afterEach(() => service.close());

const ROW = statement(
  'test_agent',
  `select c.name, c.type, c.epoch, a.etag, a.fresh_until as "freshUntil" from clients c
  join agents a on a.client_id = c.client_id where c.client_id = $1::text`,
);
const rowOf = async (clientId: string) => (await service.parts.database.query(ROW, [clientId]))[0];
const read = (clientId: string) => service.parts.agents.read(clientId, { userId: randomUUID() });
const serving = (type: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  host.answer((_, response) => response.writeHead(200, { 'content-type': type, ...headers }).end(body));

describe('kept', () => {
  test('for as long as Cache-Control says, five minutes at least, then asked for by its ETag', async () => {
    const path = '/kept/client.json';
    const headers = { 'cache-control': 'max-age=600', etag: '"one"' };
    const clientId = host.publish({}, { path, headers });
    await read(clientId);
    service.clock.advance(590);
    await read(clientId);
    expect(host.asked).toHaveLength(1);
    service.clock.advance(20);
    host.answer((_, response) => response.writeHead(304, { 'cache-control': 'max-age=3600' }).end(), path);
    await read(clientId);
    expect(host.asked[1]?.headers['if-none-match']).toBe('"one"');
    service.clock.advance(3590);
    await read(clientId);
    expect(host.asked).toHaveLength(2);
    service.clock.advance(20);
    host.publish({ client_name: 'Other' }, { path });
    const before = await rowOf(clientId);
    await read(clientId);
    expect(host.asked[2]?.headers['if-none-match']).toBe('"one"');
    const after = await rowOf(clientId);
    expect(after).toMatchObject({ name: 'Other', etag: null });
    expect(Number(after?.epoch)).toBe(Number(before?.epoch) + 1);
  });

  test.each([
    ['without quotes', 'one'],
    ['longer than a header is worth', `"${'x'.repeat(201)}"`],
    ['with bytes that are no ETag’s', '"\u00e9"'],
  ])('an ETag %s is not sent back', async (_, etag) => {
    const clientId = host.publish({}, { headers: { etag } });
    await read(clientId);
    service.clock.advance(301);
    await read(clientId);
    expect(host.asked).toHaveLength(2);
    expect(host.asked[1]?.headers).not.toHaveProperty('if-none-match');
  });

  test('304 to nobody who asked for it is no document', async () => {
    const clientId = host.answer((_, response) => response.writeHead(304).end());
    await expect(read(clientId)).rejects.toThrow(/answered 304/);
  });

  test('one that is forgotten while it is asked for again is read from the beginning', async () => {
    const path = '/forgotten/client.json';
    const clientId = host.publish({}, { path, headers: { etag: '"one"' } });
    await read(clientId);
    service.clock.advance(301);
    const forget = statement('test_forget_agent', 'delete from clients where client_id = $1');
    host.answer(async (_, response) => {
      await service.parts.database.query(forget, [clientId]);
      response.writeHead(304).end();
    }, path);
    await expect(read(clientId)).rejects.toMatchObject({ kind: 'later' });
    host.publish({}, { path });
    await read(clientId);
    expect(host.asked.at(-1)?.headers).not.toHaveProperty('if-none-match');
    expect(await rowOf(clientId)).toMatchObject({ name: 'Scribe' });
  });

  test('a fault is remembered for a minute', async () => {
    const path = '/mended/client.json';
    const clientId = host.publish({ client_name: '' }, { path });
    await expect(read(clientId)).rejects.toThrow(/client_name/);
    host.publish({}, { path });
    service.clock.advance(50);
    await expect(read(clientId)).rejects.toThrow(/client_name/);
    expect(host.asked).toHaveLength(1);
    service.clock.advance(11);
    await read(clientId);
    expect(await rowOf(clientId)).toMatchObject({ name: 'Scribe', type: 'public' });
  });

  test('what was known of an agent that is forgotten and comes again stays dead', async () => {
    const clientId = host.publish();
    const browser = await signedInBrowser(service, await service.createUser());
    const { code, verifier } = await authorizeAgent(service, clientId, browser);
    await service.parts.database.query(
      statement('test_forget_agent', 'delete from clients where client_id = $1'),
      [clientId],
    );
    service.clock.advance(2);
    await read(clientId);
    const answer = await redeem(service, agentAt(clientId), code, { code_verifier: verifier });
    expect(answer.body.error).toBe('invalid_grant');
  });
});

describe('read', () => {
  test('once for all who wait for it', async () => {
    let answer = () => {};
    const clientId = host.answer((_, response) => {
      answer = () =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify(documentOf(clientId)));
      if (host.asked.length === 1) setImmediate(answer);
    });
    await Promise.all(Array.from({ length: 20 }, () => read(clientId)));
    expect(host.asked).toHaveLength(1);
  });

  test('ten at once, whatever is asked for: of 1,000 different ones the others are told to try again', async () => {
    let [open, most] = [0, 0];
    const addresses = Array.from({ length: 1000 }, () =>
      host.answer((request, response) => {
        most = Math.max(most, ++open);
        response.writeHead(200, { 'content-type': 'application/json' });
        setImmediate(() => {
          open -= 1;
          response.end(JSON.stringify(documentOf(`${host.origin}${request.url}`)));
        });
      }),
    );
    const outcomes = await Promise.allSettled(addresses.map(read));
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(10);
    expect(host.asked.length).toBeLessThanOrEqual(20);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(host.asked.length);
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refused.every(({ kind }) => kind === 'later')).toBe(true);
  });

  test('fifteen that were not known in an hour of one origin', async () => {
    for (let times = 0; times < 15; times++) await read(host.publish());
    const unknown = host.publish();
    await expect(read(unknown)).rejects.toMatchObject({ kind: 'later' });
    service.clock.advance(230);
    await expect(read(unknown)).rejects.toMatchObject({ kind: 'later' });
    expect(host.asked).toHaveLength(15);
    service.clock.advance(20);
    await read(unknown);
    const address = agentAddress(service, host.publish()).address;
    const page = await (await signedInBrowser(service, await service.createUser())).get(address);
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '60']);
  });

  test('twenty times in all: what is known is read beside new ones, and then relied on for a day, not for longer', async () => {
    const known = Array.from({ length: 6 }, () => host.publish());
    const last = String(known.at(-1));
    for (const one of known) await read(one);
    const useUp = async () => {
      for (let times = 0; times < 25; times++) await read(host.publish()).catch(() => {});
      for (const one of known.slice(0, 5)) await read(one);
    };
    service.clock.advance(3600);
    await useUp();
    await read(last);
    expect(host.asked).toHaveLength(6 + 20);
    service.clock.advance(86_500);
    await useUp();
    await expect(read(last)).rejects.toMatchObject({ kind: 'later' });
    expect(host.asked).toHaveLength(6 + 20 + 20);
    service.clock.advance(190);
    await read(last);
    expect(host.asked.filter(({ path }) => last.endsWith(path))).toHaveLength(2);
  });
});

test('processes share what is known, and the count of an origin', async () => {
  const second = await startTestService({ AGENT_ORIGINS: host.origin }, { databaseUrl: service.databaseUrl });
  try {
    const both = [service, second];
    const shared = host.publish();
    for (const { parts } of both) await parts.agents.read(shared, { userId: randomUUID() });
    expect(host.asked).toHaveLength(1);
    for (let times = 1; times < 15; times++)
      await both[times % 2]?.parts.agents.read(host.publish(), { userId: randomUUID() });
    for (const { parts } of both)
      await expect(parts.agents.read(host.publish(), { userId: randomUUID() })).rejects.toMatchObject({
        kind: 'later',
      });
    expect(host.asked).toHaveLength(15);
  } finally {
    await second.close();
  }
});

describe('whoever asks for slow documents', () => {
  /** Hosts that take their time: who waits for an answer of theirs is let go with the test. */
  const waiting: ServerResponse[] = [];
  afterEach(() => {
    for (const response of waiting.splice(0)) response.destroy();
  });
  const slow = () => host.answer((_, response) => waiting.push(response));
  const held = (number: number) => until(`${number} documents to be read`, () => waiting.length >= number);
  const person = async (of = service) => signedInBrowser(of, await of.createUser());

  test('signed in, has two read at once, so that everybody else finds room', async () => {
    const [slowOne, other] = [await person(), await person()];
    const visits = Array.from({ length: 12 }, () => slowOne.get(agentAddress(service, slow()).address));
    await held(2);
    const page = await other.get(agentAddress(service, host.publish()).address);
    expect([page.status, page.location?.pathname]).toEqual([303, '/consent']);
    // Whoever came later than that would find room again.
    let told = 0;
    for (const visit of visits) visit.then(() => told++);
    await until('the others to be told to try again', () => told === 10);
    expect(waiting).toHaveLength(2);
    for (const response of waiting.splice(0)) response.destroy();
    const statuses = (await Promise.all(visits)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 503)).toHaveLength(10);
  });

  test('from many networks, by pushed requests, leaves half of it to those who are signed in', async () => {
    const settings = { AGENT_ORIGINS: host.origin, TRUSTED_PROXIES: '127.0.0.1,::1' };
    const behind = await startTestService(settings);
    try {
      const push = (clientId: string, address: string) => {
        const { address: url } = agentAddress(behind, clientId);
        return postForm(behind, '/oauth/par', Object.fromEntries(url.searchParams), {
          'x-forwarded-for': address,
        });
      };
      const visitor = await person(behind);
      const pushes = Array.from({ length: 12 }, (_, index) => push(slow(), `198.51.100.${index}`));
      let told = 0;
      for (const answer of pushes) answer.then(() => told++);
      await until('the others to be told to try again', () => told === 7);
      await held(5);
      const page = await visitor.get(agentAddress(behind, host.publish()).address);
      expect([page.status, waiting.length]).toEqual([303, 5]);
      for (const response of waiting.splice(0)) response.destroy();
      const refused = (await Promise.all(pushes)).filter(({ status }) => status === 503);
      expect(refused.map(({ headers }) => headers.get('retry-after'))).toEqual(Array(7).fill('60'));
    } finally {
      await behind.close();
    }
  });

  test('of twelve at two processes, ten in all find room (D49)', async () => {
    const second = await startTestService(
      { AGENT_ORIGINS: host.origin },
      { databaseUrl: service.databaseUrl },
    );
    try {
      let told = 0;
      const reads = Array.from({ length: 12 }, (_, index) =>
        (index % 2 ? second : service).parts.agents
          .read(slow(), { userId: randomUUID() })
          .catch(({ kind }) => kind)
          .finally(() => told++),
      );
      await Promise.race([until('two to be told', () => told === 2), held(11)]);
      await held(10);
      expect([told, waiting.length]).toEqual([2, 10]);
      for (const response of waiting.splice(0)) response.destroy();
      const kinds = await Promise.all(reads);
      expect(kinds.filter((kind) => kind === 'later')).toHaveLength(2);
      expect(kinds.filter((kind) => kind === 'faulty')).toHaveLength(10);
    } finally {
      await second.close();
    }
  });

  test('one asker has two of them, whatever the number of processes that are asked at once', async () => {
    const second = await startTestService(
      { AGENT_ORIGINS: host.origin },
      { databaseUrl: service.databaseUrl },
    );
    try {
      const userId = randomUUID();
      let told = 0;
      const reads = Array.from({ length: 12 }, (_, index) =>
        (index % 2 ? second : service).parts.agents
          .read(slow(), { userId })
          .catch(() => {})
          .finally(() => told++),
      );
      await Promise.race([until('ten to be told', () => told === 10), held(3)]);
      await held(2);
      expect([told, waiting.length]).toEqual([10, 2]);
      for (const response of waiting.splice(0)) response.destroy();
      await Promise.all(reads);
    } finally {
      await second.close();
    }
  });

  test('decides nothing for others who want the same document', async () => {
    const userId = randomUUID();
    const reads = [slow(), slow()].map((address) => service.parts.agents.read(address, { userId }));
    await held(2);
    const wanted = host.publish();
    const [own, other] = await Promise.allSettled([
      service.parts.agents.read(wanted, { userId }),
      read(wanted),
    ]);
    expect(own).toMatchObject({ status: 'rejected', reason: { kind: 'later' } });
    expect(other.status).toBe('fulfilled');
    for (const response of waiting.splice(0)) response.destroy();
    await Promise.allSettled(reads);
  });

  test('has ten read in an hour, however: an origin is not used up by one', async () => {
    const asker = { userId: randomUUID() };
    for (let times = 0; times < 10; times++) await service.parts.agents.read(host.publish(), asker);
    const next = host.publish();
    await expect(service.parts.agents.read(next, asker)).rejects.toMatchObject({ kind: 'later' });
    await service.parts.agents.read(next, { address: '203.0.113.8' });
    // What others have had read is gone by, for this one as well.
    service.clock.advance(370);
    await service.parts.agents.read(host.publish(), asker);
    await service.parts.agents.read(next, asker);
    expect(host.asked.filter(({ path }) => next.endsWith(path))).toHaveLength(1);
  });

  test('by pushed requests from many networks, has ten of an origin read in an hour, so that those who are signed in find room', async () => {
    const push = (index: number) =>
      service.parts.agents.read(host.publish(), { address: `198.51.100.${index}` }).catch(({ kind }) => kind);
    for (let index = 0; index < 10; index++) expect(await push(index)).toBeUndefined();
    for (let index = 10; index < 20; index++) expect(await push(index)).toBe('later');
    for (let times = 0; times < 5; times++) await read(host.publish());
    await expect(read(host.publish())).rejects.toMatchObject({ kind: 'later' });
    expect(host.asked).toHaveLength(15);
  });

  test('from one network, does not use up what there is for pushed requests either', async () => {
    const push = (address: string) => service.parts.agents.read(host.publish(), { address });
    for (let times = 0; times < 5; times++) await push('203.0.113.7');
    await expect(push('203.0.113.7')).rejects.toMatchObject({ kind: 'later' });
    await push('203.0.113.8');
  });

  test('and has had it, keeps nobody else from a document that both ask for at once', async () => {
    const asker = { userId: randomUUID() };
    for (let times = 0; times < 10; times++) await service.parts.agents.read(host.publish(), asker);
    const wanted = host.publish();
    const [his, another] = await Promise.allSettled(
      [asker, { userId: randomUUID() }].map((one) => service.parts.agents.read(wanted, one)),
    );
    expect([his?.status, another?.status]).toEqual(['rejected', 'fulfilled']);
  });
});

describe('no document', () => {
  const TYPE = 'application/json';
  const good = (address: string) => JSON.stringify(documentOf(address));
  test.each<[string, () => string, RegExp]>([
    ['a page', () => serving('text/html', '<p>'), /not served as application\/json/],
    ['JSON of another name', () => serving('application/jsonx', '{}'), /not served as application\/json/],
    ['nothing', () => serving(TYPE, ''), /not a JSON object/],
    ['too long', () => serving(TYPE, ' '.repeat(5121)), /longer than 5120 bytes/],
    ['compressed', () => serving(TYPE, gzipSync('{}'), { 'content-encoding': 'gzip' }), /compressed/],
    [
      'elsewhere',
      () => {
        const other = host.publish();
        return host.answer((_, response) => response.writeHead(302, { location: other }).end());
      },
      /answered 302 instead of 200/,
    ],
    ['gone', () => `${host.origin}/gone`, /answered 404/],
    ['no answer', () => host.answer(() => {}), /within 3 seconds/],
    ['cut off', () => host.answer((_, response) => response.destroy()), /could not be read/],
    ['bytes that are no text', () => serving(TYPE, Buffer.of(0x7b, 0xff, 0x7d)), /not a JSON object/],
    [
      'keys that are none',
      () => host.publish({ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [] } }),
      /jwks/,
    ],
    [
      'a key that is secret',
      () =>
        host.publish({
          token_endpoint_auth_method: 'private_key_jwt',
          jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] },
        }),
      /public keys alone/,
    ],
  ])('%s', async (_, publish, words) => {
    const clientId = publish();
    await expect(read(clientId)).rejects.toThrow(words);
    expect(await rowOf(clientId)).toBeUndefined();
    expect(host.asked).toHaveLength(1);
  });

  test('5 kB are one', async () => {
    const path = '/long/client.json';
    const text = good(`${host.origin}${path}`);
    const clientId = host.answer((_, response) => {
      response.writeHead(200, { 'content-type': 'Application/JSON; charset=utf-8' });
      response.end(text + ' '.repeat(5120 - text.length));
    }, path);
    await read(clientId);
    expect(await rowOf(clientId)).toBeDefined();
  });
});

test.each([
  ['a private address', ['10.0.0.7']],
  ['two answers, one of them private', ['93.184.216.34', '169.254.169.254']],
  ['this machine', ['127.0.0.1']],
  ['a metadata service within IPv6', ['64:ff9b::a9fe:a9fe']],
])('a name that stands for %s is not called, in whatever mode', async (_, answers) => {
  const resolve = async () => answers.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const open = await startTestService({ AGENTS: 'open' }, { resolve });
  try {
    const browser = await signedInBrowser(open, await open.createUser());
    const page = await browser.get(agentAddress(open, 'https://agent.example/client.json').address);
    expect(page.status).toBe(401);
    expect(page.body).toContain('not on the public internet');
  } finally {
    await open.close();
  }
});

describe('pushed requests and keys', () => {
  test('whoever pushes does not learn which names are known in the network around the service', async () => {
    const resolve = async (name: string) => {
      if (name === 'intranet.example') return [{ address: '10.0.0.7', family: 4 }];
      throw new Error('no address');
    };
    const open = await startTestService({ AGENTS: 'open' }, { resolve });
    try {
      const answers = ['intranet', 'nobody'].map(async (name) => {
        const { address } = agentAddress(open, `https://${name}.example/client.json`);
        const { status, body } = await postForm(open, '/oauth/par', Object.fromEntries(address.searchParams));
        return [status, body.error, body.error_description];
      });
      const [known, unknown] = await Promise.all(answers);
      expect(known).toEqual([401, 'invalid_client', expect.stringContaining('not on the public internet')]);
      expect(unknown).toEqual(known);
    } finally {
      await open.close();
    }
  });

  test('an agent pushes its request, and proves itself by the keys of its document', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const jwks = { keys: [await exportJWK(publicKey)] };
    const clientId = host.publish({ token_endpoint_auth_method: 'private_key_jwt', jwks });
    const assertion = async (issuer = clientId) => ({
      client_id: clientId,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await new SignJWT({ jti: crypto.randomUUID() })
        .setProtectedHeader({ alg: 'ES256' })
        .setIssuer(issuer)
        .setSubject(issuer)
        .setAudience(service.baseUrl)
        .setIssuedAt(service.clock.now())
        .setExpirationTime(new Date(service.clock.now().getTime() + 60_000))
        .sign(privateKey),
    });
    const { address, verifier } = agentAddress(service, clientId);
    const parameters = Object.fromEntries(address.searchParams);
    const pushed = await postForm(service, '/oauth/par', { ...parameters, ...(await assertion()) });
    expect(pushed.status).toBe(201);
    expect(await rowOf(clientId)).toMatchObject({ type: 'confidential' });
    expect((await postForm(service, '/oauth/par', parameters)).body.error).toBe('invalid_client');

    const browser = await signedInBrowser(service, await service.createUser());
    const { code } = await authorizeAgent(service, clientId, browser, {
      code_challenge: parameters.code_challenge,
    });
    const agent = agentAt(clientId);
    const bare = await redeem(service, agent, code, { code_verifier: verifier });
    expect(bare.body.error).toBe('invalid_client');
    // An application with the very same keys: what it signs in its own name is no proof of the agent, nor the other way round.
    const application = await service.createApplication();
    const share = statement(
      'test_share_keys',
      'update clients c set jwks = a.jwks from clients a where c.client_id = $1::text and a.client_id = $2::text',
    );
    await service.parts.database.query(share, [application.clientId, clientId]);
    const { clientId: client_id } = application;
    for (const mixed of [await assertion(client_id), { ...(await assertion()), client_id }]) {
      const proof = { ...mixed, client_secret: undefined };
      const answer = await redeem(service, agent, code, { code_verifier: verifier, ...proof });
      expect(answer.body.error).toBe('invalid_client');
    }
    const tokens = await redeem(service, agent, code, { code_verifier: verifier, ...(await assertion()) });
    expect(tokens.status).toBe(200);
    expect(host.asked).toHaveLength(1);
  });

  test('a document that is none refuses the push, with the reason', async () => {
    const clientId = host.publish({ client_name: 7 });
    const { address } = agentAddress(service, clientId);
    const answer = await postForm(service, '/oauth/par', Object.fromEntries(address.searchParams));
    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
    expect(answer.body.error_description).toBe('client_name is missing.');
  });

  test('no document is read at the token endpoint, nor anywhere else', async () => {
    const clientId = host.publish();
    for (const path of [
      '/oauth/token',
      '/oauth/token/revoke',
      '/oauth/introspect',
      '/oauth/device_authorization',
    ]) {
      const fields = {
        client_id: clientId,
        grant_type: 'client_credentials',
        token: 'x',
        scope: 'openid profile',
      };
      expect((await postForm(service, path, fields)).status, path).toBeGreaterThanOrEqual(400);
    }
    expect(host.asked).toEqual([]);
  });
});
