// Pipelined requests, and request bodies that arrive after the response.
import { connect } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

const REQUEST = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n';

/** Sends bytes and returns everything received. Closes the connection once `isComplete` returns true. */
function exchange(bytes: string, isComplete: (received: string) => boolean = () => false): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(service.services.config.port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (isComplete(received)) socket.end();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.on('close', () => resolve(received));
  });
}

const countResponses = (received: string): number => received.split('HTTP/1.1 200 OK').length - 1;

test('each of 10 pipelined requests gets a response', async () => {
  const received = await exchange(REQUEST.repeat(10), (text) => countResponses(text) === 10);
  expect(countResponses(received)).toBe(10);
});

test('a connection with more than 10 pipelined requests is closed', async () => {
  expect(await exchange(REQUEST.repeat(11))).toBe('');
});

test.each(['GET /signin', 'HEAD /signin', 'GET /no/such/page', 'OPTIONS /oauth/token'])(
  'the connection is closed after %s with an unread chunked body',
  async (line) => {
    const head = `${line} HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n`;
    const received = await exchange(`${head}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n`);
    expect(received).toMatch(/^HTTP\/1\.1 [24]\d\d /);
    expect(received.toLowerCase()).toContain('\r\nconnection: close\r\n');
  },
);
