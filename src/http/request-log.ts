// One line a request: the route's pattern instead of its address, so that no code, token or state gets into a log.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OAuthError } from '../oauth/errors.ts';
import type { Parts } from './parts.ts';
import { countAnswer } from './request-metrics.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Why it was refused: its line says so, and with its id that is what an incident code leads to. */
    refusal: OAuthError | undefined;
  }
}

/** What an answer that the peer did not wait for counts as. No status is ever sent as 499, so it tells them apart. */
const ABORTED = { status: 499, error: 'aborted', description: 'The peer hung up before its answer.' };

type LogParts = Pick<Parts, 'activity' | 'requests'>;

export function requestLog(app: FastifyInstance, parts: LogParts): void {
  app.decorateRequest('refusal', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    // However it ends: a peer that hangs up gets no onResponse. It closes once; `once` would cost what onResponse saves.
    reply.raw.on('close', () => writeLine(request, reply, parts));
    done();
  });
}

function writeLine(request: FastifyRequest, reply: FastifyReply, { activity, requests }: LogParts): void {
  const aborted = reply.raw.writableFinished ? undefined : ABORTED;
  const refusal = aborted ?? request.refusal;
  const { method } = request;
  const status = aborted?.status ?? reply.statusCode;
  const milliseconds = reply.elapsedTime;
  const route = request.routeOptions.url;
  countAnswer(requests, { method, route, status, milliseconds, error: refusal?.error });
  activity.answered(route);
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
}
