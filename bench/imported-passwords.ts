// npm run bench:passwords: measures imported hashes and their effect on other sign-ins.
import { pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSync as hashArgon2 } from '@node-rs/argon2';
import { hashSync as hashBcrypt } from '@node-rs/bcrypt';
import pg from 'pg';
import { formatTable } from '../src/cli/run.ts';
import { verifyImportedHash } from '../src/credentials/imported-hash-verification.ts';
import { parseImportedHash } from '../src/credentials/imported-hashes.ts';
import { migrate } from '../src/store/migrate.ts';
import { startEmbeddedPostgres } from '../tools/embedded-postgres.ts';
import { findFreePort } from '../tools/free-port.ts';
import { createFixtures, PASSWORD } from './fixtures.ts';
import { measure } from './measure.ts';
import { openSignInPage, operations } from './operations.ts';
import { options } from './options.ts';
import { findPostmasterPid, SERVER_FLAGS, startNode, stopProcess, waitUntilReady } from './processes.ts';

const ISSUER = 'https://bench.example';
const SECRET_KEY = 'a key for the benchmark only 0123456789';
const IMPORTED_USER_COUNT = 1000;

function toStoredHash(text: string): string {
  const parsed = parseImportedHash(text);
  if (!('stored' in parsed)) throw new Error(`${text} can't be stored as it is.`);
  return parsed.stored;
}

const salt = randomBytes(16);
const encodeBase64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
const createPbkdf2Hash = (algorithm: string, iterations: number, length: number) => {
  const digest = pbkdf2Sync(PASSWORD, salt, iterations, length, algorithm);
  return toStoredHash(`$pbkdf2-${algorithm}$${iterations}$${encodeBase64(salt)}$${encodeBase64(digest)}`);
};
const createScryptHash = (logN: number) => {
  const digest = scryptSync(PASSWORD, salt, 32, { N: 2 ** logN, r: 8, p: 1, maxmem: 2 ** 28 });
  return toStoredHash(`$scrypt$ln=${logN},r=8,p=1$${encodeBase64(salt)}$${encodeBase64(digest)}`);
};
const createArgon2Hash = (memoryCost: number, timeCost: number, parallelism: number) =>
  toStoredHash(hashArgon2(PASSWORD, { memoryCost, timeCost, parallelism }));
const createBcryptHash = (cost: number) => toStoredHash(hashBcrypt(PASSWORD, cost));

const IMPORTED_HASHES: [name: string, stored: string][] = [
  ['bcrypt 10', createBcryptHash(10)],
  ['bcrypt 12', createBcryptHash(12)],
  ['bcrypt 14 (maximum)', createBcryptHash(14)],
  ['Argon2id 7 MiB, 5 passes (Keycloak)', createArgon2Hash(7168, 5, 1)],
  ['Argon2id 64 MiB, 3 passes, 4 lanes', createArgon2Hash(65_536, 3, 4)],
  ['Argon2id 256 MiB, 4 passes (maximum)', createArgon2Hash(262_144, 4, 1)],
  ['PBKDF2-SHA-256, 1,000,000 (Django)', createPbkdf2Hash('sha256', 1_000_000, 32)],
  ['PBKDF2-SHA-512, 2,000,000 (maximum)', createPbkdf2Hash('sha512', 2_000_000, 64)],
  ['scrypt 16 MiB', createScryptHash(14)],
  ['scrypt 128 MiB (maximum)', createScryptHash(17)],
  ['phpass 13 (WordPress)', toStoredHash('$P$BfDNpebw8aEmSJkSpdvEI2SMc.YiaS.')],
  ['phpass 19 (maximum)', toStoredHash('$P$HfDNpebw8aEmSJkSpdvEI2SMc.YiaS.')],
];

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

function measureCost(verify: () => unknown): number {
  verify();
  const times = Array.from({ length: 3 }, () => {
    const startedAt = performance.now();
    verify();
    return performance.now() - startedAt;
  });
  return median(times);
}

const argon2Cost = measureCost(() => hashArgon2(PASSWORD));
const costs = IMPORTED_HASHES.map(([name, stored]) => {
  const cost = measureCost(() => verifyImportedHash(stored, PASSWORD));
  return [name, cost.toFixed(0), (cost / argon2Cost).toFixed(1)];
});
process.stdout.write(
  formatTable(['hash', 'ms', 'ratio'], [["Sésame's Argon2id", argon2Cost.toFixed(0), '1.0'], ...costs]),
);

