// Builds the Fastify app and registers its hooks, routes and pages in the required order.
import fastify, { type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import { enableCors } from './http/cors.ts';
import { newIncidentCode } from './http/incident-code.ts';
import { handleClientError, normalizeRequestTarget } from './http/malformed-requests.ts';
import { shedLoad } from './http/overload.ts';
import { BODY_LIMIT, registerParameterParsing } from './http/parameters.ts';
import { limitPipelining } from './http/pipelining.ts';
import { enforceRateLimit } from './http/rate-limit.ts';
import { createTrustProxy } from './http/request.ts';
import { logRequests } from './http/request-log.ts';
import { collectRouteConfig, withRouteConfig } from './http/route-config.ts';
import type { Services } from './http/services.ts';
import { requireHttps, setSecurityHeaders, TLS_SETTINGS } from './http/transport-security.ts';
import { parseParameters } from './oauth/parameters.ts';
import { accountPages } from './pages/account/index.ts';
import { accountsPage } from './pages/accounts/accounts.ts';
import { adminPages } from './pages/admin/index.ts';
import { buttonPage } from './pages/button/button.ts';
import { consentPage } from './pages/consent/consent.ts';
import { consolePages } from './pages/console/index.ts';
import { credentialPages } from './pages/credentials/index.ts';
import { devMailPage } from './pages/dev-mail/dev-mail.ts';
import { devicePage } from './pages/device/device.ts';
import { homePage } from './pages/home/home.ts';
import { emailCodePage } from './pages/sign-in/email-code.ts';
import { providerRoutes } from './pages/sign-in/provider.ts';
import { recoveryPage } from './pages/sign-in/recovery.ts';
import { secondFactorPage } from './pages/sign-in/second-factor.ts';
import { signInPage } from './pages/sign-in/sign-in.ts';
import { stepUpPage } from './pages/sign-in/step-up.ts';
import { providerLogoutPage } from './pages/sign-out/provider-logout.ts';
import { signOutPage } from './pages/sign-out/sign-out.ts';
import { confirmIdentityPage } from './pages/sign-up/confirm-identity.ts';
import { providerSignUpPage } from './pages/sign-up/provider.ts';
import { signUpPage } from './pages/sign-up/sign-up.ts';
import { assetRoutes } from './routes/assets.ts';
import { authorizeRoute } from './routes/authorize.ts';
import { clientRegistrationRoute } from './routes/client-registration.ts';
import { connectionTesterRoute } from './routes/connection-tester.ts';
import { deviceAuthorizationRoute } from './routes/device-authorization.ts';
import { discoveryRoute } from './routes/discovery.ts';
import { healthRoutes } from './routes/health.ts';
import { introspectRoute } from './routes/introspect.ts';
import { jwksRoute } from './routes/jwks.ts';
import { logoutRoute } from './routes/logout.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { parRoute } from './routes/par.ts';
import { pictureRoutes } from './routes/pictures.ts';
import { revokeRoute } from './routes/revoke.ts';
import { tokenRoute } from './routes/token.ts';
import { userinfoRoute } from './routes/userinfo.ts';
import { wellKnownRoutes } from './routes/well-known.ts';
import { registerErrorHandler } from './web/error-handler.ts';
import { registerPageDecorators } from './web/page-decorators.ts';

/** Milliseconds. Slower requests get a 408 response. */
const REQUEST_TIMEOUT = 15_000;
const HEADERS_TIMEOUT = 10_000;

export async function buildApp(
  services: Services,
  logger: Logger,
  isClosing: () => boolean = () => false,
): Promise<FastifyInstance> {
  const { config } = services;
  const serverOptions = {
    headersTimeout: HEADERS_TIMEOUT,
    // By default, Node checks only every 30 seconds, so slow clients could exceed the timeouts.
    connectionsCheckingInterval: 1_000,
  };
  const app = fastify({
    loggerInstance: logger,
    // http/request-log.ts logs requests instead.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newIncidentCode,
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT,
    exposeHeadRoutes: true,
    trustProxy: config.trustedProxies.length > 0 ? createTrustProxy(config.trustedProxies) : false,
    routerOptions: {
      querystringParser: parseParameters as never,
      ignoreTrailingSlash: false,
      // Each route limits the length of its parameters.
      maxParamLength: 16 * 1024,
    },
    rewriteUrl: normalizeRequestTarget as never,
    clientErrorHandler: handleClientError,
    return503OnClosing: false,
    http: serverOptions,
    ...(config.tls && { https: { ...config.tls, ...TLS_SETTINGS, ...serverOptions } }),
  }) as unknown as FastifyInstance;

  limitPipelining(app.server);
  collectRouteConfig(app);
  logRequests(app, services);
  // Idle keep-alive connections would delay the shutdown (RFC 9112 §9.6).
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isClosing()) reply.header('connection', 'close');
    done();
  });
  setSecurityHeaders(app, { secure: config.secure });
  registerErrorHandler(app, services);
  await registerParameterParsing(app);
  if (config.production) requireHttps(app);
  // Registered before the hooks that reject requests, so that scripts can read error responses.
  enableCors(app);
  await enforceRateLimit(app, {
    perMinute: config.rateLimitPerMinute,
    allow: config.rateLimitAllow,
    redisUrl: config.redisUrl,
  });
  shedLoad(app);
  registerPageDecorators(app, services);

  tokenRoute(app, services);
  parRoute(app, services);
  clientRegistrationRoute(app, services);
  deviceAuthorizationRoute(app, services);
  introspectRoute(app, services);
  revokeRoute(app, services);
  userinfoRoute(app, services);
  withRouteConfig(app, { caller: 'anyone', diagnostics: 'logout' }, (area) => logoutRoute(area, services));
  withRouteConfig(app, { caller: 'anyone', cors: true, rateLimitExempt: true }, (area) => {
    discoveryRoute(area, services);
    jwksRoute(area, services);
    wellKnownRoutes(area, services);
    connectionTesterRoute(area, services);
  });
  withRouteConfig(app, { caller: 'anyone', diagnostics: 'authorize' }, (area) => {
    authorizeRoute(area, services);
    accountsPage(area, services);
    signInPage(area, services);
    signUpPage(area, services);
    providerSignUpPage(area, services);
    confirmIdentityPage(area, services);
    consentPage(area, services);
  });
  withRouteConfig(app, { caller: 'anyone' }, (area) => {
    providerRoutes(area, services);
    emailCodePage(area, services);
    secondFactorPage(area, services);
    recoveryPage(area, services);
    stepUpPage(area, services);
    signOutPage(area, services);
    providerLogoutPage(area, services);
    homePage(area, services);
    buttonPage(area, services);
    credentialPages(area, services);
  });
  devicePage(app, services);
  consolePages(app, services);
  adminPages(app, services);
  accountPages(app, services);
  withRouteConfig(app, { caller: 'anyone', rateLimitExempt: true, healthCheck: true }, (area) =>
    healthRoutes(area, services, isClosing),
  );
  withRouteConfig(app, { caller: 'anyone', rateLimitExempt: true }, (area) => {
    assetRoutes(area, services);
    pictureRoutes(area, services);
    devMailPage(area, services);
  });
  await metricsRoutes(app, services);
  return app;
}
