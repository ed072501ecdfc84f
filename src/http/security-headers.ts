// Headers of every answer, page or not.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const TWO_YEARS = 63_072_000;

const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // `no-referrer` would make browsers send form POSTs with `Origin: null`.
  'referrer-policy': 'same-origin',
};

/** @param secure whether the public address is https, which browsers are then told to insist on */
export function securityHeaders(app: FastifyInstance, { secure }: { secure: boolean }): void {
  app.addHook('onRequest', (request, reply, done) => {
    setSecurityHeaders(request, reply, secure);
    done();
  });
}

/** Sets the headers on one answer: for those that no hook sees. */
export function setSecurityHeaders(request: FastifyRequest, reply: FastifyReply, secure: boolean): void {
  reply.headers(HEADERS);
  // HSTS counts only where it came over HTTPS, and a refusal of plain http says nothing else (D26).
  if (secure && request.protocol === 'https')
    reply.header('strict-transport-security', `max-age=${TWO_YEARS}`);
}
