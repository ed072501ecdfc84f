// The steps of a sign-in, one function each, for tests that are about what comes after them.
import { randomBytes } from 'node:crypto';
import { challengeOf } from '../../src/oauth/pkce.ts';
import { type BrowserSession, openBrowserSession, type Visit } from './browser-session.ts';
import { sql } from './populate.ts';
import { type Answer, sendRequest } from './send-request.ts';
import type { TestApplication, TestService, TestUser } from './service.ts';

export const newVerifier = (): string => randomBytes(48).toString('base64url');

/** The address of an authorization request; a parameter given as undefined is left out. */
export function authorizeAddress(
  service: Pick<TestService, 'baseUrl'>,
  application: TestApplication,
  parameters: Record<string, string | undefined> = {},
): URL {
  const url = new URL('/oauth/authorize', service.baseUrl);
  const all = {
    client_id: application.clientId,
    redirect_uri: application.redirectUri,
    response_type: 'code',
    scope: 'openid profile email',
    state: 'state-1',
    ...parameters,
  };
  for (const [name, value] of Object.entries(all)) if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

/** Signs a person in on the sign-in page that `visit` shows (or on a fresh one) and goes where that leads. */
export async function signIn(browser: BrowserSession, user: TestUser, visit?: Visit): Promise<Visit> {
  const page = visit ?? (await browser.get('/signin'));
  const answer = await browser.post('/signin', {
    ...page.hidden,
    email: user.email,
    password: user.password,
  });
  return browser.follow(answer);
}

/** Decides on the consent page that `visit` shows, with these checkboxes ticked. */
export function decide(
  browser: BrowserSession,
  visit: Visit,
  decision: 'allow' | 'deny',
  ticked: readonly string[] = [],
): Promise<Visit> {
  const body = new URLSearchParams({ ...visit.hidden, decision });
  for (const scope of ticked) body.append('scope', scope);
  return browser.send('/consent', { method: 'POST', body, headers: { 'sec-fetch-site': 'same-origin' } });
}

/** What the checkboxes of a consent page stand for. */
export const checkboxesOf = ({ body }: Visit): string[] =>
  [...body.matchAll(/<input [^>]*type="checkbox"[^>]* name="scope" value="([^"]*)"/g)].map(
    ([, value = '']) => value,
  );

/** A browser in which the person is signed in. */
export async function signedInBrowser(
  service: Pick<TestService, 'baseUrl'>,
  user: TestUser,
): Promise<BrowserSession> {
  const browser = openBrowserSession(service.baseUrl);
  await signIn(browser, user);
  return browser;
}

/** A person who has just been made, and a browser in which they are signed in. */
export async function newPerson(
  service: TestService,
  fields: Parameters<TestService['createUser']>[0] = {},
): Promise<{ user: TestUser; browser: BrowserSession }> {
  const user = await service.createUser(fields);
  return { user, browser: await signedInBrowser(service, user) };
}

/** Goes through the whole authorization, with consent where it is asked, and gives the callback's address. */
export const authorize = (
  service: Pick<TestService, 'baseUrl'>,
  application: TestApplication,
  browser: BrowserSession,
  parameters: Record<string, string | undefined> = {},
): Promise<URL> => goThrough(browser, authorizeAddress(service, application, parameters));

/** Goes from the authorization endpoint, by consent to everything where it is asked, to the callback's URL. */
export async function goThrough(
  browser: BrowserSession,
  address: URL,
  decision: 'allow' | 'deny' = 'allow',
): Promise<URL> {
  let visit = await browser.follow(await browser.get(address));
  if (visit.location === undefined && visit.status === 200)
    visit = await decide(browser, visit, decision, checkboxesOf(visit));
  if (visit.location === undefined) throw new Error(`no callback: ${visit.status} ${visit.body}`);
  return visit.location;
}

export interface JsonAnswer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
  text: string;
}

/** Posts a form to a machine-facing address; undefined fields are left out. */
export async function postForm(
  service: Pick<TestService, 'baseUrl'>,
  path: string,
  fields: Record<string, string | undefined>,
  headers: Record<string, string> = {},
): Promise<JsonAnswer> {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value);
  return jsonOf(await sendRequest(new URL(path, service.baseUrl), { method: 'POST', body: form, headers }));
}

export const readJson = async (response: Response): Promise<JsonAnswer> =>
  jsonOf({ status: response.status, headers: response.headers, text: await response.text() });

function jsonOf({ status, headers, text }: Answer): JsonAnswer {
  const json = headers.get('content-type')?.includes('json') ?? false;
  return { status, headers, body: json ? JSON.parse(text) : {}, text };
}

