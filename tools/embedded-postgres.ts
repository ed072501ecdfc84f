// Starts PostgreSQL 18 from npm packages, for development and tests.
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  createCluster,
  DATABASE_USER,
  findPostmaster,
  hasCluster,
  isOwnerRunning,
  readPassword,
  recordOwner,
  stopOrphan,
} from './embedded-postgres/cluster.ts';
import { startPostmaster } from './embedded-postgres/postmaster.ts';
import { prepareRuntime } from './embedded-postgres/runtime.ts';

/** Time to wait for another process's server to start. */
const JOIN_TIMEOUT_MS = 30_000;

/** How long a server may run after the process that started it has exited. */
const ORPHAN_GRACE_MS = 5_000;

export interface EmbeddedPostgres {
  /** Contains the password. Must not be logged. */
  url: string;
  /** False if another process started the server. */
  started: boolean;
  /** Stops the server only if this process started it. Idempotent. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Folder for the database and its log. Created if missing. */
  dataDir: string;
  /** Whether the server uses fsync. Defaults to true. */
  durable?: boolean;
  /** Receives one line per slow step. */
  log?: (line: string) => void;
  /** Created if missing. Defaults to `sesame`. */
  database?: string;
}

/**
 * Starts PostgreSQL, or uses a server that another process has started in the same folder. The server stops when the
 * process that started it ends. Ctrl-C doesn't reach the server, so a service can drain before `stop()`.
 * @throws Error with the last lines of PostgreSQL's log
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { durable = true, log = () => {}, database = 'sesame' } = options;
  const runtime = prepareRuntime(resolve(options.dataDir));
  if (!hasCluster(runtime)) {
    log(`Creating a PostgreSQL database in ${runtime.home} …`);
    await createCluster(runtime, { durable });
  }
  const password = readPassword(runtime);
  const deadline = Date.now() + JOIN_TIMEOUT_MS;
  let orphanSince: number | undefined;
  for (let lastFailure = ''; ; await sleep(50)) {
    const running = findPostmaster(runtime);
    if (running?.isReady && !isOwnerRunning(runtime)) {
      orphanSince ??= Date.now();
      if (Date.now() - orphanSince > ORPHAN_GRACE_MS) stopOrphan(running);
    } else if (running?.isReady) {
      const url = buildUrl(running.port, password, database);
      if (await ensureDatabase(url, database)) {
        log(`Joined the PostgreSQL server that is already running on 127.0.0.1:${running.port}.`);
        return { url, started: false, stop: async () => {} };
      }
    } else if (!running) {
      const postmaster = await startPostmaster(runtime, { durable });
      if (postmaster.running) {
        const url = buildUrl(postmaster.port, password, database);
        try {
          recordOwner(runtime);
          const isAccepting = await ensureDatabase(url, database);
          if (!isAccepting) throw new Error('PostgreSQL started but refused a connection.');
        } catch (error) {
          await postmaster.stop();
          throw error;
        }
        log(`PostgreSQL is running on 127.0.0.1:${postmaster.port}.`);
        return { url, started: true, stop: postmaster.stop };
      }
      if (!postmaster.isTemporary) throw new Error(`PostgreSQL failed to start.\n${postmaster.logTail}`);
      lastFailure = postmaster.logTail;
    }
    if (Date.now() > deadline) {
      throw new Error(
        `PostgreSQL in ${runtime.home} neither starts nor accepts connections.\n${lastFailure}`.trim(),
      );
    }
  }
}

function buildUrl(port: number, password: string, database: string): string {
  return `postgresql://${DATABASE_USER}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
}

/** Returns false if the server is starting or stopping. */
async function ensureDatabase(url: string, database: string): Promise<boolean> {
  try {
    if (await canConnect(url)) return true;
    const maintenance = new pg.Client({ connectionString: buildMaintenanceUrl(url) });
    maintenance.on('error', () => {});
    await maintenance.connect();
    try {
      await maintenance.query(`create database ${pg.escapeIdentifier(database)}`);
    } catch (error) {
      // Another process has created the database (duplicate_database or unique_violation).
      if (!['42P04', '23505'].includes(getErrorCode(error))) throw error;
    } finally {
      await maintenance.end();
    }
    return true;
  } catch (error) {
    // 57P01 is admin_shutdown. 57P03 is cannot_connect_now.
    if (['ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P03'].includes(getErrorCode(error))) return false;
    if (error instanceof Error && error.message === 'Connection terminated unexpectedly') return false;
    throw error;
  }
}

/** Returns false if the database doesn't exist (3D000). */
async function canConnect(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // `connect` also reports the error
  try {
    await client.connect();
    return true;
  } catch (error) {
    if (getErrorCode(error) === '3D000') return false;
    throw error;
  } finally {
    await client.end().catch(() => {});
  }
}

function buildMaintenanceUrl(url: string): string {
  return Object.assign(new URL(url), { pathname: '/postgres' }).href;
}

function getErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
