// The operations that the benchmark measures.
import { createHash } from 'node:crypto';
import type { BenchUser } from './fill-database.ts';
import { cycle, type Fixtures, PASSWORD, PROVIDER_ID, REDIRECT_URI, type Tokens } from './fixtures.ts';
import { options } from './options.ts';

export interface BenchRequest {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  form?: Record<string, string>;
}

export interface BenchResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

export type Send = (request: BenchRequest) => Promise<BenchResponse>;

export interface Operation {
  name: string;
  /** `development` runs in test mode, which allows an identity provider on loopback. */
  server: 'sesame' | 'baseline' | 'development';
  baseline?: string;
  /** Prepares data for about `count` operations. */
  prepare(fixtures: Fixtures, count: number): Promise<Step>;
  /** Counts completed operations. Required if responses don't show success. */
  countInDatabase?(fixtures: Fixtures): Promise<number>;
}

export type Step = (send: Send, connection: number) => Promise<void>;

function assertExpected(isExpected: boolean, response: BenchResponse): void {
  if (!isExpected) throw new Error(`Unexpected response: ${response.status} ${response.body.slice(0, 300)}`);
}

const createBaseline = (name: string): Operation => ({
  name,
  server: 'baseline',
  prepare: async () => async (send) => {
    const response = await send({ method: 'GET', path: `/${name}` });
    assertExpected(response.status === 200 && response.body.includes('value'), response);
  },
});

function iterateOnce<Item>(items: Item[]): () => Item {
  let next = 0;
  return () => {
    const item = items[next];
    next += 1;
    if (item === undefined) throw new DataExhaustedError();
    return item;
  };
}

export class DataExhaustedError extends Error {}

const getClientCredentials = (fixtures: Fixtures) => ({
  client_id: fixtures.clientId,
  client_secret: fixtures.clientSecret,
});

async function checkUserinfo(send: Send, { accessToken, email }: Tokens): Promise<void> {
  const response = await send({
    method: 'GET',
    path: '/oauth/userinfo',
    headers: { authorization: `Bearer ${accessToken}` },
  });
  assertExpected(response.status === 200 && JSON.parse(response.body).email === email, response);
}

const parseTokens = (response: BenchResponse) =>
  JSON.parse(response.body) as { access_token: string; refresh_token: string; id_token?: string };

async function refreshOnce(
  send: Send,
  fixtures: Fixtures,
  refreshToken: string,
  extraParameters: Record<string, string> = {},
): Promise<string> {
  const form = {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    ...extraParameters,
    ...getClientCredentials(fixtures),
  };
  const response = await send({ method: 'POST', path: '/oauth/token', form });
  assertExpected(response.status === 200, response);
  return parseTokens(response).refresh_token;
}

const VERIFIER = 'v'.repeat(64);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

async function runCodeFlow(
  send: Send,
  fixtures: Fixtures,
  { sessionId, userId }: BenchUser,
  api = false,
): Promise<void> {
  const resource = fixtures.api.identifier;
  const query = new URLSearchParams({
    client_id: fixtures.clientId,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: api ? 'openid profile read' : 'openid profile email',
    ...(api && { resource }),
    state: 'a-state-of-the-benchmark',
    nonce: 'a-nonce-of-the-benchmark',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
  });
  const cookie = `__Host-sesame=${sessionId}`;
  const authorized = await send({ method: 'GET', path: `/oauth/authorize?${query}`, headers: { cookie } });
  const location = String(authorized.headers.location);
  assertExpected(authorized.status === 303 && location.startsWith(`${REDIRECT_URI}?code=`), authorized);
  const form = {
    grant_type: 'authorization_code',
    code: new URL(location).searchParams.get('code') ?? '',
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
    ...(api && { resource }),
    ...getClientCredentials(fixtures),
  };
  const exchanged = await send({ method: 'POST', path: '/oauth/token', form });
  assertExpected(exchanged.status === 200, exchanged);
  const idToken = parseTokens(exchanged).id_token ?? '';
  assertExpected(
    decodeJwtPart(idToken, 0).alg === 'RS256' && decodeJwtPart(idToken, 1).sub === userId,
    exchanged,
  );
  assertExpected((decodeJwtPart(parseTokens(exchanged).access_token, 1).aud === resource) === api, exchanged);
}

