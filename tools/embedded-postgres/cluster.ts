// Creates the database cluster and reads its password and postmaster.pid.
import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildCommand, buildSpawnOptions, chownToServerUser, type Runtime } from './runtime.ts';

export const DATABASE_USER = 'sesame';

export interface Postmaster {
  pid: number;
  port: number;
  /** False while the server is starting or stopping. */
  isReady: boolean;
}

/** Records this process as the server's owner. The server stops when its owner ends. */
export function recordOwner(runtime: Runtime): void {
  writeFileSync(ownerFile(runtime), String(process.pid), { mode: 0o600 });
  chownToServerUser(runtime, ownerFile(runtime));
}

/** Whether the server's owner process is running. If not, the server is about to stop. */
export function isOwnerRunning(runtime: Runtime): boolean {
  try {
    const owner = Number(readFileSync(ownerFile(runtime), 'utf8'));
    return isAlive(owner) && !isZombie(owner);
  } catch {
    return false;
  }
}

export function clusterPath(runtime: Runtime): string {
  return join(runtime.home, 'cluster');
}

export function hasCluster(runtime: Runtime): boolean {
  return existsSync(join(clusterPath(runtime), 'PG_VERSION'));
}

/** Reads the password file, which only the server's user and root can read. */
export function readPassword(runtime: Runtime): string {
  return readFileSync(passwordFile(clusterPath(runtime)), 'utf8').trim();
}

/**
 * Creates the cluster in a temporary folder and then renames it, so that a killed process leaves no partial cluster.
 * @throws Error with initdb's message
 */
export async function createCluster(runtime: Runtime, { durable }: { durable: boolean }): Promise<void> {
  removeLeftovers(runtime);
  const temporary = `${clusterPath(runtime)}.${process.pid}`;
  const pwfile = `${temporary}.password`;
  mkdirSync(temporary, { mode: 0o700 });
  chownToServerUser(runtime, temporary);
  writeFileSync(pwfile, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  chownToServerUser(runtime, pwfile);
  const args = [
    '-D',
    temporary,
    '-U',
    DATABASE_USER,
    '-A',
    'scram-sha-256',
    `--pwfile=${pwfile}`,
    '--encoding=UTF8',
  ];
  args.push('--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions');
  if (!durable) args.push('--no-sync');
  try {
    await promisify(execFile)(...buildCommand(runtime, 'initdb', args), buildSpawnOptions(runtime));
    renameSync(pwfile, passwordFile(temporary));
    renameSync(temporary, clusterPath(runtime));
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    rmSync(pwfile, { force: true });
    if (hasCluster(runtime)) return; // another process created it
    const { stderr = '', message } = error as Error & { stderr?: string };
    throw new Error(
      `PostgreSQL could not create a database in ${runtime.home}.\n${stderr.trim() || message}`,
    );
  }
}

/**
 * Finds the running server. A killed server's postmaster.pid is kept because the next server reads it. The file is
 * deleted if another program has the PID.
 */
export function findPostmaster(runtime: Runtime): Postmaster | undefined {
  const file = join(clusterPath(runtime), 'postmaster.pid');
  const postmaster = readPidFile(file);
  if (!postmaster || !isAlive(postmaster.pid)) return undefined;
  if (isClusterServer(postmaster.pid, clusterPath(runtime))) return postmaster;
  // A starting server may have replaced the file.
  if (readPidFile(file)?.pid === postmaster.pid) rmSync(file, { force: true });
  return undefined;
}

export function stopOrphan({ pid }: Postmaster): void {
  try {
    process.kill(pid, 'SIGINT');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The file's lines are PID, folder, start time, port, socket folder, listen address, shared memory and status. */
export function readPidFile(file: string): Postmaster | undefined {
  let lines: string[];
  try {
    lines = readFileSync(file, 'utf8').split('\n');
  } catch {
    return undefined;
  }
  return { pid: Number(lines[0]), port: Number(lines[3]), isReady: lines[7]?.trim() === 'ready' };
}

function isAlive(pid: number): boolean {
  if (!(pid > 0)) return true; // the file is still empty
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** In containers without an init process, zombies are never reaped. */
function isZombie(pid: number): boolean {
  try {
    return /\) [ZX] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function isClusterServer(pid: number, cluster: string): boolean {
  if (!(pid > 0)) return true;
  if (isZombie(pid)) return false;
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster);
  } catch (error) {
    // A zombie has no working directory.
    if (existsSync(`/proc/${process.pid}`) && (error as NodeJS.ErrnoException).code === 'ENOENT')
      return false;
    // There is no /proc (macOS), or the process belongs to another user.
    const name = spawnSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
    return name?.includes('postgres') ?? true;
  }
}

/** Removes folders of processes that were killed in `createCluster`. */
function removeLeftovers(runtime: Runtime): void {
  for (const name of readdirSync(runtime.home)) {
    const pid = Number(/^cluster\.(\d+)/.exec(name)?.[1]);
    if (!pid) continue;
    if (pid !== process.pid && isAlive(pid)) continue;
    rmSync(join(runtime.home, name), { recursive: true, force: true });
  }
}

function ownerFile(runtime: Runtime): string {
  return join(runtime.home, 'owner.pid');
}

function passwordFile(cluster: string): string {
  return join(cluster, 'sesame-password');
}
