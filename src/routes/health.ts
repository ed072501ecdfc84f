// GET /livez and /readyz: is the process alive, can it serve (database reachable, not shutting down).
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../http/parts.ts';
import { temporarilyUnavailable } from '../oauth/errors.ts';
import { statement } from '../store/statement.ts';

const PING = statement('ping', 'select 1 as one');

/** @param isClosing whether the process has been asked to stop */
export function healthRoutes(app: FastifyInstance, { database }: Parts, isClosing: () => boolean): void {
  app.get('/livez', async () => ({ status: 'alive' }));
  app.get('/readyz', async () => {
    if (isClosing()) throw temporarilyUnavailable('shutting down');
    await database.hotRead(PING, []);
    return { status: 'ready' };
  });
}
