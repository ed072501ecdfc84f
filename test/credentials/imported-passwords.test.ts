// Sign-in with imported password hashes. Response times must not depend on the account.
import { hashSync as hashBcrypt } from '@node-rs/bcrypt';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createImportedHashChecks } from '../../src/credentials/imported-hash-checks.ts';
import { parseImportedHash } from '../../src/credentials/imported-hashes.ts';
import { createPasswordHasher } from '../../src/credentials/password-hashing.ts';
import { type AttemptContext, checkPassword } from '../../src/credentials/sign-in.ts';
import { replaceImportedHash } from '../../src/store/imported-passwords.ts';
import { recordPasswordAttempt } from '../../src/store/password-failures.ts';
import { setAccountPassword } from '../../src/store/users.ts';
import { readFieldError, readFormErrors } from '../support/markup.ts';
import {
  createMfaAccount,
  createTotpCode,
  enterPassword,
  isSignedIn,
  submitSecondFactor,
} from '../support/mfa-account.ts';
import { openSignedInBrowser } from '../support/oauth-flow.ts';
import { LARGE_POOL, startTestService, type TestService, type TestUser } from '../support/service.ts';
import { sql, suspendUser } from '../support/store-fixtures.ts';
import { waitUntil } from '../support/wait-until.ts';

const service = await startTestService(LARGE_POOL);
afterAll(() => service.close());
beforeEach(() => {
  // After an hour, attempts from earlier tests no longer count, and the cached list of schemes has expired.
  service.clock.advance(3600);
  service.delays.length = 0;
});

const createImportedHash = (password: string): string => `{imported}${hashBcrypt(password, 4)}`;

async function storeHash({ userId }: TestUser, hash: string): Promise<void> {
  await sql(service.services.database, 'update users set password_hash = $2 where id = $1', [userId, hash]);
}

async function readAccount({ userId }: TestUser): Promise<{ password_hash: string; epoch: number }> {
  const query = 'select password_hash, epoch, browser_epoch from users where id = $1';
  const [row] = await sql(service.services.database, query, [userId]);
  return row as { password_hash: string; epoch: number };
}

async function createImportedUser(fields: { password?: string; locale?: 'en' } = {}): Promise<TestUser> {
  const user = await service.createUser(fields);
  await storeHash(user, createImportedHash(user.password));
  return user;
}

const NATIVE_HASH = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;

const context: AttemptContext = { ip: '192.0.2.1', known: [], withoutSlot: (work) => work() };

