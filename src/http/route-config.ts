// Declares the route options that hooks read: caller, CORS, diagnostics, rate limit exemption.
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';

/** Who may call a route. Verified for every route by test/http/route-config.test.ts. */
export type Caller =
  | 'anyone'
  /** Requires client credentials. Requests without them get `invalid_client`. */
  | 'client'
  /** Requires an access token. Requests without one get `invalid_token`. */
  | 'bearer'
  /** Requires a signed-in user. Anonymous users are redirected to the sign-in page. */
  | 'user'
  /** Requires a signed-in administrator. Other users get 404. */
  | 'admin'
  /** Every request gets 404. */
  | 'none';

export type DiagnosedEndpoint =
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
    /** Must be set, either on the route or on its group (`withRouteConfig`). */
    caller?: Caller;
    /** Scripts from any origin may call this URL, without cookies. */
    cors?: boolean;
    /** Refused requests appear on the client's diagnostics page. */
    diagnostics?: DiagnosedEndpoint;
    /** The route is a health check. Probes may call it over plain HTTP, and it is exempt from load shedding. */
    healthCheck?: true;
    /** The route is exempt from the rate limit. Set for static files, health checks, discovery and JWKS. */
    rateLimitExempt?: true;
    /** The form deletes the object shown on the page. Repeated submissions get the same redirect (web/form-page.ts). */
    deletes?: true;
    /** The form may contain a file (web/uploads.ts). */
    upload?: true;
    /** The user needs a verified email address if a mail server is configured. */
    requiresVerifiedEmail?: true;
  }
  interface FastifyInstance {
    routes: readonly RouteOptions[];
    /** The combined options of each path's routes, by path pattern. */
    pathConfigs: ReadonlyMap<string, PathConfig>;
  }
}

export const UPLOAD = { upload: true } as const;

/** The combined options of all routes on a path. They also apply to methods that have no route. */
interface PathConfig {
  methods: Set<string>;
  /** Whether only administrators may learn that the path exists. */
  adminOnly: boolean;
  cors: boolean;
  diagnostics: DiagnosedEndpoint | undefined;
}

/** Collects the options of all routes that are registered after this call. */
export function collectRouteConfig(app: FastifyInstance): void {
  const routes: RouteOptions[] = [];
  const pathConfigs = new Map<string, PathConfig>();
  app.decorate('routes', routes).decorate('pathConfigs', pathConfigs);
  app.addHook('onRoute', (route) => void routes.push(route));
  // Runs when the app is ready, because route groups add their options after the onRoute hook above has run.
  app.addHook('onReady', async () => {
    for (const { url, method, config } of routes) {
      const path = pathConfigs.get(url) ?? {
        methods: new Set(),
        adminOnly: false,
        cors: false,
        diagnostics: undefined,
      };
      for (const name of [method].flat()) path.methods.add(name);
      path.adminOnly ||= config?.caller === 'admin';
      path.cors ||= config?.cors === true;
      path.diagnostics ??= config?.diagnostics;
      pathConfigs.set(url, path);
    }
  });
}

/** Registers a group of routes with common options. Nested groups override these options. */
export function withRouteConfig(
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

export const isRateLimitExempt = ({ method, routeOptions }: FastifyRequest): boolean =>
  method === 'OPTIONS' || routeOptions.config.rateLimitExempt === true;

export const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? '';
