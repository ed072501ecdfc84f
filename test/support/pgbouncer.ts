import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findFreePort } from './service.ts';
import { waitUntil } from './wait-until.ts';

/** PgBouncer refuses to run as root. */
const NOBODY_UID = 65_534;

export interface TestPgbouncer {
  url: string;
  stop(): Promise<void>;
}

export async function startPgbouncer(databaseUrl: string, poolSize: number): Promise<TestPgbouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'sesame-pgbouncer-'));
  await chmod(folder, 0o755);
  const port = await findFreePort();
  const { hostname, port: databasePort, username, password, pathname } = new URL(databaseUrl);
  const database = pathname.slice(1);
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]
${database} = host=${hostname} port=${databasePort} user=${username} password='${decodeURIComponent(password)}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 500
ignore_startup_parameters = statement_timeout,lock_timeout
`,
  );
  const child = spawn('pgbouncer', [file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: folder,
    ...(process.getuid?.() === 0 && { uid: NOBODY_UID, gid: NOBODY_UID }),
  });
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const url = `postgres://${username}@127.0.0.1:${port}/${database}`;
  await waitUntil(
    () => `PgBouncer to respond; its output:\n${output}`,
    () => isReachable(url),
  );
  return {
    url,
    stop: async () => {
      await endProcess(child);
      await rm(folder, { recursive: true });
    },
  };
}

async function isReachable(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
