// The server process and its log: starting it, ending it, and seeing to it that it never outlives this process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../free-port.ts';
import { clusterDir, readPidFile } from './cluster.ts';
import { commandOf, giveAway, type Runtime, spawnOptionsOf } from './runtime.ts';

/** What came of an attempt to start the server. */
export type StartedPostmaster =
  | { running: true; port: number; stop(): Promise<void> }
  | { running: false; worthRetrying: boolean; lastWords: string };

/** Recovery after a power cut may take long; the process lives meanwhile. */
const START_MS = 120_000;
const LOG_LIMIT = 1_000_000;

/** Reasons that pass: another server starts or stops on the same files, or took the port. */
const PASSING =
  /postmaster\.pid" already exists|shared memory block|Address already in use|lock file .* is empty/i;

/** Starts the server on a free port of 127.0.0.1 and waits until it accepts connections, or until it gave up. */
export async function startPostmaster(
  runtime: Runtime,
  { durable }: { durable: boolean },
): Promise<StartedPostmaster> {
  const logFile = join(runtime.home, 'postgres.log');
  if ((statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT) truncateSync(logFile);
  const log = openSync(logFile, 'a', 0o600);
  giveAway(runtime, logFile); // the owner of the data must be able to start it without root, too
  const logStart = fstatSync(log).size;
  const port = await freePort();
  const [command, args] = commandOf(runtime, 'postgres', [
    '-D',
    clusterDir(runtime),
    ...settings(port, durable),
  ]);
  // Detached: a session of its own, which a terminal's Ctrl-C does not reach.
  const child = spawn(command, args, {
    ...spawnOptionsOf(runtime),
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  let failure = '';
  const exited = once(child, 'exit').catch((error: Error) => {
    failure = error.message; // the program could not even be spawned
  });
  const watcher = watchParent(child);
  child.unref();

  const pidFile = join(clusterDir(runtime), 'postmaster.pid');
  const deadline = Date.now() + START_MS;
  while (isRunning(child) && Date.now() < deadline) {
    const written = readPidFile(pidFile);
    if (written?.pid === child.pid && written?.ready) {
      return { running: true, port, stop: onlyOnce(() => stop(child, watcher, exited)) };
    }
    await Promise.race([sleep(10), exited]);
  }
  await stop(child, watcher, exited);
  const written = readFileSync(logFile).subarray(logStart).toString();
  const lastWords = `${failure}\n${written}`.trim().split('\n').slice(-10).join('\n');
  return { running: false, worthRetrying: PASSING.test(lastWords), lastWords };
}

function settings(port: number, durable: boolean): string[] {
  const values = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `port=${port}`,
    'max_connections=200',
    'timezone=UTC',
    'log_timezone=UTC',
    'logging_collector=off',
    'log_checkpoints=off',
    'jit=off',
    ...(durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']),
  ];
  return values.flatMap((value) => ['-c', value]);
}

/**
 * A shell that waits for the end of a pipe which only this process holds open: when this process is gone, even by
 * kill -9, it asks the server to shut down. One way for Linux and macOS, and independent of the thread that started the
 * server, which `prctl(PR_SET_PDEATHSIG)` is not.
 */
function watchParent(child: ChildProcess): ChildProcess | undefined {
  if (child.pid === undefined) return undefined;
  const script = 'while read -r _; do :; done; kill -INT "$1"';
  const watcher = spawn('/bin/sh', ['-c', script, 'sesame-watch-parent', String(child.pid)], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watcher.on('error', () => {}); // without a shell the server may outlive a killed parent; the next start replaces it
  watcher.unref();
  (watcher.stdin as Socket | null)?.unref(); // a child's pipe is a socket
  child.once('exit', () => watcher.kill('SIGKILL')); // later the number may be another process's
  return watcher;
}

/** Fast shutdown (SIGINT): connections end, everything committed is written. Harder after ten seconds. */
async function stop(
  child: ChildProcess,
  watcher: ChildProcess | undefined,
  exited: Promise<unknown>,
): Promise<void> {
  child.ref(); // this process must not end while it waits
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (!isRunning(child)) break;
    child.kill(signal);
    const timer = new AbortController();
    await Promise.race([exited, sleep(10_000, undefined, { signal: timer.signal }).catch(() => {})]);
    timer.abort();
  }
  if (watcher && isRunning(watcher)) {
    const watcherExited = once(watcher, 'exit').catch(() => {});
    watcher.ref();
    watcher.kill('SIGKILL');
    await watcherExited;
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

/** The same promise for every call. */
function onlyOnce<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}
