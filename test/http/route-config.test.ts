// Every route of the running app says who may call it, and real requests find that so; CORS, diagnostics, HEAD and
// OPTIONS with it. A route that says nothing, or something else, fails here without anybody having thought of it.
import type { FastifyInstance } from 'fastify';
import { afterAll, expect, test } from 'vitest';
import type { Caller, RefusedEndpoint } from '../../src/http/route-config.ts';
import { keepDocument } from '../../src/store/agents.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { obtainTokens, signedInBrowser } from '../support/flow.ts';
import { signedInOperator } from '../support/operator.ts';
import { startTestService } from '../support/service.ts';

const ORIGIN = 'https://app.example';
const service = await startTestService();
const user = await service.createUser();
const application = await service.createApplication({ ownerId: user.userId });
const { apiId } = await service.createApi({ ownerId: user.userId });
const stranger = openBrowserSession(service.baseUrl);
const member = await signedInBrowser(service, user);
const operator = (await signedInOperator(service)).browser;
const agent = 'https://agent.example/client.json';
const document = {
  clientId: agent,
  name: 'Scribe',
  redirectUris: [],
  jwks: null,
  origin: 'https://agent.example',
};
const now = service.clock.now();
await keepDocument(service.parts.database, { ...document, freshUntil: now }, 1, now);
const { accessToken } = await obtainTokens(service, application, member);
/** Values for the variable parts of a path, all belonging to the member. */
const things: Record<string, string> = {
  ':client_id': application.clientId,
  ':clientId': application.clientId,
  ':api_id': apiId,
  ':apiId': apiId,
  ':userId': user.userId,
  ':agent': encodeURIComponent(agent),
  ':action': 'suspend',
  ':decision': 'reset',
  ':mail': 'reset_password',
  ':number': '1',
  ':id': '1',
  ':file': 'AL-1.svg',
  ':hash': 'A'.repeat(43),
  '*': 'no/such/page',
};
afterAll(() => service.close());

interface Declared {
  method: string;
  url: string;
  caller: Caller | undefined;
  cors: boolean;
  diagnostics: RefusedEndpoint | undefined;
}

/** What the routes of an app say of themselves, one for each method. */
const declared = ({ routes }: FastifyInstance): Declared[] =>
  routes.flatMap(({ method, url, config = {} }) =>
    [method].flat().map((one) => ({
      method: one,
      url,
      caller: config.caller,
      cors: config.cors === true,
      diagnostics: config.diagnostics,
    })),
  );
const byPath = (app: FastifyInstance): [url: string, Declared[]][] =>
  Object.entries(Object.groupBy(declared(app), ({ url }) => url)).map(([url, routes = []]) => [url, routes]);
const addressOf = (url: string) => url.replace(/:\w+|\*/g, (part) => things[part] ?? part);

