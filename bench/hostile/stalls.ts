// Sends hostile inputs to a real process and reports how long each holds its event loop and other clients.
import type { ChildProcess } from 'node:child_process';
import pg from 'pg';
import sharp from 'sharp';
import { Agent, request } from 'undici';
import { registerApplication } from '../../src/applications/registration.ts';
import { table } from '../../src/cli/run.ts';
import { readConfig } from '../../src/config.ts';
import { createPasswordHasher } from '../../src/credentials/password-hashing.ts';
import { createAccount } from '../../src/credentials/sign-up.ts';
import { sessionDigest } from '../../src/oauth/digests.ts';
import { newAccountSecret, newApiId } from '../../src/oauth/secrets.ts';
import { createLogger } from '../../src/process/logger.ts';
import { type CompleteConfig, openService } from '../../src/process/service.ts';
import { insertApi } from '../../src/store/apis.ts';
import { elementsOf } from '../../test/support/markup.ts';
import { freePort } from '../../tools/free-port.ts';
import { SERVER_FLAGS, startNode, stop, untilReady } from '../processes.ts';
import {
  type Form,
  type HostileInput,
  hostileForms,
  hostileHeaders,
  hostileMetadata,
  hostileOptions,
  hostileQueries,
  hostileUploads,
} from './inputs.ts';
import type { LongestTurn } from './loop-monitor.ts';

/** The name of the operation, for `--only`. */
export const HOSTILE = 'hostile inputs';

const EMAIL = 'hostile@example.com';
const PASSWORD = 'a password for the benchmark';
const REDIRECT_URI = 'https://client.example/callback';
/** As a proxy says it. */
const HTTPS = { 'x-forwarded-proto': 'https' };
/** Milliseconds after which an answer is not waited for: failed sign-ins are delayed on purpose. */
const PATIENCE = 3000;
/** Inputs that the report lists. */
const LISTED = 25;
/** The target, in milliseconds. */
const MAX_STALL = 50;

interface Stall extends LongestTurn {
  input: string;
  bytes: number;
  status: number;
  /** Milliseconds that another client waited for its answer meanwhile. */
  other: number;
}

/** Measures every input once, and again those that took longest, to tell noise from cost. */
export async function measureHostileInputs(
  databaseUrl: string,
  secretKey: string,
  log: string,
): Promise<void> {
  const port = await freePort();
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
    SECOND_FACTOR: 'optional',
    TRUSTED_PROXIES: '127.0.0.1',
  };
  const target = await prepare(readConfig(environment) as CompleteConfig);
  const child = startNode('src/server.ts', environment, log, {
    flags: SERVER_FLAGS,
    preload: './bench/hostile/loop-monitor.ts',
  });
  try {
    await untilReady(`http://127.0.0.1:${port}/readyz`, child);
    const measure = measurer(child, `http://127.0.0.1:${port}`);
    for (let warmUp = 0; warmUp < 200; warmUp += 1)
      await measure({ name: '', method: 'GET', path: '/signin', headers: HTTPS });
    const stalls: Stall[] = [];
    for await (const input of inputsFor(target, `http://127.0.0.1:${port}`)) {
      let stall = await measure(input);
      // A pause of the garbage collector, or a function run for the first time, is not there the second time.
      for (let again = 0; again < 2 && stall.cpu > MAX_STALL / 5; again += 1) {
        const next = await measure(input);
        if (next.cpu < stall.cpu) stall = next;
      }
      stalls.push(stall);
    }
    print(stalls);
  } finally {
    await Promise.all([target.close(), stop(child)]);
  }
}

interface Target {
  routes: { method: string; path: string; caller: string; cors: boolean }[];
  credentials: { client_id: string; client_secret: string };
  newSession(): Promise<string>;
  close(): Promise<void>;
}

