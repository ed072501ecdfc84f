// Requests that Node or the router would answer by themselves, past every plugin: they are let in among the others (D10).
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidRequest, notImplemented } from '../oauth/errors.ts';

/** RFC 9110 §9.3 and RFC 5789: where an address does not take them they are 405, any other method is 501. */
const KNOWN_METHODS = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'CONNECT',
  'OPTIONS',
  'TRACE',
]);

const undecodable = new WeakSet<object>();

/**
 * The address that everything after goes by. A target in absolute form is reduced to its path (RFC 9112 §3.2.2): no
 * host that a request names counts for anything (D27). One that cannot be decoded is taken literally: it names
 * nothing, but it is logged and counted and gets its headers like any other on the way to its refusal.
 */
export function plainAddress(request: Pick<IncomingMessage, 'url'>): string {
  const stripped = (request.url ?? '/').replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const url = stripped.startsWith('/') ? stripped : `/${stripped}`;
  const [path = ''] = url.split(/[?#]/, 1);
  try {
    decodeURI(path);
    return url;
  } catch {
    undecodable.add(request);
    return path.replaceAll('%', '%25') + url.slice(path.length);
  }
}

/** Whether the address had to be taken literally. */
export const isUndecodable = (request: FastifyRequest): boolean => undecodable.has(request.raw);

/** For the server's `requireHostHeader` switched off: refuses what Node would have refused with an empty body. */
export function oddRequests(app: FastifyInstance): void {
  // RFC 9110 §10.1.1: an expectation other than 100-continue may be ignored; Node would say 417.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  // RFC 9112 §3.2: HTTP/1.1 without Host is refused.
  app.addHook('onRequest', ({ raw: { httpVersion, method }, headers }, _reply, done) => {
    if (httpVersion === '1.1' && headers.host === undefined)
      return done(invalidRequest('The request has no Host header.', { kind: 'request_unreadable' }));
    done(method !== undefined && !KNOWN_METHODS.has(method) ? notImplemented(method) : undefined);
  });
}
