// What never became a request: malformed HTTP, headers too large or too slow, answered on the bare socket (D10).
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const STATUS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Answers in the same shape as every other error, and closes the connection. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  // The body turned out bad after the answer was given: one request gets one answer. Node's own handler looks here too.
  const { _httpMessage: given } = socket as Socket & { _httpMessage?: ServerResponse };
  if (given?.headersSent) {
    socket.destroySoon();
    return;
  }
  const body = JSON.stringify({ error: 'invalid_request', error_description: 'The request cannot be read.' });
  socket.end(
    [
      `HTTP/1.1 ${STATUS[error.code ?? ''] ?? '400 Bad Request'}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      'Pragma: no-cache',
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
    () => socket.destroy(),
  );
}
