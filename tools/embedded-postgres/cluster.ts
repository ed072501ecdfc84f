// The database's files: creating them, its password, and who serves them now (postmaster.pid).
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
import { commandOf, giveAway, type Runtime, spawnOptionsOf } from './runtime.ts';

/** The one role: it owns the database. */
export const USER = 'sesame';

/** A server that works on the cluster. */
export interface Postmaster {
  pid: number;
  port: number;
  /** True when it accepts connections; false while it starts or stops. */
  ready: boolean;
}

/** Notes that this process started the server, and that the server will end with it. */
export function claimServer(runtime: Runtime): void {
  writeFileSync(ownerFile(runtime), String(process.pid), { mode: 0o600 });
  giveAway(runtime, ownerFile(runtime));
}

/** False when the process that started the server is gone: then the server is about to end, and not to be joined. */
export function hasLivingOwner(runtime: Runtime): boolean {
  try {
    const owner = Number(readFileSync(ownerFile(runtime), 'utf8'));
    return isAlive(owner) && !isZombie(owner);
  } catch {
    return false;
  }
}

export function clusterDir(runtime: Runtime): string {
  return join(runtime.home, 'cluster');
}

export function hasCluster(runtime: Runtime): boolean {
  return existsSync(join(clusterDir(runtime), 'PG_VERSION'));
}

/** The random password of the only role; the file can be read by the server's user and root. */
export function readPassword(runtime: Runtime): string {
  return readFileSync(passwordFile(clusterDir(runtime)), 'utf8').trim();
}

/**
 * Runs initdb. The cluster is made aside and renamed when it is whole: a process killed in the middle leaves nothing
 * half-made, and of two that start at once the second one uses what the first one made.
 *
 * @throws Error with initdb's own message
 */
export async function createCluster(runtime: Runtime, { durable }: { durable: boolean }): Promise<void> {
  removeLeftovers(runtime);
  const temporary = `${clusterDir(runtime)}.${process.pid}`;
  const pwfile = `${temporary}.password`;
  mkdirSync(temporary, { mode: 0o700 });
  giveAway(runtime, temporary);
  writeFileSync(pwfile, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  giveAway(runtime, pwfile);
  const args = ['-D', temporary, '-U', USER, '-A', 'scram-sha-256', `--pwfile=${pwfile}`, '--encoding=UTF8'];
  args.push('--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions');
  if (!durable) args.push('--no-sync');
  try {
    await promisify(execFile)(...commandOf(runtime, 'initdb', args), spawnOptionsOf(runtime));
    renameSync(pwfile, passwordFile(temporary));
    renameSync(temporary, clusterDir(runtime));
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    rmSync(pwfile, { force: true });
    if (hasCluster(runtime)) return; // another process was faster
    const { stderr = '', message } = error as Error & { stderr?: string };
    throw new Error(
      `PostgreSQL could not create a database in ${runtime.home}.\n${stderr.trim() || message}`,
    );
  }
}

/**
 * Reads postmaster.pid; undefined when nobody serves the cluster. A file that PostgreSQL is just writing counts as a
 * server that is not ready. The file of a server that was killed stays: from it the next one learns whether the dead
 * one's children still write. It goes only when its number is by now another program's, which PostgreSQL cannot tell.
 */
export function findPostmaster(runtime: Runtime): Postmaster | undefined {
  const file = join(clusterDir(runtime), 'postmaster.pid');
  const postmaster = readPidFile(file);
  if (!postmaster || !isAlive(postmaster.pid)) return undefined;
  if (serves(postmaster.pid, clusterDir(runtime))) return postmaster;
  // Only if it is still the file that was read: a starting server may just have replaced it.
  if (readPidFile(file)?.pid === postmaster.pid) rmSync(file, { force: true });
  return undefined;
}

/** Asks a server whose starter is gone to end; harmless when it just did. */
export function stopOrphan({ pid }: Postmaster): void {
  try {
    process.kill(pid, 'SIGINT');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Lines of the file: pid, folder, start time, port, socket folder, address, shared memory, status. */
export function readPidFile(file: string): Postmaster | undefined {
  let lines: string[];
  try {
    lines = readFileSync(file, 'utf8').split('\n');
  } catch {
    return undefined;
  }
  return { pid: Number(lines[0]), port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
}

function isAlive(pid: number): boolean {
  if (!(pid > 0)) return true; // the file was just created: its writer lives
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** True for a dead process that nobody has reaped yet; in a container without init, nobody ever does. */
function isZombie(pid: number): boolean {
  try {
    return /\) [ZX] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** True when the living process is a server of this cluster. */
function serves(pid: number, cluster: string): boolean {
  if (!(pid > 0)) return true;
  if (isZombie(pid)) return false;
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster);
  } catch (error) {
    // A zombie that nobody reaps (a container without init) has no folder, and serves nobody.
    if (existsSync(`/proc/${process.pid}`) && (error as NodeJS.ErrnoException).code === 'ENOENT')
      return false;
    // No /proc (macOS), or another user's process.
    const name = spawnSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
    return name?.includes('postgres') ?? true;
  }
}

/** Removes what processes left that were killed during `createCluster`. */
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
