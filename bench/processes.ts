// Starts and stops the measured processes, and reads their CPU time and memory from /proc.
import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';

const TICKS_PER_SECOND = 100;

const readFlags = (script: string): string[] =>
  /exec node (.*)src\/\w+\.ts/
    .exec(JSON.parse(readFileSync('package.json', 'utf8')).scripts[script])?.[1]
    ?.split(' ')
    .filter((flag) => flag !== '') ?? [];
export const SERVER_FLAGS = readFlags('start');
export const CLI_FLAGS = readFlags('sesame');

/** @param preload module to load before the script. If set, the process also gets an IPC channel. */
export function startNode(
  script: string,
  environment: Record<string, string>,
  log: string,
  { flags = [], preload }: { flags?: readonly string[]; preload?: string } = {},
): ChildProcess {
  const output = openSync(log, 'a');
  const preloadFlags = preload === undefined ? [] : ['--import', preload];
  return spawn(process.execPath, [...flags, ...preloadFlags, script], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', output, output, ...(preload === undefined ? [] : ['ipc' as const])],
  });
}

/** @throws Error after 30 seconds, or if the process exits */
export async function waitUntilReady(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`The server at ${url} exited with code ${child.exitCode}.`);
    const response = await fetch(url).catch(() => undefined);
    if (response?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${url} did not return 200 within 30 seconds.`);
}

export function stopProcess(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

interface ProcessStat {
  parent: number;
  /** User and kernel CPU time in seconds. */
  self: number;
  /** CPU time of exited children in seconds. */
  children: number;
}

function readStat(pid: number | string): ProcessStat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent = 0, , , , , , , , , , utime = 0, stime = 0, cutime = 0, cstime = 0] = fields;
    return {
      parent,
      self: (utime + stime) / TICKS_PER_SECOND,
      children: (cutime + cstime) / TICKS_PER_SECOND,
    };
  } catch {
    return undefined; // the process has just exited
  }
}

/** The postmaster is the parent of all PostgreSQL processes. */
export async function findPostmasterPid(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query('select pg_backend_pid() as pid');
  const parent = readStat(rows[0].pid)?.parent ?? 0;
  await client.end();
  return parent;
}

/** @returns seconds, including child processes */
export function readTreeCpu(pid: number): number {
  const root = readStat(pid);
  if (root === undefined) return 0;
  return listChildren(pid).reduce(
    (sum, child) => sum + (readStat(child)?.self ?? 0),
    root.self + root.children,
  );
}

const listChildren = (pid: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && readStat(name)?.parent === pid)
    .map(Number);

/** @returns MiB, including child processes */
export function readTreeMemory(pid: number): number {
  return [pid, ...listChildren(pid)].reduce((sum, one) => sum + readMemory(one), 0);
}

function readMemory(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0; // the process has just exited
  }
}
