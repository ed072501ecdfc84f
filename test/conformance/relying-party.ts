// Relying party with the strict checks of the OpenID Foundation's conformance suite.
import { createHash, randomBytes } from 'node:crypto';
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import { expect } from 'vitest';
import type { ClientRegistration } from '../../src/clients/registration.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { parseElements } from '../support/markup.ts';
import { buildAuthorizeUrl, type JsonResponse, postForm, readJson } from '../support/oauth-flow.ts';
import type { TestClient, TestService, TestUser } from '../support/service.ts';

type Fields = Record<string, string | undefined>;

/** An authorization request, its response, and the pages shown between them. */
interface AuthorizationResult {
  request: Fields;
  response: Record<string, string>;
  visitedPages: string[];
}

interface SignedIn {
  authorization: AuthorizationResult;
  accessToken: string;
  refreshToken: string;
  idToken: string;
  claims: JWTPayload & { auth_time: number; sid: string };
  body: Record<string, unknown>;
}

export interface RelyingParty {
  service: TestService;
  client: TestClient;
  user: TestUser;
  browser: BrowserSession;
  /** Returns the parameters of an authorization request, with a new state and nonce. */
  request(parameters?: Fields): Fields;
  /** Opens the authorization endpoint. @returns the first page, or the redirect to the client */
  open(parameters?: Fields): Promise<Visit>;
  /** Submits sign-in and consent forms until the service redirects to the client. */
  continueToRedirect(visit: Visit, request: Fields): Promise<AuthorizationResult>;
  /** Sends an authorization request and asserts that it succeeds. */
  authorize(parameters?: Fields): Promise<AuthorizationResult>;
  /** Sends an authorization request and asserts that it is refused. @returns the error code */
  expectRefusal(parameters?: Fields): Promise<string>;
  /** Redeems a code. @param method client authentication method, client_secret_basic by default */
  redeem(
    authorization: AuthorizationResult,
    fields?: Fields,
    method?: 'basic' | 'post',
  ): Promise<JsonResponse>;
  /** Redeems a code and checks the tokens in the response. */
  exchange(authorization: AuthorizationResult, fields?: Fields, method?: 'basic' | 'post'): Promise<SignedIn>;
  /** Sends an authorization request, redeems the code and checks the tokens. */
  signIn(parameters?: Fields): Promise<SignedIn>;
  refresh(refreshToken: string, fields?: Fields): Promise<JsonResponse>;
  /** Checks a token response and the id_token in it (OpenID Connect Core §3.1.3.3, §3.1.3.7). */
  checkTokens(
    response: JsonResponse,
    authorization: AuthorizationResult,
    nonce: string | undefined,
  ): Promise<SignedIn>;
  userinfo(accessToken: string, init?: RequestInit): Promise<JsonResponse>;
  /** Registers a second client for the same user in the same browser. */
  openAnother(): Promise<RelyingParty>;
}

/** Maps the certification plan's module names to tests. */
export type Modules = Record<string, (rp: RelyingParty) => Promise<void>>;

const randomString = () => randomBytes(24).toString('base64url');

export const fetchDiscovery = async (service: TestService): Promise<Record<string, unknown>> =>
  (await readJson(await fetch(new URL('/.well-known/openid-configuration', service.baseUrl)))).body;

/** Registers a client and creates a user who has a complete profile but isn't signed in. */
export async function openRelyingParty(
  service: TestService,
  fields: Partial<ClientRegistration> = {},
): Promise<RelyingParty> {
  const user = await service.createUser({ name: 'Grace Hopper', phone: '+33612345678', emailVerified: true });
  const browser = openBrowserSession(service.baseUrl);
  return createRelyingParty({ service, user, browser, fields });
}

