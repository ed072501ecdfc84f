// The operations: what is sent, and what the answer must be.
import { createHash } from 'node:crypto';
import { options } from './options.ts';
import type { Person } from './population.ts';
import { inTurn, PASSWORD, REDIRECT_URI, type Tokens, type World } from './world.ts';

export interface Call {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  form?: Record<string, string>;
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Sends a call to the server that the operation is about; the answer comes whole. */
export type Send = (call: Call) => Promise<Answer>;

export interface Operation {
  name: string;
  /** Which server answers. */
  server: 'sesame' | 'yardstick';
  /** The yardstick that its CPU time is divided by. */
  yardstick?: string;
  /** Makes what one measurement of about `count` operations needs. */
  prepare(world: World, count: number): Promise<Step>;
  /** What the database shows of the operations that were done: it says so where the answer does not. */
  trace?(world: World): Promise<number>;
}

/** Does one operation. */
export type Step = (send: Send, connection: number) => Promise<void>;

function check(holds: boolean, answer: Answer): void {
  if (!holds) throw new Error(`wrong answer: ${answer.status} ${answer.body.slice(0, 300)}`);
}

const yardstick = (name: string): Operation => ({
  name,
  server: 'yardstick',
  prepare: async () => async (send) => {
    const answer = await send({ method: 'GET', path: `/${name}` });
    check(answer.status === 200 && answer.body.includes('value'), answer);
  },
});

/** Hands out each item once. */
function supply<Item>(items: Item[]): () => Item {
  let next = 0;
  return () => {
    const item = items[next];
    next += 1;
    if (item === undefined) throw new OutOfSupply();
    return item;
  };
}

/** The items made for a measurement are used up: it ends here. */
export class OutOfSupply extends Error {}

const credentials = (world: World) => ({ client_id: world.clientId, client_secret: world.clientSecret });

async function askUserinfo(send: Send, { accessToken, email }: Tokens): Promise<void> {
  const answer = await send({
    method: 'GET',
    path: '/oauth/userinfo',
    headers: { authorization: `Bearer ${accessToken}` },
  });
  check(answer.status === 200 && JSON.parse(answer.body).email === email, answer);
}

const tokensIn = (answer: Answer) =>
  JSON.parse(answer.body) as { access_token: string; refresh_token: string; id_token?: string };

async function renewOnce(
  send: Send,
  world: World,
  refreshToken: string,
  more: Record<string, string> = {},
): Promise<string> {
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken, ...more, ...credentials(world) };
  const answer = await send({ method: 'POST', path: '/oauth/token', form });
  check(answer.status === 200, answer);
  return tokensIn(answer).refresh_token;
}

const VERIFIER = 'v'.repeat(64);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

