// Tests `sesame export users`, and importing the exported file into another service.
import { hash } from 'node:crypto';
import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import {
  createMfaAccount,
  createTotpCode,
  enterPassword,
  isSignedIn,
  type MfaAccount,
  submitSecondFactor,
} from '../support/mfa-account.ts';
import {
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  redeemRefreshToken,
  signIn,
} from '../support/oauth-flow.ts';
import { registerPasskey, type SoftwarePasskey, signInWithPasskey } from '../support/passkey.ts';
import { SECRET_KEY } from '../support/secret-key.ts';
import { startTestService, type TestService, type TestUser, useTestService } from '../support/service.ts';
import { createSesameCommand } from '../support/sesame-command.ts';
import { sql, suspendUser } from '../support/store-fixtures.ts';

const service = useTestService();
const cli = createSesameCommand(() => service.databaseUrl);
const OTHER_SECRET_KEY = 'another-secret-key-of-another-service-0123456789';

/**
 * Accounts with password hashes from other systems.
 */
const IMPORTED_USERS = [
  {
    email: 'bcrypt@example.com',
    password: 'given Pass-wörd 1',
    password_hash: '$2b$10$BaCCkHfpyBLKOWR5QCtkG.OaQ2uqBQ1ZSVSw2k2qnFcypTL5WF7B2',
  },
  {
    email: 'md5@example.com',
    password: 'given',
    password_hash: hash('md5', 'given'),
    password_hash_algorithm: 'md5',
  },
];

let plain: TestUser;
let suspended: TestUser;
let passkeyOwner: TestUser;
let mfa: MfaAccount;
let passkey: SoftwarePasskey;

beforeAll(async () => {
  plain = await service.createUser({
    name: '=cmd()',
    phone: '+33612345678',
    locale: 'fr',
    emailVerified: true,
  });
  suspended = await service.createUser({ name: 'Zoé "\\ 日本' });
  await suspendUser(service.services.database, suspended.userId, service.clock.now());
  passkeyOwner = await service.createUser();
  ({ passkey } = await registerPasskey(await openSignedInBrowser(service, passkeyOwner), service));
  await sql(
    service.services.database,
    `insert into external_identities (user_id, issuer, subject, provider_id, label, created_at)
    values ($1::uuid, 'https://accounts.google.com', 'g-1', 'google', 'plain@gmail.com', now())`,
    [plain.userId],
  );
  const passwordless = await service.createUser();
  await sql(service.services.database, 'update users set password_hash = null where id = $1::uuid', [
    passwordless.userId,
  ]);
  const invited = await service.createUser();
  await sql(service.services.database, 'update users set invited_at = now() where id = $1::uuid', [
    invited.userId,
  ]);
  const file = await writeTemporaryFile(
    IMPORTED_USERS.map(({ email, ...hash }) => JSON.stringify({ email, ...hash })).join('\n'),
  );
  await cli.run(['import', 'users', file, '--from', 'jsonl'], '', { SECRET_KEY });
  // `createMfaAccount` comes last because it advances the test clock, but not the command's clock.
  mfa = await createMfaAccount(service);
});

const exportUsers = async (...args: string[]) => {
  const { code, stdout, stderr } = await cli.run(['export', 'users', ...args], '', { SECRET_KEY });
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
};

const parseLines = (lines: string): Record<string, unknown>[] =>
  lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

const writeTemporaryFile = async (content: string): Promise<string> => {
  const path = join(await mkdtemp(join(tmpdir(), 'sesame-export-')), 'users.jsonl');
  await writeFile(path, content);
  return path;
};

const canSignIn = async (at: TestService, user: Pick<TestUser, 'email' | 'password'>): Promise<boolean> => {
  const browser = openBrowserSession(at.baseUrl);
  await signIn(browser, { ...user, userId: '', name: '' });
  return isSignedIn(browser);
};

