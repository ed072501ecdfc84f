// A port that nobody listens on.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/**
 * The wished port if it is free, else any. Somebody else may take it before it is used.
 * @param host where it is going to be listened on
 */
export async function freePort(wished = 0, host = '127.0.0.1'): Promise<number> {
  const server = createServer().listen(wished, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    if (wished === 0) throw error;
    return freePort(0, host);
  }
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
