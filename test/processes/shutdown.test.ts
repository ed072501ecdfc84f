// Being asked to stop: not ready, what was accepted is answered, exit 0 within ten seconds.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { obtainTokens, renew, signedInBrowser, userinfo } from '../support/flow.ts';
import { type Lock, lockGrants } from '../support/locks.ts';
import { endProcesses, type ServiceProcess, spawnService, startService } from '../support/process.ts';
import { freePort, type TestApplication, type TestService, useTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const CUT_OFF = 'requests that took too long were cut off';

const service = useTestService();
afterAll(endProcesses);

interface HeldRenewal {
  process: ServiceProcess;
  /** The service as that process answers for it. */
  there: TestService;
  application: TestApplication;
  refreshToken: string;
  lock: Lock;
}

/** A process, and a grant of which every renewal waits in the database until the lock is released. */
async function processWithHeldGrant(): Promise<HeldRenewal> {
  const process = await startService({ DATABASE_URL: service.databaseUrl, BASE_URL: service.baseUrl });
  const there = { ...service, baseUrl: process.address };
  const application = await service.createApplication();
  const browser = await signedInBrowser(there, await service.createUser());
  const { refreshToken } = await obtainTokens(there, application, browser);
  const lock = await lockGrants(service.databaseUrl, application.clientId);
  return { process, there, application, refreshToken, lock };
}

const hasLogged = (process: ServiceProcess, message: string) =>
  process.logs().some(({ msg }) => msg === message);

const isRefused = (address: string) =>
  fetch(`${address}/livez`).then(
    () => false,
    () => true,
  );

test('SIGTERM: /readyz fails, no connection is accepted, requests in flight finish, exit 0, a second signal is ignored', async () => {
  const { process, there, application, refreshToken, lock } = await processWithHeldGrant();
  // A request that has begun to arrive, so that the service can be asked after it stopped listening.
  const socket = await openSocket(process.address);
  socket.write('GET /readyz HTTP/1.1\r\nHost: localhost\r\n');
  const renewal = renew(there, application, refreshToken);
  await lock.heldUp(1);
  process.signal('SIGTERM');
  await until('the process to stop listening', () => isRefused(process.address));
  process.signal('SIGINT');
  socket.write('\r\n');
  const readiness = await readToEnd(socket);
  await lock.release();
  const answer = await renewal;
  expect(await process.ended()).toEqual({ code: 0, signal: null });
  expect(hasLogged(process, 'closed')).toBe(true);

  expect(hasLogged(process, CUT_OFF)).toBe(false); // nobody's open connection held up the end

  expect(readiness).toMatch(/^HTTP\/1\.1 503 /);
  expect(readiness).toContain('"error":"temporarily_unavailable"');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('connection')).toBe('close'); // RFC 9112 §9.6
  const { access_token, refresh_token } = answer.body;
  expect((await userinfo(service, String(access_token))).status).toBe(200);
  expect((await renew(service, application, String(refresh_token))).status).toBe(200);
});

test('in production /readyz says no for a while before the door is shut, then the process exits 0', async () => {
  const process = await spawnService({
    NODE_ENV: 'production',
    BASE_URL: 'https://signin.example',
    DATABASE_URL: service.databaseUrl,
  });
  const ready = async () => (await fetch(`${process.address}/readyz`).catch(() => undefined))?.status;
  await until('the process to be ready', async () => (await ready()) === 200);
  process.signal('SIGTERM');
  await until('a new connection to hear that it is not ready', async () => (await ready()) === 503);
  expect(await process.ended()).toEqual({ code: 0, signal: null });
});

test('a request that is never done does not keep the process from exiting 0 in its ten seconds', async () => {
  const process = await startService({ DATABASE_URL: service.databaseUrl, BASE_URL: service.baseUrl });
  const there = { ...service, baseUrl: process.address };
  const person = await service.createUser();
  const browser = await signedInBrowser(there, person);
  const { accessToken } = await obtainTokens(there, await service.createApplication(), browser);
  expect((await userinfo(there, accessToken)).status).toBe(200);
  // Its body may take fifteen seconds to arrive, longer than the end may take.
  const socket = await openSocket(process.address);
  const heard = once(socket, 'data');
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
  expect(String(await heard)).toBe('HTTP/1.1 100 Continue\r\n\r\n'); // it is in hand
  const closed = once(socket, 'close');
  let answer = '';
  socket.on('data', (text) => {
    answer += text;
  });
  process.signal('SIGTERM');
  expect(await process.ended()).toEqual({ code: 0, signal: null });
  expect(hasLogged(process, CUT_OFF)).toBe(true);
  await closed;
  expect(answer).toBe('');
  // Nor does it keep what was disclosed before from being written down.
  const disclosed = statement('test_disclosed', 'select fields from disclosures where user_id = $1::uuid');
  expect(await service.parts.database.query(disclosed, [person.userId])).toContainEqual({
    fields: expect.stringContaining('email'),
  });
});

test('a process that still waits for its database can be stopped, too', async () => {
  const process = await spawnService({
    DATABASE_URL: `postgres://nobody@127.0.0.1:${await freePort()}/none`,
  });
  await until('the process to wait', () => hasLogged(process, 'waiting for the database'));
  process.signal('SIGTERM');
  expect(await process.ended()).toEqual({ code: 0, signal: null });
});

test('SIGTERM: the process exits although its standard output is a broken pipe', async () => {
  const process = await spawnService({
    DATABASE_URL: `postgres://nobody@127.0.0.1:${await freePort()}/none`,
  });
  await until('the process to wait', () => hasLogged(process, 'waiting for the database'));
  process.closeOutput();
  process.signal('SIGTERM');
  expect(await process.ended()).toEqual({ code: 0, signal: null });
});

async function openSocket(address: string): Promise<Socket> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

async function readToEnd(socket: Socket): Promise<string> {
  let text = '';
  for await (const bytes of socket) text += bytes;
  return text;
}