describe('exported users', () => {
  test.each([
    ['the same SECRET_KEY', { SECRET_KEY }],
    ['a different SECRET_KEY', { SECRET_KEY: OTHER_SECRET_KEY }],
  ])('can be imported without loss into a service with %s', async (_, settings) => {
    const lines = await exportUsers('--with-hashes');
    await using other = await startTestService(settings);
    const otherCli = createSesameCommand(() => other.databaseUrl);
    const args = ['import', 'users', await writeTemporaryFile(lines), '--from', 'jsonl', '--keep-ids'];
    const { code, stderr } = await otherCli.run(args, '', settings);
    expect([code, stderr]).toEqual([0, '']);
    expect((await otherCli.run(['export', 'users', '--with-hashes'], '', settings)).stdout).toBe(lines);

    expect(await canSignIn(other, plain)).toBe(true);
    expect(await canSignIn(other, passkeyOwner)).toBe(true);
    expect(await canSignIn(other, suspended)).toBe(false);
    for (const user of IMPORTED_USERS) expect(await canSignIn(other, user)).toBe(true);

    const { browser, page } = await enterPassword(other, mfa.user);
    expect(await isSignedIn(browser)).toBe(false);
    await submitSecondFactor(browser, page, { code: createTotpCode(service, mfa.secret) });
    expect(await isSignedIn(browser)).toBe(true);
    const recovered = await enterPassword(other, mfa.user);
    await submitSecondFactor(recovered.browser, recovered.page, { code: mfa.codes[0] ?? '' });
    expect(await isSignedIn(recovered.browser)).toBe(true);

    const withPasskey = await signInWithPasskey(other, passkey, { overrides: { origin: other.baseUrl } });
    expect(await isSignedIn(withPasskey.browser)).toBe(true);
  });

  test('lose passkeys and recovery codes if they are imported without --keep-ids', async () => {
    await using other = await startTestService();
    const otherCli = createSesameCommand(() => other.databaseUrl);
    const file = await writeTemporaryFile(await exportUsers('--with-hashes'));
    const report = `${file}.report`;
    await otherCli.run(['import', 'users', file, '--from', 'jsonl', '--report', report]);
    const verdicts = parseLines(await readFile(report, 'utf8')).filter(({ row }) => row !== undefined);
    const listNoteCodes = (email: string) =>
      (verdicts.find((verdict) => verdict.email === email)?.notes as { code: string }[] | undefined)?.map(
        ({ code }) => code,
      );
    expect(listNoteCodes(passkeyOwner.email)).toContain('passkeys_need_ids');
    expect(listNoteCodes(mfa.user.email)).toContain('passkeys_need_ids');
    expect(await canSignIn(other, passkeyOwner)).toBe(true);
  });
});

test('reimporting a deleted account with the same id does not restore its tokens', async () => {
  await using other = await startTestService({ SECRET_KEY });
  const otherCli = createSesameCommand(() => other.databaseUrl);
  const user = await other.createUser();
  const client = await other.createClient();
  const obtainConsentedTokens = async () =>
    obtainTokens(other, client, await openSignedInBrowser(other, user), { scope: 'openid profile' });
  const { accessToken, refreshToken } = await obtainConsentedTokens();
  const { stdout } = await otherCli.run(['export', 'users', '--with-hashes'], '', { SECRET_KEY });
  await otherCli.run(['users', 'delete', user.email]);
  await otherCli.run(
    ['import', 'users', await writeTemporaryFile(stdout), '--from', 'jsonl', '--keep-ids'],
    '',
    {
      SECRET_KEY,
    },
  );
  const current = await obtainConsentedTokens();
  expect((await fetchUserinfo(other, current.accessToken)).body.sub).toBe(user.userId);
  expect((await fetchUserinfo(other, accessToken)).status).toBe(401);
  expect((await redeemRefreshToken(other, client, refreshToken)).status).toBe(400);
});

describe('`export users`', () => {
  test('prints no hashes, secrets or passkeys without --with-hashes', async () => {
    const lines = await exportUsers();
    for (const line of parseLines(lines))
      for (const member of ['password_hash', 'totp_secret', 'passkeys', 'recovery_codes'])
        expect(line).not.toHaveProperty(member);
    expect(lines).not.toMatch(/argon2/);
    expect(parseLines(lines).find(({ sub }) => sub === plain.userId)).toEqual({
      sub: plain.userId,
      email: plain.email,
      email_verified: true,
      name: '=cmd()',
      phone_number: '+33612345678',
      locale: 'fr',
      suspended: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      identities: [{ issuer: 'https://accounts.google.com', subject: 'g-1', label: 'plain@gmail.com' }],
    });
  });

  test('prints one line per account, ordered by id', async () => {
    const lines = parseLines(await exportUsers());
    const subs = lines.map(({ sub }) => String(sub));
    expect(subs).toEqual(subs.toSorted());
    expect(new Set(subs).size).toBe(8);
    expect(lines.find(({ sub }) => sub === suspended.userId)).toMatchObject({ suspended: true });
  });

  test('is recorded in the audit log even if it fails', async () => {
    const readLastEvent = async () => {
      const { database } = service.services;
      return (await sql(database, `select kind, actor_id, detail from events order by id desc limit 1`))[0];
    };
    await exportUsers('--with-hashes');
    expect(await readLastEvent()).toEqual({
      kind: 'accounts_exported',
      actor_id: null,
      detail: { hashes: true },
    });
    await exportUsers();
    expect(await readLastEvent()).toMatchObject({ detail: { hashes: false } });
    const args = ['export', 'users', '--with-hashes', '--output', await newExportPath()];
    const { code, stderr } = await cli.run(args, '', { SECRET_KEY: OTHER_SECRET_KEY });
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`authenticator app secret of ${mfa.user.email}`),
    ]);
    expect(await readLastEvent()).toMatchObject({ detail: { hashes: true } });
    await expect(stat(args.at(-1) ?? '')).rejects.toThrow('ENOENT');
  });

  test('creates a private file and never overwrites an existing one', async () => {
    const path = await newExportPath();
    expect(await cli.runJson('export', 'users', '--output', path)).toEqual({ output: path, exported: 8 });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const before = await readFile(path, 'utf8');
    expect(await cli.runFailing(['export', 'users', '--with-hashes', '--output', path])).toContain(
      'already exists',
    );
    expect(await readFile(path, 'utf8')).toBe(before);
  });
});

const newExportPath = async () => join(await mkdtemp(join(tmpdir(), 'sesame-export-')), 'users.jsonl');
