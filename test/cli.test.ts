// The operator's command line as a whole: migrations, help, faults of the surroundings. Commands: test/cli/.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEmptyDatabase } from './support/database.ts';
import { freePort, startTestService, type TestService } from './support/service.ts';
import { sesameCommand } from './support/sesame-command.ts';

let service: TestService;
const cli = sesameCommand(() => service.databaseUrl);
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

describe('migrate', () => {
  test('brings an empty database up to date, once', async () => {
    const empty = await createEmptyDatabase();
    try {
      const environment = { DATABASE_URL: empty.url };
      const first = await cli.run(['migrate', '--json'], '', environment);
      expect(first.code).toBe(0);
      expect((JSON.parse(first.stdout).applied as string[]).length).toBeGreaterThan(0);
      const second = await cli.run(['migrate', '--json'], '', environment);
      expect([second.code, JSON.parse(second.stdout)]).toEqual([0, { applied: [] }]);
      expect((await cli.run(['migrate'], '', environment)).stdout).toBe('The database is up to date.\n');
    } finally {
      await empty.drop();
    }
  });
});

describe('faults of the surroundings', () => {
  test('an unknown command, and none at all, explain themselves with exit code 1', async () => {
    expect(await cli.fault(['nonsense'])).toContain("unknown command 'nonsense'");
    expect(await cli.fault(['users', 'nonsense'])).toContain("unknown command 'nonsense'");
    expect(await cli.fault([])).toContain('Usage: sesame');
    const help = await cli.run(['--help']);
    expect([help.code, help.stderr]).toEqual([0, '']);
    for (const command of ['migrate', 'users', 'apps']) expect(help.stdout).toContain(command);
  });

  test('settings that cannot be used are named, all at once, with exit code 78', async () => {
    const environment = {
      DATABASE_URL: 'mysql://x',
      PORT: 'x',
      NODE_ENV: 'production',
      BASE_URL: 'http://a.example',
    };
    const { code, stderr } = await cli.run(['users', 'list'], '', environment);
    expect(code).toBe(78);
    for (const name of ['DATABASE_URL', 'PORT']) expect(stderr).toContain(name);
    expect(stderr).not.toMatch(/\n {4}at /);
  });

  test('a database that is away is said to be, without its password', async () => {
    const port = await freePort();
    for (const host of ['127.0.0.1', 'localhost']) {
      const DATABASE_URL = `postgres://me:hush-hush-1@${host}:${port}/x`;
      const words = await cli.fault(['users', 'list'], '', { DATABASE_URL });
      expect(words).toMatch(/ECONNREFUSED|database/i);
      expect(words).not.toContain('hush-hush-1');
    }
  });
});
