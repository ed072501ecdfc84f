// Graceful shutdown: /readyz fails, requests finish, and the process exits within 10 s.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { type Lock, lockGrants } from '../support/locks.ts';
import {
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  redeemRefreshToken,
} from '../support/oauth-flow.ts';
import { findFreePort, type TestClient, type TestService, useTestService } from '../support/service.ts';
import {
  killProcesses,
  type ServiceProcess,
  spawnService,
  startService,
} from '../support/service-process.ts';
import { waitUntil } from '../support/wait-until.ts';

const TIMED_OUT_MESSAGE = 'shutdown timed out; unfinished requests were aborted';

const service = useTestService();
afterAll(killProcesses);

interface LockedGrant {
  process: ServiceProcess;
  remote: TestService;
  client: TestClient;
  refreshToken: string;
  lock: Lock;
}

/** Starts the service and locks a grant so that a token refresh waits in the database. */
async function startWithLockedGrant(): Promise<LockedGrant> {
  const process = await startService({ DATABASE_URL: service.databaseUrl, BASE_URL: service.baseUrl });
  const remote = { ...service, baseUrl: process.url };
  const client = await service.createClient();
  const browser = await openSignedInBrowser(remote, await service.createUser());
  const { refreshToken } = await obtainTokens(remote, client, browser);
  const lock = await lockGrants(service.databaseUrl, client.clientId);
  return { process, remote, client, refreshToken, lock };
}

const hasLogged = (process: ServiceProcess, message: string) =>
  process.logs().some(({ msg }) => msg === message);

const isConnectionRefused = (url: string) =>
  fetch(`${url}/livez`).then(
    () => false,
    () => true,
  );

test('a process finishes requests in flight after SIGTERM', async () => {
  const { process, remote, client, refreshToken, lock } = await startWithLockedGrant();
  // Send the start of a request now, and its end after the port is closed.
  const socket = await openSocket(process.url);
  socket.write('GET /readyz HTTP/1.1\r\nHost: localhost\r\n');
  const refresh = redeemRefreshToken(remote, client, refreshToken);
  await lock.waitForBlocked(1);
  process.signal('SIGTERM');
  await waitUntil('the process to stop listening', () => isConnectionRefused(process.url));
  process.signal('SIGINT');
  socket.write('\r\n');
  const readiness = await readToEnd(socket);
  await lock.release();
  const response = await refresh;
  expect(await process.waitForExit()).toEqual({ code: 0, signal: null });
  expect(hasLogged(process, 'shutdown complete')).toBe(true);

  // Idle connections don't delay the shutdown.
  expect(hasLogged(process, TIMED_OUT_MESSAGE)).toBe(false);

  expect(readiness).toMatch(/^HTTP\/1\.1 503 /);
  expect(readiness).toContain('"error":"temporarily_unavailable"');
  expect(response.status).toBe(200);
  // The response announces that the connection will be closed (RFC 9112 §9.6).
  expect(response.headers.get('connection')).toBe('close');
  const { access_token, refresh_token } = response.body;
  expect((await fetchUserinfo(service, String(access_token))).status).toBe(200);
  expect((await redeemRefreshToken(service, client, String(refresh_token))).status).toBe(200);
});

test('in production, /readyz fails before the port closes', async () => {
  const process = await spawnService({
    NODE_ENV: 'production',
    BASE_URL: 'https://signin.example',
    DATABASE_URL: service.databaseUrl,
  });
  const fetchReadiness = async () => (await fetch(`${process.url}/readyz`).catch(() => undefined))?.status;
  await waitUntil('the process to be ready', async () => (await fetchReadiness()) === 200);
  process.signal('SIGTERM');
  await waitUntil('/readyz to fail on a new connection', async () => (await fetchReadiness()) === 503);
  expect(await process.waitForExit()).toEqual({ code: 0, signal: null });
});

test('a process exits within ten seconds despite an unfinished request', async () => {
  const process = await startService({ DATABASE_URL: service.databaseUrl, BASE_URL: service.baseUrl });
  const remote = { ...service, baseUrl: process.url };
  const user = await service.createUser();
  const browser = await openSignedInBrowser(remote, user);
  const { accessToken } = await obtainTokens(remote, await service.createClient(), browser);
  expect((await fetchUserinfo(remote, accessToken)).status).toBe(200);
  // The request is still incomplete at the end of the shutdown because the body timeout (15 s) is longer.
  const socket = await openSocket(process.url);
  const continued = once(socket, 'data');
  socket.write(
    [
      'POST /oauth/token HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/x-www-form-urlencoded',
      'Content-Length: 100',
      'Expect: 100-continue',
      '\r\n',
    ].join('\r\n'),
  );
  expect(String(await continued)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  const socketClosed = once(socket, 'close');
  let response = '';
  socket.on('data', (text) => {
    response += text;
  });
  process.signal('SIGTERM');
  expect(await process.waitForExit()).toEqual({ code: 0, signal: null });
  expect(hasLogged(process, TIMED_OUT_MESSAGE)).toBe(true);
  await socketClosed;
  expect(response).toBe('');
  // Buffered usage records are written even if the shutdown times out.
  const disclosed = statement('test_disclosed', 'select fields from disclosures where user_id = $1::uuid');
  expect(await service.services.database.query(disclosed, [user.userId])).toContainEqual({
    fields: expect.stringContaining('email'),
  });
});

test('a process that waits for its database can be stopped', async () => {
  const process = await spawnService({
    DATABASE_URL: `postgres://nobody@127.0.0.1:${await findFreePort()}/none`,
  });
  await waitUntil('the process to wait for the database', () =>
    hasLogged(process, 'waiting for the database'),
  );
  process.signal('SIGTERM');
  expect(await process.waitForExit()).toEqual({ code: 0, signal: null });
});

test('a process exits if its standard output is a broken pipe', async () => {
  const process = await spawnService({
    DATABASE_URL: `postgres://nobody@127.0.0.1:${await findFreePort()}/none`,
  });
  await waitUntil('the process to wait for the database', () =>
    hasLogged(process, 'waiting for the database'),
  );
  process.closeOutput();
  process.signal('SIGTERM');
  expect(await process.waitForExit()).toEqual({ code: 0, signal: null });
});

async function openSocket(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

async function readToEnd(socket: Socket): Promise<string> {
  let text = '';
  for await (const bytes of socket) text += bytes;
  return text;
}
