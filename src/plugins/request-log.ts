// One line a request: the route's pattern instead of its address, so that no code, token or state gets into a log.
import type { FastifyInstance } from 'fastify';

export function requestLog(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? 'unmatched',
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    );
    done();
  });
}
