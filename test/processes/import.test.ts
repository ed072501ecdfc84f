// Imports that run in their own process, are interrupted or killed, and are run again.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { toJsonLines, writeImportFile } from '../support/import-files.ts';
import { SECRET_KEY } from '../support/secret-key.ts';
import { waitUntil } from '../support/wait-until.ts';

const ROW_COUNT = 20_000;

const database = await createTestDatabase();
afterAll(() => database.drop());
const file = writeImportFile(
  toJsonLines(Array.from({ length: ROW_COUNT }, (_, index) => ({ email: `person${index}@example.com` }))),
);
const reportPath = join(file, '../report.jsonl');

const readReport = (): string => {
  try {
    return readFileSync(reportPath, 'utf8');
  } catch {
    // The report doesn't exist yet.
    return '';
  }
};
const countCreated = () => readReport().match(/"verdict":"created"/g)?.length ?? 0;

function startImport(): { child: ChildProcess; ended: Promise<[number | null, string]> } {
  const args = ['src/cli.ts', 'import', 'users', file, '--from', 'jsonl', '--report', reportPath, '--json'];
  const child = spawn(process.execPath, args, {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: 'node_modules/.cache/v8',
      NODE_ENV: 'test',
      DATABASE_URL: database.url,
      SECRET_KEY,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  return { child, ended: new Promise((resolve) => child.once('close', (code) => resolve([code, output]))) };
}

test('an import interrupted by SIGINT or SIGKILL resumes in the next run without losing rows', async () => {
  const interrupted = startImport();
  await waitUntil('the first batch', () => countCreated() > 0);
  interrupted.child.kill('SIGINT');
  const [code, output] = await interrupted.ended;
  expect(code).toBe(130);
  expect(output).toMatch(/Stopped after \d+ rows\. To continue, run the same command again/);
  expect(readReport()).toContain('"stopped":true');
  const created = countCreated();
  expect(created % 500).toBe(0);

  const killed = startImport();
  await waitUntil('another batch', () => countCreated() > created);
  killed.child.kill('SIGKILL');
  await killed.ended;

  const [lastCode, lastOutput] = await startImport().ended;
  expect(lastCode).toBe(0);
  const summary = JSON.parse(lastOutput);
  expect(summary).toMatchObject({ rows: ROW_COUNT, refused: 0 });
  expect(summary.created + summary.exists).toBe(ROW_COUNT);
  expect(summary.exists).toBeGreaterThan(created);
}, 60_000);
