// Runs system programs as an unprivileged user and kills them after each scenario.
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { chownSync, closeSync, existsSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeTestDirectory } from '../support/ram-directory.ts';

const DEBIAN_DIRECTORY = '/usr/lib/postgresql';
/** The user `nobody`. PostgreSQL and PgBouncer refuse to run as root. */
const NOBODY = { uid: 65534, gid: 65534 };
const processIdentity = process.getuid?.() === 0 ? NOBODY : {};
const environment = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C.UTF-8', TZ: 'UTC' };

/** The bin directory of the newest PostgreSQL version installed from Debian packages, or undefined. */
export const postgresBinDirectory: string | undefined = existsSync(DEBIAN_DIRECTORY)
  ? readdirSync(DEBIAN_DIRECTORY)
      .sort((one, other) => Number(other) - Number(one))
      .map((version) => join(DEBIAN_DIRECTORY, version, 'bin'))
      .find((folder) => existsSync(join(folder, 'initdb')))
  : undefined;

export const isInstalled = (program: string): boolean => spawnSync('which', [program]).status === 0;

const folders: string[] = [];
const children = new Set<ChildProcess>();

/** Creates a temporary directory owned by the unprivileged user. */
export function createFolder(): string {
  const root = makeTestDirectory('sesame-cluster-');
  folders.push(root);
  changeOwner(root);
  return root;
}

/** Makes the unprivileged user the owner of a file or directory. */
export function changeOwner(path: string): void {
  if (processIdentity === NOBODY) chownSync(path, NOBODY.uid, NOBODY.gid);
}

/** Runs a program. @returns its standard output @throws Error with the program's output if it fails */
export async function execute(
  program: string,
  args: string[],
  extraEnvironment: Record<string, string> = {},
): Promise<string> {
  const options = {
    ...processIdentity,
    cwd: '/',
    env: { ...environment, ...extraEnvironment },
    maxBuffer: 64 * 2 ** 20,
  };
  return (await promisify(execFile)(program, args, options)).stdout;
}

/** Starts a server that is killed when this process exits. @param log path of the server's log file */
export function startServer(program: string, args: string[], log: string): ChildProcess {
  const output = openSync(log, 'a');
  changeOwner(log);
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', program, ...args], {
    ...processIdentity,
    cwd: '/',
    env: environment,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** Kills all servers and removes the temporary directories. */
export async function killServers(): Promise<void> {
  for (const child of [...children]) {
    const exited = new Promise((resolve) => child.once('exit', resolve));
    // SIGQUIT makes PostgreSQL shut down immediately and stop its child processes.
    child.kill('SIGQUIT');
    await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, 5_000, undefined).unref())]);
    child.kill('SIGKILL');
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
