// What is no HTTP, or hardly: refused in D10's shape, never a 5xx, and the service goes on.
import { afterAll, describe, expect, test } from 'vitest';
import { expectDecent, expectError, header } from '../support/expect-error.ts';
import { type HttpAnswer, httpRequest, rawRequest } from '../support/http-request.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const port = service.parts.config.port;
afterAll(() => service.close());

describe('what is no HTTP (D10)', () => {
  const head = 'Host: a\r\nConnection: close\r\n';
  test.each([
    ['nonsense', 'nonsense\r\n\r\n'],
    ['TLS', Buffer.from('16030100c8010000c40303', 'hex')],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown version', `GET /oauth/token HTTP/9.9\r\n${head}\r\n`],
    ['a header without a colon', `GET /oauth/token HTTP/1.1\r\n${head}nonsense\r\n\r\n`],
    ['a NUL in a header', `GET /oauth/token HTTP/1.1\r\n${head}A: b\0c\r\n\r\n`],
    [
      'two different lengths',
      `POST /oauth/token HTTP/1.1\r\n${head}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`,
    ],
    ['a length that is none', `POST /oauth/token HTTP/1.1\r\n${head}Content-Length: x\r\n\r\nabcd`],
    [
      'length and chunks at once',
      `POST /oauth/token HTTP/1.1\r\n${head}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a bad chunk', `POST /oauth/token HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
    ['a space in the address', `GET /oauth/to ken HTTP/1.1\r\n${head}\r\n`],
  ])('D10: %s is refused in the one shape', async (_, bytes) => {
    const answer = (await rawRequest(port, bytes)) as HttpAnswer;
    expect(answer).toBeDefined();
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expectDecent(answer, 'refusal');
    expect(answer.text).not.toBe('');
  });

  test('D10: headers that are too large are 431 in the one shape', async () => {
    const answer = (await rawRequest(
      port,
      `GET /oauth/token HTTP/1.1\r\n${head}A: ${'x'.repeat(100_000)}\r\n\r\n`,
    )) as HttpAnswer;
    expectError(answer, 431, 'invalid_request');
  });

  test.each([
    ['an absolute address', `GET http://evil.example/oauth/token HTTP/1.1\r\n${head}\r\n`],
    ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${head}\r\n`],
    ['HTTP/1.0 without Host', 'GET /oauth/userinfo HTTP/1.0\r\n\r\n'],
    [
      'an upgrade that nobody offers',
      `GET /oauth/userinfo HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`,
    ],
    ['2,000 small headers', `GET /oauth/userinfo HTTP/1.1\r\n${head}${'A: b\r\n'.repeat(2000)}\r\n`],
  ])('D10: %s is never a 5xx', async (what, bytes) => {
    expectDecent((await rawRequest(port, bytes)) as HttpAnswer, what);
  });

  test('D10: CONNECT opens no tunnel', async () => {
    const answer = await rawRequest(port, 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n');
    if (answer !== undefined) expectDecent(answer, 'CONNECT');
  });

  test('the service is unharmed: the next good request is served', async () => {
    const answer = await httpRequest(port, '/readyz');
    expect(answer.status).toBe(200);
    expect(header(answer, 'content-type')).toContain('application/json');
  });
});
