// Tests `sesame migrate`, and the CLI's help, exit codes and errors. See also test/cli.
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEmptyDatabase } from './support/database.ts';
import { SECRET_KEY } from './support/secret-key.ts';
import { findFreePort, startTestService, type TestService } from './support/service.ts';
import { createSesameCommand, createSesameProcess } from './support/sesame-command.ts';
import { startSmtp, type TestSmtp } from './support/smtp.ts';

let service: TestService;
let smtp: TestSmtp;
const cli = createSesameCommand(() => service.databaseUrl);
const cliProcess = createSesameProcess(() => service.databaseUrl);
beforeAll(async () => {
  [service, smtp] = await Promise.all([startTestService(), startSmtp()]);
  await service.createUser({ email: OWNER_EMAIL, emailVerified: true });
});
afterAll(async () => {
  await smtp.close();
  await service.close();
});

const OWNER_EMAIL = 'owner@cli.example';
const NEW_USER_OPTIONS = ['--email', 'new@cli.example', '--name', 'Grace', '--password-stdin'];
const NEW_APP_OPTIONS = ['--owner', OWNER_EMAIL, '--name', 'A', '--callback', 'https://a.example/'];
const PICTURE_PATH = fileURLToPath(new URL('../docs/images/button.png', import.meta.url));

/** These commands use threads, connections or standard input, any of which could keep the process alive. */
test('a successful command exits with code 0 and prints only its result', async () => {
  const environment = {
    SECRET_KEY,
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    MAIL_FROM: 'no-reply@signin.example',
  };
  for (const [args, input] of [
    [['users', 'create', ...NEW_USER_OPTIONS], 'mot de passe très long\n'],
    [['users', 'set-password', OWNER_EMAIL]],
    [['apps', 'create', ...NEW_APP_OPTIONS, '--logo', PICTURE_PATH]],
    [['keys', 'rotate']],
  ] as const) {
    const { code, stdout, stderr } = await cliProcess.run([...args, '--json'], input, environment);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toBeTypeOf('object');
  }
  expect(smtp.emails).toHaveLength(1);
});

describe('`migrate`', () => {
  test('applies all migrations only on its first run', async () => {
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

describe('the CLI', () => {
  test('exits with code 1 if the command is unknown or missing', async () => {
    expect(await cliProcess.runFailing(['nonsense'])).toContain("unknown command 'nonsense'");
    expect(await cli.runFailing(['users', 'nonsense'])).toContain("unknown command 'nonsense'");
    expect(await cli.runFailing([])).toContain('Usage: sesame');
    const help = await cliProcess.run(['--help']);
    expect([help.code, help.stderr]).toEqual([0, '']);
    for (const command of ['migrate', 'users', 'apps']) expect(help.stdout).toContain(command);
  });

  test('lists all invalid settings and exits with code 78', async () => {
    const environment = {
      DATABASE_URL: 'mysql://x',
      PORT: 'x',
      NODE_ENV: 'production',
      BASE_URL: 'http://a.example',
    };
    const { code, stderr } = await cliProcess.run(['users', 'list'], '', environment);
    expect(code).toBe(78);
    for (const name of ['DATABASE_URL', 'PORT']) expect(stderr).toContain(name);
    expect(stderr).not.toMatch(/\n {4}at /);
  });

  test('prints a failed command’s error to standard error and exits with code 1', async () => {
    expect(await cliProcess.runFailing(['users', 'show', 'nobody@cli.example'])).toBe(
      'sesame: No account has the email address nobody@cli.example. To list accounts, run: sesame users list\n',
    );
  });

  test('reports an unavailable database without printing its password', async () => {
    const port = await findFreePort();
    for (const [host, sesame] of [
      ['127.0.0.1', cliProcess],
      ['localhost', cli],
    ] as const) {
      const DATABASE_URL = `postgres://me:hush-hush-1@${host}:${port}/x`;
      const message = await sesame.runFailing(['users', 'list'], '', { DATABASE_URL });
      expect(message).toMatch(/ECONNREFUSED|database/i);
      expect(message).not.toContain('hush-hush-1');
    }
  });
});
