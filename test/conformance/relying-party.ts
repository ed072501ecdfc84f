// A relying party as the OpenID Foundation's conformance suite plays one: in standard mode (D19), strict about every answer.
import { createHash, randomBytes } from 'node:crypto';
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import { expect } from 'vitest';
import type { Application } from '../../src/applications/registration.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { authorizeAddress, type JsonAnswer, postForm, readJson } from '../support/flow.ts';
import { elementsOf } from '../support/markup.ts';
import type { TestApplication, TestService, TestUser } from '../support/service.ts';

type Fields = Record<string, string | undefined>;

/** What the browser brought to the callback, and the pages that the person saw on the way there. */
interface Arrival {
  request: Fields;
  answer: Record<string, string>;
  shown: string[];
}

interface SignedIn {
  arrival: Arrival;
  accessToken: string;
  refreshToken: string;
  idToken: string;
  claims: JWTPayload & { auth_time: number; sid: string };
  /** The whole body of the token response. */
  body: Record<string, unknown>;
}

export interface RelyingParty {
  service: TestService;
  application: TestApplication;
  user: TestUser;
  browser: BrowserSession;
  /** The parameters of its next request: state and nonce are fresh each time. */
  request(parameters?: Fields): Fields;
  /** Sends the person there, and gives the first page or callback. */
  open(parameters?: Fields): Promise<Visit>;
  /** Goes on from a page to the callback: the person signs in and agrees wherever they are asked. */
  walk(visit: Visit, request: Fields): Promise<Arrival>;
  /** From the request to an answer that says yes. */
  authorize(parameters?: Fields): Promise<Arrival>;
  /** From the request to an answer that says no. @returns its error */
  refused(parameters?: Fields): Promise<string>;
  /** Redeems a code as the token endpoint is called, by Basic unless told. */
  redeem(arrival: Arrival, fields?: Fields, method?: 'basic' | 'post'): Promise<JsonAnswer>;
  /** Redeems a code and checks what comes, id_token included. */
  exchange(arrival: Arrival, fields?: Fields, method?: 'basic' | 'post'): Promise<SignedIn>;
  /** The whole way. */
  signIn(parameters?: Fields): Promise<SignedIn>;
  renew(refreshToken: string, fields?: Fields): Promise<JsonAnswer>;
  /** Checks a token response and the id_token in it (OpenID Connect Core §3.1.3.3, §3.1.3.7). */
  checkTokens(response: JsonAnswer, arrival: Arrival, nonce: string | undefined): Promise<SignedIn>;
  /** Asks userinfo; the address and the way are those of the module. */
  userinfo(accessToken: string, init?: RequestInit): Promise<JsonAnswer>;
  /** Another application, for the same person in the same browser. */
  another(): Promise<RelyingParty>;
}

/** What modules of a plan ask of a provider, by the module's name. */
export type Modules = Record<string, (rp: RelyingParty) => Promise<void>>;

const random = () => randomBytes(24).toString('base64url');

/** The document that the relying party finds everything by. */
export const discover = async (service: TestService): Promise<Record<string, unknown>> =>
  (await readJson(await fetch(new URL('/.well-known/openid-configuration', service.baseUrl)))).body;

/** Opens one: an application of its own, and a person with a full profile who has not signed in yet. */
export async function openRelyingParty(
  service: TestService,
  fields: Partial<Application> = {},
): Promise<RelyingParty> {
  const user = await service.createUser({ name: 'Grace Hopper', phone: '+33612345678', emailVerified: true });
  const browser = openBrowserSession(service.baseUrl);
  return relyingParty({ service, user, browser, fields });
}

