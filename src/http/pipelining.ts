// Bounds how many requests a client may send on one connection before they are answered (RFC 9112 §9.3.2).
import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';

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
