// GET /metrics on METRICS_PORT, for Prometheus.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { createMetrics, type Metrics } from '../http/metrics.ts';
import type { Parts } from '../http/parts.ts';

// Not imported: see outgoing/guarded-request.ts.
const { createServer } = process.getBuiltinModule('node:http');

const PATH = '/metrics';

/** Opens METRICS_PORT; without it there are no metrics. */
export async function metricsRoutes(app: FastifyInstance, parts: Parts): Promise<void> {
  const { metricsPort, host } = parts.config;
  if (metricsPort === undefined) return;
  const metrics = await createMetrics(parts);
  const [, named, port] = /^(?:\[?(.+?)\]?:)?(\d+)$/.exec(metricsPort) ?? [];
  openPort(app, metrics, { host: named ?? host, port: Number(port) });
}

/** The port opens before the service does and closes after it, so that the end can be watched too. */
function openPort(app: FastifyInstance, metrics: Metrics, address: { host: string; port: number }): void {
  const server = metricsServer(() => metrics.text(), metrics.contentType);
  app.addHook('onReady', () => listen(server, address));
  app.addHook('onClose', () => close(server));
}

/** A server that knows one address. It asks for no token: whoever can reach it may read. */
function metricsServer(text: () => Promise<string>, contentType: string): Server {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const end = (status: number, type: string, body: string, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', ...headers }).end(body);
    const plain = 'text/plain; charset=utf-8';
    if (request.url?.split('?', 1)[0] !== PATH) return void end(404, plain, 'Metrics are at /metrics.\n');
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return void end(405, plain, 'This address takes GET requests only.\n', { allow: 'GET, HEAD' });
    const body = await text().catch(() => undefined);
    if (body === undefined) end(503, plain, 'The metrics cannot be read right now.\n');
    else end(200, contentType, body);
  };
  return createServer({ headersTimeout: 10_000, requestTimeout: 10_000 }, (request, response) => {
    void answer(request, response);
  });
}

function listen(server: Server, address: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(Object.assign(error, { setting: 'METRICS_PORT' }));
    server.once('error', fail);
    server.listen(address, () => {
      server.off('error', fail);
      resolve();
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