describe('sign-in with an imported password', () => {
  test('replaces the hash and keeps sessions and grants', async () => {
    const user = await service.createUser();
    const earlier = await openSignedInBrowser(service, user);
    await storeHash(user, createImportedHash(user.password));
    const before = await readAccount(user);
    const { response } = await enterPassword(service, user);
    expect(response.status).toBe(303);
    const after = await readAccount(user);
    expect(after).toEqual({ ...before, password_hash: expect.stringMatching(NATIVE_HASH) });
    expect(await isSignedIn(earlier)).toBe(true);
    expect((await enterPassword(service, user)).response.status).toBe(303);
    expect((await readAccount(user)).password_hash).toBe(after.password_hash);
    expect((await enterPassword(service, { ...user, password: 'wrong' })).response.status).toBe(401);
  });

  test('succeeds even if the password is weak', async () => {
    const user = await createImportedUser({ password: '1234' });
    expect((await enterPassword(service, user)).response.status).toBe(303);
    expect((await enterPassword(service, user)).response.status).toBe(303);
  });

  test('succeeds with the password as entered or normalized to NFC', async () => {
    for (const hashed of ['pa\u0308sswo\u0308rd', 'p\u00e4ssw\u00f6rd']) {
      const user = await service.createUser();
      await storeHash(user, createImportedHash(hashed));
      const entered = { ...user, password: 'pa\u0308sswo\u0308rd' };
      expect((await enterPassword(service, entered)).response.status, hashed).toBe(303);
      expect(
        (await enterPassword(service, { ...user, password: 'p\u00e4ssw\u00f6rd' })).response.status,
      ).toBe(303);
    }
  });

  test('succeeds if WordPress escaped quotation marks in the password', async () => {
    const hashes = [
      '$P$BAuJb7rT0bG/qqgo1wSiNsjbVNeyhO1',
      '$wp$2y$10$2wCkOrbB1vUSsqPEcYRH/OvFiEChI1eLEKToYRU4kikP4h3PTJUHq',
    ];
    for (const hash of hashes) {
      const parsed = parseImportedHash(hash);
      const user = { ...(await service.createUser()), password: `it's "quoted" x1` };
      await storeHash(user, 'stored' in parsed ? parsed.stored : '');
      expect((await enterPassword(service, { ...user, password: 'its quoted x1' })).response.status).toBe(
        401,
      );
      expect((await enterPassword(service, user)).response.status, hash).toBe(303);
      expect((await readAccount(user)).password_hash).toMatch(NATIVE_HASH);
      expect((await enterPassword(service, user)).response.status, hash).toBe(303);
    }
  });

  test('replaces the hash before the MFA code is entered', async () => {
    const account = await createMfaAccount(service);
    await storeHash(account.user, createImportedHash(account.user.password));
    const { browser, page } = await enterPassword(service, account.user);
    expect((await readAccount(account.user)).password_hash).toMatch(NATIVE_HASH);
    await submitSecondFactor(browser, page, { code: createTotpCode(service, account.secret) });
    expect(await isSignedIn(browser)).toBe(true);
  });

  test('succeeds in every browser that signs in concurrently', async () => {
    const second = await startTestService(LARGE_POOL, { databaseUrl: service.databaseUrl });
    try {
      const user = await createImportedUser();
      const processes: TestService[] = [service, second, service, second, service, second];
      const attempts = await Promise.all(processes.map((process) => enterPassword(process, user)));
      expect(attempts.map(({ response }) => response.status)).toEqual(processes.map(() => 303));
      expect((await readAccount(user)).password_hash).toMatch(NATIVE_HASH);
    } finally {
      await second.close();
    }
  });

  test('succeeds if a concurrent sign-in replaces the last imported hash', async () => {
    const checks = createImportedHashChecks({ ...service.services, now: service.clock.now });
    await sql(
      service.services.database,
      `update users set password_hash = null where password_hash like '{imported}%'`,
    );
    const releaseSlot = <R>(work: () => Promise<R>) => work();
    const check = { stored: createImportedHash('replaced'), hidesMatch: false, releaseSlot };
    expect(await checks.check({ ...check, password: 'replaced' })).toBe(true);
    expect(await checks.check({ ...check, password: 'wrong' })).toBe(false);
  });

  test('does not replace the bcrypt hash of a password over 72 bytes', async () => {
    const user = await createImportedUser({ password: 'x'.repeat(80) });
    const { password_hash } = await readAccount(user);
    expect(
      (await enterPassword(service, { ...user, password: `${'x'.repeat(79)}typo` })).response.status,
    ).toBe(303);
    expect((await readAccount(user)).password_hash).toBe(password_hash);
    expect((await enterPassword(service, user)).response.status).toBe(303);
  });

  test('never overwrites a concurrently changed password', async () => {
    const user = await createImportedUser();
    const { database, hasher } = service.services;
    const changed = await hasher.hash('another long password');
    // Changes the password between verification and replacement of the imported hash.
    const hash = async (password: string) => {
      await setAccountPassword(database, user.userId, changed);
      return hasher.hash(password);
    };
    const services = { ...service.services, hasher: { ...hasher, hash } };
    const { email, password } = user;
    expect(await checkPassword(services, { email, password }, context, service.clock.now)).toBeUndefined();
    expect((await readAccount(user)).password_hash).toBe(changed);
    expect(await replaceImportedHash(database, user.userId, 'stale', 'new')).toBe(false);
  });
});

describe('a wrong password', () => {
  test('neither signs the user in nor replaces the imported hash', async () => {
    const user = await createImportedUser();
    const { password_hash } = await readAccount(user);
    for (const password of ['wrong', '', password_hash, 'x'.repeat(1000)])
      expect((await enterPassword(service, { ...user, password })).response.status).not.toBe(303);
    expect((await readAccount(user)).password_hash).toBe(password_hash);
  });

  test('gets the same response for suspended and active accounts', async () => {
    const user = await createImportedUser();
    await suspendUser(service.services.database, user.userId, service.clock.now());
    expect((await enterPassword(service, { ...user, password: 'wrong' })).response.status).toBe(401);
    expect((await enterPassword(service, user)).response.status).toBe(403);
    expect((await readAccount(user)).password_hash).toMatch(/^\{imported\}/);
  });

  test('never matches a damaged hash', async () => {
    const user = await service.createUser();
    for (const hash of [
      '{imported}',
      '{imported}$2b$10$short',
      '{imported}$argon2id$v=19$m=1',
      '{imported}$scrypt$x$y$z',
    ]) {
      await storeHash(user, hash);
      expect((await enterPassword(service, user)).response.status, hash).toBe(401);
      service.clock.advance(3600);
    }
  });
});

