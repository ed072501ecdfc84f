// Malformed HTTP requests get an OAuth error in JSON, never a 5xx response.
import { afterAll, describe, expect, test } from 'vitest';
import { expectError, expectNoServerError, getHeader } from '../support/expect-error.ts';
import { type HttpResponse, sendHttpRequest, sendRawBytes } from '../support/http-request.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const port = service.services.config.port;
afterAll(() => service.close());

describe('a raw HTTP request', () => {
  const head = 'Host: a\r\nConnection: close\r\n';
  test.each([
    ['nonsense text', 'nonsense\r\n\r\n'],
    ['a TLS handshake', Buffer.from('16030100c8010000c40303', 'hex')],
    ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown HTTP version', `GET /oauth/token HTTP/9.9\r\n${head}\r\n`],
    ['a header without a colon', `GET /oauth/token HTTP/1.1\r\n${head}nonsense\r\n\r\n`],
    ['a NUL in a header', `GET /oauth/token HTTP/1.1\r\n${head}A: b\0c\r\n\r\n`],
    [
      'two different Content-Length headers',
      `POST /oauth/token HTTP/1.1\r\n${head}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`,
    ],
    ['an invalid Content-Length', `POST /oauth/token HTTP/1.1\r\n${head}Content-Length: x\r\n\r\nabcd`],
    [
      'both Content-Length and Transfer-Encoding',
      `POST /oauth/token HTTP/1.1\r\n${head}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['an invalid chunk', `POST /oauth/token HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
    ['a space in the URL', `GET /oauth/to ken HTTP/1.1\r\n${head}\r\n`],
  ])('with %s gets an OAuth error in JSON', async (_, bytes) => {
    const response = (await sendRawBytes(port, bytes)) as HttpResponse;
    expect(response).toBeDefined();
    expect(response.status).toBeGreaterThanOrEqual(400);
    expectNoServerError(response, 'refusal');
    expect(response.text).not.toBe('');
  });

  test('with oversized headers gets 431 and an OAuth error', async () => {
    const response = (await sendRawBytes(
      port,
      `GET /oauth/token HTTP/1.1\r\n${head}A: ${'x'.repeat(100_000)}\r\n\r\n`,
    )) as HttpResponse;
    expectError(response, 431, 'invalid_request');
  });

  test.each([
    ['an absolute-form target', `GET http://evil.example/oauth/token HTTP/1.1\r\n${head}\r\n`],
    ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${head}\r\n`],
    ['HTTP/1.0 and no Host header', 'GET /oauth/userinfo HTTP/1.0\r\n\r\n'],
    [
      'an unsupported upgrade',
      `GET /oauth/userinfo HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`,
    ],
    ['2,000 small headers', `GET /oauth/userinfo HTTP/1.1\r\n${head}${'A: b\r\n'.repeat(2000)}\r\n`],
  ])('with %s never gets a 5xx response', async (what, bytes) => {
    expectNoServerError((await sendRawBytes(port, bytes)) as HttpResponse, what);
  });

  test('with the method CONNECT does not open a tunnel', async () => {
    const response = await sendRawBytes(
      port,
      'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n',
    );
    if (response !== undefined) expectNoServerError(response, 'CONNECT');
  });

  test('does not affect later requests if it is malformed', async () => {
    const response = await sendHttpRequest(port, '/readyz');
    expect(response.status).toBe(200);
    expect(getHeader(response, 'content-type')).toContain('application/json');
  });
});
