// A PostgreSQL of a test's own that goes away and comes back, at one address.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kill } from 'node:process';
import { startEmbeddedPostgres } from '../../tools/embedded-postgres.ts';
import { openDatabaseProxy } from './database-proxy.ts';

export interface StoppablePostgres {
  /** For the service: stays the same, and refuses connections while PostgreSQL is away. */
  url: string;
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** For the test: PostgreSQL itself, as it lives now. */
  directUrl(): string;
  /** As an administrator stops it. Gone once this resolves. */
  stop(): Promise<void>;
  /** PostgreSQL's immediate shutdown: as after a crash, nothing that was under way comes to an end. */
  crash(): Promise<void>;
  /** Resolves when it takes connections again. */
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

/** @param folder what it keeps over its absence */
export async function startStoppablePostgres(folder: string): Promise<StoppablePostgres> {
  let postgres = await startEmbeddedPostgres({ dataDir: folder });
  // It starts on another port each time; the proxy keeps one.
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
    comeBack: async () => {
      postgres = await startEmbeddedPostgres({ dataDir: folder });
      await proxy.restore(postgres.url);
    },
    close: async () => {
      await proxy.close();
      await postgres.stop();
    },
  };
}
