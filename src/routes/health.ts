// GET /livez reports whether the process runs, and GET /readyz whether the database is reachable.
import type { FastifyInstance } from 'fastify';
import type { Services } from '../http/services.ts';
import { temporarilyUnavailable } from '../oauth/errors.ts';
import { statement } from '../store/statement.ts';

const PING = statement('ping', 'select 1 as one');

export function healthRoutes(app: FastifyInstance, { database }: Services, isClosing: () => boolean): void {
  app.get('/livez', async () => ({ status: 'alive' }));
  app.get('/readyz', async () => {
    if (isClosing()) throw temporarilyUnavailable('shutting down');
    await database.hotRead(PING, []);
    return { status: 'ready' };
  });
}
