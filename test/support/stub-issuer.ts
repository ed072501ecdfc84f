// A minimal OpenID Connect provider that can misbehave.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { ExternalProfile, IdentityProvider } from '../../src/oauth/identity-provider.ts';
import type { ReleasedSlotProof } from '../../src/outgoing/guarded-request.ts';
import { linkIdentity } from '../../src/store/external-identities.ts';
import { findProvider } from '../../src/store/identity-providers.ts';
import { type BrowserSession, openBrowserSession, type Visit } from './browser-session.ts';
import { findFreePort } from './free-port.ts';
import { addProvider } from './identity-provider.ts';
import type { TestService } from './service.ts';

export interface StubKey {
  privateKey: CryptoKey;
  publicJwk: JWK;
}

export type Respond = (request: IncomingMessage, response: ServerResponse, body: URLSearchParams) => unknown;

export interface StubIssuer {
  issuer: string;
  key: StubKey;
  /** Deviations from correct behavior, until `reset` is called. */
  behavior: {
    metadata?: Record<string, unknown>;
    keys?: JWK[];
    /** Claims to replace in the id_token. Undefined omits a claim. */
    claims?: Record<string, unknown>;
    sign?: (claims: JWTPayload, issuer: StubIssuer) => Promise<string>;
    userinfo?: Record<string, unknown>;
    /** Handlers to use instead of the endpoints, by path. */
    respond?: Record<string, Respond>;
  };
  nonce: string;
  requests: string[];
  tokenRequests: URLSearchParams[];
  reset(): void;
  close(): Promise<void>;
}

export async function createKey(alg = 'RS256', kid = 'key-1'): Promise<StubKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

export const signWith =
  ({ privateKey, publicJwk }: StubKey, header: Record<string, unknown> = {}) =>
  (claims: JWTPayload): Promise<string> =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: publicJwk.alg ?? 'RS256', kid: publicJwk.kid ?? '', ...header })
      .sign(privateKey);

export const SUBJECT = 'subject-1';

function createStubIssuer(): StubIssuer & { start(): Promise<void> } {
  const stub: StubIssuer & { start(): Promise<void> } = {
    issuer: '',
    key: {} as StubKey,
    behavior: {},
    nonce: '',
    requests: [],
    tokenRequests: [],
    reset() {
      stub.behavior = {};
      stub.requests.length = 0;
      stub.tokenRequests.length = 0;
    },
    async start() {
      const port = await findFreePort();
      stub.issuer = `http://127.0.0.1:${port}`;
      stub.key = await createKey();
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  const respondByDefault: Record<string, (body: URLSearchParams) => unknown> = {
    '/.well-known/openid-configuration': () => ({
      issuer: stub.issuer,
      authorization_endpoint: `${stub.issuer}/authorize`,
      token_endpoint: `${stub.issuer}/token`,
      userinfo_endpoint: `${stub.issuer}/userinfo`,
      jwks_uri: `${stub.issuer}/jwks`,
      id_token_signing_alg_values_supported: ['RS256', 'ES256', 'EdDSA'],
      ...stub.behavior.metadata,
    }),
    '/jwks': () => ({ keys: stub.behavior.keys ?? [stub.key.publicJwk] }),
    async '/token'(body) {
      stub.tokenRequests.push(body);
      const now = Math.floor(Date.now() / 1000);
      const claims = {
        iss: stub.issuer,
        sub: SUBJECT,
        aud: 'sesame',
        iat: now,
        exp: now + 300,
        nonce: stub.nonce,
        email: 'ada@stub.example',
        email_verified: true,
        name: 'Ada Stub',
        ...stub.behavior.claims,
      };
      const sign = stub.behavior.sign ?? signWith(stub.key);
      return { access_token: 'access', token_type: 'Bearer', id_token: await sign(claims, stub) };
    },
    '/userinfo': () => ({ sub: SUBJECT, ...stub.behavior.userinfo }),
  };

  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', stub.issuer);
    stub.requests.push(`${request.method} ${pathname}`);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = new URLSearchParams(Buffer.concat(chunks).toString());
    const replaced = stub.behavior.respond?.[pathname];
    const path = Object.keys(respondByDefault).find((suffix) => pathname.endsWith(suffix)) ?? '';
    if (replaced !== undefined) return replaced(request, response, body);
    const content = await respondByDefault[path]?.(body);
    response.writeHead(content === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(content));
  });
  return stub;
}

/** In seconds. */
export const DISCOVERY_EXPIRY = 3601;

/** The provider is reset after each test. */
export function useStubIssuer(
  service: TestService,
  fields: Partial<Omit<IdentityProvider, 'sealedSecret'>> & { clientSecret?: string } = {},
) {
  const providerId = fields.providerId ?? 'stub';
  const stub = createStubIssuer();
  beforeAll(async () => {
    await stub.start();
    await addProvider(service, { ...fields, providerId, issuer: stub.issuer });
  });
  afterEach(() => {
    stub.reset();
    service.clock.advance(DISCOVERY_EXPIRY); // discards the cached discovery document and keys
  });
  afterAll(() => stub.close());

  const link = (userId: string, subject = SUBJECT) =>
    service.services.database.transaction((transaction) =>
      linkIdentity(
        transaction,
        userId,
        { issuer: stub.issuer, subject, providerId, label: 'ada@stub.example' },
        service.clock.now(),
      ),
    );

  /** Returns the parameters of the authorization request. */
  async function start(browser: BrowserSession, query = ''): Promise<URLSearchParams> {
    const { location, status, body } = await browser.get(`/signin/provider/${providerId}${query}`);
    if (location?.origin !== stub.issuer) throw new Error(`no authorization request: ${status} ${body}`);
    stub.nonce = location.searchParams.get('nonce') ?? '';
    return location.searchParams;
  }

  /** @param response parameters to replace */
  const respond = (
    browser: BrowserSession,
    request: URLSearchParams,
    response: Record<string, string | undefined> = {},
  ): Promise<Visit> => {
    const values = { code: 'code', state: request.get('state') ?? '', ...response };
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, value);
    return browser.get(`/signin/provider/${providerId}/callback?${query}`);
  };

  async function signIn(response: Record<string, string | undefined> = {}, query = ''): Promise<Visit> {
    const browser = openBrowserSession(service.baseUrl);
    return respond(browser, await start(browser, query), response);
  }

  /** Returns the profile, or the failed step and error code. */
  async function redeem(response: Record<string, string> = {}): Promise<ExternalProfile | string> {
    stub.nonce = 'nonce';
    const provider = (await findProvider(service.services.database, providerId)) as IdentityProvider;
    return service.services.identityProviders
      .redeem(
        provider,
        new URLSearchParams({ code: 'code', state: 'state', ...response }),
        {
          redirectUri: `${service.baseUrl}/signin/provider/${providerId}/callback`,
          state: 'state',
          nonce: 'nonce',
          codeVerifier: 'verifier-verifier-verifier-verifier-verifier',
          startedAt: service.clock.now(),
        },
        '192.0.2.1',
        {} as ReleasedSlotProof,
      )
      .then(({ profile }) => profile)
      .catch(({ step, code }) => `${step}: ${code}`);
  }

  return { stub, link, start, respond, signIn, redeem };
}

export const isSignedIn = ({ status, location }: Visit): boolean =>
  status === 303 && location?.pathname === '/account';
