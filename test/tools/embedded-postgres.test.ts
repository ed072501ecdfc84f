// The embedded PostgreSQL as development and tests rely on it: starting, joining, and every way of being interrupted.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../tools/embedded-postgres.ts';
import { makeFastFolder } from '../support/fast-folder.ts';
import { until } from '../support/until.ts';

const LAUNCHER = new URL('../../tools/embedded-postgres.ts', import.meta.url).href;

/** One folder for most tests, because creating a cluster is what takes time; a few have their own. */
let dataDir: string;
const folders: string[] = [];
const running: EmbeddedPostgres[] = [];
const children: ChildProcess[] = [];

beforeAll(async () => {
  dataDir = await emptyFolder();
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const postgres of running.splice(0)) await postgres.stop();
  for (const folder of folders)
    await until('the server to be gone', async () => (await pidOfServer(folder)) === 0);
});

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

test('a fresh folder becomes a UTF-8 database that asks for its password', async () => {
  const postgres = await start();
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
  const stranger = Object.assign(new URL(postgres.url), { password: 'guessed' }).href;
  await expect(query(stranger, 'select 1')).rejects.toThrow(/password authentication failed/);
});

test('stop() ends the server, may be called again, and the data is there at the next start', async () => {
  const first = await start();
  await query(first.url, 'create table stopped as select 1 as n');
  await Promise.all([first.stop(), first.stop()]);
  await first.stop();
  await expect(query(first.url, 'select 1')).rejects.toThrow();
  const second = await start();
  expect(second.started).toBe(true);
  expect(await query(second.url, 'select n from stopped')).toEqual([{ n: 1 }]);
});

test('a second start joins the running server and does not stop it', async () => {
  const first = await start();
  const second = await start();
  expect(second.started).toBe(false);
  expect(second.url).toBe(first.url);
  await second.stop();
  expect(await query(first.url, 'select 1 as n')).toEqual([{ n: 1 }]);
});

test('two processes that start at once on an empty folder share one server', async () => {
  const folder = await emptyFolder();
  const lines = await Promise.all([firstLine(launch('', folder)), firstLine(launch('', folder))]);
  const [one, two] = lines.map((line) => JSON.parse(line) as { url: string; started: boolean });
  expect(one?.url).toBe(two?.url);
  expect([one?.started, two?.started].sort()).toEqual([false, true]);
  expect(await query(one?.url as string, 'select 1 as n')).toEqual([{ n: 1 }]);
});

test('after kill -9 of the server the next start recovers what was committed', async () => {
  const first = await startEmbeddedPostgres({ dataDir });
  running.push(first);
  await query(first.url, 'create table kept as select 1 as n');
  process.kill(await pidOfServer(), 'SIGKILL');
  const second = await start();
  expect(second.started).toBe(true);
  expect(await query(second.url, 'select n from kept')).toEqual([{ n: 1 }]);
});

test('kill -9 of the parent ends the server, and a start in that moment succeeds', async () => {
  const parent = launch();
  const { url } = JSON.parse(await firstLine(parent)) as { url: string };
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  const next = await start();
  expect(next.started).toBe(true); // not joined: that server was about to end
  expect(await query(next.url, 'select 1 as n')).toEqual([{ n: 1 }]);
  await expect(query(url, 'select 1')).rejects.toThrow();
});

test('Ctrl-C in a terminal reaches the service and not the server, which serves until stop()', async () => {
  const script = `process.on('SIGINT', async () => {
    await new Promise((done) => setTimeout(done, 300));
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    console.log((await client.query('select 42 as n')).rows[0].n);
    await client.end();
    await postgres.stop();
    process.exit(0);
  });`;
  const service = launch(script);
  const lines = createInterface({ input: service.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  await lines.next();
  process.kill(-(service.pid as number), 'SIGINT'); // the whole group, as a terminal does
  expect((await lines.next()).value).toBe('42');
  const [code] = service.exitCode === null ? await once(service, 'exit') : [service.exitCode];
  expect(code).toBe(0);
  expect(await pidOfServer()).toBe(0);
});

async function start(): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
  running.push(postgres);
  return postgres;
}

/** A process of its own, leader of its group, that starts the server, prints `{url, started}` and lives on. */
function launch(more = '', folder = dataDir): ChildProcess {
  const script = `
    import pg from 'pg';
    import { startEmbeddedPostgres } from '${LAUNCHER}';
    const postgres = await startEmbeddedPostgres({ dataDir: process.argv[1], durable: false });
    ${more}
    console.log(JSON.stringify(postgres));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, folder], {
    cwd: new URL('../..', import.meta.url),
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return child;
}

async function firstLine(child: ChildProcess): Promise<string> {
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

async function emptyFolder(): Promise<string> {
  const folder = makeFastFolder('sesame-embedded-');
  folders.push(folder);
  return folder;
}

function pidFile(folder = dataDir): string {
  return join(folder, 'cluster', 'postmaster.pid');
}

/** Number in the pid file, 0 when there is none. */
async function pidOfServer(folder = dataDir): Promise<number> {
  return Number.parseInt(await readFile(pidFile(folder), 'utf8').catch(() => '0'), 10);
}
