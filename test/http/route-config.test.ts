// Checks every route's permitted callers, CORS headers and methods with real requests.
import type { FastifyInstance } from 'fastify';
import { afterAll, expect, test } from 'vitest';
import type { Caller, DiagnosedEndpoint } from '../../src/http/route-config.ts';
import { storeDocument } from '../../src/store/agents.ts';
import { createSignedInAdmin } from '../support/admin.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { addProvider } from '../support/identity-provider.ts';
import { obtainTokens, openSignedInBrowser } from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';
import { sql } from '../support/store-fixtures.ts';

const ORIGIN = 'https://app.example';
const service = await startTestService();
const user = await service.createUser();
const client = await service.createClient({ ownerId: user.userId });
const { apiId } = await service.createApi({ ownerId: user.userId });
const anonymous = openBrowserSession(service.baseUrl);
const signedIn = await openSignedInBrowser(service, user);
const admin = (await createSignedInAdmin(service)).browser;
const agentClientId = 'https://agent.example/client.json';
const agentMetadata = {
  clientId: agentClientId,
  name: 'Scribe',
  redirectUris: [],
  jwks: null,
  origin: 'https://agent.example',
};
const now = service.clock.now();
await storeDocument(service.services.database, { ...agentMetadata, freshUntil: now }, 1, now);
await addProvider(service, { issuer: 'https://127.0.0.1' });
const { accessToken } = await obtainTokens(service, client, signedIn);
const [session] = await sql(service.services.database, 'select sid from sessions where user_id = $1', [
  user.userId,
]);
/** Values for the parameters in route paths. */
const pathParameters: Record<string, string> = {
  ':client_id': client.clientId,
  ':clientId': client.clientId,
  ':api_id': apiId,
  ':apiId': apiId,
  ':userId': user.userId,
  ':sid': String(session?.sid),
  ':agent': encodeURIComponent(agentClientId),
  ':action': 'suspend',
  ':decision': 'reset',
  ':mail': 'reset_password',
  ':preset': 'oidc',
  ':providerId': 'upstream',
  ':number': '1',
  ':id': '1',
  ':file': 'AL-1.svg',
  ':hash': 'A'.repeat(43),
  '*': 'no/such/page',
};
afterAll(() => service.close());

interface DeclaredRoute {
  method: string;
  url: string;
  caller: Caller | undefined;
  cors: boolean;
  diagnostics: DiagnosedEndpoint | undefined;
}

const listDeclaredRoutes = ({ routes }: FastifyInstance): DeclaredRoute[] =>
  routes.flatMap(({ method, url, config = {} }) =>
    [method].flat().map((methodName) => ({
      method: methodName,
      url,
      caller: config.caller,
      cors: config.cors === true,
      diagnostics: config.diagnostics,
    })),
  );
const groupByPath = (app: FastifyInstance): [url: string, DeclaredRoute[]][] =>
  Object.entries(Object.groupBy(listDeclaredRoutes(app), ({ url }) => url)).map(([url, routes = []]) => [
    url,
    routes,
  ]);
const fillPathParameters = (pattern: string) =>
  pattern.replace(/:\w+|\*/g, (part) => pathParameters[part] ?? part);

function listPrintedRoutes(app: FastifyInstance): string[] {
  const parents: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = /^([│ ]*)[├└]── (\S+)(?: \((.*)\))?$/.exec(line) ?? [];
      const depth = indent.length / 4;
      parents[depth] = `${depth === 0 ? '' : parents[depth - 1]}${part}`;
      return methods === '' ? [] : methods.split(', ').map((method) => `${method} ${parents[depth]}`);
    });
}

