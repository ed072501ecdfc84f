// Packages of other languages that code to copy stands on: fetched once by the language's own tool, and kept.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isInstalled } from '../support/sources.ts';

const run = promisify(execFile);
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/snippets/', import.meta.url));
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** How long fetching and compiling may take, for hooks; a second run takes seconds. */
export const PATIENCE = 300_000;

/**
 * A folder filled once for what a list of packages says.
 * @returns undefined, loudly, where a program or the packages cannot be had
 */
async function filled(
  name: string,
  programs: readonly string[],
  list: string,
  fill: (folder: string) => Promise<unknown>,
): Promise<string | undefined> {
  const tested = `the code to copy for ${name}`;
  if (programs.map((program) => isInstalled(program, tested)).includes(false)) return undefined;
  const digest = createHash('sha256').update(readFileSync(list)).digest('hex').slice(0, 12);
  const folder = join(CACHE, `${name}-${digest}`);
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  const draft = await mkdtemp(join(CACHE, `${name}-`));
  try {
    await fill(draft);
    await rename(draft, folder); // all of it, or nothing; whoever was quicker has the same
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (existsSync(folder)) return folder;
    console.warn(`NOT TESTED: the packages of ${name} cannot be had, so ${tested} goes untested: ${error}`);
    return undefined;
  }
  return folder;
}

/** The value of PYTHONPATH with which Python finds what requirements.txt says. */
export function pythonPath(): Promise<string | undefined> {
  const list = here('requirements.txt');
  const options = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--requirement', list];
  return filled('Python', ['python3'], list, (folder) =>
    run('python3', [...options, '--target', folder], { timeout: PATIENCE }),
  );
}

/** The class path of what java/pom.xml says, without its last `/*`. */
export function springJars(): Promise<string | undefined> {
  const list = here('java/pom.xml');
  const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
  return filled('Spring', ['java', 'javac', 'mvn'], list, (folder) =>
    run('mvn', ['-q', '-B', '-f', list, goal, `-DoutputDirectory=${folder}`], { timeout: PATIENCE }),
  );
}

/** A copy of the module go/, whose packages are fetched; built programs share what was compiled. */
export function goModule(): Promise<string | undefined> {
  return filled('Go', ['go'], here('go/go.sum'), async (folder) => {
    await cp(here('go'), folder, { recursive: true });
    await run('go', ['mod', 'download'], { cwd: folder, timeout: PATIENCE });
  });
}

/** Compiles one file of a Go program; gives the program's path, in `folder`. */
export async function buildGo(module: string, folder: string, name: string, code: string): Promise<string> {
  await cp(join(module, 'go.mod'), join(folder, 'go.mod'));
  await cp(join(module, 'go.sum'), join(folder, 'go.sum'));
  await mkdir(join(folder, name));
  await writeFile(join(folder, name, 'main.go'), code);
  const program = join(folder, `${name}.program`);
  // Neither optimised nor linked to C: Go compiles its own libraries, too, and that takes longest.
  const options = ['-gcflags=all=-N -l', '-o', program];
  const env = { ...process.env, CGO_ENABLED: '0' };
  await run('go', ['build', ...options, `./${name}`], { cwd: folder, env, timeout: PATIENCE });
  return program;
}

/** Compiles Java against the jars, into `folder`; gives the class path to run it with. */
export async function buildJava(jars: string, folder: string, files: readonly string[]): Promise<string> {
  const options = ['-J-XX:TieredStopAtLevel=1', '-J-XX:+UseSerialGC', '-proc:none', '-parameters'];
  await run('javac', [...options, '-cp', `${jars}/*`, '-d', folder, ...files], { timeout: PATIENCE });
  return `${folder}:${jars}/*`;
}
