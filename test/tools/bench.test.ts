// npm run bench, as short as it goes: it still runs, every answer is what it should be, and nothing is left out.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'sesame-bench-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Report {
  results: { name: string; ratio?: number; ofRounds: number[]; median: Record<string, number> }[];
  sizes: { table: string; heap: number; indexes: number }[];
  idleMemory: number;
}

const bench = (...options: string[]) => run(process.execPath, ['bench/run.ts', ...options]);

async function measured(...options: string[]): Promise<Report & { table: string }> {
  const file = join(folder, 'report.json');
  const { stdout } = await bench(
    ...['--warm-up', '0', '--seconds', '0.1', '--repeats', '1', '--json', file],
    ...options,
  );
  return { ...JSON.parse(readFileSync(file, 'utf8')), table: stdout };
}

// CPU times are read from /proc.
describe.skipIf(process.platform !== 'linux')('the benchmark', { timeout: 180_000 }, () => {
  test('measures every operation beside grants that were filled in, with the statements that each should take', async () => {
    // CPU is counted in ticks of 10 ms: a shorter round of a light operation may see none beside other work.
    const { results, sizes, idleMemory, table } = await measured('--rows', '40000', '--seconds', '0.3');
    const statements = Object.fromEntries(
      results.map(({ name, median }) => [name, Math.round(median.statements ?? 0)]),
    );
    expect(statements).toEqual({
      ...{ bare: 0, argon2id: 0, select: 0, rs256: 0, es256: 0, insert: 0, discovery: 0, keys: 0 },
      ...{ 'userinfo, token never seen': 1, 'userinfo, token seen before': 1, 'userinfo beside an API': 1 },
      ...{
        'code flow': 2,
        'code flow for an API': 2,
        renewal: 1,
        'renewal for an API': 1,
        revocation: 1,
        'revocation for an API': 1,
        'sign-in': 2,
        'sign-in by a passkey': 2,
        introspection: 2,
        'pushed request': 2,
      },
    });
    for (const { name, ratio, ofRounds, median } of results) {
      expect(table).toContain(`\n${name} `);
      for (const figure of ['operations', 'serverCpu', 'perSecond', 'p50', 'p99', 'memory'])
        expect(median[figure], `${figure} of ${name}`).toBeGreaterThan(0);
      // Of a single round, the median is that round.
      if (statements[name] !== 0) expect(ofRounds, `ratio of ${name}`).toEqual([ratio]);
    }
    expect(sizes.map(({ table }) => table)).toEqual(
      expect.arrayContaining([
        ...['users', 'sessions', 'consents', 'disclosures', 'events'],
        ...['grants', 'access_tokens'],
      ]),
    );
    expect(idleMemory).toBeGreaterThan(0);
  });

  test('says how it is used', async () => {
    const { stdout, stderr } = await bench('--help');
    expect(stdout).toContain('Usage: npm run bench -- [options]');
    for (const option of ['rows', 'seconds', 'warm-up', 'repeats', 'only', 'shared-buffers', 'json'])
      expect(stdout).toContain(`\n  --${option} <`);
    expect(stderr).toBe('');
  });

  test.each([
    [['--only', 'userinfo,nonsense'], 'no operation is called nonsense'],
    [['--round', '3'], "unknown option '--round'"],
    [['--seconds', 'four'], "option '--seconds <seconds>' argument 'four' is invalid"],
    [['--repeats', '0'], "option '--repeats <count>' argument '0' is invalid"],
    [['userinfo'], 'too many arguments'],
  ])('refuses %s before anything is started, in a line', async (asked, fault) => {
    const { code, stderr } = await bench(...asked).catch((error) => error);
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^error: ${fault}.*\n+\\(--help lists the options\\)\n$`));
  });
});