/** Every route as the router itself lists it. */
function listed(app: FastifyInstance): string[] {
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

/** Sends a request of any method; what has a body is an empty form of our own page, unless told. */
async function ask(
  app: FastifyInstance,
  { method, url }: Pick<Declared, 'method' | 'url'>,
  by: BrowserSession = stranger,
  headers: Record<string, string> = {},
  body = '',
) {
  const address = app.listeningOrigin + addressOf(url);
  const hasBody = !['GET', 'HEAD', 'OPTIONS'].includes(method);
  const type = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
  const init = { method, headers: { ...(hasBody && type), ...headers }, ...(hasBody && { body }) };
  const answer = await by.send(address, init);
  const { location } = answer;
  const toSignIn =
    location?.pathname === '/signin' && location.searchParams.get('next') === new URL(address).pathname;
  const error = /^\{"error":"(\w+)"/.exec(answer.body)?.[1];
  const isShared = answer.headers.get('access-control-allow-origin') === '*';
  return { status: answer.status, headers: answer.headers, body: answer.body, toSignIn, error, isShared };
}

const isSafe = ({ method }: Declared) => method === 'GET' || method === 'HEAD';

/** For each caller: whether a route answers everybody as it says that it does. */
const HOLDS: Record<Caller, (app: FastifyInstance, route: Declared) => Promise<boolean>> = {
  anyone: async (app, route) => {
    const { status, toSignIn } = await ask(app, route);
    return status !== 401 && !toSignIn;
  },
  nobody: async (app, route) => {
    const answers = [await ask(app, route), await ask(app, route, member), await ask(app, route, operator)];
    return answers.every(({ status }) => status === 404);
  },
  application: async (app, route) => {
    const { clientId, clientSecret } = application;
    const token = { grant_type: 'refresh_token', refresh_token: 'x', token: 'x', scope: 'openid' };
    const form = new URLSearchParams({ ...token, client_id: clientId });
    const without = await ask(app, route, member, {}, `${form}`);
    form.set('client_secret', clientSecret);
    const known = await ask(app, route, stranger, {}, `${form}`);
    return without.status === 401 && without.error === 'invalid_client' && known.status !== 401;
  },
  async bearer(app, route) {
    const refused = await ask(app, route, operator);
    const admitted = await ask(app, route, stranger, { authorization: `Bearer ${accessToken}` });
    return (
      refused.status === 401 &&
      /^Bearer\b/.test(refused.headers.get('www-authenticate') ?? '') &&
      admitted.status === 200
    );
  },
  member: async (app, route) => {
    const { toSignIn, status } = await ask(app, route, member);
    return (
      (await ask(app, route)).toSignIn &&
      (isSafe(route) ? !toSignIn && status < 500 : await refusesForged(app, route, member, operator))
    );
  },
  operator: async (app, route) => {
    const answer = await ask(app, route, operator);
    return (
      (await ask(app, route)).toSignIn &&
      (await ask(app, route, member)).status === 404 &&
      (isSafe(route)
        ? (answer.status === 404) === route.url.endsWith('*')
        : await refusesForged(app, route, operator, member))
    );
  },
};

const csrfTokens = new Map<BrowserSession, string>();

/** Whether a form of somebody signed in is refused without their token, with that of another session, and from elsewhere. */
async function refusesForged(
  app: FastifyInstance,
  route: Declared,
  by: BrowserSession,
  other: BrowserSession,
) {
  const token = async (of: BrowserSession) => {
    const known = csrfTokens.get(of) ?? (await of.get(`${app.listeningOrigin}/account`)).hidden.csrf ?? '';
    csrfTokens.set(of, known);
    expect(known).not.toBe('');
    return `${new URLSearchParams({ csrf: known })}`;
  };
  const answers = [
    await ask(app, route, by),
    await ask(app, route, by, {}, await token(other)),
    await ask(app, route, by, { 'sec-fetch-site': 'cross-site' }, await token(by)),
    await ask(app, route, by, { 'sec-fetch-site': 'same-site' }, await token(by)),
  ];
  return answers.every(({ status }) => status === 403);
}

/** The routes that do not say who may call them, or of whom it is not so. */
async function misdeclared(app: FastifyInstance, routes = declared(app)): Promise<string[]> {
  const wrong: string[] = [];
  for (const route of routes) {
    const name = `${route.method} ${route.url}`;
    if (route.caller === undefined) wrong.push(`${name} does not say who may call it`);
    else if (!(await HOLDS[route.caller](app, route))) wrong.push(`${name} is not for ${route.caller}`);
  }
  return wrong;
}

test('every route that the router knows is looked at', () => {
  // The router lists a wildcard without the slash before it.
  const seen = declared(service.app).map(({ method, url }) => `${method} ${url.replace('/*', '*')}`);
  expect(seen.toSorted()).toEqual(listed(service.app).toSorted());
  expect(seen.length).toBeGreaterThan(150);
});

test('every route says who may call it, and it is so', async () => {
  expect(await misdeclared(service.app)).toEqual([]);
}, 120_000);

test('all routes of an address say the same of CORS and diagnostics, and pages are never shared', () => {
  for (const [url, routes] of byPath(service.app)) {
    expect(new Set(routes.map(({ cors, diagnostics }) => `${cors} ${diagnostics}`)).size, url).toBe(1);
    const isPage = routes.some(({ caller }) => caller === 'member' || caller === 'operator');
    expect(routes.some(({ cors }) => cors) && isPage, url).toBe(false);
  }
});

test('OPTIONS: a preflight passes where CORS is declared; elsewhere it is refused, and says what may be asked', async () => {
  for (const [url, routes] of byPath(service.app)) {
    const methods = routes.map(({ method }) => method);
    const preflight = { origin: ORIGIN, 'access-control-request-method': methods[0] ?? '' };
    const { status, headers, isShared } = await ask(
      service.app,
      { method: 'OPTIONS', url },
      member,
      preflight,
    );
    const cors = routes.some((route) => route.cors);
    const isHidden = url.endsWith('*') || routes.some(({ caller }) => caller === 'operator');
    const refused = isHidden ? 404 : 405;
    expect([url, status, isShared]).toEqual([url, cors ? 204 : refused, cors]);
    if (status === 404) continue;
    const named = headers.get(cors ? 'access-control-allow-methods' : 'allow')?.split(', ') ?? [];
    // A page that reads by script asks with GET; HEAD needs no preflight.
    const needed = cors ? methods.filter((method) => method !== 'HEAD') : methods;
    expect(named, url).toEqual(expect.arrayContaining(needed));
  }
});

test('D29: an answer may be read by scripts of other sites where CORS is declared, and nowhere else', async () => {
  for (const route of declared(service.app)) {
    const { isShared } = await ask(service.app, route, stranger, { origin: ORIGIN });
    expect([route.method, route.url, isShared]).toEqual([route.method, route.url, route.cors]);
  }
});

test('HEAD is answered as GET is, without the body; where there is no GET it is the wrong method', async () => {
  for (const [url, routes] of byPath(service.app)) {
    const head = await ask(service.app, { method: 'HEAD', url });
    expect(head.body, url).toBe('');
    const takesGet = routes.some(({ method }) => method === 'GET');
    const takesHead = routes.some(({ method }) => method === 'HEAD');
    const { status } = takesGet
      ? await ask(service.app, { method: 'GET', url })
      : { status: takesHead ? 404 : 405 };
    expect([url, head.status]).toEqual([url, status]);
  }
});