/** An administrator who owns a client and an API. */
async function prepare(config: CompleteConfig): Promise<Target> {
  const service = await openService(config, createLogger('silent'));
  const { database } = service.parts;
  const now = new Date();
  const passwordHash = await (await createPasswordHasher()).hash(PASSWORD);
  const registration = {
    email: EMAIL,
    name: 'Ada',
    passwordHash,
    operator: true,
    emailVerified: true,
  };
  const { userId: ownerId } = (await database.transaction((transaction) =>
    createAccount(transaction, registration, now),
  )) ?? { userId: '' };
  const { clientId, clientSecret = '' } = await registerApplication(
    database,
    {
      ...{ ownerId, name: 'Bench', type: 'confidential', redirectUris: [REDIRECT_URI] },
      ...{ scopes: ['openid', 'profile', 'email'], standard: true, refreshGrace: 0 },
    },
    now,
  );
  const apiId = newApiId();
  const words = { fr: 'Lire', en: 'Read', sensitive: false, agents: true };
  const api = { apiId, identifier: 'https://hostile.example/v1', name: 'Archives', wordsFr: '', wordsEn: '' };
  await insertApi(
    database,
    { ...api, ownerId, tokenLifetime: 3600, scopes: [{ name: 'read', ...words }], admits: 'applications' },
    now,
  );
  const things: Record<string, string> = {
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
    [method].flat().map((one) => ({
      ...{ method: one, caller, cors },
      path: url.replace(/:\w+|\*/g, (part) => things[part] ?? '1'),
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
        `insert into sessions (id_hash, sid, user_id, user_epoch, auth_time, started_at, expires_at, address, user_agent)
        select $1, gen_random_uuid(), id, epoch, now(), now(), now() + interval '1 day', '127.0.0.1', '' from users where id = $2`,
        [sessionDigest(id), ownerId],
      );
      return id;
    },
    close: () => connection.end(),
  };
}

/** What OAuth endpoints read. */
const PARAMETERS = {
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
    sent: 's',
    kept: 'k',
    typed: 't',
    next: '/account',
  },
  ...{
    pending: 'p',
    done: 'd',
    lang: 'fr',
    q: 'q',
    after: 'a',
    before: 'b',
    email: 'a@example.com',
    link: 'l',
  },
};
/** What has to be of the right kind for anything else to be looked at. */
const KINDS = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'urn:ietf:params:oauth:grant-type:device_code',
];

async function* inputsFor(target: Target, origin: string): AsyncGenerator<HostileInput> {
  const { routes, credentials, newSession } = target;
  const gets = routes.filter(({ method }) => method === 'GET');
  const posts = routes.filter(({ method }) => method === 'POST');
  const accept = { accept: 'text/html', ...HTTPS };
  for (const path of [
    '/livez',
    '/signin',
    '/oauth/authorize',
    '/oauth/userinfo',
    '/account',
    '/no/such',
    '/button.css',
  ])
    yield* hostileHeaders(path, accept);
  yield* hostileHeaders('/oauth/token', {});
  yield* hostileSignIns(origin, accept);
  yield* hostileOptions('/livez');
  yield* hostileOptions('/oauth/token');
  yield* hostileOptions('/signin');
  yield* hostileMetadata('/oauth/register');
  for (const { path } of posts.filter((route) => route.path.startsWith('/oauth/'))) {
    const fields = { ...PARAMETERS, ...credentials };
    const kinds = path === '/oauth/token' ? KINDS : ['authorization_code'];
    for (const grant_type of kinds) {
      const { client_assertion: _, client_assertion_type: __, request_uri: ___, ...plain } = fields;
      const replaced = Object.keys(fields);
      yield* hostileForms({ path, fields: { ...plain, grant_type }, replaced }, {});
    }
    const { client_secret: _, client_assertion: __, client_assertion_type: ___, ...agents } = fields;
    yield* hostileForms({ path, fields: agents, replaced: ['client_id'] }, {});
  }
  const cookie = `__Host-sesame=${await newSession()}; __Host-sesame-browser-a=${'A'.repeat(43)}`;
  for (const { path } of gets) {
    const parameters = path.startsWith('/oauth/') ? { ...PARAMETERS, ...credentials } : PARAMETERS;
    const reads = path === '/oauth/authorize' || path === '/oauth/logout' ? parameters : {};
    yield* hostileQueries(path, reads, { ...accept, cookie });
  }
  for (const name of ['sent', 'kept', 'typed', 'next', 'pending', 'q', 'done', 'email'])
    for (const path of ['/signin', '/account/profile', '/console/operations/search'])
      yield* hostileQueries(path, { [name]: 'a' }, { ...accept, cookie });
  for (const { path } of gets)
    for (const headers of [{ ...accept }, { ...accept, cookie }]) {
      const answer = await request(origin + path, { headers });
      const page = await answer.body.text();
      if (!String(answer.headers['content-type']).startsWith('text/html')) continue;
      const setCookies = [answer.headers['set-cookie'] ?? []].flat().map((line) => line.split(';', 1)[0]);
      for (const form of formsOf(page, path)) {
        if (form.method === 'get') {
          yield* hostileQueries(form.path, form.fields, headers);
          continue;
        }
        const own = 'cookie' in headers ? `__Host-sesame-browser-a=${'A'.repeat(43)}; __Host-sesame=` : '';
        // Some forms end the session: the next one starts with another.
        if (own !== '') {
          const session = await newSession();
          const again = await request(origin + path, { headers: { ...accept, cookie: own + session } });
          const fresh = formsOf(await again.body.text(), path).find(
            (one) => one.path === form.path && one.replaced.join() === form.replaced.join(),
          );
          if (fresh === undefined) continue;
          yield* hostileForms(fresh, { ...accept, cookie: own + session });
        } else yield* hostileForms(form, { ...accept, cookie: setCookies.join('; ') });
      }
    }
  const session = await newSession();
  const own = { ...accept, cookie: `__Host-sesame-browser-a=${'A'.repeat(43)}; __Host-sesame=${session}` };
  const page = await (await request(`${origin}/account/picture`, { headers: own })).body.text();
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
  yield* hostileUploads('/account/picture', csrf, own, await hostilePictures());
}

