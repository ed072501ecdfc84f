// Starts a real PostgreSQL 18 for development and tests, from the binaries that npm carries; never part of production.
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  claimServer,
  createCluster,
  findPostmaster,
  hasCluster,
  hasLivingOwner,
  readPassword,
  stopOrphan,
  USER,
} from './embedded-postgres/cluster.ts';
import { startPostmaster } from './embedded-postgres/postmaster.ts';
import { prepareRuntime } from './embedded-postgres/runtime.ts';

/** How long to wait for another process's server to become ready, or to finish stopping. */
const PATIENCE_MS = 30_000;

/** How long a server may outlive the process that started it before it is asked to stop once more. */
const ORPHAN_MS = 5_000;

/** A running database. */
export interface EmbeddedPostgres {
  /** Connection string of the database, password included: never log it. */
  url: string;
  /** False when this process joined a server that another process started. */
  started: boolean;
  /** Stops the server if this process started it, waits for its end; a joined one goes on. May be called repeatedly. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Folder of the database, created if missing; it belongs to the launcher alone. */
  dataDir: string;
  /** False switches off everything that survives a power cut: for tests. Default true. */
  durable?: boolean;
  /** Receives a line for each thing that takes time. Default: silence. */
  log?: (line: string) => void;
  /** Database to create if missing and to name in the URL. Default `sesame`. */
  database?: string;
}

/**
 * Starts PostgreSQL on a folder, or joins the one that already runs there, and makes sure that the database exists.
 *
 * The server ends when this process ends, however it ends; Ctrl-C in a terminal does not reach it, so a service can
 * drain before it calls `stop()`.
 *
 * @throws Error with the last lines of PostgreSQL's own log when it does not start.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { durable = true, log = () => {}, database = 'sesame' } = options;
  const runtime = prepareRuntime(resolve(options.dataDir));
  if (!hasCluster(runtime)) {
    log(`Creating a PostgreSQL database in ${runtime.home} …`);
    await createCluster(runtime, { durable });
  }
  const password = readPassword(runtime);
  const deadline = Date.now() + PATIENCE_MS;
  let orphanSince: number | undefined;
  for (let obstacle = ''; ; await sleep(50)) {
    const running = findPostmaster(runtime);
    if (running?.ready && !hasLivingOwner(runtime)) {
      orphanSince ??= Date.now();
      if (Date.now() - orphanSince > ORPHAN_MS) stopOrphan(running);
    } else if (running?.ready) {
      const url = urlOf(running.port, password, database);
      if (await ensureDatabase(url, database)) {
        log(`Joined the PostgreSQL that already runs on 127.0.0.1:${running.port}.`);
        return { url, started: false, stop: async () => {} };
      }
    } else if (!running) {
      const postmaster = await startPostmaster(runtime, { durable });
      if (postmaster.running) {
        const url = urlOf(postmaster.port, password, database);
        try {
          claimServer(runtime);
          const answers = await ensureDatabase(url, database);
          if (!answers) throw new Error('PostgreSQL started, then refused a connection.');
        } catch (error) {
          await postmaster.stop();
          throw error;
        }
        log(`PostgreSQL runs on 127.0.0.1:${postmaster.port}.`);
        return { url, started: true, stop: postmaster.stop };
      }
      if (!postmaster.worthRetrying) throw new Error(`PostgreSQL does not start.\n${postmaster.lastWords}`);
      obstacle = postmaster.lastWords;
    }
    if (Date.now() > deadline) {
      throw new Error(`PostgreSQL in ${runtime.home} neither starts nor answers.\n${obstacle}`.trim());
    }
  }
}

function urlOf(port: number, password: string, database: string): string {
  return `postgresql://${USER}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
}

/** Creates the database if it is missing. False when the server is just starting or stopping: worth another try. */
async function ensureDatabase(url: string, database: string): Promise<boolean> {
  try {
    if (await connects(url)) return true;
    const maintenance = new pg.Client({ connectionString: urlOfMaintenance(url) });
    maintenance.on('error', () => {});
    await maintenance.connect();
    try {
      await maintenance.query(`create database ${pg.escapeIdentifier(database)}`);
    } catch (error) {
      // 42P04 duplicate_database, 23505 unique_violation: another process created it in the same moment.
      if (!['42P04', '23505'].includes(codeOf(error))) throw error;
    } finally {
      await maintenance.end();
    }
    return true;
  } catch (error) {
    // 57P01 admin_shutdown, 57P03 cannot_connect_now; the connection's sudden end has only a message.
    if (['ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P03'].includes(codeOf(error))) return false;
    if (error instanceof Error && error.message === 'Connection terminated unexpectedly') return false;
    throw error;
  }
}

/** True when the database answers, false when it does not exist (3D000). */
async function connects(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // a server that stops in this moment: `connect` says so
  try {
    await client.connect();
    return true;
  } catch (error) {
    if (codeOf(error) === '3D000') return false;
    throw error;
  } finally {
    await client.end().catch(() => {});
  }
}

function urlOfMaintenance(url: string): string {
  return Object.assign(new URL(url), { pathname: '/postgres' }).href;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