/** Redeems a code; `fields` overrides or (as undefined) leaves out what is sent. */
export const redeem = (
  service: Pick<TestService, 'baseUrl'>,
  application: TestApplication,
  code: string,
  fields: Record<string, string | undefined> = {},
): Promise<JsonAnswer> =>
  postForm(service, '/oauth/token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: application.redirectUri,
    client_id: application.clientId,
    client_secret: application.clientSecret || undefined,
    ...fields,
  });

/** Renews with a refresh token. */
export const renew = (
  service: Pick<TestService, 'baseUrl'>,
  application: TestApplication,
  refreshToken: string,
  fields: Record<string, string | undefined> = {},
): Promise<JsonAnswer> =>
  postForm(service, '/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: application.clientId,
    client_secret: application.clientSecret || undefined,
    ...fields,
  });

/** Revokes a token. */
export const revoke = (
  service: Pick<TestService, 'baseUrl'>,
  application: TestApplication,
  token: string,
  fields: Record<string, string | undefined> = {},
): Promise<JsonAnswer> =>
  postForm(service, '/oauth/token/revoke', {
    token,
    client_id: application.clientId,
    client_secret: application.clientSecret || undefined,
    ...fields,
  });

/** Asks userinfo with a bearer token. */
export const userinfo = async (
  service: Pick<TestService, 'baseUrl'>,
  accessToken: string,
): Promise<JsonAnswer> =>
  jsonOf(
    await sendRequest(new URL('/oauth/userinfo', service.baseUrl), {
      headers: { authorization: `Bearer ${accessToken}` },
    }),
  );

export interface Tokens {
  accessToken: string;
  refreshToken: string;
  idToken: string | undefined;
}

/** Everything at once: authorization, consent, exchange with PKCE. */
export async function obtainTokens(
  service: Pick<TestService, 'baseUrl'>,
  application: TestApplication,
  browser: BrowserSession,
  parameters: Record<string, string | undefined> = {},
): Promise<Tokens> {
  const verifier = newVerifier();
  const callback = await authorize(service, application, browser, {
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    ...parameters,
  });
  const { status, body, text } = await redeem(service, application, callback.searchParams.get('code') ?? '', {
    code_verifier: verifier,
  });
  if (status !== 200) throw new Error(`exchange refused: ${status} ${text}`);
  return {
    accessToken: String(body.access_token),
    refreshToken: String(body.refresh_token),
    idToken: body.id_token === undefined ? undefined : String(body.id_token),
  };
}

/** Where an application has its users return to after they have signed out. */
export const BACK = 'https://notes.example/out?a=1&b="x';

/** Lets devices sign in to the application, and has it ask for sign-outs. */
export const allowDevices = ({ parts }: TestService, { clientId }: TestApplication) =>
  sql(
    parts.database,
    'update clients set device_flow = true, post_logout_redirect_uris = array[$2::text] where client_id = $1',
    [clientId, BACK],
  );

/** The code that a device of the application shows. */
export async function deviceCode(service: TestService, application: TestApplication): Promise<string> {
  const { body } = await postForm(service, '/oauth/device_authorization', {
    client_id: application.clientId,
    client_secret: application.clientSecret || undefined,
    scope: 'openid profile email phone',
  });
  return String(body.user_code);
}

/** Signs `user` in through a request of `application` that asks for it, and leaves that request there. */
export async function switchAccount(
  service: TestService,
  application: TestApplication,
  browser: BrowserSession,
  user: TestUser,
): Promise<Visit> {
  const address = authorizeAddress(service, application, { prompt: 'login', state: 'other-tab' });
  return signIn(browser, user, await browser.follow(await browser.get(address)));
}

/** Goes through the authorization without PKCE and gives the code. */
export async function obtainCode(
  service: TestService,
  application: TestApplication,
  browser: BrowserSession,
  parameters: Record<string, string | undefined> = {},
): Promise<string> {
  const callback = await authorize(service, application, browser, parameters);
  return callback.searchParams.get('code') ?? '';
}

/** The same with PKCE; the verifier belongs to the code. */
export async function obtainCodeWithPkce(
  service: TestService,
  application: TestApplication,
  browser: BrowserSession,
  parameters: Record<string, string | undefined> = {},
): Promise<{ code: string; verifier: string }> {
  const verifier = newVerifier();
  const pkce = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' };
  return { code: await obtainCode(service, application, browser, { ...parameters, ...pkce }), verifier };
}
