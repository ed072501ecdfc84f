// Serves static files on a separate origin.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';

export interface StaticSite {
  baseUrl: string;
  setFile(path: string, content: string): void;
  close(): Promise<void>;
}

const CONTENT_TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/** @param files by path. `/` serves `/index.html`. */
export async function startStaticSite(
  files: Record<string, URL> = {},
  { host = 'localhost', headers = {} }: { host?: string; headers?: Record<string, string> } = {},
): Promise<StaticSite> {
  const contents = new Map<string, string>();
  for (const [path, file] of Object.entries(files)) contents.set(path, await readFile(file, 'utf8'));
  const server = createServer((request, response) => {
    const requested = request.url?.split('?', 1)[0] ?? '/';
    const path = requested === '/' ? '/index.html' : requested;
    const content = contents.get(path);
    if (content === undefined) response.writeHead(404).end();
    else response.writeHead(200, { ...headers, 'content-type': CONTENT_TYPES[extname(path)] }).end(content);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://${host}:${(server.address() as AddressInfo).port}`,
    setFile: (path, content) => void contents.set(path, content),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
