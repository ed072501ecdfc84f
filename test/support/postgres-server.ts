// PostgreSQL server that tests can stop, crash and restart.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kill } from 'node:process';
import { startEmbeddedPostgres } from '../../tools/embedded-postgres.ts';
import { openDatabaseProxy } from './database-proxy.ts';

export interface StoppablePostgres {
  /** URL of a proxy. It stays the same after a restart. */
  url: string;
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** URL without the proxy. */
  directUrl(): string;
  stop(): Promise<void>;
  crash(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function startStoppablePostgres(folder: string): Promise<StoppablePostgres> {
  let postgres = await startEmbeddedPostgres({ dataDir: folder });
  // PostgreSQL gets a new port on each start, so a proxy keeps the URL stable.
  const proxy = await openDatabaseProxy(postgres.url);
  const stop = async () => {
    await postgres.stop();
    await proxy.cut();
  };
  return {
    url: proxy.url,
    cut: () => proxy.cut(),
    restore: () => proxy.restore(),
    directUrl: () => postgres.url,
    stop,
    crash: async () => {
      const pid = Number.parseInt(await readFile(join(folder, 'cluster', 'postmaster.pid'), 'utf8'), 10);
      kill(pid, 'SIGQUIT');
      await stop();
    },
    start: async () => {
      postgres = await startEmbeddedPostgres({ dataDir: folder });
      await proxy.restore(postgres.url);
    },
    close: async () => {
      await proxy.close();
      await postgres.stop();
    },
  };
}
