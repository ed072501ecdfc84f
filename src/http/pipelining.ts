// Limits HTTP pipelining.
import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';

/** Without a limit, Node processes up to two megabytes of pipelined requests before it serves other connections. */
const MAX_PIPELINED = 10;

export function limitPipelining(server: Server): void {
  const unanswered = new WeakMap<Socket, number>();
  const [handle] = server.listeners('request') as RequestListener[];
  if (handle === undefined) throw new Error('the server has no request listener');
  server.removeListener('request', handle);
  server.on('request', (request, response) => {
    const { socket } = request;
    const count = (unanswered.get(socket) ?? 0) + 1;
    unanswered.set(socket, count);
    if (count > MAX_PIPELINED) {
      socket.destroy();
      return;
    }
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    handle(request, response);
  });
}
