// Installs missing packages before `npm start` and `npm test`. CommonJS without dependencies, so that Node 20 can run
// this file.
'use strict';
const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

/** The first Node version that runs TypeScript without a flag or warning. */
const MIN_NODE = [24, 12];

const root = path.dirname(__dirname);
const modules = path.join(root, 'node_modules');
const stampFile = path.join(modules, '.sesame-stamp');
const bundledNode = path.join(modules, '.bin', 'node');

const expectedStamp = computeStamp();
if (readIfExists(stampFile) !== expectedStamp) {
  withLock(() => {
    if (readIfExists(stampFile) === expectedStamp) return; // another process has installed the packages
    if (!isInstalled()) install();
    linkBundledNode();
    checkBundledNode();
    fs.writeFileSync(stampFile, expectedStamp);
  });
}
checkNodeVersion();

function computeStamp() {
  const hash = createHash('sha256');
  for (const file of ['package-lock.json', 'tools/runtime/package.json']) {
    const text = readIfExists(path.join(root, file));
    if (text === undefined) fail(`${file} is missing. Check out the complete repository.`);
    hash.update(text);
  }
  return hash.update(`${process.platform} ${process.arch}`).digest('hex');
}

/** Whether all packages are installed. In production, development packages may be missing. */
function isInstalled() {
  const present = readIfExists(path.join(modules, '.package-lock.json'));
  if (present === undefined) return false;
  const { packages } = JSON.parse(present);
  const lock = JSON.parse(readIfExists(path.join(root, 'package-lock.json')));
  // npm doesn't install optional packages for other platforms.
  const platform = `${process.platform}-${process.arch}`;
  return Object.entries(lock.packages).every(([key, entry]) => {
    if (key === '' || packages[key]?.version === entry.version) return true;
    if (entry.dev && process.env.NODE_ENV === 'production') return true;
    return entry.optional === true && !key.endsWith(platform);
  });
}

function install() {
  const started = Date.now();
  print(
    'Installing dependencies (Node.js, PostgreSQL, libraries). This takes about a minute the first time …',
  );
  // npm will delete the Node in node_modules/.bin, so npm must run on the system's Node.
  const PATH = (process.env.PATH || '')
    .split(path.delimiter)
    .filter((folder) => !folder.endsWith(path.join('node_modules', '.bin')))
    .join(path.delimiter);
  const { npm_execpath: npmScript = '', npm_node_execpath: npmNode = '' } = process.env;
  const viaNpm =
    path.basename(npmScript) === 'npm-cli.js' && fs.existsSync(npmScript) && fs.existsSync(npmNode);
  const options = [
    'ci',
    '--include=dev',
    '--include=optional',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
  ];
  const [command, args] = viaNpm ? [npmNode, [npmScript]] : ['npm', []];
  const result = spawnSync(command, [...args, ...options, '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH },
  });
  if (result.error) fail(`Could not start npm: ${result.error.message}`);
  if (result.signal) fail('The installation was interrupted. Run the command again.');
  if (result.status !== 0) {
    fail('npm ci failed. See its output above. The usual cause is an unreachable registry.');
  }
  print(`Installed in ${Math.round((Date.now() - started) / 1000)} s.`);
}

/** npm 9 and 10 remove the `node` link together with packages for other platforms. */
function linkBundledNode() {
  const bundled = path.join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (!fs.existsSync(bundled) || fs.existsSync(bundledNode)) return;
  fs.mkdirSync(path.dirname(bundledNode), { recursive: true });
  fs.symlinkSync(path.relative(path.dirname(bundledNode), bundled), bundledNode);
}

/** The bundled Node doesn't run with musl (Alpine) or an old glibc. */
function checkBundledNode() {
  if (!fs.existsSync(bundledNode)) return;
  const result = spawnSync(bundledNode, ['--version'], { encoding: 'utf8' });
  if (result.status === 0) return;
  const reason = result.error?.message ?? result.stderr.trim().split('\n')[0];
  fail(
    `The bundled Node.js does not run on this system (${reason}). Use a Linux system with glibc, or Docker.`,
  );
}

function checkNodeVersion() {
  if (fs.existsSync(bundledNode)) return; // the bundled version was checked at installation
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])) return;
  fail(
    `Sésame requires Node.js ${MIN_NODE.join('.')} or later. Found ${process.versions.node} (${process.execPath}).`,
  );
}

/** Concurrent runs of `npm ci` would corrupt each other's files. */
function withLock(work) {
  // npm empties node_modules, so the lock is in the temporary folder. A dead process's lock is replaced.
  const name = createHash('sha256').update(`${root} ${os.userInfo().uid}`).digest('hex').slice(0, 16);
  const lock = path.join(os.tmpdir(), `sesame-install-${name}`);
  for (let waited = false; ; waited = true) {
    try {
      fs.writeFileSync(lock, String(process.pid), { flag: 'wx', mode: 0o600 });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') return work(); // no lock can be created
    }
    const age = Date.now() - (fs.statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > 15 * 60_000 || (readIfExists(lock) && !isAlive(Number(readIfExists(lock))))) {
      fs.rmSync(lock, { force: true });
      continue;
    }
    if (!waited) print('Waiting for another installation to finish …');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
  process.once('exit', () => fs.rmSync(lock, { force: true }));
  work();
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function readIfExists(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function print(line) {
  process.stderr.write(`${line}\n`);
}

function fail(line) {
  print(line);
  process.exit(1);
}
