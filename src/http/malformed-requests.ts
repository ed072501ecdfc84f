// Handles absolute-form request targets and unparsable requests before routing.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Reduces an absolute-form target to its path (RFC 9112 §3.2.2). Escapes undecodable paths because Fastify would answer
 * them without running the hooks.
 */
export function normalizeRequestTarget({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const stripped = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const target = stripped.startsWith('/') ? stripped : `/${stripped}`;
  const [path = ''] = target.split(/[?#]/, 1);
  try {
    decodeURI(path);
    return target;
  } catch {
    return path.replaceAll('%', '%25') + target.slice(path.length);
  }
}

const MALFORMED_REQUEST = { status: '400 Bad Request', description: 'The request is malformed.' };
const CLIENT_ERRORS: Record<string, typeof MALFORMED_REQUEST> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    description: 'The request headers are larger than 16 kB. In a browser, delete the cookies for this site.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    description: 'The request did not arrive in time.',
  },
};

export function handleClientError(error: Error & { code?: string }, socket: Socket): void {
  // Node exposes a started response only as the undocumented `_httpMessage`.
  const { _httpMessage: response } = socket as Socket & { _httpMessage?: ServerResponse };
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (response?.headersSent) {
    socket.destroySoon();
    return;
  }
  const { status, description } = CLIENT_ERRORS[error.code ?? ''] ?? MALFORMED_REQUEST;
  const body = JSON.stringify({ error: 'invalid_request', error_description: description });
  const lines = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Pragma: no-cache',
    'Connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