/** @param api whether the grant is for an API, too, and the access token for it */
async function codeFlow(send: Send, world: World, { sessionId, userId }: Person, api = false): Promise<void> {
  const resource = world.api.identifier;
  const query = new URLSearchParams({
    client_id: world.clientId,
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
  check(authorized.status === 303 && location.startsWith(`${REDIRECT_URI}?code=`), authorized);
  const form = {
    grant_type: 'authorization_code',
    code: new URL(location).searchParams.get('code') ?? '',
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
    ...(api && { resource }),
    ...credentials(world),
  };
  const exchanged = await send({ method: 'POST', path: '/oauth/token', form });
  check(exchanged.status === 200, exchanged);
  const idToken = tokensIn(exchanged).id_token ?? '';
  check(partOf(idToken, 0).alg === 'RS256' && partOf(idToken, 1).sub === userId, exchanged);
  check((partOf(tokensIn(exchanged).access_token, 1).aud === resource) === api, exchanged);
}

/** The header or the claims of a JWT. */
const partOf = (token: string, index: 0 | 1): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString() || '{}');

const published = (path: string, name: string, member: string): Operation => ({
  name,
  server: 'sesame',
  yardstick: 'bare',
  prepare: async () => async (send) => {
    const answer = await send({ method: 'GET', path });
    check(answer.status === 200 && answer.body.includes(member), answer);
  },
});

/** Each after its yardstick, and the slowest before those that leave PostgreSQL work to do: it would weigh most on them. */
export const operations: Operation[] = [
  yardstick('bare'),
  published('/.well-known/openid-configuration', 'discovery', 'issuer'),
  published('/.well-known/jwks.json', 'keys', 'ES256'),
  yardstick('argon2id'),
  {
    name: 'sign-in',
    server: 'sesame',
    yardstick: 'argon2id',
    prepare: async (world) => {
      // One page gives the cookie and the token; each connection then posts the form, from an address of its own, and for
      // somebody else each time: the same form for the same person is answered again with the session that it started.
      let page: Promise<{ cookie: string; csrf: string }> | undefined;
      return async (send, connection) => {
        page ??= signInPage(send);
        const { cookie, csrf } = await page;
        const form = { csrf, email: world.nextPerson().email, password: PASSWORD };
        const headers = { cookie, 'x-forwarded-for': `192.0.2.${connection}` };
        const answer = await send({ method: 'POST', path: '/signin', headers, form });
        check(answer.status === 303 && String(answer.headers.location).startsWith('/account'), answer);
      };
    },
  },
  yardstick('select'),
  {
    name: 'userinfo, token never seen',
    server: 'sesame',
    yardstick: 'select',
    prepare: async (world, count) => {
      const next = supply(await world.tokens(count));
      return (send) => askUserinfo(send, next());
    },
  },
  {
    name: 'userinfo, token seen before',
    server: 'sesame',
    yardstick: 'select',
    prepare: async (world) => {
      const next = inTurn(await world.tokens(32));
      return (send) => askUserinfo(send, next());
    },
  },
  {
    name: 'userinfo beside an API',
    server: 'sesame',
    yardstick: 'select',
    prepare: async (world) => {
      const next = inTurn(await world.tokensForApi(32));
      return (send) => askUserinfo(send, next());
    },
  },
  {
    name: 'introspection',
    server: 'sesame',
    yardstick: 'select',
    prepare: async (world, count) => {
      const next = supply(await world.tokens(count));
      return async (send) => {
        const { accessToken, refreshToken } = next();
        // The access tokens of filled grants say nothing.
        const form = { token: options.rows > 0 ? refreshToken : accessToken, ...credentials(world) };
        const answer = await send({ method: 'POST', path: '/oauth/introspect', form });
        check(answer.status === 200 && JSON.parse(answer.body).active === true, answer);
      };
    },
  },
  {
    name: 'pushed request',
    server: 'sesame',
    yardstick: 'select',
    prepare: async (world) => async (send) => {
      const request = {
        redirect_uri: REDIRECT_URI,
        response_type: 'code',
        scope: 'openid profile',
        state: 's',
      };
      const form = { ...request, ...credentials(world) };
      const answer = await send({ method: 'POST', path: '/oauth/par', form });
      check(answer.status === 201 && answer.body.includes('urn:ietf:params:oauth:request_uri:'), answer);
    },
  },
  yardstick('rs256'),
  yardstick('insert'),
  yardstick('es256'),
  {
    name: 'sign-in by a passkey',
    server: 'sesame',
    yardstick: 'insert',
    prepare: async (world, count) => {
      let opened: ReturnType<typeof passkeysOnPage> | undefined;
      return async (send, connection) => {
        opened ??= passkeysOnPage(send, world, count);
        const { cookie, csrf, next } = await opened;
        const headers = { cookie, 'x-forwarded-for': `192.0.2.${connection}` };
        const answer = await send({
          method: 'POST',
          path: '/signin',
          headers,
          form: { csrf, passkey: next() },
        });
        check(answer.status === 303 && String(answer.headers.location).startsWith('/account'), answer);
      };
    },
  },
  {
    name: 'code flow',
    server: 'sesame',
    yardstick: 'insert',
    prepare: async (world) => (send) => codeFlow(send, world, world.nextPerson()),
  },
  {
    name: 'code flow for an API',
    server: 'sesame',
    yardstick: 'insert',
    prepare: async (world) => (send) => codeFlow(send, world, world.nextPerson(), true),
  },
  {
    name: 'renewal for an API',
    server: 'sesame',
    yardstick: 'insert',
    prepare: async (world) => {
      const chains = (await world.tokensForApi(32)).map(({ refreshToken }) => refreshToken);
      const resource = world.api.identifier;
      return async (send, connection) => {
        chains[connection] = await renewOnce(send, world, chains[connection] ?? '', { resource });
      };
    },
  },
  {
    name: 'renewal',
    server: 'sesame',
    yardstick: 'insert',
    prepare: async (world) => {
      const chains = (await world.tokens(32)).map(({ refreshToken }) => refreshToken);
      return async (send, connection) => {
        chains[connection] = await renewOnce(send, world, chains[connection] ?? '');
      };
    },
  },
  {
    name: 'revocation for an API',
    server: 'sesame',
    yardstick: 'insert',
    prepare: async (world, count) => revoking(world, await world.tokensForApi(count)),
  },
  {
    name: 'revocation',
    server: 'sesame',
    yardstick: 'insert',
    prepare: async (world, count) => revoking(world, await world.tokens(count)),
    trace: (world) => world.revoked(),
  },
];

function revoking(world: World, tokens: Pick<Tokens, 'refreshToken'>[]) {
  const next = supply(tokens);
  return async (send: Send) => {
    const form = { token: next().refreshToken, ...credentials(world) };
    const answer = await send({ method: 'POST', path: '/oauth/token/revoke', form });
    check(answer.status === 200 && answer.body === '', answer); // an unknown token gets the same (RFC 7009 §2.2)
  };
}

/** One page gives the cookie and the token; then passkeys answer a challenge each, as if it had been opened so often. */
async function passkeysOnPage(send: Send, world: World, count: number) {
  const { cookie, csrf } = await signInPage(send);
  const [, browserId = ''] = cookie.split('=');
  return { cookie, csrf, next: supply(await world.shownPasskeys(count, browserId)) };
}

async function signInPage(send: Send): Promise<{ cookie: string; csrf: string }> {
  const answer = await send({ method: 'GET', path: '/signin' });
  const cookie = String(answer.headers['set-cookie']).split(';')[0] ?? '';
  const csrf = /name="csrf" value="([^"]+)"/.exec(answer.body)?.[1] ?? '';
  check(csrf !== '', answer);
  return { cookie, csrf };
}
