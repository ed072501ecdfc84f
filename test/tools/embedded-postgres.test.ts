// Embedded PostgreSQL: startup, shared use, shutdown, and recovery after interruptions.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../tools/embedded-postgres.ts';
import { makeTestDirectory } from '../support/ram-directory.ts';
import { waitUntil } from '../support/wait-until.ts';

const LAUNCHER = new URL('../../tools/embedded-postgres.ts', import.meta.url).href;

/** Data folder that most tests share because creating a database cluster is slow. */
let dataDir: string;
const folders: string[] = [];
const runningServers: EmbeddedPostgres[] = [];
const childProcesses: ChildProcess[] = [];

beforeAll(async () => {
  dataDir = await createEmptyFolder();
});

afterEach(async () => {
  for (const child of childProcesses.splice(0)) child.kill('SIGKILL');
  for (const postgres of runningServers.splice(0)) await postgres.stop();
  for (const folder of folders)
    await waitUntil('the server to exit', async () => (await readServerPid(folder)) === 0);
});

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

test('starting in an empty folder creates a UTF-8 database with a password', async () => {
  const postgres = await startServer();
  expect(postgres.started).toBe(true);
  const [row] = await query(
    postgres.url,
    `select current_setting('server_version_num')::int / 10000 as major, pg_encoding_to_char(encoding) as encoding,
            datlocprovider, datlocale, current_setting('listen_addresses') as address
       from pg_database where datname = 'sesame'`,
  );
  expect(row).toEqual({
    major: 18,
    encoding: 'UTF8',
    datlocprovider: 'b',
    datlocale: 'C.UTF-8',
    address: '127.0.0.1',
  });
  const wrongPassword = Object.assign(new URL(postgres.url), { password: 'guessed' }).href;
  await expect(query(wrongPassword, 'select 1')).rejects.toThrow(/password authentication failed/);
});

test('stop() can be called twice without losing data', async () => {
  const original = await startServer();
  await query(original.url, 'create table stopped as select 1 as n');
  await Promise.all([original.stop(), original.stop()]);
  await original.stop();
  await expect(query(original.url, 'select 1')).rejects.toThrow();
  const restarted = await startServer();
  expect(restarted.started).toBe(true);
  expect(await query(restarted.url, 'select n from stopped')).toEqual([{ n: 1 }]);
});

test('a second start shares the running server and does not stop it', async () => {
  const starter = await startServer();
  const joiner = await startServer();
  expect(joiner.started).toBe(false);
  expect(joiner.url).toBe(starter.url);
  await joiner.stop();
  expect(await query(starter.url, 'select 1 as n')).toEqual([{ n: 1 }]);
});

test('two concurrent starts in an empty folder share one server', async () => {
  const folder = await createEmptyFolder();
  const lines = await Promise.all([
    readFirstLine(launchProcess('', folder)),
    readFirstLine(launchProcess('', folder)),
  ]);
  const [firstStart, secondStart] = lines.map(
    (line) => JSON.parse(line) as { url: string; started: boolean },
  );
  expect(firstStart?.url).toBe(secondStart?.url);
  expect([firstStart?.started, secondStart?.started].sort()).toEqual([false, true]);
  expect(await query(firstStart?.url as string, 'select 1 as n')).toEqual([{ n: 1 }]);
});

test('a start after kill -9 recovers committed data', async () => {
  const killed = await startEmbeddedPostgres({ dataDir });
  runningServers.push(killed);
  await query(killed.url, 'create table kept as select 1 as n');
  process.kill(await readServerPid(), 'SIGKILL');
  const recovered = await startServer();
  expect(recovered.started).toBe(true);
  expect(await query(recovered.url, 'select n from kept')).toEqual([{ n: 1 }]);
});

test('a start succeeds while the previous server is still shutting down', async () => {
  const parent = launchProcess();
  const { url } = JSON.parse(await readFirstLine(parent)) as { url: string };
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  const restarted = await startServer();
  // The old server was shutting down, so this start launched a new one.
  expect(restarted.started).toBe(true);
  expect(await query(restarted.url, 'select 1 as n')).toEqual([{ n: 1 }]);
  await expect(query(url, 'select 1')).rejects.toThrow();
});

test('the server survives Ctrl-C until the service calls stop()', async () => {
  const script = `process.on('SIGINT', async () => {
    await new Promise((done) => setTimeout(done, 300));
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    console.log((await client.query('select 42 as n')).rows[0].n);
    await client.end();
    await postgres.stop();
    process.exit(0);
  });`;
  const service = launchProcess(script);
  const lines = createInterface({ input: service.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  await lines.next();
  // Signal the process group, as a terminal does.
  process.kill(-(service.pid as number), 'SIGINT');
  expect((await lines.next()).value).toBe('42');
  const [code] = service.exitCode === null ? await once(service, 'exit') : [service.exitCode];
  expect(code).toBe(0);
  expect(await readServerPid()).toBe(0);
});

async function startServer(): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
  runningServers.push(postgres);
  return postgres;
}

/**
 * Launches a process in its own process group. The process starts the server, prints `{url, started}` and
 * keeps running.
 */
function launchProcess(extraScript = '', folder = dataDir): ChildProcess {
  const script = `
    import pg from 'pg';
    import { startEmbeddedPostgres } from '${LAUNCHER}';
    const postgres = await startEmbeddedPostgres({ dataDir: process.argv[1], durable: false });
    ${extraScript}
    console.log(JSON.stringify(postgres));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, folder], {
    cwd: new URL('../..', import.meta.url),
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  childProcesses.push(child);
  return child;
}

async function readFirstLine(child: ChildProcess): Promise<string> {
  const [line] = await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line');
  return line;
}

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

async function createEmptyFolder(): Promise<string> {
  const folder = makeTestDirectory('sesame-embedded-');
  folders.push(folder);
  return folder;
}

function pidFilePath(folder = dataDir): string {
  return join(folder, 'cluster', 'postmaster.pid');
}

/** Returns the server's PID, or 0 if it isn't running. */
async function readServerPid(folder = dataDir): Promise<number> {
  return Number.parseInt(await readFile(pidFilePath(folder), 'utf8').catch(() => '0'), 10);
}