test('re-authentication with an imported password replaces the hash', async () => {
  const user = await service.createUser();
  const browser = await openSignedInBrowser(service, user);
  await storeHash(user, createImportedHash(user.password));
  const page = await browser.get('/account/password');
  const fields = { current_password: 'wrong', new_password: 'quite another battery staple' };
  const refused = await browser.post('/account/password', { ...page.hidden, ...fields });
  expect(readFieldError(refused.body, 'current_password')).toBe('That is not your current password.');
  const changed = await browser.post('/account/password', {
    ...page.hidden,
    ...fields,
    current_password: user.password,
  });
  expect(changed.status).toBe(303);
  expect((await enterPassword(service, { ...user, password: fields.new_password })).response.status).toBe(
    303,
  );
});

describe('with imported hashes, failed sign-ins', () => {
  /**
   * @returns the delays of a failed check in milliseconds. The test's clock stands still, so the hashing time isn't
   *   subtracted.
   */
  const measureDelays = async (stored: string | undefined, password = 'wrong', hidesMatch = false) => {
    const waits: number[] = [];
    const checks = createImportedHashChecks({
      database: service.services.database,
      now: service.clock.now,
      wait: async (milliseconds) => void waits.push(milliseconds),
      monotonic: () => 0,
    });
    const releaseSlot = <R>(work: () => Promise<R>) => work();
    await checks.check({ stored, password, hidesMatch, releaseSlot });
    return waits;
  };

  test('take equally long for every account', async () => {
    const user = await createImportedUser();
    const { password_hash: stored } = await readAccount(user);
    for (const hash of [undefined, stored]) {
      expect(await measureDelays(hash)).toEqual([50]);
      expect(await measureDelays(hash, 'x'.repeat(2000))).toEqual([50]);
      expect(await measureDelays(hash, 'pa\u0308ssword'), 'two spellings are checked').toEqual([100]);
      expect(await measureDelays(hash, `it's`), 'two spellings are checked').toEqual([100]);
      expect(await measureDelays(hash, user.password, true), 'a match that must not be revealed').toEqual([
        50,
      ]);
    }
    expect(await measureDelays(stored, user.password)).toEqual([]);
  });

  test('are answered only at multiples of the minimum time', async () => {
    await createImportedUser();
    const waits: number[] = [];
    let time = 0;
    const checks = createImportedHashChecks({
      ...{ database: service.services.database, now: service.clock.now },
      wait: async (milliseconds) => void waits.push(milliseconds),
      monotonic: () => {
        time += 70;
        return time;
      },
    });
    await checks.check({ stored: undefined, password: '', hidesMatch: false, releaseSlot: (work) => work() });
    expect(waits).toEqual([30]);
  });

  test('reload the hash schemes at most once per minute', async () => {
    const { database, hasher } = service.services;
    const template = await createImportedUser();
    const refreshAndCountHashes = async () => {
      await hasher.verify(undefined, 'wrong');
      return hasher.load().imported.hashes;
    };
    await sql(
      database,
      `insert into users (id, email, email_key, name, email_verified, password_hash, is_admin, profile_updated_at, created_at)
      select gen_random_uuid(), n || '@schemes.example', n || '@schemes.example', '', true,
        '{imported}$sha512-crypt$rounds=' || n || '$salt$digest', false, now(), now() from generate_series(1000, 2999) n`,
    );
    service.clock.advance(61);
    const listed = await refreshAndCountHashes();
    const unlisted = `{imported}$sha512-crypt$rounds=2999$salt$digest`;
    await storeHash(await service.createUser(), createImportedHash(template.password));
    await hasher.verify(unlisted, 'wrong');
    expect(await refreshAndCountHashes()).toBe(listed);
    await sql(database, `delete from users where email like '%@schemes.example'`);
    service.clock.advance(61);
    expect(await refreshAndCountHashes()).toBe(listed - 2000 + 1);
  });

  test('are delayed once, whether or not the account exists', async () => {
    const imported = await createImportedUser();
    const own = await service.createUser();
    const withoutPassword = await service.createUser();
    await sql(service.services.database, 'update users set password_hash = null where id = $1', [
      withoutPassword.userId,
    ]);
    for (const user of [imported, own, withoutPassword, { ...own, email: 'nobody@example.org' }]) {
      service.delays.length = 0;
      const { response } = await enterPassword(service, { ...user, password: 'wrong password' });
      expect(response.status).toBe(401);
      expect(readFormErrors(response.body)).toEqual(['Incorrect email address or password.']);
      expect(service.delays).toHaveLength(1);
    }
    service.delays.length = 0;
    expect((await enterPassword(service, own)).response.status).toBe(303);
    expect(service.delays, 'correct passwords of other accounts are not delayed').toEqual([]);
  });

  test('take as long as successful ones if an email code is required', async () => {
    const user = await createImportedUser();
    const own = await service.createUser();
    const ip = '127.0.0.1';
    for (const { userId } of [user, own])
      await recordPasswordAttempt(
        service.services.database,
        { userId, unknownEmailKey: '', ip, wrong: 100 },
        service.clock.now(),
      );
    for (const { email, password } of [user, own])
      for (const entered of [password, 'wrong password']) {
        service.delays.length = 0;
        const visit = (await enterPassword(service, { ...user, email, password: entered })).response;
        expect([visit.status, visit.location?.pathname]).toEqual([303, '/signin/code']);
        expect(service.delays).toHaveLength(1);
      }
  });

  test('are no longer delayed once every imported hash is replaced', async () => {
    expect(service.services.hasher.load().imported.hashes).toBeGreaterThan(0);
    await sql(
      service.services.database,
      `update users set password_hash = null where password_hash like '{imported}%'`,
    );
    service.clock.advance(61);
    expect(
      (await enterPassword(service, { ...(await service.createUser()), password: 'wrong' })).response.status,
    ).toBe(401);
    expect(service.delays).toEqual([]);
    expect(service.services.hasher.load().imported.hashes).toBe(0);
  });
});

