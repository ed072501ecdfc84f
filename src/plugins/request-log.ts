// One line a request: the route's pattern instead of its address, so that no code, token or state gets into a log.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { OAuthError } from '../oauth/errors.ts';

const refusals = new WeakMap<FastifyRequest, OAuthError>();

/** Has the request's line say why it was refused; with its id, that is what an incident code leads to. */
export function noteRefusal(request: FastifyRequest, refusal: OAuthError): void {
  refusals.set(request, refusal);
}

export function requestLog(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    const refusal = refusals.get(request);
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? 'unmatched',
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime * 10) / 10,
        ...(refusal && { error: refusal.error, description: refusal.description }),
      },
      'request',
    );
    done();
  });
}