/** Sends a same-origin request. By default, the body is an empty form. */
async function send(
  app: FastifyInstance,
  { method, url }: Pick<DeclaredRoute, 'method' | 'url'>,
  by: BrowserSession = anonymous,
  headers: Record<string, string> = {},
  body = '',
) {
  const target = app.listeningOrigin + fillPathParameters(url);
  const hasBody = !['GET', 'HEAD', 'OPTIONS'].includes(method);
  const type = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
  const init = { method, headers: { ...(hasBody && type), ...headers }, ...(hasBody && { body }) };
  const response = await by.send(target, init);
  const { location } = response;
  const toSignIn =
    location?.pathname === '/signin' && location.searchParams.get('next') === new URL(target).pathname;
  const error = /^\{"error":"(\w+)"/.exec(response.body)?.[1];
  const isCrossOrigin = response.headers.get('access-control-allow-origin') === '*';
  return {
    status: response.status,
    headers: response.headers,
    body: response.body,
    toSignIn,
    error,
    isCrossOrigin,
  };
}

const hasSafeMethod = ({ method }: DeclaredRoute) => method === 'GET' || method === 'HEAD';

/** Maps each declared caller to a check that a route allows this caller and refuses all others. */
const CALLER_CHECKS: Record<Caller, (app: FastifyInstance, route: DeclaredRoute) => Promise<boolean>> = {
  anyone: async (app, route) => {
    const { status, toSignIn } = await send(app, route);
    return status !== 401 && !toSignIn;
  },
  none: async (app, route) => {
    const responses = [
      await send(app, route),
      await send(app, route, signedIn),
      await send(app, route, admin),
    ];
    return responses.every(({ status }) => status === 404);
  },
  client: async (app, route) => {
    const { clientId, clientSecret } = client;
    const token = { grant_type: 'refresh_token', refresh_token: 'x', token: 'x', scope: 'openid' };
    const form = new URLSearchParams({ ...token, client_id: clientId });
    const unauthenticated = await send(app, route, signedIn, {}, `${form}`);
    form.set('client_secret', clientSecret);
    const authenticated = await send(app, route, anonymous, {}, `${form}`);
    return (
      unauthenticated.status === 401 &&
      unauthenticated.error === 'invalid_client' &&
      authenticated.status !== 401
    );
  },
  async bearer(app, route) {
    const refused = await send(app, route, admin);
    const admitted = await send(app, route, anonymous, { authorization: `Bearer ${accessToken}` });
    return (
      refused.status === 401 &&
      /^Bearer\b/.test(refused.headers.get('www-authenticate') ?? '') &&
      admitted.status === 200
    );
  },
  user: async (app, route) => {
    const { toSignIn, status } = await send(app, route, signedIn);
    return (
      (await send(app, route)).toSignIn &&
      (hasSafeMethod(route)
        ? !toSignIn && status < 500
        : await refusesForgedForm(app, route, signedIn, admin))
    );
  },
  admin: async (app, route) => {
    const response = await send(app, route, admin);
    return (
      (await send(app, route)).toSignIn &&
      (await send(app, route, signedIn)).status === 404 &&
      (hasSafeMethod(route)
        ? (response.status === 404) === route.url.endsWith('*')
        : await refusesForgedForm(app, route, admin, signedIn))
    );
  },
};

const csrfTokens = new Map<BrowserSession, string>();

/**
 * Submits the form without a CSRF token, with another user's token, and from other origins.
 * @returns whether every submission is refused
 */
async function refusesForgedForm(
  app: FastifyInstance,
  route: DeclaredRoute,
  by: BrowserSession,
  other: BrowserSession,
) {
  const fetchCsrfToken = async (owner: BrowserSession) => {
    const csrf =
      csrfTokens.get(owner) ?? (await owner.get(`${app.listeningOrigin}/account`)).hidden.csrf ?? '';
    csrfTokens.set(owner, csrf);
    expect(csrf).not.toBe('');
    return `${new URLSearchParams({ csrf })}`;
  };
  const responses = [
    await send(app, route, by),
    await send(app, route, by, {}, await fetchCsrfToken(other)),
    await send(app, route, by, { 'sec-fetch-site': 'cross-site' }, await fetchCsrfToken(by)),
    await send(app, route, by, { 'sec-fetch-site': 'same-site' }, await fetchCsrfToken(by)),
  ];
  return responses.every(({ status }) => status === 403);
}

async function findMisdeclaredRoutes(
  app: FastifyInstance,
  routes = listDeclaredRoutes(app),
): Promise<string[]> {
  const misdeclared: string[] = [];
  for (const route of routes) {
    const name = `${route.method} ${route.url}`;
    if (route.caller === undefined) misdeclared.push(`${name} declares no caller`);
    else if (!(await CALLER_CHECKS[route.caller](app, route)))
      misdeclared.push(`${name} wrongly declares the caller ${route.caller}`);
  }
  return misdeclared;
}

test('the route checks include every registered route', () => {
  // printRoutes omits the slash before a wildcard.
  const checked = listDeclaredRoutes(service.app).map(
    ({ method, url }) => `${method} ${url.replace('/*', '*')}`,
  );
  expect(checked.toSorted()).toEqual(listPrintedRoutes(service.app).toSorted());
  expect(checked.length).toBeGreaterThan(150);
});

test('every route declares the correct type of caller', async () => {
  expect(await findMisdeclaredRoutes(service.app)).toEqual([]);
}, 120_000);

test('routes with the same path have the same CORS and diagnostics options', () => {
  for (const [url, routes] of groupByPath(service.app)) {
    expect(new Set(routes.map(({ cors, diagnostics }) => `${cors} ${diagnostics}`)).size, url).toBe(1);
    const isPage = routes.some(({ caller }) => caller === 'user' || caller === 'admin');
    expect(routes.some(({ cors }) => cors) && isPage, url).toBe(false);
  }
});

test('a preflight request succeeds only on routes with CORS', async () => {
  for (const [url, routes] of groupByPath(service.app)) {
    const methods = routes.map(({ method }) => method);
    const preflight = { origin: ORIGIN, 'access-control-request-method': methods[0] ?? '' };
    const { status, headers, isCrossOrigin } = await send(
      service.app,
      { method: 'OPTIONS', url },
      signedIn,
      preflight,
    );
    const cors = routes.some((route) => route.cors);
    const isHidden = url.endsWith('*') || routes.some(({ caller }) => caller === 'admin');
    const refused = isHidden ? 404 : 405;
    expect([url, status, isCrossOrigin]).toEqual([url, cors ? 204 : refused, cors]);
    if (status === 404) continue;
    const allowed = headers.get(cors ? 'access-control-allow-methods' : 'allow')?.split(', ') ?? [];
    // `Access-Control-Allow-Methods` may omit HEAD, which is CORS-safelisted.
    const expectedMethods = cors ? methods.filter((method) => method !== 'HEAD') : methods;
    expect(allowed, url).toEqual(expect.arrayContaining(expectedMethods));
  }
});

test('other origins can read responses only from routes with CORS', async () => {
  for (const route of listDeclaredRoutes(service.app)) {
    const { isCrossOrigin } = await send(service.app, route, anonymous, { origin: ORIGIN });
    expect([route.method, route.url, isCrossOrigin]).toEqual([route.method, route.url, route.cors]);
  }
});

test('a HEAD request gets the same status as a GET request', async () => {
  for (const [url, routes] of groupByPath(service.app)) {
    const head = await send(service.app, { method: 'HEAD', url });
    expect(head.body, url).toBe('');
    const hasGet = routes.some(({ method }) => method === 'GET');
    const hasHead = routes.some(({ method }) => method === 'HEAD');
    const { status } = hasGet
      ? await send(service.app, { method: 'GET', url })
      : { status: hasHead ? 404 : 405 };
    expect([url, head.status]).toEqual([url, status]);
  }
});
