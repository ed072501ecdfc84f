// The processes under measurement: started, their CPU time and memory read from /proc, stopped.
import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';

const TICKS_PER_SECOND = 100;

/** The V8 flags of `npm start`. */
export const SERVER_FLAGS: string[] =
  /exec node (.*)src\/server\.ts/
    .exec(JSON.parse(readFileSync('package.json', 'utf8')).scripts.start)?.[1]
    ?.split(' ')
    .filter((flag) => flag !== '') ?? [];

/**
 * Starts a script of this project with Node; its output goes to `log`.
 * @param flags of V8
 * @param preload a module to load first, which may send messages
 */
export function startNode(
  script: string,
  environment: Record<string, string>,
  log: string,
  { flags = [], preload }: { flags?: readonly string[]; preload?: string } = {},
): ChildProcess {
  const output = openSync(log, 'a');
  const preloaded = preload === undefined ? [] : ['--import', preload];
  return spawn(process.execPath, [...flags, ...preloaded, script], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', output, output, ...(preload === undefined ? [] : ['ipc' as const])],
  });
}

/** Waits until an address answers 200. @throws Error after half a minute, or when the process has ended */
export async function untilReady(address: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the process for ${address} ended with ${child.exitCode}`);
    const answer = await fetch(address).catch(() => undefined);
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${address} does not answer`);
}

/** Asks a process to end and waits for it. */
export function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

interface Stat {
  parent: number;
  /** User and system time of all threads, in seconds; `children` is that of the children already waited for. */
  own: number;
  children: number;
}

function statOf(pid: number | string): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent = 0, , , , , , , , , , utime = 0, stime = 0, cutime = 0, cstime = 0] = fields;
    return {
      parent,
      own: (utime + stime) / TICKS_PER_SECOND,
      children: (cutime + cstime) / TICKS_PER_SECOND,
    };
  } catch {
    return undefined; // it has just ended
  }
}

/** The process that all of PostgreSQL's others are children of. */
export async function postmasterPid(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query('select pg_backend_pid() as pid');
  const parent = statOf(rows[0].pid)?.parent ?? 0;
  await client.end();
  return parent;
}

/** CPU-seconds that a process and all its children, living or ended, have used so far. */
export function cpuOfFamily(pid: number): number {
  const head = statOf(pid);
  if (head === undefined) return 0;
  return childrenOf(pid).reduce((sum, child) => sum + (statOf(child)?.own ?? 0), head.own + head.children);
}

const childrenOf = (pid: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && statOf(name)?.parent === pid)
    .map(Number);

/** Resident memory of a process and all its children, in MiB. */
export function memoryOfFamily(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, one) => sum + memoryOf(one), 0);
}

function memoryOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0; // it has just ended
  }
}
