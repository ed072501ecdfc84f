// PostgreSQL server that tests can stop, crash and restart. Its URL never changes.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kill } from 'node:process';
import { startEmbeddedPostgres } from '../../tools/embedded-postgres.ts';
import { openDatabaseProxy } from './database-proxy.ts';

export interface StoppablePostgres {
  /** URL for the service. It refuses connections while PostgreSQL is stopped. */
  url: string;
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** Returns PostgreSQL's current URL, without the proxy. */
  directUrl(): string;
  /** Shuts the server down cleanly. */
  stop(): Promise<void>;
  /** Shuts the server down immediately, as in a crash. */
  crash(): Promise<void>;
  /** Restarts the server, and resolves when it accepts connections. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** @param folder the data directory */
export async function startStoppablePostgres(folder: string): Promise<StoppablePostgres> {
  let postgres = await startEmbeddedPostgres({ dataDir: folder });
  // PostgreSQL uses a new port after each restart, but the proxy's port never changes.
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
