// Measures how long each hostile input blocks the service's event loop.
import type { ChildProcess } from 'node:child_process';
import pg from 'pg';
import sharp from 'sharp';
import { Agent, request } from 'undici';
import { formatTable } from '../../src/cli/run.ts';
import { registerClient } from '../../src/clients/registration.ts';
import { readConfig } from '../../src/config.ts';
import { createPasswordHasher } from '../../src/credentials/password-hashing.ts';
import { createAccount, type Registration } from '../../src/credentials/sign-up.ts';
import { sessionDigest } from '../../src/oauth/digests.ts';
import { newAccountSecret, newApiId } from '../../src/oauth/secrets.ts';
import { openInstance, type ResolvedConfig } from '../../src/process/instance.ts';
import { createLogger } from '../../src/process/logger.ts';
import { insertApi } from '../../src/store/apis.ts';
import { parseElements } from '../../test/support/markup.ts';
import { findFreePort } from '../../tools/free-port.ts';
import { SERVER_FLAGS, startNode, stopProcess, waitUntilReady } from '../processes.ts';
import type { LongestIteration } from './event-loop-monitor.ts';
import {
  type Form,
  generateHostileBodies,
  generateHostileForms,
  generateHostileHeaders,
  generateHostileMetadata,
  generateHostileQueries,
  generateHostileUploads,
  type HostileInput,
} from './inputs.ts';

export const HOSTILE_INPUTS = 'hostile inputs';

const EMAIL = 'hostile@example.com';
const PASSWORD = 'a password for the benchmark';
const REDIRECT_URI = 'https://client.example/callback';
const PROXY_HEADERS = { 'x-forwarded-proto': 'https' };
const RESPONSE_TIMEOUT_MS = 3000;
const MAX_TABLE_ROWS = 25;
const MAX_ITERATION_CPU_MS = 50;

interface Stall extends LongestIteration {
  input: string;
  bytes: number;
  status: number;
  /** Longest response time of another client's requests, in milliseconds. */
  otherClient: number;
}

export async function measureHostileInputs(
  databaseUrl: string,
  secretKey: string,
  log: string,
): Promise<void> {
  const port = await findFreePort();
  const environment = {
    NODE_ENV: 'production',
    PORT: String(port),
    BASE_URL: 'https://bench.example',
    DATABASE_URL: databaseUrl,
    SECRET_KEY: secretKey,
    RATE_LIMIT_PER_MINUTE: '0',
    HOURLY_LIMITS: 'off',
    AGENTS: '*',
    AGENTS_REGISTRATION: 'on',
    MFA_POLICY: 'optional',
    TRUSTED_PROXIES: '127.0.0.1',
  };
  const target = await createTarget(readConfig(environment) as ResolvedConfig);
  const child = startNode('src/server.ts', environment, log, {
    flags: SERVER_FLAGS,
    preload: './bench/hostile/event-loop-monitor.ts',
  });
  try {
    await waitUntilReady(`http://127.0.0.1:${port}/readyz`, child);
    const measure = createMeasurer(child, `http://127.0.0.1:${port}`);
    for (let warmUp = 0; warmUp < 200; warmUp += 1)
      await measure({ name: '', method: 'GET', path: '/signin', headers: PROXY_HEADERS });
    const stalls: Stall[] = [];
    for await (const input of generateInputs(target, `http://127.0.0.1:${port}`)) {
      let stall = await measure(input);
      // Garbage collection or compilation may have slowed the first measurement.
      for (let repetition = 0; repetition < 2 && stall.cpu > MAX_ITERATION_CPU_MS / 5; repetition += 1) {
        const repeated = await measure(input);
        if (repeated.cpu < stall.cpu) stall = repeated;
      }
      stalls.push(stall);
    }
    printStalls(stalls);
  } finally {
    await Promise.all([target.close(), stopProcess(child)]);
  }
}

interface Target {
  routes: { method: string; path: string; caller: string; cors: boolean }[];
  credentials: { client_id: string; client_secret: string };
  newSession(): Promise<string>;
  close(): Promise<void>;
}

