// What stands between the service and PostgreSQL, so that one address leads to whichever server is the primary.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { openDatabaseProxy } from '../support/database-proxy.ts';
import { freePort } from '../support/service.ts';
import { until } from '../support/until.ts';
import { SUPERUSER } from './postgres.ts';
import { giveAway, newFolder, serve } from './system.ts';

export interface Front {
  /** What the service gets as DATABASE_URL. */
  url: string;
  /** What the service has to be told besides. */
  settings: Record<string, string>;
  /** Leads to the server on another port from now on. */
  redirect(port: number): Promise<void>;
  close(): Promise<void>;
}

/** @param port of the server that is led to at first */
export const openFront = (kind: 'switch' | 'pgbouncer', port: number): Promise<Front> =>
  kind === 'switch' ? openSwitch(port) : openPgbouncer(port);

/** Connections are passed on as they are: what HAProxy in TCP mode, a virtual address or a changed DNS entry do. */
async function openSwitch(port: number): Promise<Front> {
  const urlOf = (target: number) => `postgres://service@127.0.0.1:${target}/sesame`;
  const proxy = await openDatabaseProxy(urlOf(port));
  return {
    url: proxy.url,
    settings: {},
    redirect: async (next) => {
      await proxy.cut();
      await proxy.restore(urlOf(next));
    },
    close: proxy.close,
  };
}

/** PgBouncer in transaction mode, as docs/high-availability.md has it. */
async function openPgbouncer(port: number): Promise<Front> {
  const folder = newFolder();
  const file = join(folder, 'pgbouncer.ini');
  const own = await freePort();
  const configure = (target: number) => {
    const lines = [
      '[databases]',
      `sesame = host=127.0.0.1 port=${target} dbname=sesame`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${own}`,
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
  giveAway(join(folder, 'users'));
  configure(port);
  giveAway(file);
  const child = serve('pgbouncer', [file], join(folder, 'log'));
  const admin = async (command: string): Promise<void> => {
    const client = new pg.Client({ connectionString: `postgres://${SUPERUSER}@127.0.0.1:${own}/pgbouncer` });
    client.on('error', () => {});
    await client.connect();
    await client.query(command).finally(() => client.end());
  };
  await until('PgBouncer to start', () =>
    admin('show version').then(
      () => true,
      () => false,
    ),
  );
  return {
    url: `postgres://service@127.0.0.1:${own}/sesame`,
    settings: { DATABASE_PREPARE: 'off' },
    redirect: async (next) => {
      configure(next);
      await admin('reload');
    },
    close: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
