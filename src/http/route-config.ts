// Route options that hooks read: caller, CORS, diagnostics, exemptions.
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';

/** Who may call a route. test/http/route-config.test.ts checks that every route enforces this. */
export type Caller =
  | 'anyone'
  /** Requests without client authentication get `invalid_client`. */
  | 'client'
  /** Requests without a valid access token get `invalid_token`. */
  | 'bearer'
  /** Anonymous users are redirected to the sign-in page. */
  | 'user'
  /** Users who aren't administrators get 404. */
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
    /** Required on every route or on its group (`withRouteConfig`). */
    caller?: Caller;
    /** Scripts from any origin may call the route, without cookies. */
    cors?: boolean;
    /** Refused requests appear on the client's diagnostics page. */
    diagnostics?: DiagnosedEndpoint;
    /** The route allows plain HTTP and is exempt from load shedding. */
    healthCheck?: true;
    rateLimitExempt?: true;
    /** The form deletes the resource that the page shows. A repeated submission gets the same redirect. */
    deletes?: true;
    upload?: true;
    /** Not enforced if SMTP isn't configured. */
    requiresVerifiedEmail?: true;
  }
  interface FastifyInstance {
    routes: readonly RouteOptions[];
    pathConfigs: ReadonlyMap<string, PathConfig>;
  }
}

export const UPLOAD = { upload: true } as const;

/** Options of a path. They also apply to methods without a route. */
interface PathConfig {
  methods: Set<string>;
  /** Whether only administrators may learn that the path exists. */
  adminOnly: boolean;
  cors: boolean;
  diagnostics: DiagnosedEndpoint | undefined;
}

export function collectRouteConfig(app: FastifyInstance): void {
  const routes: RouteOptions[] = [];
  const pathConfigs = new Map<string, PathConfig>();
  app.decorate('routes', routes).decorate('pathConfigs', pathConfigs);
  app.addHook('onRoute', (route) => void routes.push(route));
  // Groups add their options after the onRoute hook has run.
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

/** The group's options override those of its routes, but not those of nested groups. */
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
