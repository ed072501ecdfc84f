// The table of contents: every plugin, route and page, in order.
import fastify, { type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import { corsForMachines } from './http/cors.ts';
import { newIncidentCode } from './http/incident-code.ts';
import { answerClientError, limitPipelining, pathTarget } from './http/malformed-requests.ts';
import { overloadGuard } from './http/overload.ts';
import { BODY_LIMIT, parameters } from './http/parameters.ts';
import type { Parts } from './http/parts.ts';
import { rateLimit } from './http/rate-limit.ts';
import { trustedProxies } from './http/request.ts';
import { requestLog } from './http/request-log.ts';
import { areaFor, routeConfig } from './http/route-config.ts';
import { httpsOnly, securityHeaders, TLS_SETTINGS } from './http/transport-security.ts';
import { parseParameters } from './oauth/parameters.ts';
import { accountPages } from './pages/account/index.ts';
import { accountsPage } from './pages/accounts/accounts.ts';
import { buttonPage } from './pages/button/button.ts';
import { consentPage } from './pages/consent/consent.ts';
import { consolePages } from './pages/console/index.ts';
import { credentialPages } from './pages/credentials/index.ts';
import { devMailPage } from './pages/dev-mail/dev-mail.ts';
import { devicePage } from './pages/device/device.ts';
import { homePage } from './pages/home/home.ts';
import { operationsPages } from './pages/operations/index.ts';
import { signInByMailPages } from './pages/sign-in/by-mail.ts';
import { recoveryPage } from './pages/sign-in/recovery.ts';
import { secondFactorPage } from './pages/sign-in/second-factor.ts';
import { signInPage } from './pages/sign-in/sign-in.ts';
import { stepUpPage } from './pages/sign-in/step-up.ts';
import { signOutPage } from './pages/sign-out/sign-out.ts';
import { signUpPage } from './pages/sign-up/sign-up.ts';
import { assetRoutes } from './routes/assets.ts';
import { authorizeRoute } from './routes/authorize.ts';
import { connectionTesterRoute } from './routes/connection-tester.ts';
import { deviceAuthorizationRoute } from './routes/device-authorization.ts';
import { discoveryRoute } from './routes/discovery.ts';
import { healthRoutes } from './routes/health.ts';
import { introspectRoute } from './routes/introspect.ts';
import { keysRoute } from './routes/keys.ts';
import { logoutRoute } from './routes/logout.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { parRoute } from './routes/par.ts';
import { pictureRoutes } from './routes/pictures.ts';
import { registerRoute } from './routes/register.ts';
import { revokeRoute } from './routes/revoke.ts';
import { tokenRoute } from './routes/token.ts';
import { userinfoRoute } from './routes/userinfo.ts';
import { wellKnownRoutes } from './routes/well-known.ts';
import { errorHandler } from './web/error-handler.ts';
import { pages } from './web/pages.ts';

/** A request has to have arrived after this, its head after the other; whoever sends slower is cut off with 408. */
const REQUEST_TIMEOUT = 15_000;
const HEADERS_TIMEOUT = 10_000;

/**
 * Builds the application; it listens nowhere yet.
 * @param isClosing whether the process has been asked to stop, for /readyz
 */
export async function buildApp(
  parts: Parts,
  logger: Logger,
  isClosing: () => boolean = () => false,
): Promise<FastifyInstance> {
  const { config } = parts;
  const serverOptions = {
    headersTimeout: HEADERS_TIMEOUT,
    connectionsCheckingInterval: 1_000, // Node looks every 30 seconds, and keeps slow ones that much longer
  };
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }), // http/request-log.ts writes the line
    genReqId: newIncidentCode,
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT,
    exposeHeadRoutes: true, // RFC 9110 §9.3.2; what they may do: http/request.ts
    trustProxy: config.trustedProxies.length > 0 ? trustedProxies(config.trustedProxies) : false,
    routerOptions: {
      querystringParser: parseParameters as never,
      ignoreTrailingSlash: false,
      maxParamLength: 16 * 1024, // longer than an address can be: routes judge their parameters themselves
    },
    rewriteUrl: pathTarget as never,
    clientErrorHandler: answerClientError,
    return503OnClosing: false,
    http: serverOptions,
    ...(config.tls && { https: { ...config.tls, ...TLS_SETTINGS, ...serverOptions } }),
  }) as unknown as FastifyInstance;

  limitPipelining(app.server);
  routeConfig(app);
  requestLog(app, parts);
  // A client that keeps its connection would hold up the end: the answer says it is the last one (RFC 9112 §9.6).
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isClosing()) reply.header('connection', 'close');
    done();
  });
  securityHeaders(app, { secure: config.secure });
  errorHandler(app, parts);
  await parameters(app);
  if (config.production) httpsOnly(app);
  corsForMachines(app); // before anything that refuses, so that scripts can read why
  await rateLimit(app, {
    perMinute: config.rateLimitPerMinute,
    allow: config.rateLimitAllow,
    redisUrl: config.redisUrl,
  });
  overloadGuard(app);
  pages(app, parts);

  tokenRoute(app, parts);
  parRoute(app, parts);
  registerRoute(app, parts);
  deviceAuthorizationRoute(app, parts);
  introspectRoute(app, parts);
  revokeRoute(app, parts);
  userinfoRoute(app, parts);
  areaFor(app, { caller: 'anyone', diagnostics: 'logout' }, (area) => logoutRoute(area, parts));
  areaFor(app, { caller: 'anyone', cors: true, uncounted: true }, (area) => {
    discoveryRoute(area, parts);
    keysRoute(area, parts);
    wellKnownRoutes(area, parts);
    connectionTesterRoute(area, parts);
  });
  areaFor(app, { caller: 'anyone', diagnostics: 'authorize' }, (area) => {
    authorizeRoute(area, parts);
    accountsPage(area, parts);
    signInPage(area, parts);
    signUpPage(area, parts);
    consentPage(area, parts);
  });
  areaFor(app, { caller: 'anyone' }, (area) => {
    signInByMailPages(area, parts);
    secondFactorPage(area, parts);
    recoveryPage(area, parts);
    stepUpPage(area, parts);
    signOutPage(area, parts);
    homePage(area, parts);
    buttonPage(area, parts);
    credentialPages(area, parts);
  });
  devicePage(app, parts);
  consolePages(app, parts);
  operationsPages(app, parts);
  accountPages(app, parts);
  areaFor(app, { caller: 'anyone', uncounted: true, health: true }, (area) =>
    healthRoutes(area, parts, isClosing),
  );
  areaFor(app, { caller: 'anyone', uncounted: true }, (area) => {
    assetRoutes(area, parts);
    pictureRoutes(area, parts);
    devMailPage(area, parts);
  });
  await metricsRoutes(app, parts);
  return app;
}
