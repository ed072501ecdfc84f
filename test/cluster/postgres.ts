// Creates, replicates, freezes and kills PostgreSQL servers, using Debian's packages.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kill } from 'node:process';
import pg from 'pg';
import { findFreePort } from '../support/service.ts';
import { waitUntil } from '../support/wait-until.ts';
import { createFolder, execute, postgresBinDirectory, startServer } from './system-programs.ts';

/** The superuser has the same name as in docker-compose.yml. */
export const SUPERUSER = 'sesame';
const SERVICE_ROLE = 'service';
const DATABASE_NAME = 'sesame';

export interface Server {
  port: number;
  /** Connection URL for the role `service`. */
  url: string;
  /** Connection URL for the superuser. */
  adminUrl: string;
  query<Row extends pg.QueryResultRow>(sql: string, database?: string): Promise<Row[]>;
  start(): Promise<void>;
  /** Simulates a machine failure by sending SIGKILL to all of the server's processes. */
  kill(): Promise<void>;
  /** Suspends the WAL senders, which simulates a network that drops packets. */
  freezeReplication(): Promise<void>;
  thawReplication(): Promise<void>;
  log(): string;
}

const programPath = (name: string): string => join(postgresBinDirectory ?? '', name);

export const runClientProgram = (server: Server, name: string, args: string[]): Promise<string> =>
  execute(programPath(name), args, { PGHOST: '127.0.0.1', PGPORT: String(server.port) });

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '64MB',
  max_connections: '100',
  timezone: 'UTC',
};

/** Starts a server with default durability and an empty database. */
export async function createServer(settings: Record<string, string> = {}): Promise<Server> {
  const data = join(createFolder(), 'data');
  await execute(programPath('initdb'), [
    '-D',
    data,
    '-U',
    SUPERUSER,
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
  ]);
  configure(data, { ...SETTINGS, ...settings, port: String(await findFreePort()) });
  const server = openServer(data);
  await server.start();
  await server.query(`create role ${SERVICE_ROLE} login`, 'postgres');
  await server.query(`create database ${DATABASE_NAME} owner ${SERVICE_ROLE}`, 'postgres');
  return server;
}

/** Starts a streaming replica. After promotion, it has no synchronous standby. */
export async function createReplica(primary: Server, name: string): Promise<Server> {
  const data = join(createFolder(), 'data');
  const connection = `host=127.0.0.1 port=${primary.port} user=${SUPERUSER} application_name=${name}`;
  await execute(programPath('pg_basebackup'), [
    '-d',
    connection,
    '-D',
    data,
    '-R',
    '-X',
    'stream',
    '-c',
    'fast',
  ]);
  configure(data, { synchronous_standby_names: '', port: String(await findFreePort()) });
  const server = openServer(data);
  await server.start();
  return server;
}

export const waitForReplica = (primary: Server, name: string, state: 'sync' | 'async'): Promise<unknown> =>
  waitUntil(`${name} to replicate (${state})`, async () => {
    const rows = await primary.query<{ sync_state: string }>(
      `select sync_state from pg_stat_replication where application_name = '${name}' and state = 'streaming'`,
    );
    return rows[0]?.sync_state === state;
  });

function configure(data: string, settings: Record<string, string>): void {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  appendFileSync(join(data, 'postgresql.conf'), lines.join(''));
}

function openServer(data: string): Server {
  const port = Number(/.*^port = '(\d+)'/ms.exec(readFileSync(join(data, 'postgresql.conf'), 'utf8'))?.[1]);
  const buildUrl = (user: string, database: string) => `postgres://${user}@127.0.0.1:${port}/${database}`;
  let child: ChildProcess | undefined;
  let frozen: number[] = [];
  const server: Server = {
    port,
    url: buildUrl(SERVICE_ROLE, DATABASE_NAME),
    adminUrl: buildUrl(SUPERUSER, DATABASE_NAME),
    async query(sql, database = DATABASE_NAME) {
      const client = new pg.Client({ connectionString: buildUrl(SUPERUSER, database) });
      client.on('error', () => {});
      await client.connect();
      try {
        return (await client.query(sql)).rows;
      } finally {
        await client.end().catch(() => {});
      }
    },
    log: () => readFileSync(join(data, '..', 'log'), 'utf8'),
    async start() {
      child = startServer(programPath('postgres'), ['-D', data], join(data, '..', 'log'));
      await waitUntil(
        () => `PostgreSQL to start; its log:\n${server.log().slice(-2000)}`,
        () => server.query('select', 'postgres').then(Boolean, () => false),
      );
    },
    async kill() {
      if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      for (const pid of [child.pid, ...listChildren(child.pid)]) sendSignal(pid, 'SIGKILL');
      await ended;
    },
    async freezeReplication() {
      const rows = await server.query<{ pid: number }>('select pid from pg_stat_replication');
      frozen = rows.map(({ pid }) => pid);
      for (const pid of frozen) sendSignal(pid, 'SIGSTOP');
    },
    async thawReplication() {
      for (const pid of frozen.splice(0)) sendSignal(pid, 'SIGCONT');
    },
  };
  return server;
}

/**
 * Lists a process's children. PostgreSQL's children leave the process group, so a signal to the group misses
 * them.
 */
function listChildren(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]) === parent;
      } catch {
        // The process has exited.
        return false;
      }
    })
    .map(Number);
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