/** Sign-ins that succeed, because the browser is read only then. */
async function* hostileSignIns(origin: string, accept: Record<string, string>): AsyncGenerator<HostileInput> {
  const answer = await request(`${origin}/signin`, { headers: accept });
  const cookie = [answer.headers['set-cookie'] ?? []].flat().map((line) => line.split(';', 1)[0]);
  const [form] = formsOf(await answer.body.text(), '/signin').filter(({ fields }) => 'password' in fields);
  const body = new URLSearchParams({ ...form?.fields, email: EMAIL, password: PASSWORD }).toString();
  for (const input of hostileHeaders('/signin', { cookie: cookie.join('; '), ...accept }))
    if (!('content-type' in input.headers)) {
      const headers = { ...input.headers, 'content-type': 'application/x-www-form-urlencoded' };
      yield { ...input, method: 'POST', headers, body };
    }
}

/** The forms of a page. */
function formsOf(page: string, path: string): Form[] {
  const forms: Form[] = [];
  const elements = elementsOf(page);
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

async function hostilePictures(): Promise<Record<string, Buffer>> {
  const black = (side: number, channels: 3 | 4 = 3) =>
    sharp({
      create: { width: side, height: side, channels, background: '#000000' },
      limitInputPixels: false,
    });
  return {
    '16-bit interlaced PNG': await black(7000, 4)
      .toColourspace('rgb16')
      .png({ progressive: true, compressionLevel: 9 })
      .toBuffer(),
    'PNG of 400 megapixels': await black(20_000).png({ compressionLevel: 9 }).toBuffer(),
    'progressive JPEG': await black(7000).jpeg({ progressive: true, quality: 1 }).toBuffer(),
    'lossless WebP': await black(7000, 4).webp({ lossless: true, effort: 0 }).toBuffer(),
  };
}

function measurer(child: ChildProcess, origin: string): (input: HostileInput) => Promise<Stall> {
  const longestTurn = (): Promise<LongestTurn> =>
    new Promise((resolve) => {
      child.once('message', resolve as never);
      child.send('read');
    });
  const hostile = new Agent({ pipelining: 1, connections: 1 });
  const others = new Agent({ pipelining: 1, connections: 1 });
  return async ({ name, method, path, headers, body }) => {
    await longestTurn();
    let over = false;
    const waits = (async () => {
      let longest = 0;
      while (!over) {
        const from = performance.now();
        await (await request(`${origin}/livez`, { dispatcher: others })).body.dump();
        longest = Math.max(longest, performance.now() - from);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      return longest;
    })();
    const status = await request(origin + path, {
      ...{
        method: method as 'GET',
        headers: { ...HTTPS, ...headers },
        body: body ?? null,
        dispatcher: hostile,
      },
      signal: AbortSignal.timeout(PATIENCE),
    }).then(
      async (answer) => {
        await answer.body.dump();
        return answer.statusCode;
      },
      () => 0,
    );
    over = true;
    const other = await waits;
    const size = Buffer.byteLength(body ?? '') + Buffer.byteLength(path);
    return {
      input: `${method} ${path.split('?', 1)[0]} ${name}`,
      bytes: size,
      status,
      other,
      ...(await longestTurn()),
    };
  };
}

function print(stalls: Stall[]): void {
  const worst = stalls.toSorted((a, b) => b.cpu - a.cpu);
  const rows = worst
    .slice(0, LISTED)
    .map(({ input, bytes, status, cpu, elapsed, other }) => [
      input,
      String(bytes),
      String(status),
      ...[cpu, elapsed, other].map((value) => value.toFixed(1)),
    ]);
  process.stdout.write(
    `${table(['hostile input', 'bytes', 'status', 'turn, CPU', 'turn', 'other client'], rows)}\n\n`,
  );
  const over = stalls.filter(({ cpu }) => cpu > MAX_STALL).length;
  const longest = Math.max(...stalls.map(({ other }) => other));
  process.stdout.write(
    `${stalls.length} hostile inputs, ${over} over the target of ${MAX_STALL} ms of CPU in one turn of the event loop; ` +
      `another client waited ${longest.toFixed(0)} ms at most. Milliseconds.\n`,
  );
}
