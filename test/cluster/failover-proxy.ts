// Proxy between the service and PostgreSQL that can switch to a new primary.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { openDatabaseProxy } from '../support/database-proxy.ts';
import { findFreePort } from '../support/service.ts';
import { waitUntil } from '../support/wait-until.ts';
import { SUPERUSER } from './postgres.ts';
import { changeOwner, createFolder, startServer } from './system-programs.ts';

export interface FailoverProxy {
  /** The service's DATABASE_URL. */
  url: string;
  /** Settings that the service needs to connect through this proxy. */
  settings: Record<string, string>;
  /** Forwards connections to the PostgreSQL server on another port. */
  redirect(port: number): Promise<void>;
  close(): Promise<void>;
}

/** @param port port of the initial server */
export const openFailoverProxy = (kind: 'tcp' | 'pgbouncer', port: number): Promise<FailoverProxy> =>
  kind === 'tcp' ? openTcpProxy(port) : startPgbouncer(port);

/** Forwards TCP connections, as HAProxy does in TCP mode. */
async function openTcpProxy(port: number): Promise<FailoverProxy> {
  const buildUrl = (target: number) => `postgres://service@127.0.0.1:${target}/sesame`;
  const proxy = await openDatabaseProxy(buildUrl(port));
  return {
    url: proxy.url,
    settings: {},
    redirect: async (newPort) => {
      await proxy.cut();
      await proxy.restore(buildUrl(newPort));
    },
    close: proxy.close,
  };
}

/** PgBouncer in transaction mode, configured as in docs/high-availability.md. */
async function startPgbouncer(port: number): Promise<FailoverProxy> {
  const folder = createFolder();
  const file = join(folder, 'pgbouncer.ini');
  const listenPort = await findFreePort();
  const configure = (target: number) => {
    const lines = [
      '[databases]',
      `sesame = host=127.0.0.1 port=${target} dbname=sesame`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${listenPort}`,
      'unix_socket_dir =',
      'auth_type = trust',
      `auth_file = ${join(folder, 'users')}`,
      `admin_users = ${SUPERUSER}`,
      'pool_mode = transaction',
      'default_pool_size = 20',
      'max_client_conn = 1000',
      'ignore_startup_parameters = statement_timeout,lock_timeout',
      'server_connect_timeout = 3',
      'server_login_retry = 1',
      'query_wait_timeout = 10',
    ];
    writeFileSync(file, `${lines.join('\n')}\n`);
  };
  writeFileSync(join(folder, 'users'), `"service" ""\n"${SUPERUSER}" ""\n`);
  changeOwner(join(folder, 'users'));
  configure(port);
  changeOwner(file);
  const child = startServer('pgbouncer', [file], join(folder, 'log'));
  const runAdminCommand = async (command: string): Promise<void> => {
    const client = new pg.Client({
      connectionString: `postgres://${SUPERUSER}@127.0.0.1:${listenPort}/pgbouncer`,
    });
    client.on('error', () => {});
    await client.connect();
    await client.query(command).finally(() => client.end());
  };
  await waitUntil('PgBouncer to start', () =>
    runAdminCommand('show version').then(
      () => true,
      () => false,
    ),
  );
  return {
    url: `postgres://service@127.0.0.1:${listenPort}/sesame`,
    settings: { DATABASE_PREPARE: 'off' },
    redirect: async (newPort) => {
      configure(newPort);
      await runAdminCommand('reload');
    },
    close: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
