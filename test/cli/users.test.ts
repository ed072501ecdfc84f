// sesame users …, on a real database.
import { describe, expect, test } from 'vitest';
import { listConsents } from '../../src/store/consents.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { newPerson, obtainTokens, signedInBrowser, signIn, userinfo } from '../support/flow.ts';
import { lastMailTo, linkIn } from '../support/mail.ts';
import { SECRET_KEY } from '../support/secret-key.ts';
import { useTestService } from '../support/service.ts';
import { sesameCommand } from '../support/sesame-command.ts';

const service = useTestService();
const cli = sesameCommand(() => service.databaseUrl);

let counter = 0;
const newEmail = () => `operator${++counter}@cli.example`;
const createUser = async (...args: string[]) => {
  const email = newEmail();
  const created = await cli.json('users', 'create', '--email', email, '--name', 'Grace Hopper', ...args);
  return { email, sub: created.sub };
};

describe('users', () => {
  test('create --json gives sub, email and a generated password that signs in', async () => {
    const email = newEmail();
    const created = await cli.json('users', 'create', '--email', email, '--name', 'Grace Hopper');
    expect(Object.keys(created)).toEqual(['sub', 'email', 'password']);
    expect(created.email).toBe(email);
    const browser = openBrowserSession(service.baseUrl);
    const user = {
      userId: String(created.sub),
      email,
      name: 'Grace Hopper',
      password: String(created.password),
    };
    expect((await signIn(browser, user)).status).toBe(200);
    expect(browser.cookies.has('sesame')).toBe(true);
  });

  test('invite makes an account and puts the mail on its way; never over one that exists, and not without mail', async () => {
    const email = newEmail();
    const args = ['users', 'invite', '--email', email, '--name', 'Grace Hopper', '--language', 'en'];
    const environment = { SECRET_KEY, BASE_URL: service.baseUrl };
    const { stdout } = await cli.run(args, '', environment);
    expect(stdout).toContain(email);
    const link = linkIn(await lastMailTo(service, email));
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await browser.get(link);
    const password = 'four-wandering-otters-77';
    expect((await browser.post('/password/reset', { ...hidden, new_password: password })).status).toBe(303);
    expect((await browser.get('/account')).status).toBe(200);
    expect(await cli.fault(args, '', environment)).toContain('exists already');
    const silent = ['users', 'invite', '--email', newEmail(), '--name', 'Grace'];
    const production = { ...environment, NODE_ENV: 'production', BASE_URL: 'https://a.example' };
    expect(await cli.fault(silent, '', production)).toContain('SMTP_URL is not set');
  });

  test('set-password gives another password, printed once, and ends every session and token (D28)', async () => {
    const { user, browser } = await newPerson(service);
    const tokens = await obtainTokens(service, await service.createApplication(), browser);
    const { password } = await cli.json('users', 'set-password', user.email);
    // Consents stay, as after a reset by mail.
    expect(await listConsents(service.parts.database, user.userId)).toHaveLength(1);
    expect((await browser.get('/account')).location?.pathname).toBe('/signin');
    expect((await userinfo(service, tokens.accessToken)).status).toBe(401);
    for (const [typed, opens] of [
      [user.password, false],
      [String(password), true],
    ] as const) {
      const other = openBrowserSession(service.baseUrl);
      await signIn(other, { ...user, password: typed });
      expect(other.cookies.has('sesame')).toBe(opens);
    }
  });

  test('create --password-stdin takes the password as typed and never prints it', async () => {
    const email = newEmail();
    const password = 'mot de passe très long  avec espaces ';
    const args = ['users', 'create', '--email', email, '--name', 'Grace', '--password-stdin', '--json'];
    const { code, stdout, stderr } = await cli.run(args, `${password}\n`);
    expect(code).toBe(0);
    expect(Object.keys(JSON.parse(stdout))).toEqual(['sub', 'email']);
    expect(stdout + stderr).not.toContain('mot de passe');
    const browser = openBrowserSession(service.baseUrl);
    await signIn(browser, { userId: '', email, name: 'Grace', password });
    expect(browser.cookies.has('sesame')).toBe(true);
  });

  test('create keeps phone, verified and operator; list --json shows them, and no hash', async () => {
    const created = await createUser('--phone', '+33612345678', '--verified', '--operator');
    const plain = await createUser();
    const rows = await cli.rows('users', 'list');
    const row = rows.find(({ email }) => email === created.email);
    expect(row).toEqual({
      sub: created.sub,
      email: created.email,
      name: 'Grace Hopper',
      phone: '+33612345678',
      email_verified: true,
      operator: true,
      suspended: false,
      invited: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    expect(rows.find(({ email }) => email === plain.email)).toMatchObject({
      phone: null,
      email_verified: false,
      operator: false,
    });
    const { stdout } = await cli.run(['users', 'list']);
    expect(stdout).toMatch(/^sub +email +name +email_verified +operator +suspended +created_at\n/);
    expect(stdout).toContain(created.email);
    expect(stdout).not.toContain('argon2');
  });

  test('delete removes an account by its email in any case, and kills its tokens (D28)', async () => {
    const user = await service.createUser();
    const application = await service.createApplication();
    const tokens = await obtainTokens(service, application, await signedInBrowser(service, user));
    const answer = await cli.json('users', 'delete', user.email.toUpperCase());
    expect(answer).toEqual({ sub: user.userId, email: user.email, changed: true });
    expect((await userinfo(service, tokens.accessToken)).status).toBe(401);
    expect(await cli.fault(['users', 'delete', user.email])).toBe(
      `sesame: No account has the email ${user.email}.\n`,
    );
  });

  test('create refuses bad values in words, and creates nothing', async () => {
    const named = ['--email', 'a@b.example', '--name', 'G'];
    for (const [args, input, words] of [
      [['--email', 'nonsense', '--name', 'G'], '', /"nonsense" is not an email address/],
      [['--email', 'a@b.example', '--name', '  '], '', /name is missing/],
      [[...named, '--phone', '0612345678'], '', /international format/],
      [[...named, '--password-stdin'], '', /shorter than 8/],
      [[...named, '--password-stdin'], 'password123\n', /too easy/],
      [['--name', 'G'], '', /--email/],
    ] as const)
      expect(await cli.fault(['users', 'create', ...args], input)).toMatch(words);
    expect((await cli.rows('users', 'list')).map(({ email }) => email)).not.toContain('a@b.example');
  });

  test('create refuses an email that is taken, in any case', async () => {
    const { email } = await createUser();
    const words = await cli.fault(['users', 'create', '--email', email.toUpperCase(), '--name', 'G']);
    expect(words).toContain('exists already');
  });
});
