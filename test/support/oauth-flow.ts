// Sends OAuth requests and submits the sign-in and consent pages.
import { randomBytes } from 'node:crypto';
import { computeCodeChallenge } from '../../src/oauth/pkce.ts';
import { type BrowserSession, openBrowserSession, type Visit } from './browser-session.ts';
import { sendRequest, type TestResponse } from './send-request.ts';
import type { TestClient, TestService, TestUser } from './service.ts';
import { sql } from './store-fixtures.ts';

export const createVerifier = (): string => randomBytes(48).toString('base64url');

export function buildAuthorizeUrl(
  service: Pick<TestService, 'baseUrl'>,
  application: TestClient,
  parameters: Record<string, string | undefined> = {},
): URL {
  const url = new URL('/oauth/authorize', service.baseUrl);
  const defaults = {
    client_id: application.clientId,
    redirect_uri: application.redirectUri,
    response_type: 'code',
    scope: 'openid profile email',
    state: 'state-1',
    ...parameters,
  };
  for (const [name, value] of Object.entries(defaults))
    if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

/** By default, opens the sign-in page. */
export async function signIn(browser: BrowserSession, user: TestUser, visit?: Visit): Promise<Visit> {
  const page = visit ?? (await browser.get('/signin'));
  const response = await browser.post('/signin', {
    ...page.hidden,
    email: user.email,
    password: user.password,
  });
  return browser.follow(response);
}

/** @param ticked scopes to select */
export function submitDecision(
  browser: BrowserSession,
  visit: Visit,
  decision: 'allow' | 'deny',
  ticked: readonly string[] = [],
): Promise<Visit> {
  const body = new URLSearchParams({ ...visit.hidden, decision });
  for (const scope of ticked) body.append('scope', scope);
  return browser.send('/consent', { method: 'POST', body, headers: { 'sec-fetch-site': 'same-origin' } });
}

export const listCheckboxes = ({ body }: Visit): string[] =>
  [...body.matchAll(/<input [^>]*type="checkbox"[^>]* name="scope" value="([^"]*)"/g)].map(
    ([, value = '']) => value,
  );

export async function openSignedInBrowser(
  service: Pick<TestService, 'baseUrl'>,
  user: TestUser,
): Promise<BrowserSession> {
  const browser = openBrowserSession(service.baseUrl);
  await signIn(browser, user);
  return browser;
}

export async function createSignedInUser(
  service: TestService,
  fields: Parameters<TestService['createUser']>[0] = {},
): Promise<{ user: TestUser; browser: BrowserSession }> {
  const user = await service.createUser(fields);
  return { user, browser: await openSignedInBrowser(service, user) };
}

/** Consents to all scopes. Returns the redirect URI with its parameters. */
export const authorize = (
  service: Pick<TestService, 'baseUrl'>,
  application: TestClient,
  browser: BrowserSession,
  parameters: Record<string, string | undefined> = {},
): Promise<URL> => completeAuthorization(browser, buildAuthorizeUrl(service, application, parameters));

/** Submits the consent form if it is shown. Returns the redirect URI with its parameters. */
export async function completeAuthorization(
  browser: BrowserSession,
  url: URL,
  decision: 'allow' | 'deny' = 'allow',
): Promise<URL> {
  let visit = await browser.follow(await browser.get(url));
  if (visit.location === undefined && visit.status === 200)
    visit = await submitDecision(browser, visit, decision, listCheckboxes(visit));
  if (visit.location === undefined)
    throw new Error(`no redirect to the client: ${visit.status} ${visit.body}`);
  return visit.location;
}

export interface JsonResponse {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
  text: string;
}

export async function postForm(
  service: Pick<TestService, 'baseUrl'>,
  path: string,
  fields: Record<string, string | undefined>,
  headers: Record<string, string> = {},
): Promise<JsonResponse> {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value);
  return parseJsonResponse(
    await sendRequest(new URL(path, service.baseUrl), { method: 'POST', body: form, headers }),
  );
}

export const readJson = async (response: Response): Promise<JsonResponse> =>
  parseJsonResponse({ status: response.status, headers: response.headers, text: await response.text() });

function parseJsonResponse({ status, headers, text }: TestResponse): JsonResponse {
  const json = headers.get('content-type')?.includes('json') ?? false;
  return { status, headers, body: json ? JSON.parse(text) : {}, text };
}

