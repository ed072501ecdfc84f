// One line a request: the route's pattern instead of its address, so that no code, token or state gets into a log.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { OAuthError } from '../oauth/errors.ts';
import { countAnswer, type RequestCounts } from './metrics.ts';

const refusals = new WeakMap<FastifyRequest, OAuthError>();

/** Has the request's line say why it was refused; with its id, that is what an incident code leads to. */
export function noteRefusal(request: FastifyRequest, refusal: OAuthError): void {
  refusals.set(request, refusal);
}

/** Writes the line, and counts the same facts for /metrics. */
export function requestLog(app: FastifyInstance, requests: RequestCounts): void {
  app.addHook('onResponse', (request, reply, done) => {
    const refusal = refusals.get(request);
    const { method } = request;
    const { statusCode: status, elapsedTime: milliseconds } = reply;
    const route = request.routeOptions.url;
    countAnswer(requests, { method, route, status, milliseconds, error: refusal?.error });
    request.log.info(
      {
        method,
        route: route ?? 'unmatched',
        status,
        milliseconds: Math.round(milliseconds * 10) / 10,
        ...(refusal && { error: refusal.error, description: refusal.description }),
      },
      'request',
    );
    done();
  });
}