async function createTarget(config: ResolvedConfig): Promise<Target> {
  const service = await openInstance(config, createLogger('silent'));
  const { database } = service.services;
  const now = new Date();
  const passwordHash = await (await createPasswordHasher()).hash(PASSWORD);
  const registration: Registration = {
    email: EMAIL,
    name: 'Ada',
    passwordHash,
    isAdmin: true,
    emailVerified: true,
  };
  const { userId: ownerId } = (await database.transaction((transaction) =>
    createAccount(transaction, registration, now),
  )) ?? { userId: '' };
  const { clientId, clientSecret = '' } = await registerClient(
    database,
    {
      ...{ ownerId, name: 'Bench', type: 'confidential', redirectUris: [REDIRECT_URI] },
      ...{ scopes: ['openid', 'profile', 'email'], standard: true, refreshGrace: 0 },
    },
    now,
  );
  const apiId = newApiId();
  const scopeSettings = { fr: 'Lire', en: 'Read', sensitive: false, agents: true };
  const api = {
    apiId,
    identifier: 'https://hostile.example/v1',
    name: 'Archives',
    descriptionFr: '',
    descriptionEn: '',
  };
  await insertApi(
    database,
    {
      ...api,
      ownerId,
      tokenLifetime: 3600,
      scopes: [{ name: 'read', ...scopeSettings }],
      allowedClients: 'applications',
    },
    now,
  );
  const pathParameters: Record<string, string> = {
    ':client_id': clientId,
    ':clientId': clientId,
    ':api_id': apiId,
    ':apiId': apiId,
    ':userId': ownerId,
    ':file': 'AL-1.svg',
    ':hash': 'A'.repeat(43),
  };
  await service.app.ready();
  const routes = service.app.routes.flatMap(({ method, url, config: { caller = '', cors = false } = {} }) =>
    [method].flat().map((singleMethod) => ({
      ...{ method: singleMethod, caller, cors },
      path: url.replace(/:\w+|\*/g, (part) => pathParameters[part] ?? '1'),
    })),
  );
  await service.close();
  const connection = new pg.Client({ connectionString: config.databaseUrl });
  await connection.connect();
  return {
    routes,
    credentials: { client_id: clientId, client_secret: clientSecret },
    newSession: async () => {
      const id = newAccountSecret(ownerId);
      await connection.query(
        `insert into sessions (id_hash, sid, user_id, user_epoch, auth_time, started_at, expires_at, ip, user_agent)
        select $1, gen_random_uuid(), id, epoch, now(), now(), now() + interval '1 day', '127.0.0.1', '' from users where id = $2`,
        [sessionDigest(id), ownerId],
      );
      return id;
    },
    close: () => connection.end(),
  };
}

const REQUEST_PARAMETERS = {
  ...{
    grant_type: 'authorization_code',
    code: 'c',
    redirect_uri: REDIRECT_URI,
    code_verifier: 'v'.repeat(43),
  },
  ...{ response_type: 'code', response_mode: 'query', scope: 'openid profile', state: 's', nonce: 'n' },
  ...{ code_challenge: 'a'.repeat(43), code_challenge_method: 'S256', prompt: 'login', max_age: '1' },
  ...{ acr_values: '1', claims: '{}', login_hint: 'a@example.com', ui_locales: 'fr', id_token_hint: 'a.b.c' },
  ...{ resource: 'https://hostile.example/v1', request_uri: 'urn:a', refresh_token: 'r', token: 't' },
  ...{ device_code: 'd', user_code: 'BCDF-GHJK', client_assertion: 'a.b.c', audience: 'a' },
  ...{ client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' },
  ...{
    post_logout_redirect_uri: REDIRECT_URI,
    logout_hint: 'a',
    pending: 'p',
    lang: 'fr',
  },
};
/** The pages that read each query parameter. */
const PAGE_PARAMETERS: Record<string, string[]> = {
  next: ['/signin', '/password/forgot'],
  pending: ['/signin', '/password/forgot'],
  partial_sign_in: ['/signin/second-factor'],
  token: ['/signin/code', '/password/reset', '/security/confirm', '/security/report'],
  done: ['/password/forgot', '/account/profile'],
  lang: ['/signin'],
  search: ['/console/operations/search'],
  after: ['/console/operations/accounts'],
  before: ['/console/operations/audit'],
};
/** The token endpoint ignores the other parameters if grant_type is invalid. */
const GRANT_TYPES = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'urn:ietf:params:oauth:grant-type:device_code',
];

