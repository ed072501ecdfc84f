// GET /metrics for Prometheus on METRICS_PORT, if set.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { createMetrics, type Metrics } from '../http/metrics.ts';
import type { Services } from '../http/services.ts';

// An import statement would add 40 ms to startup (see outgoing/guarded-request.ts).
const { createServer } = process.getBuiltinModule('node:http');

const METRICS_PATH = '/metrics';

export async function metricsRoutes(app: FastifyInstance, services: Services): Promise<void> {
  const { metricsPort, host } = services.config;
  if (metricsPort === undefined) return;
  const metrics = await createMetrics(services);
  const [, metricsHost, port] = /^(?:\[?(.+?)\]?:)?(\d+)$/.exec(metricsPort) ?? [];
  openPort(app, metrics, { host: metricsHost ?? host, port: Number(port) });
}

/**
 * Opens the metrics port before the main port, and closes it after the main port, so that startup and shutdown
 * can be monitored.
 */
function openPort(app: FastifyInstance, metrics: Metrics, address: { host: string; port: number }): void {
  const server = createMetricsServer(() => metrics.text(), metrics.contentType);
  app.addHook('onReady', () => listen(server, address));
  app.addHook('onClose', () => close(server));
}

function createMetricsServer(text: () => Promise<string>, contentType: string): Server {
  const handleRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const respond = (status: number, type: string, body: string, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', ...headers }).end(body);
    const plain = 'text/plain; charset=utf-8';
    if (request.url?.split('?', 1)[0] !== METRICS_PATH)
      return void respond(404, plain, 'Metrics are at /metrics.\n');
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return void respond(405, plain, 'Method not allowed. Use GET.\n', { allow: 'GET, HEAD' });
    const body = await text().catch(() => undefined);
    if (body === undefined) respond(503, plain, 'Metrics are temporarily unavailable.\n');
    else respond(200, contentType, body);
  };
  return createServer({ headersTimeout: 10_000, requestTimeout: 10_000 }, (request, response) => {
    void handleRequest(request, response);
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
