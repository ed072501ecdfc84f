// CORS without credentials, for OAuth endpoints that browser scripts call.
// Pages have no CORS headers.
import type { FastifyInstance } from 'fastify';
import { pathOf } from './route-config.ts';

const RESPONSE_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'www-authenticate, retry-after',
};
const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-max-age': '7200',
  vary: 'access-control-request-headers',
};

export function enableCors(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const path = app.pathConfigs.get(request.routeOptions.url ?? pathOf(request));
    if (path?.cors !== true) return done();
    reply.headers(RESPONSE_HEADERS);
    if (request.method !== 'OPTIONS') return done();
    const requestedHeaders = request.headers['access-control-request-headers'];
    if (requestedHeaders !== undefined) reply.header('access-control-allow-headers', requestedHeaders);
    reply.code(204).headers(PREFLIGHT_HEADERS).send();
  });
}
