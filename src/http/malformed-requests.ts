// What comes before routing: targets in absolute form, requests that cannot be parsed, and pipelining.

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Reduces a target in absolute form to its path (RFC 9112 §3.2.2): a host that a request names doesn't count. A path that cannot
 * be decoded is taken literally, because Fastify answers bad URLs without its hooks: no rate limit, no log.
 */
export function pathTarget({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const stripped = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const target = stripped.startsWith('/') ? stripped : `/${stripped}`;
  const [path = ''] = target.split(/[?#]/, 1);
  try {
    decodeURI(path);
    return target;
  } catch {
    return path.replaceAll('%', '%25') + target.slice(path.length);
  }
}

const UNREADABLE = { status: '400 Bad Request', description: 'The request cannot be read.' };
const CLIENT_ERRORS: Record<string, typeof UNREADABLE> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    description:
      'The headers of the request are larger than 16 kB. In a browser, delete the cookies of this site.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    description: 'The request did not arrive in time.',
  },
};

/** Answers a request that Node cannot parse, in the shape of every other error, and closes the connection. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  // The body turned out bad after the answer was given: one request gets one answer. Node's own handler looks here too.
  const { _httpMessage: given } = socket as Socket & { _httpMessage?: ServerResponse };
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (given?.headersSent) {
    socket.destroySoon();
    return;
  }
  const { status, description } = CLIENT_ERRORS[error.code ?? ''] ?? UNREADABLE;
  const body = JSON.stringify({ error: 'invalid_request', error_description: description });
  const lines = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Pragma: no-cache',
    'Connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
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