const folder = mkdtempSync(join(tmpdir(), 'sesame-imported-'));
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') });
await migrate(postgres.url);
const fixtures = await createFixtures(postgres.url, SECRET_KEY, ISSUER);
const port = await findFreePort();
const metricsPort = await findFreePort();
const server = startNode(
  'src/server.ts',
  {
    NODE_ENV: 'production',
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    BASE_URL: ISSUER,
    DATABASE_URL: postgres.url,
    SECRET_KEY,
    TRUSTED_PROXIES: '127.0.0.1',
    RATE_LIMIT_PER_MINUTE: '1000000000',
  },
  join(folder, 'server.log'),
  { flags: SERVER_FLAGS },
);
const database = new pg.Client({ connectionString: postgres.url });
await database.connect();
try {
  await waitUntilReady(`http://127.0.0.1:${port}/readyz`, server);
  const target = {
    origin: `http://127.0.0.1:${port}`,
    pid: server.pid ?? 0,
    postgresPid: await findPostmasterPid(postgres.url),
    databaseUrl: postgres.url,
    metrics: `http://127.0.0.1:${metricsPort}/metrics`,
  };
  const signIn = operations.find(({ name }) => name === 'sign-in');
  if (signIn === undefined) throw new Error('The operation sign-in is missing.');
  const duration = { seconds: options.seconds };
  const before = await measure(target, await signIn.prepare(fixtures, 0), duration);

  const imported = Array.from({ length: IMPORTED_USER_COUNT }, () => fixtures.nextUser());
  const ids = imported.map(({ userId }) => userId);
  await database.query('update users set password_hash = $1 where id = any($2)', [createBcryptHash(10), ids]);
  const idle = await measure(target, await signIn.prepare(fixtures, 0), duration);
  const emails = imported.map(({ email }) => email);
  const failures = await measureFailedSignIns(emails);

  let isRunning = true;
  let completed = 0;
  const background = Array.from({ length: 4 }, async (_, connection) => {
    const { cookie, csrf } = await openPage();
    while (isRunning) {
      const form = { csrf, email: emails.pop() ?? '', password: PASSWORD };
      if ((await postSignIn(form, `198.51.100.${connection}`, cookie)).startsWith('/account')) completed += 1;
    }
  });
  const startedAt = performance.now();
  const busy = await measure(target, await signIn.prepare(fixtures, 0), duration);
  const importedPerSecond = (completed * 1000) / (performance.now() - startedAt);
  isRunning = false;
  await Promise.all(background);

  const formatRow = (name: string, { perSecond, p50, p99, serverCpu }: typeof before) => [
    name,
    ...[perSecond.toFixed(0), p50.toFixed(0), p99.toFixed(0), serverCpu.toFixed(1)],
    (before.perSecond / perSecond).toFixed(2),
  ];
  process.stdout.write(
    `\nSign-ins with the service's own hashes\n${formatTable(
      ['while', 'ops/s', 'p50', 'p99', 'cpu', 'ratio'],
      [
        formatRow('no hashes are imported', before),
        formatRow('1,000 bcrypt 10 hashes are imported', idle),
        formatRow(`${importedPerSecond.toFixed(1)} imported hashes are verified per second`, busy),
      ],
    )}\nFailed sign-ins, in milliseconds\n${formatTable(['account', 'p10', 'p50', 'p90'], failures)}`,
  );
} finally {
  await database.end();
  await fixtures.close();
  await stopProcess(server);
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** @returns the path to which the response redirects */
async function postSignIn(form: Record<string, string>, ip: string, cookie: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/signin`, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers: { cookie, 'x-forwarded-for': ip, 'x-forwarded-proto': 'https' },
    redirect: 'manual',
  });
  await response.arrayBuffer();
  const { pathname } = new URL(response.headers.get('location') ?? `/${response.status}`, ISSUER);
  return pathname;
}

async function openPage(): Promise<{ cookie: string; csrf: string }> {
  return openSignInPage(async ({ path }) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { 'x-forwarded-proto': 'https' },
    });
    const headers = { 'set-cookie': response.headers.getSetCookie() };
    return { status: response.status, headers, body: await response.text() };
  });
}

async function measureFailedSignIns(importedEmails: readonly string[]): Promise<string[][]> {
  const { cookie, csrf } = await openPage();
  const accounts: [string, (index: number) => string][] = [
    ['imported hash', (index) => importedEmails[index] ?? ''],
    ["service's own hash", () => fixtures.nextUser().email],
    ['no account', (index) => `nobody${index}@example.com`],
  ];
  const times = accounts.map((): number[] => []);
  for (let index = 0; index < 20; index += 1)
    for (const [kind, [, emailOf]] of accounts.entries()) {
      const form = { csrf, email: emailOf(index), password: 'wrong' };
      const startedAt = performance.now();
      const path = await postSignIn(form, `203.0.113.${index}`, cookie);
      if (path !== '/signin') throw new Error(`Unexpected response: ${path}`);
      times[kind]?.push(performance.now() - startedAt);
    }
  return accounts.map(([name], kind) => {
    const sorted = (times[kind] ?? []).slice(1).toSorted((a, b) => a - b);
    return [name, ...[0.1, 0.5, 0.9].map((q) => (sorted[Math.floor(sorted.length * q)] ?? 0).toFixed(1))];
  });
}