const decodeJwtPart = (token: string, index: 0 | 1): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString() || '{}');

const createStaticDocumentOperation = (path: string, name: string, member: string): Operation => ({
  name,
  server: 'sesame',
  baseline: 'bare',
  prepare: async () => async (send) => {
    const response = await send({ method: 'GET', path });
    assertExpected(response.status === 200 && response.body.includes(member), response);
  },
});

const createPasskeyOperation = (name: string, server: Operation['server'], baseline: string): Operation => ({
  name,
  server,
  baseline,
  prepare: async (fixtures, count) => {
    let signInPage: ReturnType<typeof preparePasskeys> | undefined;
    return async (send, connection) => {
      signInPage ??= preparePasskeys(send, fixtures, count);
      const { cookie, csrf, next } = await signInPage;
      const headers = { cookie, 'x-forwarded-for': `192.0.2.${connection}` };
      const form = { csrf, passkey: next() };
      const response = await send({ method: 'POST', path: '/signin', headers, form });
      assertExpected(
        response.status === 303 && String(response.headers.location).startsWith('/account'),
        response,
      );
    };
  },
});

/**
 * A baseline precedes the operations that refer to it. Operations that cause background work in PostgreSQL come last.
 */
export const operations: Operation[] = [
  createBaseline('bare'),
  createStaticDocumentOperation('/.well-known/openid-configuration', 'discovery', 'issuer'),
  createStaticDocumentOperation('/.well-known/jwks.json', 'keys', 'ES256'),
  createBaseline('argon2id'),
  {
    name: 'sign-in',
    server: 'sesame',
    baseline: 'argon2id',
    prepare: async (fixtures) => {
      let page: Promise<{ cookie: string; csrf: string }> | undefined;
      return async (send, connection) => {
        page ??= openSignInPage(send);
        const { cookie, csrf } = await page;
        // Submitting the same form twice for a user would return the existing session.
        const form = { csrf, email: fixtures.nextUser().email, password: PASSWORD };
        const headers = { cookie, 'x-forwarded-for': `192.0.2.${connection}` };
        const response = await send({ method: 'POST', path: '/signin', headers, form });
        assertExpected(
          response.status === 303 && String(response.headers.location).startsWith('/account'),
          response,
        );
      };
    },
  },
  createBaseline('select'),
  {
    name: 'userinfo, token never seen',
    server: 'sesame',
    baseline: 'select',
    prepare: async (fixtures, count) => {
      const next = iterateOnce(await fixtures.tokens(count));
      return (send) => checkUserinfo(send, next());
    },
  },
  {
    name: 'userinfo, token seen before',
    server: 'sesame',
    baseline: 'select',
    prepare: async (fixtures) => {
      const next = cycle(await fixtures.tokens(32));
      return (send) => checkUserinfo(send, next());
    },
  },
  {
    name: 'userinfo, grant for an API',
    server: 'sesame',
    baseline: 'select',
    prepare: async (fixtures) => {
      const next = cycle(await fixtures.tokensForApi(32));
      return (send) => checkUserinfo(send, next());
    },
  },
  {
    name: 'introspection',
    server: 'sesame',
    baseline: 'select',
    prepare: async (fixtures, count) => {
      const next = iterateOnce(await fixtures.tokens(count));
      return async (send) => {
        const { accessToken, refreshToken } = next();
        // Prefilled access tokens are unsigned, so they can't be introspected.
        const form = {
          token: options.rows > 0 ? refreshToken : accessToken,
          ...getClientCredentials(fixtures),
        };
        const response = await send({ method: 'POST', path: '/oauth/introspect', form });
        assertExpected(response.status === 200 && JSON.parse(response.body).active === true, response);
      };
    },
  },
  {
    name: 'pushed request',
    server: 'sesame',
    baseline: 'select',
    prepare: async (fixtures) => async (send) => {
      const request = {
        redirect_uri: REDIRECT_URI,
        response_type: 'code',
        scope: 'openid profile',
        state: 's',
      };
      const form = { ...request, ...getClientCredentials(fixtures) };
      const response = await send({ method: 'POST', path: '/oauth/par', form });
      assertExpected(
        response.status === 201 && response.body.includes('urn:ietf:params:oauth:request_uri:'),
        response,
      );
    },
  },
  createBaseline('rs256'),
  createBaseline('insert'),
  createBaseline('es256'),
  createPasskeyOperation('sign-in with a passkey', 'sesame', 'insert'),
  // The `development` server also stores an email for each sign-in.
  createPasskeyOperation('passkey, with email', 'development', 'insert'),
  {
    name: 'sign-in through a provider',
    server: 'development',
    baseline: 'passkey, with email',
    prepare: async (fixtures) => {
      let page: Promise<{ cookie: string; csrf: string }> | undefined;
      return async (send, connection) => {
        page ??= openSignInPage(send);
        const headers = { cookie: (await page).cookie, 'x-forwarded-for': `192.0.2.${connection}` };
        const path = `/signin/provider/${PROVIDER_ID}`;
        const started = await send({ method: 'GET', path, headers });
        assertExpected(started.status === 303, started);
        const { searchParams } = new URL(String(started.headers.location));
        const query = new URLSearchParams({
          state: searchParams.get('state') ?? '',
          code: `${fixtures.nextUser().userId}.${searchParams.get('nonce')}`,
        });
        const response = await send({ method: 'GET', path: `${path}/callback?${query}`, headers });
        assertExpected(
          response.status === 303 && String(response.headers.location).startsWith('/account'),
          response,
        );
      };
    },
  },
  {
    name: 'code flow',
    server: 'sesame',
    baseline: 'insert',
    prepare: async (fixtures) => (send) => runCodeFlow(send, fixtures, fixtures.nextUser()),
  },
  {
    name: 'code flow for an API',
    server: 'sesame',
    baseline: 'insert',
    prepare: async (fixtures) => (send) => runCodeFlow(send, fixtures, fixtures.nextUser(), true),
  },
  {
    name: 'refresh for an API',
    server: 'sesame',
    baseline: 'insert',
    prepare: async (fixtures) => {
      const chains = (await fixtures.tokensForApi(32)).map(({ refreshToken }) => refreshToken);
      const resource = fixtures.api.identifier;
      return async (send, connection) => {
        chains[connection] = await refreshOnce(send, fixtures, chains[connection] ?? '', { resource });
      };
    },
  },
  {
    name: 'refresh',
    server: 'sesame',
    baseline: 'insert',
    prepare: async (fixtures) => {
      const chains = (await fixtures.tokens(32)).map(({ refreshToken }) => refreshToken);
      return async (send, connection) => {
        chains[connection] = await refreshOnce(send, fixtures, chains[connection] ?? '');
      };
    },
  },
  {
    name: 'revocation for an API',
    server: 'sesame',
    baseline: 'insert',
    prepare: async (fixtures, count) => prepareRevocation(fixtures, await fixtures.tokensForApi(count)),
  },
  {
    name: 'revocation',
    server: 'sesame',
    baseline: 'insert',
    prepare: async (fixtures, count) => prepareRevocation(fixtures, await fixtures.tokens(count)),
    countInDatabase: (fixtures) => fixtures.countRevoked(),
  },
];

function prepareRevocation(fixtures: Fixtures, tokens: Pick<Tokens, 'refreshToken'>[]) {
  const next = iterateOnce(tokens);
  return async (send: Send) => {
    const form = { token: next().refreshToken, ...getClientCredentials(fixtures) };
    const response = await send({ method: 'POST', path: '/oauth/token/revoke', form });
    // the response is the same for unknown tokens (RFC 7009 §2.2)
    assertExpected(response.status === 200 && response.body === '', response);
  };
}

/** The challenges are bound to the sign-in page's cookie. */
async function preparePasskeys(send: Send, fixtures: Fixtures, count: number) {
  const { cookie, csrf } = await openSignInPage(send);
  const [, browserId = ''] = cookie.split('=');
  return { cookie, csrf, next: iterateOnce(await fixtures.createAssertions(count, browserId)) };
}

export async function openSignInPage(send: Send): Promise<{ cookie: string; csrf: string }> {
  const response = await send({ method: 'GET', path: '/signin' });
  const cookie = String(response.headers['set-cookie']).split(';')[0] ?? '';
  const csrf = /name="csrf" value="([^"]+)"/.exec(response.body)?.[1] ?? '';
  assertExpected(csrf !== '', response);
  return { cookie, csrf };
}
