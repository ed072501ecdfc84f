// Makes `npm start` and `npm test` work in a fresh clone: installs what package-lock.json says, once, and silently does
// nothing afterwards. Plain CommonJS without dependencies, because it runs on whatever Node (20 or later) is there.
'use strict';
const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

/** The oldest Node that runs TypeScript without a flag or a warning. */
const OLDEST_NODE = [24, 12];

const root = path.dirname(__dirname);
const modules = path.join(root, 'node_modules');
const stampFile = path.join(modules, '.sesame-stamp');
const carriedNode = path.join(modules, '.bin', 'node');

const wanted = fingerprint();
if (read(stampFile) !== wanted) {
  withLock(() => {
    if (read(stampFile) === wanted) return; // another process installed while this one waited
    if (!installedByHand()) install();
    linkCarriedNode();
    checkCarriedNode();
    fs.writeFileSync(stampFile, wanted);
  });
}
checkNode();

/** What the installed packages depend on: the lock file, the list of what npm carries, and this machine. */
function fingerprint() {
  const hash = createHash('sha256');
  for (const file of ['package-lock.json', 'tools/runtime/package.json']) {
    const text = read(path.join(root, file));
    if (text === undefined) fail(`${file} is missing: this is not a complete checkout.`);
    hash.update(text);
  }
  return hash.update(`${process.platform} ${process.arch}`).digest('hex');
}

/**
 * True when somebody ran `npm ci` or `npm install` already and nothing of the lock file is missing. In production that
 * person may have left the development packages out, on purpose.
 */
function installedByHand() {
  const present = read(path.join(modules, '.package-lock.json'));
  if (present === undefined) return false;
  const { packages } = JSON.parse(present);
  const lock = JSON.parse(read(path.join(root, 'package-lock.json')));
  // Optional packages are absent for good reasons (another system); only those that carry programs for this one count.
  const here = `${process.platform}-${process.arch}`;
  return Object.entries(lock.packages).every(([key, entry]) => {
    if (key === '' || packages[key]?.version === entry.version) return true;
    if (entry.dev && process.env.NODE_ENV === 'production') return true;
    return entry.optional === true && !key.endsWith(here);
  });
}

/** Runs `npm ci` without any package's own scripts: nothing here needs one. */
function install() {
  const started = Date.now();
  say('Installing what Sésame needs (Node.js, PostgreSQL, libraries); the first time this takes a minute …');
  // Not the Node in node_modules/.bin, which npm is about to remove, but the one that npm itself was started with.
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
  if (result.error) fail(`npm could not be started (${result.error.message}).`);
  if (result.signal) fail('The installation was interrupted; the next start tries again.');
  if (result.status !== 0) {
    fail(
      'npm could not install the packages. Its own message is above; most often the registry cannot be reached.',
    );
  }
  say(`Installed in ${Math.round((Date.now() - started) / 1000)} s.`);
}

/** npm 9 and 10 remove the `node` link again together with the same link of the other platforms' packages. */
function linkCarriedNode() {
  const carried = path.join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (!fs.existsSync(carried) || fs.existsSync(carriedNode)) return;
  fs.mkdirSync(path.dirname(carriedNode), { recursive: true });
  fs.symlinkSync(path.relative(path.dirname(carriedNode), carried), carriedNode);
}

/** Fails when npm carries a Node that this system cannot run (Alpine's musl, a very old glibc). */
function checkCarriedNode() {
  if (!fs.existsSync(carriedNode)) return;
  const result = spawnSync(carriedNode, ['--version'], { encoding: 'utf8' });
  if (result.status === 0) return;
  const reason = result.error?.message ?? result.stderr.trim().split('\n')[0];
  fail(
    `The Node.js that npm carries does not run on this system (${reason}). Use a Linux with glibc, or Docker.`,
  );
}

/** Fails when `node`, as the npm scripts find it, is too old for the service. */
function checkNode() {
  if (fs.existsSync(carriedNode)) return; // pinned by package-lock.json and checked when installed
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  fail(
    `Sésame needs Node.js ${OLDEST_NODE.join('.')} or later here; this is ${process.versions.node} (${process.execPath}).`,
  );
}

/** Runs `work` while no other process installs into the same folder: two `npm ci` at once would ruin each other. */
function withLock(work) {
  // Not in node_modules, which npm empties. A lock left by a dead process is taken over.
  const name = createHash('sha256').update(`${root} ${os.userInfo().uid}`).digest('hex').slice(0, 16);
  const lock = path.join(os.tmpdir(), `sesame-install-${name}`);
  for (let waited = false; ; waited = true) {
    try {
      fs.writeFileSync(lock, String(process.pid), { flag: 'wx', mode: 0o600 });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') return work(); // no lock can be had here: better to go on than to refuse
    }
    const age = Date.now() - (fs.statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > 15 * 60_000 || (read(lock) && !isAlive(Number(read(lock))))) {
      fs.rmSync(lock, { force: true });
      continue;
    }
    if (!waited) say('Another process is installing; waiting for it …');
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

function read(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function say(line) {
  process.stderr.write(`${line}\n`);
}

function fail(line) {
  say(line);
  process.exit(1);
}
