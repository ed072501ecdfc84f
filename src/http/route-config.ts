// What a route says of itself, for the hooks that look at every request, and what is known of each address from it.
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';

/** Who may call a route. test/http/route-config.test.ts asks every route whether this is so. */
export type Caller =
  | 'anyone'
  /** An application by its credentials; others are told `invalid_client`. */
  | 'application'
  /** Requires an access token; others get `invalid_token`. */
  | 'bearer'
  /** Whoever is signed in; others are sent to sign in. */
  | 'member'
  /** A member who is an operator; for other members there is nothing there. */
  | 'operator'
  /** There is nothing there, for anybody. */
  | 'nobody';

/** Where applications are refused, or people on the way to them, as diagnostics name it. */
export type RefusedEndpoint =
  | 'authorize'
  | 'par'
  | 'device'
  | 'token'
  | 'introspect'
  | 'revoke'
  | 'userinfo'
  | 'logout';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Every route says it, or is in an area that does (`areaFor`, `memberArea`). */
    caller?: Caller;
    /** Scripts of every site may call this address, without credentials (D29). */
    cors?: boolean;
    /** Requests that are refused at this address are kept for the application's diagnostics. */
    diagnostics?: RefusedEndpoint;
    /** A health address: answered without HTTPS, to whoever looks after the process. */
    health?: true;
    /** Not counted by the rate limit: static files, health, discovery and keys. */
    uncounted?: true;
    /** In a member area: its form is gone once it was sent, and leads again where its first use led (web/form-page.ts). */
    deletes?: true;
    /** Behind the door: its form may bring a file (web/uploads.ts). */
    upload?: true;
    /** In a member area: only for accounts whose email address is verified, where a mail server is set up. */
    verifiedEmail?: true;
  }
  interface FastifyInstance {
    routes: readonly RouteOptions[];
    /** What is known of a path, by how its routes write it. */
    paths: ReadonlyMap<string, PathConfig>;
  }
}

export const UPLOAD = { upload: true } as const;

/** What the routes of one path say together: it holds for methods that none of them takes, too. */
interface PathConfig {
  methods: Set<string>;
  /** Only operators may know that it is there. */
  hidden: boolean;
  cors: boolean;
  diagnostics: RefusedEndpoint | undefined;
}

/** Gathers what routes say of themselves. It sees those that are registered after it. */
export function routeConfig(app: FastifyInstance): void {
  const routes: RouteOptions[] = [];
  const paths = new Map<string, PathConfig>();
  app.decorate('routes', routes).decorate('paths', paths);
  app.addHook('onRoute', (route) => void routes.push(route));
  // Not earlier: what an area says of a route is added after the hook above.
  app.addHook('onReady', async () => {
    for (const { url, method, config } of routes) {
      const known = paths.get(url) ?? {
        methods: new Set(),
        hidden: false,
        cors: false,
        diagnostics: undefined,
      };
      for (const one of [method].flat()) known.methods.add(one);
      known.hidden ||= config?.caller === 'operator';
      known.cors ||= config?.cors === true;
      known.diagnostics ??= config?.diagnostics;
      paths.set(url, known);
    }
  });
}

/** Registers routes that all say this of themselves; an area within says it otherwise for its own. */
export function areaFor(
  app: FastifyInstance,
  config: RouteOptions['config'],
  routes: (area: FastifyInstance) => void,
): void {
  app.register(async (area) => {
    area.addHook('onRoute', (route) => {
      route.config = { ...route.config, ...config };
    });
    routes(area);
  });
}

/** Whether the rate limit doesn't count a request: routes marked `uncounted`, and OPTIONS. */
export const isUncounted = ({ method, routeOptions }: FastifyRequest): boolean =>
  method === 'OPTIONS' || routeOptions.config.uncounted === true;

export const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? '';
