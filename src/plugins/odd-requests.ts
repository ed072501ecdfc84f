// Requests that Node or the router would answer by themselves, past every plugin: they are let in among the others (D10).
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidRequest } from '../oauth/errors.ts';

/**
 * An address that cannot be decoded is taken literally: it names nothing, but it is logged and counted and gets its
 * headers like any other on the way to its refusal.
 */
export function decodableAddress({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const [path = ''] = url.split(/[?#;]/, 1);
  try {
    decodeURI(path);
    return url;
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length);
  }
}

/** Whether the address had to be taken literally. */
export const isUndecodable = (request: FastifyRequest): boolean => request.originalUrl !== request.url;

/** For the server's `requireHostHeader` switched off: refuses what Node would have refused with an empty body. */
export function oddRequests(app: FastifyInstance): void {
  // RFC 9110 §10.1.1: an expectation other than 100-continue may be ignored; Node would say 417.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  // RFC 9112 §3.2: HTTP/1.1 without Host is refused.
  app.addHook('onRequest', async ({ raw: { httpVersion }, headers }) => {
    if (httpVersion === '1.1' && headers.host === undefined)
      throw invalidRequest('The request has no Host header.');
  });
}
