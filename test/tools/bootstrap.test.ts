// The bootstrap of a fresh clone, with a stand-in for npm: when it installs, and what it says when it cannot.
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
  await npmDoes('rm -rf node_modules; mkdir node_modules');
});

afterEach(() => rm(clone, { recursive: true }));

test('a fresh clone is installed once, then nothing is said or done', async () => {
  const first = await bootstrap();
  expect(first).toMatchObject({ code: 0, calls: 1 });
  expect(first.said).toMatch(/^Installing .*\nInstalled in \d+ s\.\n$/);
  expect(await bootstrap()).toEqual({ code: 0, calls: 1, said: '' });
});

test('a changed lock file is installed again', async () => {
  await bootstrap();
  await writeLock({ 'node_modules/a': { version: '1.0.1' } });
  expect(await bootstrap()).toMatchObject({ code: 0, calls: 2 });
});

test('a failed installation says so, exits 1 and is tried again', async () => {
  await npmDoes('mkdir -p node_modules; exit 7');
  const failed = await bootstrap();
  expect(failed).toMatchObject({ code: 1, calls: 1 });
  expect(failed.said).toMatch(/npm could not install the packages/);
  expect(await bootstrap()).toMatchObject({ code: 1, calls: 2 });
});

test('an installation made by hand is accepted when nothing is missing', async () => {
  const lock = { '': {}, 'node_modules/a': { version: '1.0.0' } };
  await mkdir(join(clone, 'node_modules'));
  await writeFile(join(clone, 'node_modules', '.package-lock.json'), JSON.stringify({ packages: lock }));
  await writeLock({ ...lock, 'node_modules/node-beos-x64': { version: '2.0.0', optional: true } });
  expect(await bootstrap()).toEqual({ code: 0, calls: 0, said: '' });
  await writeLock({ ...lock, 'node_modules/c': { version: '1.0.0', dev: true } });
  expect(await bootstrap({ NODE_ENV: 'production' })).toEqual({ code: 0, calls: 0, said: '' });
  const needed = `node_modules/node-${process.platform}-${process.arch}`;
  await writeLock({ ...lock, [needed]: { version: '1.0.0', optional: true } });
  expect(await bootstrap()).toMatchObject({ code: 0, calls: 1 });
});

test('an own Node that is too old is named', async () => {
  const old = join(clone, 'old.cjs');
  await writeFile(old, "Object.defineProperty(process, 'versions', { value: { node: '22.20.0' } });");
  const { code, said } = await bootstrap({ NODE_OPTIONS: `--require ${old}` });
  expect(code).toBe(1);
  expect(said).toMatch(/needs Node\.js 24\.12 or later here; this is 22\.20\.0/);
});

function writeLock(packages: Record<string, unknown>): Promise<void> {
  return writeFile(join(clone, 'package-lock.json'), JSON.stringify({ packages }));
}

/** Replaces npm by a shell script that counts its calls. */
async function npmDoes(script: string): Promise<void> {
  const npm = join(clone, 'bin', 'npm');
  await writeFile(npm, `#!/bin/sh\necho call >> npm-calls\n${script}\n`);
  await chmod(npm, 0o755);
}

async function bootstrap(environment: Record<string, string> = {}) {
  const env = { PATH: `${join(clone, 'bin')}:${process.env.PATH}`, ...environment };
  const { code, said } = await new Promise<{ code: number; said: string }>((done) => {
    execFile(
      process.execPath,
      [join(clone, 'tools', 'bootstrap.cjs')],
      { env, cwd: '/' },
      (error, stdout, stderr) => done({ code: error ? Number(error.code) : 0, said: stdout + stderr }),
    );
  });
  const calls = await readFile(join(clone, 'npm-calls'), 'utf8').catch(() => '');
  return { code, said, calls: calls.split('call').length - 1 };
}
