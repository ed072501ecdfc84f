// Slow clients are cut off, and others are served meanwhile.
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { obtainTokens, signedInBrowser } from '../support/flow.ts';
import { httpRequest } from '../support/http-request.ts';
import { caughtUp, endProcesses, type ServiceProcess, startService } from '../support/process.ts';
import { useTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const SOCKETS = 50;

const service = useTestService();
let process: ServiceProcess;
let port: number;
let accessToken: string;
beforeAll(async () => {
  process = await startService({ DATABASE_URL: service.databaseUrl, BASE_URL: service.baseUrl });
  port = Number(new URL(process.address).port);
  const there = { ...service, baseUrl: process.address };
  const browser = await signedInBrowser(there, await service.createUser());
  ({ accessToken } = await obtainTokens(there, await service.createApplication(), browser));
});
afterAll(endProcesses);

/** Somebody harmless, on a connection of its own, five times. The caller sees to it that the hostile ones outlast it. */
async function othersAreServed(): Promise<void> {
  for (let times = 0; times < 5; times++) {
    const { status } = await httpRequest(port, '/oauth/userinfo', {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    expect(status).toBe(200);
  }
}

interface SlowPeer {
  /** What it was told. */
  heard: string;
  closed: boolean;
  socket: Socket;
}

/** A peer that begins with `first` and sends a letter more at each stroke. */
function slowPeer(first: string): SlowPeer {
  const socket = connect(port, '127.0.0.1');
  socket.write(first); // at once: a stroke may come before the connection is made
  const peer: SlowPeer = { heard: '', closed: false, socket };
  socket.on('data', (bytes) => {
    peer.heard += bytes;
  });
  socket.on('error', () => {}); // a letter that comes after the end
  socket.on('close', () => {
    peer.closed = true;
  });
  return peer;
}

test(`${SOCKETS} sockets trickle headers and ${SOCKETS} bodies: others are served, the slow ones are cut off`, async () => {
  const form = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 60000';
  const peers = [
    ...Array.from({ length: SOCKETS }, () => slowPeer('GET /oauth/userinfo HTTP/1.1\r\nHost: a\r\nX-Slow: ')),
    ...Array.from({ length: SOCKETS }, () =>
      slowPeer(`POST /oauth/token HTTP/1.1\r\nHost: a\r\n${form}\r\n\r\ngrant_type=`),
    ),
  ];
  const strokes = setInterval(() => {
    for (const { socket, closed } of peers) if (!closed && socket.writable) socket.write('x');
  }, 250);
  try {
    await othersAreServed();
    expect(peers.filter(({ closed }) => !closed).length).toBeGreaterThan(0);
    await until(
      () => `all to be cut off; ${peers.filter(({ closed }) => !closed).length} are not`,
      () => peers.every(({ closed }) => closed),
    );
  } finally {
    clearInterval(strokes);
    for (const { socket } of peers) socket.destroy();
  }
  for (const { heard } of peers)
    if (heard !== '') expect(heard).toMatch(/^HTTP\/1\.1 408 .*"error":"invalid_request"/s);
  // Most heard why; a letter under way when the connection closes resets it before that is read.
  expect(peers.filter(({ heard }) => heard !== '').length).toBeGreaterThan(SOCKETS);
});

test('the process neither failed nor complained', async () => {
  expect(process.hasEnded()).toBe(false);
  expect((await caughtUp(process)).filter(({ level }) => level !== 'info')).toEqual([]);
});
