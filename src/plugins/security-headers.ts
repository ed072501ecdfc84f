// Headers of every answer, page or not.
import type { FastifyInstance } from 'fastify';

const TWO_YEARS = 63_072_000;

/** @param secure whether the public address is https, which browsers are then told to insist on */
export function securityHeaders(app: FastifyInstance, { secure }: { secure: boolean }): void {
  const headers: Record<string, string> = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // `no-referrer` would make browsers send form POSTs with `Origin: null`.
    'referrer-policy': 'same-origin',
    ...(secure && { 'strict-transport-security': `max-age=${TWO_YEARS}` }),
  };
  app.addHook('onRequest', (request, reply, done) => {
    // HSTS counts only where it came over HTTPS, and a refusal of plain http says nothing else (D26).
    reply.headers(headers);
    if (secure && request.protocol !== 'https') reply.removeHeader('strict-transport-security');
    done();
  });
}
