// The `sesame users` commands: create, invite, list, delete and set-password.
import { describe, expect, test } from 'vitest';
import { listConsents } from '../../src/store/consents.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { findLastEmailTo, readLink } from '../support/emails.ts';
import { addIdentity, addUnreachableProvider } from '../support/linked-identities.ts';
import {
  createSignedInUser,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  signIn,
} from '../support/oauth-flow.ts';
import { SECRET_KEY } from '../support/secret-key.ts';
import { useTestService } from '../support/service.ts';
import { createSesameCommand } from '../support/sesame-command.ts';
import { sql } from '../support/store-fixtures.ts';

const service = useTestService();
const cli = createSesameCommand(() => service.databaseUrl);

let emailCount = 0;
const newEmail = () => `user${++emailCount}@cli.example`;
const createUser = async (...args: string[]) => {
  const email = newEmail();
  const created = await cli.runJson('users', 'create', '--email', email, '--name', 'Grace Hopper', ...args);
  return { email, sub: created.sub };
};

describe('the command', () => {
  test('`users create --json` prints the sub, email address and generated password', async () => {
    const email = newEmail();
    const created = await cli.runJson('users', 'create', '--email', email, '--name', 'Grace Hopper');
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

  test('`users invite` creates an account and emails the user', async () => {
    const email = newEmail();
    const args = ['users', 'invite', '--email', email, '--name', 'Grace Hopper', '--language', 'en'];
    const environment = { SECRET_KEY, BASE_URL: service.baseUrl };
    const { stdout } = await cli.run(args, '', environment);
    expect(stdout).toContain(email);
    const link = readLink(await findLastEmailTo(service, email));
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await browser.get(link);
    const password = 'four-wandering-otters-77';
    expect((await browser.post('/password/reset', { ...hidden, new_password: password })).status).toBe(303);
    expect((await browser.get('/account')).status).toBe(200);
    expect(await cli.runFailing(args, '', environment)).toContain('already exists');
    const withoutSmtp = ['users', 'invite', '--email', newEmail(), '--name', 'Grace'];
    const production = { ...environment, NODE_ENV: 'production', BASE_URL: 'https://a.example' };
    expect(await cli.runFailing(withoutSmtp, '', production)).toContain('Set SMTP_URL');
  });

  test('`users show` says whether an imported password has never been used', async () => {
    const { email, sub } = await createUser();
    expect(await cli.runJson('users', 'show', email)).toMatchObject({ password_imported: false });
    const hash = '{imported}$2b$10$BaCCkHfpyBLKOWR5QCtkG.OaQ2uqBQ1ZSVSw2k2qnFcypTL5WF7B2';
    await sql(service.services.database, 'update users set password_hash = $2 where id = $1', [sub, hash]);
    const shown = await cli.runJson('users', 'show', email);
    expect(shown).toMatchObject({ has_password: true, password_imported: true });
    expect(JSON.stringify(shown)).not.toContain('$2b$');
  });

  test('`users show` prints each linked identity and the time of last use', async () => {
    const { email, sub } = await createUser();
    expect(await cli.runJson('users', 'show', email)).toMatchObject({ linked_identities: [] });
    await addUnreachableProvider(service, 'north', 'North');
    await addIdentity(service, String(sub), 'north');
    expect(await cli.runJson('users', 'show', email)).toMatchObject({
      linked_identities: [
        {
          ...{ provider_id: 'north', provider: 'North', label: 'ada@provider.example', enabled: true },
          ...{ linked_at: expect.stringMatching(/Z$/), last_used_at: null },
        },
      ],
    });
  });

  test('`users update` changes a verified email address only after confirmation', async () => {
    const { email, sub } = await createUser('--verified');
    const newAddress = newEmail();
    const environment = { SECRET_KEY, BASE_URL: service.baseUrl };
    const runUpdate = async (...args: string[]) =>
      JSON.parse((await cli.run(['users', 'update', ...args, '--json'], '', environment)).stdout);
    expect(await runUpdate(email, '--name', 'Ada', '--phone', '+33612345678', '--email', newAddress)).toEqual(
      { sub, email, email_verified: true, changed: true, email_to_confirm: newAddress },
    );
    expect((await findLastEmailTo(service, newAddress)).subject).toContain('nouvelle adresse');
    expect(await cli.runJson('users', 'show', email)).toMatchObject({ name: 'Ada', phone: '+33612345678' });
    expect(
      await runUpdate(email, '--email', newAddress, '--phone', '', '--verified', '--reason', 'moved'),
    ).toEqual({ sub, email: newAddress, email_verified: true, changed: true });
    const shown = await cli.runJson('users', 'show', newAddress);
    expect(shown).toMatchObject({ sub, phone: null, email_verified: true });
    expect(await runUpdate(newAddress, '--name', 'Ada')).toMatchObject({ changed: false });
    const events = await cli.runJsonList('audit', '--user', newAddress, '--kind', 'email_changed');
    expect(events).toMatchObject([
      { actor: null, detail: { email: newAddress, former_email: email, verified: true, reason: 'moved' } },
    ]);
  });

  test('`users update` refuses invalid values', async () => {
    const [{ email }, other] = [await createUser(), await createUser()];
    for (const [args, error] of [
      [[], 'Nothing to change'],
      [['--name', ' '], '--name must be'],
      [['--email', 'nobody'], 'is not a valid email address'],
      [['--phone', '0612345678'], '--phone must be'],
      [['--name', 'Ada', '--email', other.email], 'already exists'],
    ] as const)
      expect(await cli.runFailing(['users', 'update', email, ...args], '', { SECRET_KEY })).toContain(error);
    expect((await cli.runJson('users', 'show', email)).name).toBe('Grace Hopper');
    expect(
      await cli.runFailing(['users', 'update', 'nobody@cli.example', '--name', 'X'], '', { SECRET_KEY }),
    ).toContain('No account has the email address');
  });

  test('`users update --email` takes effect immediately if no mail server is configured', async () => {
    const { email, sub } = await createUser('--verified');
    const newAddress = newEmail();
    const production = { SECRET_KEY, NODE_ENV: 'production', BASE_URL: 'https://a.example' };
    const runUpdate = async (...args: string[]) =>
      JSON.parse((await cli.run(['users', 'update', ...args, '--json'], '', production)).stdout);
    expect(await runUpdate(email, '--email', newAddress)).toEqual({
      ...{ sub, email: newAddress, email_verified: false, changed: true },
    });
    expect((await cli.runJson('users', 'show', newAddress)).email_verified).toBe(false);
    expect(await runUpdate(newAddress, '--email', email, '--verified')).toMatchObject({
      email_verified: true,
    });
  });

  test('`users set-password` revokes all of the account’s sessions and tokens', async () => {
    const { user, browser } = await createSignedInUser(service);
    const tokens = await obtainTokens(service, await service.createClient(), browser);
    const { password } = await cli.runJson('users', 'set-password', user.email);
    // Like a password reset by email, set-password keeps consents.
    expect(await listConsents(service.services.database, user.userId)).toHaveLength(1);
    expect((await browser.get('/account')).location?.pathname).toBe('/signin');
    expect((await fetchUserinfo(service, tokens.accessToken)).status).toBe(401);
    for (const [entered, isAccepted] of [
      [user.password, false],
      [String(password), true],
    ] as const) {
      const newBrowser = openBrowserSession(service.baseUrl);
      await signIn(newBrowser, { ...user, password: entered });
      expect(newBrowser.cookies.has('sesame')).toBe(isAccepted);
    }
  });

  test('`users create --password-stdin` never prints the password', async () => {
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

  test('`users list --json` prints each account’s settings without password hashes', async () => {
    const created = await createUser('--phone', '+33612345678', '--verified', '--admin');
    const defaultUser = await createUser();
    const rows = await cli.runJsonList('users', 'list');
    const row = rows.find(({ email }) => email === created.email);
    expect(row).toEqual({
      sub: created.sub,
      email: created.email,
      name: 'Grace Hopper',
      phone: '+33612345678',
      email_verified: true,
      admin: true,
      suspended: false,
      invited: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    expect(rows.find(({ email }) => email === defaultUser.email)).toMatchObject({
      phone: null,
      email_verified: false,
      admin: false,
    });
    const { stdout } = await cli.run(['users', 'list']);
    expect(stdout).toMatch(/^sub +email +name +email_verified +admin +suspended +created_at\n/);
    expect(stdout).toContain(created.email);
    expect(stdout).not.toContain('argon2');
  });

  test('`users delete` revokes the account’s tokens', async () => {
    const user = await service.createUser();
    const application = await service.createClient();
    const tokens = await obtainTokens(service, application, await openSignedInBrowser(service, user));
    const result = await cli.runJson('users', 'delete', user.email.toUpperCase());
    expect(result).toEqual({ sub: user.userId, email: user.email, changed: true });
    expect((await fetchUserinfo(service, tokens.accessToken)).status).toBe(401);
    expect(await cli.runFailing(['users', 'delete', user.email])).toContain(
      `No account has the email address ${user.email}.`,
    );
  });

  test('`users create` refuses invalid values', async () => {
    const requiredArguments = ['--email', 'a@b.example', '--name', 'G'];
    for (const [args, input, message] of [
      [['--email', 'nonsense', '--name', 'G'], '', /"nonsense" is not a valid email address/],
      [['--email', 'a@b.example', '--name', '  '], '', /--name must be 1 to 100 characters long/],
      [[...requiredArguments, '--phone', '0612345678'], '', /international format/],
      [[...requiredArguments, '--password-stdin'], '', /shorter than 8/],
      [[...requiredArguments, '--password-stdin'], 'password123\n', /too easy/],
      [['--name', 'G'], '', /--email/],
    ] as const)
      expect(await cli.runFailing(['users', 'create', ...args], input)).toMatch(message);
    expect((await cli.runJsonList('users', 'list')).map(({ email }) => email)).not.toContain('a@b.example');
  });

  test('`users create` refuses an email address that is already in use', async () => {
    const { email } = await createUser();
    const message = await cli.runFailing(['users', 'create', '--email', email.toUpperCase(), '--name', 'G']);
    expect(message).toContain('already exists');
  });
});