async function relyingParty(world: {
  service: TestService;
  user: TestUser;
  browser: BrowserSession;
  fields: Partial<Application>;
}): Promise<RelyingParty> {
  const { service, user, browser, fields } = world;
  const application = await service.createApplication({ standard: true, ...fields });
  const { clientId, clientSecret, redirectUri } = application;

  const request: RelyingParty['request'] = (parameters = {}) => ({
    scope: 'openid',
    state: random(),
    nonce: random(),
    ...parameters,
  });

  const open: RelyingParty['open'] = async (parameters = {}) =>
    browser.follow(await browser.get(authorizeAddress(service, application, parameters)));

  const walk: RelyingParty['walk'] = async (visit, sent) => {
    const shown: string[] = [];
    for (let current = visit; ; current = await browser.follow(current)) {
      const answer = answerOf(current, redirectUri);
      if (answer !== undefined) {
        return { request: sent, answer, shown };
      }
      const actions = formsOf(current);
      const page = ['/signin', '/consent'].find((action) => actions.includes(action));
      if (page === undefined) throw new Error(`no way on: ${current.status} ${current.body}`);
      shown.push(page);
      const { email, password } = user;
      const filledIn = page === '/signin' ? { email, password } : { decision: 'allow' };
      current = await browser.post(page, { ...current.hidden, ...filledIn });
    }
  };

  const ask = async (parameters: Fields) => {
    const sent = request(parameters);
    return walk(await open(sent), sent);
  };

  const authorize: RelyingParty['authorize'] = async (parameters = {}) => {
    const arrival = await ask(parameters);
    const { state } = arrival.request;
    const { code = '', ...rest } = arrival.answer;
    expect(rest).toEqual({ iss: service.baseUrl, ...(state !== undefined && { state }) });
    expect(code.length, 'a code that cannot be guessed').toBeGreaterThan(32);
    return arrival;
  };

  const refused: RelyingParty['refused'] = async (parameters = {}) => {
    const { answer, request: sent } = await ask(parameters);
    const { error = '', error_description, ...rest } = answer;
    expect(rest).toEqual({ iss: service.baseUrl, ...(sent.state !== undefined && { state: sent.state }) });
    expect(error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/); // RFC 6749 §4.1.2.1
    return error;
  };

  const token = (form: Fields, method: 'basic' | 'post' = 'basic') =>
    method === 'post'
      ? postForm(service, '/oauth/token', { ...form, client_id: clientId, client_secret: clientSecret })
      : postForm(service, '/oauth/token', form, {
          authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
        });

  const redeem: RelyingParty['redeem'] = ({ answer }, form = {}, method) =>
    token(
      { grant_type: 'authorization_code', code: answer.code, redirect_uri: redirectUri, ...form },
      method,
    );

  const checkTokens: RelyingParty['checkTokens'] = async (
    { status, headers, body, text },
    arrival,
    nonce,
  ) => {
    expect(status, text).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json\b/);
    expect([headers.get('cache-control'), headers.get('pragma')]).toEqual(['no-store', 'no-cache']);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
    const [accessToken, refreshToken, idToken] = ['access_token', 'refresh_token', 'id_token'].map((member) =>
      String(body[member]),
    ) as [string, string, string];
    for (const one of [accessToken, refreshToken]) expect(one).toMatch(/^[\x20-\x7e]{32,}$/); // RFC 6749 A.12, A.17
    const claims = await openIdToken(service, clientId, idToken);
    const digest = createHash('sha256').update(accessToken).digest();
    expect(claims.at_hash).toBe(digest.subarray(0, 16).toString('base64url'));
    expect(claims.nonce).toBe(nonce);
    expect(claims.sub).toBe(user.userId);
    return { arrival, accessToken, refreshToken, idToken, claims, body };
  };

  const exchange: RelyingParty['exchange'] = async (arrival, form, method) =>
    checkTokens(await redeem(arrival, form, method), arrival, arrival.request.nonce);

  return {
    ...{ service, application, user, browser, request, open, walk, authorize, refused },
    ...{ redeem, exchange, checkTokens },
    signIn: async (parameters) => exchange(await authorize(parameters)),
    renew: (refreshToken, form = {}) =>
      token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...form }),
    userinfo: async (accessToken, init = { headers: { authorization: `Bearer ${accessToken}` } }) =>
      readJson(await fetch(new URL('/oauth/userinfo', service.baseUrl), init)),
    another: () => relyingParty(world),
  };
}

/** Opens an id_token as Core §3.1.3.7 has it: by the published key that its header names, and RS256 (D24). */
async function openIdToken(
  service: TestService,
  clientId: string,
  idToken: string,
): Promise<SignedIn['claims']> {
  const { jwks_uri: address, issuer } = await discover(service);
  const { body } = await readJson(await fetch(String(address)));
  const { payload } = await jwtVerify(idToken, createLocalJWKSet(body as unknown as JSONWebKeySet), {
    issuer: String(issuer),
    audience: clientId,
    algorithms: ['RS256'],
    requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'sid'],
    currentDate: service.clock.now(),
  });
  expect(payload.sub).toMatch(/^[\x20-\x7e]{1,255}$/); // Core §2
  expect(Number.isInteger(payload.auth_time) && Number(payload.auth_time) <= (payload.iat ?? 0)).toBe(true);
  return payload as SignedIn['claims'];
}

const formsOf = ({ body }: Visit): (string | undefined)[] =>
  elementsOf(body).flatMap(({ name, attributes }) => (name === 'form' ? [attributes.action] : []));

/** The answer that a redirect takes to the callback; undefined when it goes elsewhere. */
function answerOf({ location }: Visit, redirectUri: string): Record<string, string> | undefined {
  if (location === undefined || `${location.origin}${location.pathname}` !== redirectUri) return undefined;
  return Object.fromEntries(location.searchParams);
}
