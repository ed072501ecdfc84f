// Logs one line per request, with the route instead of the URL, which may contain secrets.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OAuthError } from '../oauth/errors.ts';
import { countRequest } from './request-metrics.ts';
import type { Services } from './services.ts';

declare module 'fastify' {
  interface FastifyRequest {
    oauthError: OAuthError | undefined;
  }
}

/** Logged if the client disconnects before the response. Status 499 is never sent. */
const ABORTED = {
  status: 499,
  error: 'aborted',
  description: 'The client disconnected before it received the response.',
};

type LogServices = Pick<Services, 'activity' | 'requestCounts'>;

export function logRequests(app: FastifyInstance, services: LogServices): void {
  app.decorateRequest('oauthError', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    // Fastify runs no onResponse hooks if the client disconnects.
    reply.raw.on('close', () => logRequest(request, reply, services));
    done();
  });
}

function logRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  { activity, requestCounts }: LogServices,
): void {
  const aborted = reply.raw.writableFinished ? undefined : ABORTED;
  const oauthError = aborted ?? request.oauthError;
  const { method } = request;
  const status = aborted?.status ?? reply.statusCode;
  const milliseconds = reply.elapsedTime;
  const route = request.routeOptions.url;
  countRequest(requestCounts, { method, route, status, milliseconds, error: oauthError?.error });
  activity.recordResponse(route);
  request.log.info(
    {
      method,
      route: route ?? 'unmatched',
      status,
      milliseconds: Math.round(milliseconds * 10) / 10,
      ...(oauthError && { error: oauthError.error, description: oauthError.description }),
    },
    'request',
  );
}
