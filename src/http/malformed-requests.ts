// Requests that Node or the router would answer themselves: malformed, odd or pipelined ones.

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LOCALES, messagesFor } from '../i18n/index.ts';
import { invalidRequest, notImplemented } from '../oauth/errors.ts';
import { html, render } from '../web/html/html.ts';

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

const STATUS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

const TOO_LARGE = 'The headers of the request are larger than 16 kB.';
const UNREADABLE = 'The request cannot be read.';
const UNKNOWN_METHOD = 'This service does not know the method of the request.';
/** RFC 9112 §3. */
const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64} \S+ HTTP\/1\.[01]\r?\n/;
const PLAIN = 'Use https:// to call this service.';

/** Answers in the same shape as every other error, and closes the connection. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ERR_SSL_HTTP_REQUEST') {
    answerPlainRequest(socket);
    return;
  }
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  // The body turned out bad after the answer was given: one request gets one answer. Node's own handler looks here too.
  const { _httpMessage: given } = socket as Socket & { _httpMessage?: ServerResponse };
  if (given?.headersSent) {
    socket.destroySoon();
    return;
  }
  if (error.code === 'HPE_INVALID_METHOD' && isReadable(error)) {
    send(socket, '501 Not Implemented', UNKNOWN_METHOD);
    return;
  }
  const status = STATUS[error.code ?? ''] ?? '400 Bad Request';
  if (error.code !== 'HPE_HEADER_OVERFLOW') send(socket, status, UNREADABLE);
  else if (wantsPage(error)) sendPage(socket, status);
  else send(socket, status, TOO_LARGE);
}

/** Whether a browser sent it; its Cookie header comes after Accept. */
const wantsPage = (error: Error): boolean =>
  'rawPacket' in error &&
  Buffer.isBuffer(error.rawPacket) &&
  /^accept:.*text\/html/im.test(error.rawPacket.toString('latin1', 0, 8192));

/** In every language, because the request was not read. */
function sendPage(socket: Socket, status: string): void {
  const page = html`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${status}</title>
${LOCALES.map((locale) => {
  const { title, text, advice } = messagesFor(locale).failures.headersTooLarge;
  return html`<section lang="${locale}"><h1>${title}</h1><p>${text} ${advice}</p></section>
`;
})}</html>
`;
  answer(socket, status, 'text/html; charset=utf-8', render(page));
}

/** Whether what came is a request but for its method (Node hands over the bytes that it stumbled on). */
const isReadable = (error: Error): boolean =>
  'rawPacket' in error &&
  Buffer.isBuffer(error.rawPacket) &&
  REQUEST_LINE.test(error.rawPacket.toString('latin1', 0, 8192));

/**
 * Plain HTTP on the port of our own TLS (D26). TLS has given up; the socket beneath it is still open. What was asked is
 * lost in there, the Accept header too, so this is never a page.
 */
function answerPlainRequest(tls: Socket & { _parent?: Socket }): void {
  const { _parent: socket } = tls;
  if (socket?.writable) send(socket, '400 Bad Request', PLAIN);
  else tls.destroy();
}

function send(socket: Socket, status: string, description: string): void {
  const body = JSON.stringify({ error: 'invalid_request', error_description: description });
  answer(socket, status, 'application/json; charset=utf-8', body);
}

function answer(socket: Socket, status: string, type: string, body: string): void {
  socket.end(
    [
      `HTTP/1.1 ${status}`,
      `Content-Type: ${type}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      "Content-Security-Policy: default-src 'none'",
      'X-Content-Type-Options: nosniff',
      'Pragma: no-cache',
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
    () => socket.destroy(),
  );
}

/**
 * Unanswered requests of one connection. Browsers and reverse proxies send one at a time. Node hands over all requests
 * of a packet at once, and two megabytes of packets without a break.
 */
const MAX_UNANSWERED = 10;

/** Closes connections with more unanswered requests. It comes before everything that costs time, routing included. */
export function limitPipelining(server: Server): void {
  const unanswered = new WeakMap<Socket, number>();
  const [handle] = server.listeners('request') as RequestListener[];
  if (handle === undefined) throw new Error('the server has no request listener');
  server.removeListener('request', handle);
  server.on('request', (request, response) => {
    const { socket } = request;
    const count = (unanswered.get(socket) ?? 0) + 1;
    unanswered.set(socket, count);
    if (count > MAX_UNANSWERED) {
      socket.destroy();
      return;
    }
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    handle(request, response);
  });
}
