// Programs of the system (Debian's packages): where they are, as whom they run, and that none outlives its scenario.
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { chownSync, closeSync, existsSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeFastFolder } from '../support/fast-folder.ts';

const DEBIAN = '/usr/lib/postgresql';
/** The user that owns nothing: PostgreSQL and PgBouncer refuse to run as root. */
const NOBODY = { uid: 65534, gid: 65534 };
const identity = process.getuid?.() === 0 ? NOBODY : {};
const environment = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C.UTF-8', TZ: 'UTC' };

/** Folder of the newest PostgreSQL that Debian's packages installed, undefined without one. */
export const postgresPrograms: string | undefined = existsSync(DEBIAN)
  ? readdirSync(DEBIAN)
      .sort((one, other) => Number(other) - Number(one))
      .map((version) => join(DEBIAN, version, 'bin'))
      .find((folder) => existsSync(join(folder, 'initdb')))
  : undefined;

export const isInstalled = (program: string): boolean => spawnSync('which', [program]).status === 0;

const folders: string[] = [];
const children = new Set<ChildProcess>();

/** A temporary folder that belongs to the user of the system's programs. */
export function newFolder(): string {
  const root = makeFastFolder('sesame-cluster-');
  folders.push(root);
  own(root);
  return root;
}

function own(path: string): void {
  if (identity === NOBODY) chownSync(path, NOBODY.uid, NOBODY.gid);
}

/** Makes a file or folder belong to the user of the system's programs. */
export const giveAway = own;

/** Runs a program to its end. @throws Error with what it wrote when it fails */
export async function execute(
  program: string,
  args: string[],
  more: Record<string, string> = {},
): Promise<string> {
  const options = { ...identity, cwd: '/', env: { ...environment, ...more }, maxBuffer: 64 * 2 ** 20 };
  return (await promisify(execFile)(program, args, options)).stdout;
}

/** Starts a server; it ends with this process, however that ends. Its output goes to `log`. */
export function serve(program: string, args: string[], log: string): ChildProcess {
  const output = openSync(log, 'a');
  own(log);
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', program, ...args], {
    ...identity,
    cwd: '/',
    env: environment,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** Ends all servers by force and removes the folders. */
export async function endServers(): Promise<void> {
  for (const child of [...children]) {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGQUIT'); // PostgreSQL's immediate end, which takes its own children along
    await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, 5_000, undefined).unref())]);
    child.kill('SIGKILL');
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
