// npm run bench:import: measures the speed and memory of `sesame import users` with bcrypt hashes.
import { spawn } from 'node:child_process';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { formatTable } from '../src/cli/run.ts';
import { migrate } from '../src/store/migrate.ts';
import { startEmbeddedPostgres } from '../tools/embedded-postgres.ts';
import { options } from './options.ts';
import { CLI_FLAGS } from './processes.ts';

const DEFAULT_ROWS = 50_000;
const rows = options.rows || DEFAULT_ROWS;
const folder = mkdtempSync(join(tmpdir(), 'sesame-import-'));
const file = join(folder, 'users.jsonl');

function* generateLines() {
  const hash = '$2b$10$BaCCkHfpyBLKOWR5QCtkG.OaQ2uqBQ1ZSVSw2k2qnFcypTL5WF7B2';
  for (let row = 1; row <= rows; row += 1)
    yield `${JSON.stringify({
      sub: `user|${row}`,
      email: `Person.${row}@example.com`,
      email_verified: row % 10 !== 0,
      name: `Person Number ${row}`,
      phone_number: '+33612345678',
      locale: 'fr',
      password_hash: hash,
      created_at: '2024-05-01T10:00:00Z',
    })}\n`;
}

await pipeline(Readable.from(generateLines()), createWriteStream(file));
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') });
try {
  await migrate(postgres.url);
  process.stdout.write(
    `${formatTable(['rows', 'seconds', 'rows/s', 'peak MiB'], [await measureImport()])}\n`,
  );
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measureImport(): Promise<string[]> {
  const startedAt = performance.now();
  const args = [
    ...CLI_FLAGS,
    'src/cli.ts',
    'import',
    'users',
    file,
    '--from',
    'jsonl',
    '--report',
    join(folder, 'report.jsonl'),
  ];
  const child = spawn(process.execPath, args, {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: 'node_modules/.cache/v8',
      NODE_ENV: 'production',
      BASE_URL: 'https://bench.example',
      DATABASE_URL: postgres.url,
      SECRET_KEY: 'a key for the benchmark only 0123456789',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  let peak = 0;
  const sampler = setInterval(() => {
    peak = Math.max(peak, readPeakMemory(child.pid ?? 0));
  }, 100);
  const exitCode = await new Promise((resolve) => child.once('exit', resolve));
  clearInterval(sampler);
  if (exitCode !== 0) throw new Error(`The import exited with code ${exitCode}.`);
  const seconds = (performance.now() - startedAt) / 1000;
  return [rows, seconds, rows / seconds, peak].map((value) => value.toFixed(0));
}

/** Returns MiB, or 0 if the process has exited. */
function readPeakMemory(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
