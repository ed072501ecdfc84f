// Requests that don't count toward the concurrency limit.
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { shedLoad, withoutSlot } from '../../src/http/overload.ts';
import { sendGuardedRequest } from '../../src/outgoing/guarded-request.ts';
import { findFreePort } from '../support/service.ts';
import { waitUntil } from '../support/wait-until.ts';

test('a request that waits for a different server does not count toward the concurrency limit', async () => {
  const [port, slowPort] = [await findFreePort(), await findFreePort()];
  const waiting: ServerResponse[] = [];
  const slow = createServer((_, response) => waiting.push(response));
  await new Promise<void>((resolve) => slow.listen(slowPort, '127.0.0.1', resolve));
  const app = fastify();
  shedLoad(app, 3);
  let [resumed, finish] = [0, () => {}];
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  app.get('/work', async (request) => {
    const { query } = request as { query: { waits?: string } };
    if (query.waits === undefined) return 'done';
    await withoutSlot(request, (slotProof) =>
      sendGuardedRequest(
        `http://127.0.0.1:${slowPort}/`,
        { timeout: 60_000, maxBytes: 100 },
        { production: false, allowLoopback: true },
        slotProof,
      ),
    );
    resumed += 1;
    await finished;
    return 'done';
  });
  await app.listen({ host: '127.0.0.1', port });
  const fetchStatus = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;

  const waitingRequests = Array.from({ length: 10 }, () => fetchStatus('/work?waits=1'));
  await waitUntil('all requests to wait', () => waiting.length === 10);
  expect(await fetchStatus('/work')).toBe(200);
  for (const response of waiting) response.end('late');
  await waitUntil('all requests to resume', () => resumed === 10);
  expect(await fetchStatus('/work')).toBe(503);
  finish();
  expect(new Set(await Promise.all(waitingRequests))).toEqual(new Set([200]));
  expect(await fetchStatus('/work')).toBe(200);
  await app.close();
  slow.close();
});

test('a request no longer counts toward the concurrency limit after the client disconnects', async () => {
  const port = await findFreePort();
  const app = fastify();
  shedLoad(app, 1);
  let finish = () => {};
  const work = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let [started, aborted] = [0, 0];
  app.get('/slow', async () => {
    started += 1;
    await work;
    return 'done';
  });
  app.addHook('onRequestAbort', (_request, done) => {
    aborted += 1;
    done();
  });
  await app.listen({ host: '127.0.0.1', port });
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await waitUntil('the slot to be taken', () => started === 1);
  const fetchSlowStatus = async () => (await fetch(`http://127.0.0.1:${port}/slow`)).status;
  expect(await fetchSlowStatus()).toBe(503);
  socket.destroy();
  await waitUntil('the service to detect the disconnection', () => aborted === 1);
  finish();
  await waitUntil('the slot to be released', async () => (await fetchSlowStatus()) === 200);
  await app.close();
});
