// Slow clients are disconnected, while requests from other clients succeed.
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendHttpRequest } from '../support/http-request.ts';
import { obtainTokens, openSignedInBrowser } from '../support/oauth-flow.ts';
import { useTestService } from '../support/service.ts';
import { killProcesses, readAllLogs, type ServiceProcess, startService } from '../support/service-process.ts';
import { waitUntil } from '../support/wait-until.ts';

const CLIENTS_PER_KIND = 50;

const service = useTestService();
let process: ServiceProcess;
let port: number;
let accessToken: string;
beforeAll(async () => {
  process = await startService({ DATABASE_URL: service.databaseUrl, BASE_URL: service.baseUrl });
  port = Number(new URL(process.url).port);
  const remote = { ...service, baseUrl: process.url };
  const browser = await openSignedInBrowser(remote, await service.createUser());
  ({ accessToken } = await obtainTokens(remote, await service.createClient(), browser));
});
afterAll(killProcesses);

async function expectOtherRequestsSucceed(): Promise<void> {
  for (let count = 0; count < 5; count++) {
    const { status } = await sendHttpRequest(port, '/oauth/userinfo', {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    expect(status).toBe(200);
  }
}

interface SlowClient {
  received: string;
  closed: boolean;
  socket: Socket;
}

/** Opens a connection and sends `first`. The test then sends one byte at a time. */
function openSlowClient(first: string): SlowClient {
  const socket = connect(port, '127.0.0.1');
  // Node queues these bytes before all others.
  socket.write(first);
  const client: SlowClient = { received: '', closed: false, socket };
  socket.on('data', (bytes) => {
    client.received += bytes;
  });
  // Ignore errors from writing to a closed connection.
  socket.on('error', () => {});
  socket.on('close', () => {
    client.closed = true;
  });
  return client;
}

test(`clients with slow headers or bodies are disconnected`, async () => {
  const form = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 60000';
  const clients = [
    ...Array.from({ length: CLIENTS_PER_KIND }, () =>
      openSlowClient('GET /oauth/userinfo HTTP/1.1\r\nHost: a\r\nX-Slow: '),
    ),
    ...Array.from({ length: CLIENTS_PER_KIND }, () =>
      openSlowClient(`POST /oauth/token HTTP/1.1\r\nHost: a\r\n${form}\r\n\r\ngrant_type=`),
    ),
  ];
  const interval = setInterval(() => {
    for (const { socket, closed } of clients) if (!closed && socket.writable) socket.write('x');
  }, 250);
  try {
    await expectOtherRequestsSucceed();
    expect(clients.filter(({ closed }) => !closed).length).toBeGreaterThan(0);
    await waitUntil(
      () =>
        `all slow clients to be disconnected; ${clients.filter(({ closed }) => !closed).length} are still connected`,
      () => clients.every(({ closed }) => closed),
    );
  } finally {
    clearInterval(interval);
    for (const { socket } of clients) socket.destroy();
  }
  for (const { received } of clients)
    if (received !== '') expect(received).toMatch(/^HTTP\/1\.1 408 .*"error":"invalid_request"/s);
  // A byte sent after the service has closed the connection can discard the response.
  expect(clients.filter(({ received }) => received !== '').length).toBeGreaterThan(CLIENTS_PER_KIND);
});

test('slow clients cause no warnings in the log', async () => {
  expect(process.hasExited()).toBe(false);
  expect((await readAllLogs(process)).filter(({ level }) => level !== 'info')).toEqual([]);
});
