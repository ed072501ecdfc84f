import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import {
  authorizeMetadataClient,
  buildMetadataClientRequest,
  createIp,
  createMetadataClient,
  createMetadataDocument,
  fetchMetadataDocument,
  openMetadataHost,
} from '../support/metadata-clients.ts';
import { openSignedInBrowser, postForm, redeemCode } from '../support/oauth-flow.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { waitUntil } from '../support/wait-until.ts';

let service: TestService;
const host = await openMetadataHost();
afterAll(() => host.close());
beforeEach(async () => {
  service = await startTestService({ AGENTS: host.origin });
  host.requests.length = 0;
});
afterEach(() => service.close());

const SELECT_AGENT = statement(
  'test_agent',
  `select c.name, c.type, c.epoch, a.fresh_until as "freshUntil" from clients c
  join agents a on a.client_id = c.client_id where c.client_id = $1::text`,
);
const findRow = async (clientId: string) =>
  (await service.services.database.query(SELECT_AGENT, [clientId]))[0];
const fetchDocument = (clientId: string, ip?: string) => fetchMetadataDocument(service, clientId, ip);
const serve = (type: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  host.setHandler((_, response) => response.writeHead(200, { 'content-type': type, ...headers }).end(body));

describe('a stored metadata document', () => {
  test('is refetched after its Cache-Control lifetime', async () => {
    const path = '/cached/client.json';
    const clientId = host.publish({}, { path, headers: { 'cache-control': 'max-age=600' } });
    await fetchDocument(clientId);
    service.clock.advance(590);
    await fetchDocument(clientId);
    expect(host.requests).toHaveLength(1);
    service.clock.advance(20);
    host.publish({}, { path, headers: { 'cache-control': 'no-store' } });
    const before = await findRow(clientId);
    await fetchDocument(clientId);
    expect((await findRow(clientId))?.epoch).toBe(before?.epoch);
    service.clock.advance(290);
    await fetchDocument(clientId);
    expect(host.requests).toHaveLength(2);
    service.clock.advance(20);
    host.publish({ client_name: 'Other' }, { path });
    await fetchDocument(clientId);
    const after = await findRow(clientId);
    expect(after).toMatchObject({ name: 'Other' });
    // Incrementing the epoch revokes the agent's tokens.
    expect(Number(after?.epoch)).toBe(Number(before?.epoch) + 1);
  });
});

describe('metadata document fetches', () => {
  test('are shared by concurrent requests', async () => {
    let respond = () => {};
    const clientId = host.setHandler((_, response) => {
      respond = () =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify(createMetadataDocument(clientId)));
      if (host.requests.length === 1) setImmediate(respond);
    });
    await Promise.all(Array.from({ length: 20 }, () => fetchDocument(clientId)));
    expect(host.requests).toHaveLength(1);
  });

  test('are limited to 20 per hour for each origin and IP address', async () => {
    const ip = createIp();
    for (let times = 0; times < 20; times++) await fetchDocument(host.publish(), ip);
    const unknown = host.publish();
    await expect(fetchDocument(unknown, ip)).rejects.toMatchObject({ kind: 'later' });
    service.clock.advance(170);
    await expect(fetchDocument(unknown, ip)).rejects.toMatchObject({ kind: 'later' });
    expect(host.requests).toHaveLength(20);
    service.clock.advance(20);
    await fetchDocument(unknown, ip);
  });
});

