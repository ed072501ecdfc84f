// Finds a free TCP port.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

// Below the system's ephemeral ports (from 32768 on Linux). Tests use the ports above 21999.
const [MIN_PORT, MAX_PORT] = [20_000, 21_999];
const randomPort = () => randomInt(MIN_PORT, MAX_PORT + 1);

/** Returns the preferred port if it is free, otherwise a random free port. */
export async function findFreePort(preferred = randomPort(), host = '127.0.0.1'): Promise<number> {
  const server = createServer().listen(preferred, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    if (!/^(?:EADDRINUSE|EACCES)$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return findFreePort(randomPort(), host);
  }
  server.close();
  await once(server, 'close');
  return preferred;
}
