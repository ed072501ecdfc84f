// The guard against overload counts what is being worked on, and only that.

import { connect } from 'node:net';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { overloadGuard } from '../../src/http/overload.ts';
import { freePort } from '../support/service.ts';
import { until } from '../support/until.ts';

test('a place is given back when the peer hangs up before its answer', async () => {
  const port = await freePort();
  const app = fastify();
  overloadGuard(app, 3);
  let atWork = 0;
  let finish = () => {};
  let finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  app.get('/slow', async () => {
    atWork += 1;
    await finished;
    return 'done';
  });
  let hungUp = 0;
  app.addHook('onRequestAbort', (_request, done) => {
    hungUp += 1;
    done();
  });
  await app.listen({ host: '127.0.0.1', port });

  const sockets = Array.from({ length: 3 }, () => {
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n');
    return socket;
  });
  await until('all places to be taken', () => atWork === 3);
  const ask = async () => (await fetch(`http://127.0.0.1:${port}/slow`)).status;
  expect(await ask()).toBe(503);
  for (const socket of sockets) socket.destroy();
  await until('the service to notice', () => hungUp === 3);
  finish();
  finished = Promise.resolve();
  await until('the places to be given back', async () => (await ask()) === 200);
  await app.close();
});