describe('slow metadata documents', () => {
  const pending: ServerResponse[] = [];
  afterEach(() => release());
  const release = () => {
    for (const response of pending.splice(0)) response.destroy();
  };
  const publishSlowDocument = () => host.setHandler((_, response) => pending.push(response));
  const waitForPending = (number: number) =>
    waitUntil(`${number} documents to be requested`, () => pending.length >= number);
  const countOutcomes = (reads: Promise<unknown>[]) => {
    const kinds: unknown[] = [];
    for (const read of reads)
      read.then(
        () => kinds.push('read'),
        ({ kind }) => kinds.push(kind),
      );
    return kinds;
  };

  test('are limited to two concurrent fetches per client IP address', async () => {
    const ip = createIp();
    const kinds = countOutcomes(
      [publishSlowDocument(), publishSlowDocument(), publishSlowDocument()].map((clientId) =>
        fetchDocument(clientId, ip),
      ),
    );
    await waitForPending(2);
    await waitUntil('the third fetch to be refused', () => kinds.length === 1);
    expect([kinds, pending.length]).toEqual([['later'], 2]);
    await fetchDocument(host.publish());
    release();
  });

  test('do not block an agent with a recently fetched document', async () => {
    const known = host.publish();
    await fetchDocument(known);
    service.clock.advance(86_300);
    countOutcomes(Array.from({ length: 10 }, () => fetchDocument(publishSlowDocument())));
    await waitForPending(10);
    await fetchDocument(known);
    service.clock.advance(200);
    await expect(fetchDocument(known)).rejects.toMatchObject({ kind: 'later' });
    expect(host.requests.filter(({ path }) => known.endsWith(path))).toHaveLength(1);
  });

  test('cause 503 with Retry-After if 20 requests are waiting', async () => {
    const push = (clientId: string) => {
      const { url } = buildMetadataClientRequest(service, clientId);
      return postForm(service, '/oauth/par', Object.fromEntries(url.searchParams));
    };
    const slowId = publishSlowDocument();
    const first = push(slowId);
    await waitForPending(1);
    const responses: unknown[] = [];
    const pushes = Array.from({ length: 24 }, async () => {
      const { status, headers } = await push(slowId);
      responses.push([status, Number(headers.get('retry-after')) > 0]);
    });
    await waitUntil('five requests to be refused', () => responses.length >= 5);
    expect((await push(host.publish())).status).toBe(201);
    expect([pending.length, responses]).toEqual([1, Array(5).fill([503, true])]);
    release();
    await Promise.all([first, ...pushes]);
  });

  test('cause an error page with Retry-After in browsers', async () => {
    countOutcomes(Array.from({ length: 10 }, () => fetchDocument(publishSlowDocument())));
    await waitForPending(10);
    const browser = await openSignedInBrowser(service, await service.createUser());
    const page = await browser.get(buildMetadataClientRequest(service, host.publish()).url);
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '60']);
  });
});

describe('fetching a metadata document', () => {
  const TYPE = 'application/json';
  test.each<[string, () => string, RegExp]>([
    ['an HTML response', () => serve('text/html', '<p>'), /not served as application\/json/],
    [
      'a media type that only resembles application/json',
      () => serve('application/jsonx', '{}'),
      /not served as application\/json/,
    ],
    [
      'a different +json media type',
      () => serve('application/xcimd+json', '{}'),
      /not served as application\/json/,
    ],
    ['an empty body', () => serve(TYPE, ''), /not a JSON object/],
    ['an oversized body', () => serve(TYPE, ' '.repeat(5121)), /exceeds 5120 bytes/],
    ['a compressed body', () => serve(TYPE, gzipSync('{}'), { 'content-encoding': 'gzip' }), /compressed/],
    [
      'a redirect',
      () => {
        const target = host.publish();
        return host.setHandler((_, response) => response.writeHead(302, { location: target }).end());
      },
      /responded with 302 instead of 200/,
    ],
    ['status 404', () => `${host.origin}/gone`, /responded with 404/],
    ['a timeout', () => host.setHandler(() => {}), /within 3 seconds/],
    [
      'a dropped connection',
      () => host.setHandler((_, response) => response.destroy()),
      /could not be fetched/,
    ],
    ['invalid UTF-8', () => serve(TYPE, Buffer.of(0x7b, 0xff, 0x7d)), /not a JSON object/],
    [
      'an empty key set',
      () => host.publish({ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [] } }),
      /jwks/,
    ],
    [
      'a symmetric key',
      () =>
        host.publish({
          token_endpoint_auth_method: 'private_key_jwt',
          jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] },
        }),
      /only public keys/,
    ],
  ])('fails because of %s', async (_, publish, message) => {
    const clientId = publish();
    await expect(fetchDocument(clientId)).rejects.toThrow(message);
    expect(await findRow(clientId)).toBeUndefined();
    expect(host.requests).toHaveLength(1);
  });
});