/** Undefined fields are omitted. */
export const redeemCode = (
  service: Pick<TestService, 'baseUrl'>,
  application: TestClient,
  code: string,
  fields: Record<string, string | undefined> = {},
): Promise<JsonResponse> =>
  postForm(service, '/oauth/token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: application.redirectUri,
    client_id: application.clientId,
    client_secret: application.clientSecret || undefined,
    ...fields,
  });

export const redeemRefreshToken = (
  service: Pick<TestService, 'baseUrl'>,
  application: TestClient,
  refreshToken: string,
  fields: Record<string, string | undefined> = {},
): Promise<JsonResponse> =>
  postForm(service, '/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: application.clientId,
    client_secret: application.clientSecret || undefined,
    ...fields,
  });

export const revokeToken = (
  service: Pick<TestService, 'baseUrl'>,
  application: TestClient,
  token: string,
  fields: Record<string, string | undefined> = {},
): Promise<JsonResponse> =>
  postForm(service, '/oauth/token/revoke', {
    token,
    client_id: application.clientId,
    client_secret: application.clientSecret || undefined,
    ...fields,
  });

export const fetchUserinfo = async (
  service: Pick<TestService, 'baseUrl'>,
  accessToken: string,
): Promise<JsonResponse> =>
  parseJsonResponse(
    await sendRequest(new URL('/oauth/userinfo', service.baseUrl), {
      headers: { authorization: `Bearer ${accessToken}` },
    }),
  );

export interface Tokens {
  accessToken: string;
  refreshToken: string;
  idToken: string | undefined;
}

export async function obtainTokens(
  service: Pick<TestService, 'baseUrl'>,
  application: TestClient,
  browser: BrowserSession,
  parameters: Record<string, string | undefined> = {},
): Promise<Tokens> {
  const verifier = createVerifier();
  const callback = await authorize(service, application, browser, {
    code_challenge: computeCodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...parameters,
  });
  const { status, body, text } = await redeemCode(
    service,
    application,
    callback.searchParams.get('code') ?? '',
    {
      code_verifier: verifier,
    },
  );
  if (status !== 200) throw new Error(`token request failed: ${status} ${text}`);
  return {
    accessToken: String(body.access_token),
    refreshToken: String(body.refresh_token),
    idToken: body.id_token === undefined ? undefined : String(body.id_token),
  };
}

export const POST_LOGOUT_URI = 'https://notes.example/out?a=1&b="x';

/** Also registers `POST_LOGOUT_URI`. */
export const enableDeviceFlow = ({ services }: TestService, { clientId }: TestClient) =>
  sql(
    services.database,
    'update clients set device_flow = true, post_logout_redirect_uris = array[$2::text] where client_id = $1',
    [clientId, POST_LOGOUT_URI],
  );

export async function requestUserCode(service: TestService, application: TestClient): Promise<string> {
  const { body } = await postForm(service, '/oauth/device_authorization', {
    client_id: application.clientId,
    client_secret: application.clientSecret || undefined,
    scope: 'openid profile email phone',
  });
  return String(body.user_code);
}

/** Signs in to another account with prompt=login. The authorization request stays pending. */
export async function switchAccount(
  service: TestService,
  application: TestClient,
  browser: BrowserSession,
  user: TestUser,
): Promise<Visit> {
  const url = buildAuthorizeUrl(service, application, { prompt: 'login', state: 'other-tab' });
  return signIn(browser, user, await browser.follow(await browser.get(url)));
}

export async function obtainCode(
  service: TestService,
  application: TestClient,
  browser: BrowserSession,
  parameters: Record<string, string | undefined> = {},
): Promise<string> {
  const callback = await authorize(service, application, browser, parameters);
  return callback.searchParams.get('code') ?? '';
}

export async function obtainCodeWithPkce(
  service: TestService,
  application: TestClient,
  browser: BrowserSession,
  parameters: Record<string, string | undefined> = {},
): Promise<{ code: string; verifier: string }> {
  const verifier = createVerifier();
  const pkce = { code_challenge: computeCodeChallenge(verifier), code_challenge_method: 'S256' };
  return { code: await obtainCode(service, application, browser, { ...parameters, ...pkce }), verifier };
}
