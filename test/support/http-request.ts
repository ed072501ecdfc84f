// Sends HTTP requests with arbitrary headers, paths, bytes and certificates.
import { type Agent, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect } from 'node:net';

export interface HttpResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

export interface HttpRequestOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** A PEM certificate. */
  ca?: string;
  host?: string;
  /** By default, each request opens a new connection. */
  agent?: Agent;
}

export function sendHttpRequest(
  port: number,
  path: string,
  options: HttpRequestOptions = {},
): Promise<HttpResponse> {
  const { method = 'GET', headers = {}, body, ca, host = '127.0.0.1', agent = false } = options;
  return new Promise((resolve, reject) => {
    const request = (ca === undefined ? requestHttp : requestHttps)(
      {
        host,
        port,
        path,
        method,
        headers,
        agent,
        maxHeaderSize: 256 * 1024,
        ...(ca !== undefined && { ca }),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** Returns undefined if the service closes the connection without a response. */
export function sendRawBytes(port: number, bytes: string | Buffer): Promise<HttpResponse | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setTimeout(30_000, () =>
      socket.destroy(new Error('the service neither responded nor closed the connection')),
    );
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The service may close the connection before it has read all bytes.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.on('close', () => resolve(parseResponse(Buffer.concat(chunks).toString())));
  });
}

function parseResponse(text: string): HttpResponse | undefined {
  if (text === '') return undefined;
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    status: Number(/^HTTP\/1\.[01] (\d{3}) /.exec(statusLine)?.[1]),
    headers: Object.fromEntries(headers),
    text: rest.join('\r\n\r\n'),
  };
}