test.each([
  ['a private IP address', ['10.0.0.7']],
  ['two IP addresses, one of them private', ['93.184.216.34', '169.254.169.254']],
  ['a loopback address', ['127.0.0.1']],
  ['the NAT64 address of a cloud metadata service', ['64:ff9b::a9fe:a9fe']],
])('no metadata document is fetched from a host that resolves to %s', async (_, addresses) => {
  const resolve = async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const openService = await startTestService({ AGENTS: '*' }, { resolve });
  try {
    const browser = await openSignedInBrowser(openService, await openService.createUser());
    const page = await browser.get(
      buildMetadataClientRequest(openService, 'https://agent.example/client.json').url,
    );
    expect(page.status).toBe(401);
    expect(page.body).toContain('not on the public internet');
  } finally {
    await openService.close();
  }
});

test('fetch errors don’t reveal internal host names', async () => {
  const resolve = async (name: string) => {
    if (name === 'intranet.example') return [{ address: '10.0.0.7', family: 4 }];
    throw new Error('no address');
  };
  const openService = await startTestService({ AGENTS: '*' }, { resolve });
  try {
    const errorPages = ['intranet', 'nobody'].map(async (name) => {
      const { url } = buildMetadataClientRequest(openService, `https://${name}.example/client.json`);
      const { status, body } = await postForm(
        openService,
        '/oauth/par',
        Object.fromEntries(url.searchParams),
      );
      return [status, body.error, body.error_description];
    });
    const [known, unknown] = await Promise.all(errorPages);
    expect(known).toEqual([401, 'invalid_client', expect.stringContaining('not on the public internet')]);
    expect(unknown).toEqual(known);
  } finally {
    await openService.close();
  }
});

test('an agent authenticates with the keys in its document', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwks = { keys: [await exportJWK(publicKey)] };
  const clientId = host.publish({ token_endpoint_auth_method: 'private_key_jwt', jwks });
  const createAssertionFields = async (issuer = clientId) => ({
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
  const { url, verifier } = buildMetadataClientRequest(service, clientId);
  const parameters = Object.fromEntries(url.searchParams);
  const pushed = await postForm(service, '/oauth/par', { ...parameters, ...(await createAssertionFields()) });
  expect(pushed.status).toBe(201);
  expect(await findRow(clientId)).toMatchObject({ type: 'confidential' });
  expect((await postForm(service, '/oauth/par', parameters)).body.error).toBe('invalid_client');

  const browser = await openSignedInBrowser(service, await service.createUser());
  const { code } = await authorizeMetadataClient(service, clientId, browser, {
    code_challenge: parameters.code_challenge,
  });
  const agent = createMetadataClient(clientId);
  const withoutAssertion = await redeemCode(service, agent, code, { code_verifier: verifier });
  expect(withoutAssertion.body.error).toBe('invalid_client');
  // A client and an agent with the same key can't use each other's assertions.
  const application = await service.createClient();
  const copyKeys = statement(
    'test_share_keys',
    'update clients c set jwks = a.jwks from clients a where c.client_id = $1::text and a.client_id = $2::text',
  );
  await service.services.database.query(copyKeys, [application.clientId, clientId]);
  const { clientId: client_id } = application;
  for (const mismatched of [
    await createAssertionFields(client_id),
    { ...(await createAssertionFields()), client_id },
  ]) {
    const credentials = { ...mismatched, client_secret: undefined };
    const response = await redeemCode(service, agent, code, { code_verifier: verifier, ...credentials });
    expect(response.body.error).toBe('invalid_client');
  }
  const tokens = await redeemCode(service, agent, code, {
    code_verifier: verifier,
    ...(await createAssertionFields()),
  });
  expect(tokens.status).toBe(200);
  expect(host.requests).toHaveLength(1);
});

test('only the authorization and PAR endpoints fetch metadata documents', async () => {
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
  expect(host.requests).toEqual([]);
});
