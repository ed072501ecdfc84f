// Agents' documents: for how long they are kept, how many are read, and which are refused.
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import {
  agentAddress,
  agentAt,
  authorizeAgent,
  documentOf,
  newIp,
  openAgentHost,
  readDocument,
} from '../support/agents.ts';
import { postForm, redeem, signedInBrowser } from '../support/flow.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
const host = await openAgentHost();
afterAll(() => host.close());
beforeEach(async () => {
  service = await startTestService({ AGENTS: host.origin });
  host.asked.length = 0;
});
afterEach(() => service.close());

const ROW = statement(
  'test_agent',
  `select c.name, c.type, c.epoch, a.fresh_until as "freshUntil" from clients c
  join agents a on a.client_id = c.client_id where c.client_id = $1::text`,
);
const rowOf = async (clientId: string) => (await service.parts.database.query(ROW, [clientId]))[0];
const read = (clientId: string, ip?: string) => readDocument(service, clientId, ip);
const serving = (type: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  host.answer((_, response) => response.writeHead(200, { 'content-type': type, ...headers }).end(body));

describe('kept', () => {
  test('for as long as Cache-Control says, five minutes at least; what changed ends what was given', async () => {
    const path = '/kept/client.json';
    const clientId = host.publish({}, { path, headers: { 'cache-control': 'max-age=600' } });
    await read(clientId);
    service.clock.advance(590);
    await read(clientId);
    expect(host.asked).toHaveLength(1);
    service.clock.advance(20);
    host.publish({}, { path, headers: { 'cache-control': 'no-store' } });
    const before = await rowOf(clientId);
    await read(clientId);
    expect((await rowOf(clientId))?.epoch).toBe(before?.epoch);
    service.clock.advance(290);
    await read(clientId);
    expect(host.asked).toHaveLength(2);
    service.clock.advance(20);
    host.publish({ client_name: 'Other' }, { path });
    await read(clientId);
    const after = await rowOf(clientId);
    expect(after).toMatchObject({ name: 'Other' });
    expect(Number(after?.epoch)).toBe(Number(before?.epoch) + 1);
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

  test('of an origin, twenty unknown ones an hour for one client IP', async () => {
    const ip = newIp();
    for (let times = 0; times < 20; times++) await read(host.publish(), ip);
    const unknown = host.publish();
    await expect(read(unknown, ip)).rejects.toMatchObject({ kind: 'later' });
    service.clock.advance(170);
    await expect(read(unknown, ip)).rejects.toMatchObject({ kind: 'later' });
    expect(host.asked).toHaveLength(20);
    service.clock.advance(20);
    await read(unknown, ip);
  });
});

describe('slow documents', () => {
  /** Requests that the host has not answered yet. */
  const waiting: ServerResponse[] = [];
  afterEach(() => release());
  const release = () => {
    for (const response of waiting.splice(0)) response.destroy();
  };
  const slow = () => host.answer((_, response) => waiting.push(response));
  const held = (number: number) => until(`${number} documents to be read`, () => waiting.length >= number);
  const settled = (reads: Promise<unknown>[]) => {
    const kinds: unknown[] = [];
    for (const read of reads)
      read.then(
        () => kinds.push('read'),
        ({ kind }) => kinds.push(kind),
      );
    return kinds;
  };

  test('two at once for one client IP: the third is refused, while other clients are served', async () => {
    const ip = newIp();
    const kinds = settled([slow(), slow(), slow()].map((address) => read(address, ip)));
    await held(2);
    await until('the third to be refused', () => kinds.length === 1);
    expect([kinds, waiting.length]).toEqual([['later'], 2]);
    await read(host.publish());
    release();
  });

  test('keep nobody from an agent whose document was read within a day', async () => {
    const known = host.publish();
    await read(known);
    service.clock.advance(86_300);
    settled(Array.from({ length: 10 }, () => read(slow())));
    await held(10);
    await read(known);
    service.clock.advance(200);
    await expect(read(known)).rejects.toMatchObject({ kind: 'later' });
    expect(host.asked.filter(({ path }) => known.endsWith(path))).toHaveLength(1);
  });

  test('of 25 pushed requests that name one, 20 wait and the others are told to try again', async () => {
    const push = (clientId: string) => {
      const { address } = agentAddress(service, clientId);
      return postForm(service, '/oauth/par', Object.fromEntries(address.searchParams));
    };
    const wanted = slow();
    const first = push(wanted);
    await held(1);
    const answers: unknown[] = [];
    const pushes = Array.from({ length: 24 }, async () => {
      const { status, headers } = await push(wanted);
      answers.push([status, Number(headers.get('retry-after')) > 0]);
    });
    await until('five to be refused', () => answers.length >= 5);
    expect((await push(host.publish())).status).toBe(201);
    expect([waiting.length, answers]).toEqual([1, Array(5).fill([503, true])]);
    release();
    await Promise.all([first, ...pushes]);
  });

  test('a person who is signed in is told to try again, with Retry-After', async () => {
    settled(Array.from({ length: 10 }, () => read(slow())));
    await held(10);
    const browser = await signedInBrowser(service, await service.createUser());
    const page = await browser.get(agentAddress(service, host.publish()).address);
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '60']);
  });
});

describe('no document', () => {
  const TYPE = 'application/json';
  test.each<[string, () => string, RegExp]>([
    ['a page', () => serving('text/html', '<p>'), /not served as application\/json/],
    ['JSON of another name', () => serving('application/jsonx', '{}'), /not served as application\/json/],
    [
      'JSON of another kind',
      () => serving('application/xcimd+json', '{}'),
      /not served as application\/json/,
    ],
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
});

test.each([
  ['a private address', ['10.0.0.7']],
  ['two answers, one of them private', ['93.184.216.34', '169.254.169.254']],
  ['this machine', ['127.0.0.1']],
  ['a metadata service within IPv6', ['64:ff9b::a9fe:a9fe']],
])('a name that stands for %s is not called, in whatever mode', async (_, answers) => {
  const resolve = async () => answers.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const open = await startTestService({ AGENTS: '*' }, { resolve });
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
    const open = await startTestService({ AGENTS: '*' }, { resolve });
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
