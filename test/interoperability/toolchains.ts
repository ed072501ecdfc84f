// Downloads and caches the packages that the Python, Java and Go snippets need.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isInstalled } from '../support/source-files.ts';

const run = promisify(execFile);
const CACHE_FOLDER = fileURLToPath(new URL('../../node_modules/.cache/snippets/', import.meta.url));
const pathInFolder = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Timeout in milliseconds for downloading and compiling packages.
 */
export const TOOLCHAIN_TIMEOUT = 300_000;

/**
 * Downloads the listed packages once for each version of the list.
 * @returns the folder. If a program or package is unavailable, prints a warning and returns undefined.
 */
async function downloadOnce(
  name: string,
  programs: readonly string[],
  list: string,
  download: (folder: string) => Promise<unknown>,
): Promise<string | undefined> {
  const feature = `the snippets for ${name}`;
  if (programs.map((program) => isInstalled(program, feature)).includes(false)) return undefined;
  const digest = createHash('sha256').update(readFileSync(list)).digest('hex').slice(0, 12);
  const folder = join(CACHE_FOLDER, `${name}-${digest}`);
  if (existsSync(folder)) return folder;
  await mkdir(CACHE_FOLDER, { recursive: true });
  const temporaryFolder = await mkdtemp(join(CACHE_FOLDER, `${name}-`));
  try {
    await download(temporaryFolder);
    // The rename fails if a concurrent process has created the folder.
    await rename(temporaryFolder, folder);
  } catch (error) {
    await rm(temporaryFolder, { recursive: true, force: true });
    if (existsSync(folder)) return folder;
    console.warn(`NOT TESTED: ${feature}. Could not download the packages: ${error}`);
    return undefined;
  }
  return folder;
}

/** Installs the packages in requirements.txt. Returns the value for PYTHONPATH. */
export function installPythonPackages(): Promise<string | undefined> {
  const list = pathInFolder('requirements.txt');
  const options = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--requirement', list];
  return downloadOnce('Python', ['python3'], list, (folder) =>
    run('python3', [...options, '--target', folder], { timeout: TOOLCHAIN_TIMEOUT }),
  );
}

/** Downloads the dependencies in java/pom.xml. Returns the folder that contains them. */
export function downloadSpringJars(): Promise<string | undefined> {
  const list = pathInFolder('java/pom.xml');
  const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
  return downloadOnce('Spring', ['java', 'javac', 'mvn'], list, (folder) =>
    run('mvn', ['-q', '-B', '-f', list, goal, `-DoutputDirectory=${folder}`], { timeout: TOOLCHAIN_TIMEOUT }),
  );
}

/** Copies the Go module in go/ and downloads its packages. Returns the copy's folder. */
export function downloadGoModule(): Promise<string | undefined> {
  return downloadOnce('Go', ['go'], pathInFolder('go/go.sum'), async (folder) => {
    await cp(pathInFolder('go'), folder, { recursive: true });
    await run('go', ['mod', 'download'], { cwd: folder, timeout: TOOLCHAIN_TIMEOUT });
  });
}

/** Compiles a one-file Go program. Returns the path of the executable. */
export async function compileGo(module: string, folder: string, name: string, code: string): Promise<string> {
  await cp(join(module, 'go.mod'), join(folder, 'go.mod'));
  await cp(join(module, 'go.sum'), join(folder, 'go.sum'));
  await mkdir(join(folder, name));
  await writeFile(join(folder, name, 'main.go'), code);
  const program = join(folder, `${name}.program`);
  // Go's standard library compiles faster without optimization and cgo.
  const options = ['-gcflags=all=-N -l', '-o', program];
  const env = { ...process.env, CGO_ENABLED: '0' };
  await run('go', ['build', ...options, `./${name}`], { cwd: folder, env, timeout: TOOLCHAIN_TIMEOUT });
  return program;
}

/** Compiles Java files to `folder`. Returns the class path. */
export async function compileJava(jars: string, folder: string, files: readonly string[]): Promise<string> {
  const options = ['-J-XX:TieredStopAtLevel=1', '-J-XX:+UseSerialGC', '-proc:none', '-parameters'];
  await run('javac', [...options, '-cp', `${jars}/*`, '-d', folder, ...files], {
    timeout: TOOLCHAIN_TIMEOUT,
  });
  return `${folder}:${jars}/*`;
}
