// Debian's PostgreSQL as servers of a cluster: created, replicated, frozen, killed, promoted.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kill } from 'node:process';
import pg from 'pg';
import { freePort } from '../support/service.ts';
import { until } from '../support/until.ts';
import { execute, newFolder, postgresPrograms, serve } from './system.ts';

/** The superuser is called as in docker-compose.yml; `service` is a role that may only use its own database. */
export const SUPERUSER = 'sesame';
const SERVICE = 'service';
const DATABASE = 'sesame';

export interface Server {
  port: number;
  /** As the service connects. */
  url: string;
  /** As an administrator connects. */
  adminUrl: string;
  query<Row extends pg.QueryResultRow>(sql: string, database?: string): Promise<Row[]>;
  start(): Promise<void>;
  /** The machine is gone: every process of the server is killed with signal 9, the frozen ones too. */
  kill(): Promise<void>;
  /** Stops sending to the replicas without closing anything, as when a network swallows what is sent. */
  freezeReplication(): Promise<void>;
  thawReplication(): Promise<void>;
  /** Everything it wrote. */
  log(): string;
}

const program = (name: string): string => join(postgresPrograms ?? '', name);

/** One of PostgreSQL's client programs, on a server. */
export const runOn = (server: Server, name: string, args: string[]): Promise<string> =>
  execute(program(name), args, { PGHOST: '127.0.0.1', PGPORT: String(server.port) });

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '64MB',
  max_connections: '100',
  timezone: 'UTC',
};

/** A running server with an empty database for the service. Its settings are durable ones, as by default. */
export async function createServer(settings: Record<string, string> = {}): Promise<Server> {
  const data = join(newFolder(), 'data');
  await execute(program('initdb'), [
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
  configure(data, { ...SETTINGS, ...settings, port: String(await freePort()) });
  const server = serverIn(data);
  await server.start();
  await server.query(`create role ${SERVICE} login`, 'postgres');
  await server.query(`create database ${DATABASE} owner ${SERVICE}`, 'postgres');
  return server;
}

/** A streaming replica, named `name`. It waits for no replica of its own, so that once promoted it can write. */
export async function createReplica(primary: Server, name: string): Promise<Server> {
  const data = join(newFolder(), 'data');
  const connection = `host=127.0.0.1 port=${primary.port} user=${SUPERUSER} application_name=${name}`;
  await execute(program('pg_basebackup'), ['-d', connection, '-D', data, '-R', '-X', 'stream', '-c', 'fast']);
  configure(data, { synchronous_standby_names: '', port: String(await freePort()) });
  const server = serverIn(data);
  await server.start();
  return server;
}

/** Waits until a replica follows its primary as `state` says. */
export const untilReplica = (primary: Server, name: string, state: 'sync' | 'async'): Promise<unknown> =>
  until(`${name} to follow as ${state}`, async () => {
    const rows = await primary.query<{ sync_state: string }>(
      `select sync_state from pg_stat_replication where application_name = '${name}' and state = 'streaming'`,
    );
    return rows[0]?.sync_state === state;
  });

function configure(data: string, settings: Record<string, string>): void {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  appendFileSync(join(data, 'postgresql.conf'), lines.join(''));
}

function serverIn(data: string): Server {
  const port = Number(/.*^port = '(\d+)'/ms.exec(readFileSync(join(data, 'postgresql.conf'), 'utf8'))?.[1]);
  const urlOf = (user: string, database: string) => `postgres://${user}@127.0.0.1:${port}/${database}`;
  let child: ChildProcess | undefined;
  let frozen: number[] = [];
  const server: Server = {
    port,
    url: urlOf(SERVICE, DATABASE),
    adminUrl: urlOf(SUPERUSER, DATABASE),
    async query(sql, database = DATABASE) {
      const client = new pg.Client({ connectionString: urlOf(SUPERUSER, database) });
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
      child = serve(program('postgres'), ['-D', data], join(data, '..', 'log'));
      await until(
        () => `PostgreSQL to start; it wrote:\n${server.log().slice(-2000)}`,
        () => server.query('select', 'postgres').then(Boolean, () => false),
      );
    },
    async kill() {
      if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      for (const pid of [child.pid, ...childrenOf(child.pid)]) signal(pid, 'SIGKILL');
      await ended;
    },
    async freezeReplication() {
      const rows = await server.query<{ pid: number }>('select pid from pg_stat_replication');
      frozen = rows.map(({ pid }) => pid);
      for (const pid of frozen) signal(pid, 'SIGSTOP');
    },
    async thawReplication() {
      for (const pid of frozen.splice(0)) signal(pid, 'SIGCONT');
    },
  };
  return server;
}

/** PostgreSQL gives each of its processes a session of its own, so no signal to a group reaches them. */
function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]) === parent;
      } catch {
        return false; // it has just ended
      }
    })
    .map(Number);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
