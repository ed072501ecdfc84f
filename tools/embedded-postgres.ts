// Starts PostgreSQL 18 from npm packages, for development and tests.
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  createCluster,
  findPostmaster,
  hasCluster,
  isOwnerRunning,
  readPassword,
  recordOwner,
  stopOrphan,
  USER,
} from './embedded-postgres/cluster.ts';
import { startPostmaster } from './embedded-postgres/postmaster.ts';
import { prepareRuntime } from './embedded-postgres/runtime.ts';

/** How long to wait for another process's server to start. */
const JOIN_TIMEOUT_MS = 30_000;

/** How long a server may outlive the process that started it. */
const ORPHAN_GRACE_MS = 5_000;

export interface EmbeddedPostgres {
  /** Connection URL. Contains the password, so it must not be logged. */
  url: string;
  /** False if another process started the server. */
  started: boolean;
  /** Stops the server if this process started it. Idempotent. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Folder that contains only the database. Created if missing. */
  dataDir: string;
  /** Whether to use fsync. Defaults to true. */
  durable?: boolean;
  /** Called with a line of text for each slow step. */
  log?: (line: string) => void;
  /** Name of the database, created if missing. Defaults to `sesame`. */
  database?: string;
}

/**
 * Starts PostgreSQL in a folder, or joins a server already running there. The server stops when this process ends or is
 * killed. Ctrl-C doesn't reach the server, so a service can drain before it calls `stop()`.
 * @throws Error with the last lines of PostgreSQL's log if PostgreSQL doesn't start
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
  return `postgresql://${USER}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
}

/** Creates the database if it is missing. Returns false if the server is starting or stopping. */
async function ensureDatabase(url: string, database: string): Promise<boolean> {
  try {
    if (await canConnect(url)) return true;
    const maintenance = new pg.Client({ connectionString: buildMaintenanceUrl(url) });
    maintenance.on('error', () => {});
    await maintenance.connect();
    try {
      await maintenance.query(`create database ${pg.escapeIdentifier(database)}`);
    } catch (error) {
      // duplicate_database or unique_violation: another process has created the database.
      if (!['42P04', '23505'].includes(getErrorCode(error))) throw error;
    } finally {
      await maintenance.end();
    }
    return true;
  } catch (error) {
    // 57P01 is admin_shutdown, and 57P03 is cannot_connect_now. A dropped connection has no code.
    if (['ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P03'].includes(getErrorCode(error))) return false;
    if (error instanceof Error && error.message === 'Connection terminated unexpectedly') return false;
    throw error;
  }
}

/** Returns false if the database doesn't exist (3D000). */
async function canConnect(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // reported by `connect`
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