async function* generateInputs(target: Target, origin: string): AsyncGenerator<HostileInput> {
  const { routes, credentials, newSession } = target;
  const getRoutes = routes.filter(({ method }) => method === 'GET');
  const postRoutes = routes.filter(({ method }) => method === 'POST');
  const accept = { accept: 'text/html', ...PROXY_HEADERS };
  for (const path of [
    '/livez',
    '/signin',
    '/oauth/authorize',
    '/oauth/userinfo',
    '/account',
    '/no/such',
    '/button.css',
  ])
    yield* generateHostileHeaders(path, accept);
  yield* generateHostileHeaders('/oauth/token', {});
  yield* generateHostileSignIns(origin, accept);
  yield* generateHostileBodies('/livez');
  yield* generateHostileBodies('/oauth/token');
  yield* generateHostileBodies('/signin');
  yield* generateHostileMetadata('/oauth/register');
  for (const { path } of postRoutes.filter((route) => route.path.startsWith('/oauth/'))) {
    const fields = { ...REQUEST_PARAMETERS, ...credentials };
    const grantTypes = path === '/oauth/token' ? GRANT_TYPES : ['authorization_code'];
    for (const grant_type of grantTypes) {
      const { client_assertion: _, client_assertion_type: __, request_uri: ___, ...plain } = fields;
      const replaced = Object.keys(fields);
      yield* generateHostileForms({ path, fields: { ...plain, grant_type }, replaced }, {});
    }
    const { client_secret: _, client_assertion: __, client_assertion_type: ___, ...publicClient } = fields;
    yield* generateHostileForms({ path, fields: publicClient, replaced: ['client_id'] }, {});
  }
  const cookie = `__Host-sesame=${await newSession()}; __Host-sesame-browser-a=${'A'.repeat(43)}`;
  for (const { path } of getRoutes) {
    const parameters = path.startsWith('/oauth/')
      ? { ...REQUEST_PARAMETERS, ...credentials }
      : REQUEST_PARAMETERS;
    const queryParameters = path === '/oauth/authorize' || path === '/oauth/logout' ? parameters : {};
    yield* generateHostileQueries(path, queryParameters, { ...accept, cookie });
  }
  for (const [name, paths] of Object.entries(PAGE_PARAMETERS))
    for (const path of paths) yield* generateHostileQueries(path, { [name]: 'a' }, { ...accept, cookie });
  for (const { path } of getRoutes)
    for (const headers of [{ ...accept }, { ...accept, cookie }]) {
      const response = await request(origin + path, { headers });
      const page = await response.body.text();
      if (!String(response.headers['content-type']).startsWith('text/html')) continue;
      const setCookies = [response.headers['set-cookie'] ?? []].flat().map((line) => line.split(';', 1)[0]);
      for (const form of parseForms(page, path)) {
        if (form.method === 'get') {
          yield* generateHostileQueries(form.path, form.fields, headers);
          continue;
        }
        const cookiePrefix =
          'cookie' in headers ? `__Host-sesame-browser-a=${'A'.repeat(43)}; __Host-sesame=` : '';
        // Some forms end the session, so a new session is created for each form.
        if (cookiePrefix !== '') {
          const session = await newSession();
          const freshResponse = await request(origin + path, {
            headers: { ...accept, cookie: cookiePrefix + session },
          });
          const freshForm = parseForms(await freshResponse.body.text(), path).find(
            (candidate) => candidate.path === form.path && candidate.replaced.join() === form.replaced.join(),
          );
          if (freshForm === undefined) continue;
          yield* generateHostileForms(freshForm, { ...accept, cookie: cookiePrefix + session });
        } else yield* generateHostileForms(form, { ...accept, cookie: setCookies.join('; ') });
      }
    }
  const session = await newSession();
  const sessionHeaders = {
    ...accept,
    cookie: `__Host-sesame-browser-a=${'A'.repeat(43)}; __Host-sesame=${session}`,
  };
  const page = await (await request(`${origin}/account/picture`, { headers: sessionHeaders })).body.text();
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
  yield* generateHostileUploads('/account/picture', csrf, sessionHeaders, await createPictures());
}

/** Uses the correct password, because the service parses these headers only after sign-in. */
async function* generateHostileSignIns(
  origin: string,
  accept: Record<string, string>,
): AsyncGenerator<HostileInput> {
  const response = await request(`${origin}/signin`, { headers: accept });
  const cookie = [response.headers['set-cookie'] ?? []].flat().map((line) => line.split(';', 1)[0]);
  const [form] = parseForms(await response.body.text(), '/signin').filter(
    ({ fields }) => 'password' in fields,
  );
  const body = new URLSearchParams({ ...form?.fields, email: EMAIL, password: PASSWORD }).toString();
  for (const input of generateHostileHeaders('/signin', { cookie: cookie.join('; '), ...accept }))
    if (!('content-type' in input.headers)) {
      const headers = { ...input.headers, 'content-type': 'application/x-www-form-urlencoded' };
      yield { ...input, method: 'POST', headers, body };
    }
}

