// A port that nobody listens on.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

// Below those that systems give to whoever names none (RFC 6335 §6 has them from 49152, Linux from 32768): between being found
// and being used it is not given to somebody else. Those above are the tests' (test/support/free-port.ts).
const [LOWEST, HIGHEST] = [20_000, 21_999];
const anyPort = () => randomInt(LOWEST, HIGHEST + 1);

/**
 * The wished port if it is free, else any. Somebody else may take it before it is used.
 * @param host where it is going to be listened on
 */
export async function freePort(wished = anyPort(), host = '127.0.0.1'): Promise<number> {
  const server = createServer().listen(wished, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    if (!/^(?:EADDRINUSE|EACCES)$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return freePort(anyPort(), host);
  }
  server.close();
  await once(server, 'close');
  return wished;
}
