// CORS, without credentials, for the addresses that a browser application calls by script (D29). Never for pages.
import type { FastifyInstance } from 'fastify';

const SHARED = new Set([
  '/oauth/token',
  '/oauth/token/revoke',
  '/oauth/userinfo',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
  '/.well-known/jwks.json',
]);

const READABLE = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'www-authenticate, retry-after',
};
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-max-age': '7200',
  vary: 'access-control-request-headers',
};

/** Lets every site read what these addresses answer, refusals too, and answers their preflights. */
export function corsForMachines(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const path = request.routeOptions.url ?? request.url.split('?', 1)[0] ?? '';
    if (!SHARED.has(path)) return done();
    reply.headers(READABLE);
    if (request.method !== 'OPTIONS') return done();
    const wished = request.headers['access-control-request-headers'];
    if (wished !== undefined) reply.header('access-control-allow-headers', wished);
    reply.code(204).headers(PREFLIGHT).send();
  });
}
