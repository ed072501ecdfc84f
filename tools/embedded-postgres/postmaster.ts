// Starts and stops the PostgreSQL server. The server also stops when this process ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../free-port.ts';
import { clusterPath, readPidFile } from './cluster.ts';
import { buildCommand, buildSpawnOptions, chownToServerUser, type Runtime } from './runtime.ts';

export type StartResult =
  | { running: true; port: number; stop(): Promise<void> }
  | { running: false; isTemporary: boolean; logTail: string };

/** Recovery after a power failure may be slow. */
const START_TIMEOUT_MS = 120_000;
const MAX_LOG_BYTES = 1_000_000;

/** Another server with the same files or port is starting or stopping. */
const TEMPORARY_FAILURE_PATTERN =
  /postmaster\.pid" already exists|shared memory block|Address already in use|lock file .* is empty/i;

export async function startPostmaster(
  runtime: Runtime,
  { durable }: { durable: boolean },
): Promise<StartResult> {
  const logFile = join(runtime.home, 'postgres.log');
  if ((statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) truncateSync(logFile);
  const log = openSync(logFile, 'a', 0o600);
  chownToServerUser(runtime, logFile); // the owner can later start the server without root
  const logStart = fstatSync(log).size;
  const port = await findFreePort();
  const [command, args] = buildCommand(runtime, 'postgres', [
    '-D',
    clusterPath(runtime),
    ...buildSettings(port, durable),
  ]);
  // In its own session, the server doesn't receive Ctrl-C.
  const child = spawn(command, args, {
    ...buildSpawnOptions(runtime),
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  let failure = '';
  const exited = once(child, 'exit').catch((error: Error) => {
    failure = error.message;
  });
  const watcher = watchParent(child);
  child.unref();

  const pidFile = join(clusterPath(runtime), 'postmaster.pid');
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (isRunning(child) && Date.now() < deadline) {
    const postmaster = readPidFile(pidFile);
    if (postmaster?.pid === child.pid && postmaster?.isReady) {
      return { running: true, port, stop: memoize(() => stop(child, watcher, exited)) };
    }
    await Promise.race([sleep(10), exited]);
  }
  await stop(child, watcher, exited);
  const logText = readFileSync(logFile).subarray(logStart).toString();
  const logTail = `${failure}\n${logText}`.trim().split('\n').slice(-10).join('\n');
  return { running: false, isTemporary: TEMPORARY_FAILURE_PATTERN.test(logTail), logTail };
}

function buildSettings(port: number, durable: boolean): string[] {
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
 * Stops the server when this process ends or is killed. A shell reads from a pipe that only this process keeps open.
 * `prctl(PR_SET_PDEATHSIG)` would stop the server when the starting thread ends.
 */
function watchParent(child: ChildProcess): ChildProcess | undefined {
  if (child.pid === undefined) return undefined;
  const script = 'while read -r _; do :; done; kill -INT "$1"';
  const watcher = spawn('/bin/sh', ['-c', script, 'sesame-watch-parent', String(child.pid)], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watcher.on('error', () => {}); // without a shell, the server may outlive a killed process
  watcher.unref();
  (watcher.stdin as Socket | null)?.unref();
  child.once('exit', () => watcher.kill('SIGKILL')); // the PID may be reused
  return watcher;
}

/** Fast shutdown (SIGINT), immediate shutdown after ten seconds, then SIGKILL. */
async function stop(
  child: ChildProcess,
  watcher: ChildProcess | undefined,
  exited: Promise<unknown>,
): Promise<void> {
  child.ref(); // keeps this process alive until the server exits
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

function memoize<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}
