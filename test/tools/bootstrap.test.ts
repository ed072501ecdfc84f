// Tests package installation and error messages of the bootstrap, with a fake npm.
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let clone: string;

beforeEach(async () => {
  clone = await mkdtemp(join(tmpdir(), 'sesame-clone-'));
  await mkdir(join(clone, 'tools', 'runtime'), { recursive: true });
  await mkdir(join(clone, 'bin'));
  await copyFile(
    new URL('../../tools/bootstrap.cjs', import.meta.url),
    join(clone, 'tools', 'bootstrap.cjs'),
  );
  await writeFile(join(clone, 'tools', 'runtime', 'package.json'), '{}');
  await writeLock({ 'node_modules/a': { version: '1.0.0' } });
  await replaceNpm('rm -rf node_modules; mkdir node_modules');
});

afterEach(() => rm(clone, { recursive: true }));

test('only the first run in a fresh clone installs packages', async () => {
  const first = await bootstrap();
  expect(first).toMatchObject({ code: 0, calls: 1 });
  expect(first.output).toMatch(/^Installing .*\nInstalled in \d+ s\.\n$/);
  expect(await bootstrap()).toEqual({ code: 0, calls: 1, output: '' });
});

test('a changed lock file triggers a new installation', async () => {
  await bootstrap();
  await writeLock({ 'node_modules/a': { version: '1.0.1' } });
  expect(await bootstrap()).toMatchObject({ code: 0, calls: 2 });
});

test('a failed installation exits with code 1 and is retried on the next run', async () => {
  await replaceNpm('mkdir -p node_modules; exit 7');
  const result = await bootstrap();
  expect(result).toMatchObject({ code: 1, calls: 1 });
  expect(result.output).toMatch(/npm ci failed/);
  expect(await bootstrap()).toMatchObject({ code: 1, calls: 2 });
});

test('an existing node_modules is reinstalled only if a required package is missing', async () => {
  const lock = { '': {}, 'node_modules/a': { version: '1.0.0' } };
  await mkdir(join(clone, 'node_modules'));
  await writeFile(join(clone, 'node_modules', '.package-lock.json'), JSON.stringify({ packages: lock }));
  await writeLock({ ...lock, 'node_modules/node-beos-x64': { version: '2.0.0', optional: true } });
  expect(await bootstrap()).toEqual({ code: 0, calls: 0, output: '' });
  await writeLock({ ...lock, 'node_modules/c': { version: '1.0.0', dev: true } });
  expect(await bootstrap({ NODE_ENV: 'production' })).toEqual({ code: 0, calls: 0, output: '' });
  const platformPackage = `node_modules/node-${process.platform}-${process.arch}`;
  await writeLock({ ...lock, [platformPackage]: { version: '1.0.0', optional: true } });
  expect(await bootstrap()).toMatchObject({ code: 0, calls: 1 });
});

test('an outdated Node version is rejected and named in the error', async () => {
  const oldNodeScript = join(clone, 'old.cjs');
  await writeFile(
    oldNodeScript,
    "Object.defineProperty(process, 'versions', { value: { node: '22.20.0' } });",
  );
  const { code, output } = await bootstrap({ NODE_OPTIONS: `--require ${oldNodeScript}` });
  expect(code).toBe(1);
  expect(output).toMatch(/requires Node\.js 24\.12 or later\. Found 22\.20\.0/);
});

function writeLock(packages: Record<string, unknown>): Promise<void> {
  return writeFile(join(clone, 'package-lock.json'), JSON.stringify({ packages }));
}

/** Replaces npm with a shell script that counts its calls. */
async function replaceNpm(script: string): Promise<void> {
  const npm = join(clone, 'bin', 'npm');
  await writeFile(npm, `#!/bin/sh\necho call >> npm-calls\n${script}\n`);
  await chmod(npm, 0o755);
}

async function bootstrap(environment: Record<string, string> = {}) {
  const env = { PATH: `${join(clone, 'bin')}:${process.env.PATH}`, ...environment };
  const { code, output } = await new Promise<{ code: number; output: string }>((done) => {
    execFile(
      process.execPath,
      [join(clone, 'tools', 'bootstrap.cjs')],
      { env, cwd: '/' },
      (error, stdout, stderr) => done({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    );
  });
  const calls = await readFile(join(clone, 'npm-calls'), 'utf8').catch(() => '');
  return { code, output, calls: calls.split('call').length - 1 };
}
