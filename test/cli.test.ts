// The operator's command line as a whole: its process, migrations, help, faults of the surroundings. Commands: test/cli/.
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEmptyDatabase } from './support/database.ts';
import { SECRET_KEY } from './support/secret-key.ts';
import { freePort, startTestService, type TestService } from './support/service.ts';
import { sesameCommand, sesameProcess } from './support/sesame-command.ts';
import { startSmtp, type TestSmtp } from './support/smtp.ts';

let service: TestService;
let smtp: TestSmtp;
const cli = sesameCommand(() => service.databaseUrl);
const spawned = sesameProcess(() => service.databaseUrl);
beforeAll(async () => {
  [service, smtp] = await Promise.all([startTestService(), startSmtp()]);
  await service.createUser({ email: OWNER, emailVerified: true });
});
afterAll(async () => {
  await smtp.close();
  await service.close();
});

const OWNER = 'owner@cli.example';
const NEW = ['--email', 'new@cli.example', '--name', 'Grace', '--password-stdin'];
const APP = ['--owner', OWNER, '--name', 'A', '--callback', 'https://a.example/'];
const PICTURE = fileURLToPath(new URL('../docs/images/button.png', import.meta.url));

/** One of each resource that a command opens: a thread, a connection, standard input. */
test('a command ends by itself, with exit code 0 and its result alone', async () => {
  const environment = {
    SECRET_KEY,
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    MAIL_FROM: 'no-reply@signin.example',
  };
  for (const [args, input] of [
    [['users', 'create', ...NEW], 'mot de passe très long\n'],
    [['users', 'set-password', OWNER]],
    [['apps', 'create', ...APP, '--logo', PICTURE]],
    [['keys', 'rotate']],
  ] as const) {
    const { code, stdout, stderr } = await spawned.run([...args, '--json'], input, environment);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toBeTypeOf('object');
  }
  expect(smtp.mails).toHaveLength(1);
});

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
    } finally {
      await empty.drop();
    }
  });
});

describe('faults of the surroundings', () => {
  test('an unknown command, and none at all, explain themselves with exit code 1', async () => {
    expect(await spawned.fault(['nonsense'])).toContain("unknown command 'nonsense'");
    expect(await cli.fault(['users', 'nonsense'])).toContain("unknown command 'nonsense'");
    expect(await cli.fault([])).toContain('Usage: sesame');
    const help = await spawned.run(['--help']);
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
    const { code, stderr } = await spawned.run(['users', 'list'], '', environment);
    expect(code).toBe(78);
    for (const name of ['DATABASE_URL', 'PORT']) expect(stderr).toContain(name);
    expect(stderr).not.toMatch(/\n {4}at /);
  });

  test('what cannot be done is said on standard error alone, with exit code 1', async () => {
    expect(await spawned.fault(['users', 'show', 'nobody@cli.example'])).toBe(
      'sesame: No account has the email nobody@cli.example.\n',
    );
  });

  test('a database that is away is said to be, without its password', async () => {
    const port = await freePort();
    for (const [host, sesame] of [
      ['127.0.0.1', spawned],
      ['localhost', cli],
    ] as const) {
      const DATABASE_URL = `postgres://me:hush-hush-1@${host}:${port}/x`;
      const words = await sesame.fault(['users', 'list'], '', { DATABASE_URL });
      expect(words).toMatch(/ECONNREFUSED|database/i);
      expect(words).not.toContain('hush-hush-1');
    }
  });
});