function parseForms(page: string, path: string): Form[] {
  const forms: Form[] = [];
  const elements = parseElements(page);
  for (const { name, attributes } of elements) {
    if (name === 'form') {
      const action = (attributes.action ?? path).split('?', 1)[0] ?? path;
      forms.push({ method: attributes.method ?? 'get', path: action, fields: {}, replaced: [] });
    }
    const form = forms.at(-1);
    if (form === undefined || !attributes.name || !['input', 'textarea', 'select', 'button'].includes(name))
      continue;
    form.fields[attributes.name] = attributes.value ?? 'a';
    if (name !== 'button' && attributes.name !== 'csrf') form.replaced.push(attributes.name);
  }
  return forms.filter((form) => form.path.startsWith('/'));
}

async function createPictures(): Promise<Record<string, Buffer>> {
  const createBlackPicture = (side: number, channels: 3 | 4 = 3) =>
    sharp({
      create: { width: side, height: side, channels, background: '#000000' },
      limitInputPixels: false,
    });
  return {
    '16-bit interlaced PNG': await createBlackPicture(7000, 4)
      .toColourspace('rgb16')
      .png({ progressive: true, compressionLevel: 9 })
      .toBuffer(),
    '400-megapixel PNG': await createBlackPicture(20_000).png({ compressionLevel: 9 }).toBuffer(),
    'progressive JPEG': await createBlackPicture(7000).jpeg({ progressive: true, quality: 1 }).toBuffer(),
    'lossless WebP': await createBlackPicture(7000, 4).webp({ lossless: true, effort: 0 }).toBuffer(),
  };
}

function createMeasurer(child: ChildProcess, origin: string): (input: HostileInput) => Promise<Stall> {
  const readLongestIteration = (): Promise<LongestIteration> =>
    new Promise((resolve) => {
      child.once('message', resolve as never);
      child.send('read');
    });
  const hostileAgent = new Agent({ pipelining: 1, connections: 1 });
  const otherAgent = new Agent({ pipelining: 1, connections: 1 });
  return async ({ name, method, path, headers, body }) => {
    await readLongestIteration();
    let isDone = false;
    const longestOtherResponse = (async () => {
      let longest = 0;
      while (!isDone) {
        const startedAt = performance.now();
        await (await request(`${origin}/livez`, { dispatcher: otherAgent })).body.dump();
        longest = Math.max(longest, performance.now() - startedAt);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      return longest;
    })();
    const status = await request(origin + path, {
      ...{
        method: method as 'GET',
        headers: { ...PROXY_HEADERS, ...headers },
        body: body ?? null,
        dispatcher: hostileAgent,
      },
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
    }).then(
      async (response) => {
        await response.body.dump();
        return response.statusCode;
      },
      () => 0,
    );
    isDone = true;
    const otherClient = await longestOtherResponse;
    const size = Buffer.byteLength(body ?? '') + Buffer.byteLength(path);
    return {
      input: `${method} ${path.split('?', 1)[0]} ${name}`,
      bytes: size,
      status,
      otherClient,
      ...(await readLongestIteration()),
    };
  };
}

function printStalls(stalls: Stall[]): void {
  const sorted = stalls.toSorted((a, b) => b.cpu - a.cpu);
  const rows = sorted
    .slice(0, MAX_TABLE_ROWS)
    .map(({ input, bytes, status, cpu, elapsed, otherClient }) => [
      input,
      String(bytes),
      String(status),
      ...[cpu, elapsed, otherClient].map((value) => value.toFixed(1)),
    ]);
  process.stdout.write(
    `${formatTable(['hostile input', 'bytes', 'status', 'CPU', 'elapsed', 'other client'], rows)}\n\n`,
  );
  const stallsAboveTarget = stalls.filter(({ cpu }) => cpu > MAX_ITERATION_CPU_MS).length;
  const longestWait = Math.max(...stalls.map(({ otherClient }) => otherClient));
  process.stdout.write(
    `${stalls.length} hostile inputs, ${stallsAboveTarget} above the target of ${MAX_ITERATION_CPU_MS} ms of CPU time in one event loop iteration. ` +
      `Another client waited at most ${longestWait.toFixed(0)} ms. All times are in milliseconds.\n`,
  );
}
