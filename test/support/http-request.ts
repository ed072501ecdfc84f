// HTTP with everything in the test's hand: any header (Host too), the address as written, raw bytes, own authority.
import { type Agent, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect } from 'node:net';

export interface HttpAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

export interface HttpRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** The certificate to trust; with it the request goes by TLS. */
  ca?: string;
  host?: string;
  /** Whose connections to use, for many requests that leave theirs in order; else each has one of its own. */
  agent?: Agent;
}

/** Sends one request to a local port, on a connection of its own unless told. */
export function httpRequest(port: number, path: string, options: HttpRequest = {}): Promise<HttpAnswer> {
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

/** Sends bytes as they are and reads until the service closes the connection; undefined when it says nothing. */
export function rawRequest(port: number, bytes: string | Buffer): Promise<HttpAnswer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setTimeout(30_000, () => socket.destroy(new Error('the service neither answered nor hung up')));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // A refusal may come while we still write; what was said before counts.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.on('close', () => resolve(parseAnswer(Buffer.concat(chunks).toString())));
  });
}

function parseAnswer(text: string): HttpAnswer | undefined {
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