async function createRelyingParty(context: {
  service: TestService;
  user: TestUser;
  browser: BrowserSession;
  fields: Partial<ClientRegistration>;
}): Promise<RelyingParty> {
  const { service, user, browser, fields } = context;
  const application = await service.createClient({ standard: true, ...fields });
  const { clientId, clientSecret, redirectUri } = application;

  const request: RelyingParty['request'] = (parameters = {}) => ({
    scope: 'openid',
    state: randomString(),
    nonce: randomString(),
    ...parameters,
  });

  const open: RelyingParty['open'] = async (parameters = {}) =>
    browser.follow(await browser.get(buildAuthorizeUrl(service, application, parameters)));

  const continueToRedirect: RelyingParty['continueToRedirect'] = async (visit, sent) => {
    const visitedPages: string[] = [];
    for (let current = visit; ; current = await browser.follow(current)) {
      const response = parseResponse(current, redirectUri);
      if (response !== undefined) {
        return { request: sent, response, visitedPages };
      }
      const actions = listFormActions(current);
      const page = ['/signin', '/consent'].find((action) => actions.includes(action));
      if (page === undefined) throw new Error(`no form to submit: ${current.status} ${current.body}`);
      visitedPages.push(page);
      const { email, password } = user;
      const formValues = page === '/signin' ? { email, password } : { decision: 'allow' };
      current = await browser.post(page, { ...current.hidden, ...formValues });
    }
  };

  const send = async (parameters: Fields) => {
    const sent = request(parameters);
    return continueToRedirect(await open(sent), sent);
  };

  const authorize: RelyingParty['authorize'] = async (parameters = {}) => {
    const authorization = await send(parameters);
    const { state } = authorization.request;
    const { code = '', ...rest } = authorization.response;
    expect(rest).toEqual({ iss: service.baseUrl, ...(state !== undefined && { state }) });
    expect(code.length, 'length of the code').toBeGreaterThan(32);
    return authorization;
  };

  const expectRefusal: RelyingParty['expectRefusal'] = async (parameters = {}) => {
    const { response, request: sent } = await send(parameters);
    const { error = '', error_description, ...rest } = response;
    expect(rest).toEqual({ iss: service.baseUrl, ...(sent.state !== undefined && { state: sent.state }) });
    // RFC 6749 §4.1.2.1 allows only these characters.
    expect(error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
    return error;
  };

  const requestToken = (form: Fields, method: 'basic' | 'post' = 'basic') =>
    method === 'post'
      ? postForm(service, '/oauth/token', { ...form, client_id: clientId, client_secret: clientSecret })
      : postForm(service, '/oauth/token', form, {
          authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
        });

  const redeem: RelyingParty['redeem'] = ({ response }, form = {}, method) =>
    requestToken(
      { grant_type: 'authorization_code', code: response.code, redirect_uri: redirectUri, ...form },
      method,
    );

  const checkTokens: RelyingParty['checkTokens'] = async (
    { status, headers, body, text },
    authorization,
    nonce,
  ) => {
    expect(status, text).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json\b/);
    expect([headers.get('cache-control'), headers.get('pragma')]).toEqual(['no-store', 'no-cache']);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
    const [accessToken, refreshToken, idToken] = ['access_token', 'refresh_token', 'id_token'].map((member) =>
      String(body[member]),
    ) as [string, string, string];
    // RFC 6749 A.12 and A.17 allow only these characters.
    for (const token of [accessToken, refreshToken]) expect(token).toMatch(/^[\x20-\x7e]{32,}$/);
    const claims = await verifyIdToken(service, clientId, idToken);
    const digest = createHash('sha256').update(accessToken).digest();
    expect(claims.at_hash).toBe(digest.subarray(0, 16).toString('base64url'));
    expect(claims.nonce).toBe(nonce);
    expect(claims.sub).toBe(user.userId);
    return { authorization, accessToken, refreshToken, idToken, claims, body };
  };

  const exchange: RelyingParty['exchange'] = async (authorization, form, method) =>
    checkTokens(await redeem(authorization, form, method), authorization, authorization.request.nonce);

  return {
    ...{
      service,
      client: application,
      user,
      browser,
      request,
      open,
      continueToRedirect,
      authorize,
      expectRefusal,
    },
    ...{ redeem, exchange, checkTokens },
    signIn: async (parameters) => exchange(await authorize(parameters)),
    refresh: (refreshToken, form = {}) =>
      requestToken({ grant_type: 'refresh_token', refresh_token: refreshToken, ...form }),
    userinfo: async (accessToken, init = { headers: { authorization: `Bearer ${accessToken}` } }) =>
      readJson(await fetch(new URL('/oauth/userinfo', service.baseUrl), init)),
    openAnother: () => createRelyingParty(context),
  };
}

/**
 * Validates an ID token (OpenID Connect Core §3.1.3.7), which must be signed with RS256, the default
 * algorithm.
 */
async function verifyIdToken(
  service: TestService,
  clientId: string,
  idToken: string,
): Promise<SignedIn['claims']> {
  const { jwks_uri: jwksUri, issuer } = await fetchDiscovery(service);
  const { body } = await readJson(await fetch(String(jwksUri)));
  const { payload } = await jwtVerify(idToken, createLocalJWKSet(body as unknown as JSONWebKeySet), {
    issuer: String(issuer),
    audience: clientId,
    algorithms: ['RS256'],
    requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'sid'],
    currentDate: service.clock.now(),
  });
  // OpenID Connect Core §2 limits the subject to 255 ASCII characters.
  expect(payload.sub).toMatch(/^[\x20-\x7e]{1,255}$/);
  expect(Number.isInteger(payload.auth_time) && Number(payload.auth_time) <= (payload.iat ?? 0)).toBe(true);
  return payload as SignedIn['claims'];
}

const listFormActions = ({ body }: Visit): (string | undefined)[] =>
  parseElements(body).flatMap(({ name, attributes }) => (name === 'form' ? [attributes.action] : []));

/** Returns the parameters of a redirect to `redirectUri`, or undefined for other redirects. */
function parseResponse({ location }: Visit, redirectUri: string): Record<string, string> | undefined {
  if (location === undefined || `${location.origin}${location.pathname}` !== redirectUri) return undefined;
  return Object.fromEntries(location.searchParams);
}
