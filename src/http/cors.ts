// CORS, without credentials, for the addresses that a browser application calls by script (D29). Never for pages.
import type { FastifyInstance } from 'fastify';
import { pathOf } from './route-config.ts';

const READABLE = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'www-authenticate, retry-after',
};
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-max-age': '7200',
  vary: 'access-control-request-headers',
};

/** Lets every site read what addresses with `cors` in their routes' config answer, refusals too, and answers their preflights. */
export function corsForMachines(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const path = app.paths.get(request.routeOptions.url ?? pathOf(request));
    if (path?.cors !== true) return done();
    reply.headers(READABLE);
    if (request.method !== 'OPTIONS') return done();
    const wished = request.headers['access-control-request-headers'];
    if (wished !== undefined) reply.header('access-control-allow-headers', wished);
    reply.code(204).headers(PREFLIGHT).send();
  });
}