describe('concurrent failed sign-ins', () => {
  test('are limited by their total duration', async () => {
    await createImportedUser();
    let release = () => {};
    const blocked = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { database } = service.services;
    const checks = createImportedHashChecks({ database, now: service.clock.now, wait: () => blocked });
    const releaseSlot = <R>(work: () => Promise<R>) => work();
    const check = (password: string) =>
      checks.check({ stored: undefined, password, hidesMatch: false, releaseSlot });
    // The password has two Unicode forms, so each check hashes twice.
    const results = Array.from({ length: 300 }, () => check('pa\u0308ssword'));
    const first = await Promise.race(results);
    const { checks: accepted } = checks.load();
    release();
    const busy = (await Promise.all(results)).filter((result) => result === 'busy').length;
    expect([first, accepted, busy]).toEqual(['busy', 101, 199]);
  });

  test('that get 503 count as wrong passwords', async () => {
    const imported = await createImportedUser();
    const own = await service.createUser();
    let release = () => {};
    const blocked = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { database } = service.services;
    const hasher = await createPasswordHasher({ database, now: service.clock.now, wait: () => blocked });
    const services = { ...service.services, hasher };
    // Each failed check takes half a second.
    await storeHash(imported, `{imported}${hashBcrypt(imported.password, 12)}`);
    const results: Promise<unknown>[] = [];
    let isBusy = false;
    while (!isBusy) {
      const result = hasher.verify(undefined, 'wrong');
      results.push(result);
      void result.then((value) => {
        isBusy = value === 'busy';
      });
      await waitUntil('the check', () => isBusy || hasher.load().imported.checks === results.length);
    }
    try {
      const countFailures = async (userId: string) =>
        ((await sql(database, 'select wrong from throttles where key = $1', [userId]))[0]?.wrong as
          | number
          | undefined) ?? 0;
      for (const { userId, email } of [imported, own]) {
        const before = await countFailures(userId);
        const attempt = checkPassword(services, { email, password: 'wrong' }, context, service.clock.now);
        await expect(attempt).rejects.toThrow(/busy|later|overloaded|temporarily/i);
        expect(await countFailures(userId)).toBe(before + 1);
      }
      const { email, password } = own;
      const { password_hash } = await readAccount(own);
      expect(await hasher.verify(password_hash, password, { hidesMatch: true })).toBe('busy');
      expect(await checkPassword(services, { email, password }, context, service.clock.now)).toBeDefined();
    } finally {
      release();
      await Promise.all(results);
    }
  });
});
