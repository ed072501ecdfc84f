// The guard against overload counts what is being worked on, and only that.

import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { overloadGuard, withoutSlot } from '../../src/http/overload.ts';
import { guardedRequest } from '../../src/outgoing/guarded-request.ts';
import { freePort } from '../support/service.ts';
import { until } from '../support/until.ts';

test('a request holds no slot while it waits for another server, and holds one again afterwards', async () => {
  const [port, slowPort] = [await freePort(), await freePort()];
  const waiting: ServerResponse[] = [];
  const slow = createServer((_, response) => waiting.push(response));
  await new Promise<void>((resolve) => slow.listen(slowPort, '127.0.0.1', resolve));
  const app = fastify();
  overloadGuard(app, 3);
  let [arrived, finish] = [0, () => {}];
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  app.get('/asks', async (request) => {
    const { query } = request as { query: { waits?: string } };
    if (query.waits === undefined) return 'done';
    await withoutSlot(request, (offSlot) =>
      guardedRequest(
        `http://127.0.0.1:${slowPort}/`,
        { within: 60_000, most: 100 },
        { production: false, loopback: true },
        offSlot,
      ),
    );
    arrived += 1;
    await finished;
    return 'done';
  });
  await app.listen({ host: '127.0.0.1', port });
  const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;

  const visits = Array.from({ length: 10 }, () => statusOf('/asks?waits=1'));
  await until('all to wait', () => waiting.length === 10);
  expect(await statusOf('/asks')).toBe(200);
  for (const response of waiting) response.end('late');
  await until('all to work again', () => arrived === 10);
  expect(await statusOf('/asks')).toBe(503);
  finish();
  expect(new Set(await Promise.all(visits))).toEqual(new Set([200]));
  expect(await statusOf('/asks')).toBe(200);
  await app.close();
  slow.close();
});

test('a slot is released when the peer hangs up before its answer', async () => {
  const port = await freePort();
  const app = fastify();
  overloadGuard(app, 1);
  let finish = () => {};
  const work = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let [atWork, hungUp] = [0, 0];
  app.get('/slow', async () => {
    atWork += 1;
    await work;
    return 'done';
  });
  app.addHook('onRequestAbort', (_request, done) => {
    hungUp += 1;
    done();
  });
  await app.listen({ host: '127.0.0.1', port });
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await until('the slot to be taken', () => atWork === 1);
  const ask = async () => (await fetch(`http://127.0.0.1:${port}/slow`)).status;
  expect(await ask()).toBe(503);
  socket.destroy();
  await until('the service to notice', () => hungUp === 1);
  finish();
  await until('the slot to be released', async () => (await ask()) === 200);
  await app.close();
});
