import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  reauthenticateWithPasskey,
  signInWithPasskey as signInByAssertion,
} from '../../src/credentials/passkeys.ts';
import type { RequestContext } from '../../src/credentials/session-start.ts';
import { createChallenge, verifyChallenge } from '../../src/credentials/webauthn.ts';
import { RECENT_SIGN_IN_TTL } from '../../src/oauth/lifetimes.ts';
import { findMfaFactors } from '../../src/store/mfa-factors.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { findLastEmailTo } from '../support/emails.ts';
import { lockPasskey } from '../support/locks.ts';
import { readFormErrors, readHeading, readText } from '../support/markup.ts';
import { createMfaAccount, createTotpCode, type MfaAccount } from '../support/mfa-account.ts';
import { openSignedInBrowser, signIn } from '../support/oauth-flow.ts';
import {
  createPasskey,
  NEW_PASSKEY_PATH,
  type ResponseOverrides,
  readPasskeyOptions,
  registerPasskey,
  type SoftwarePasskey,
  signInWithPasskey,
} from '../support/passkey.ts';
import { createSelfSignedCertificate } from '../support/self-signed-certificate.ts';
import { startTestService, type TestService, type TestUser } from '../support/service.ts';
import { sql } from '../support/store-fixtures.ts';

const service = await startTestService();
const secondProcess = await startTestService(
  { BASE_URL: service.baseUrl },
  { databaseUrl: service.databaseUrl },
);
afterAll(async () => {
  await secondProcess.close();
  await service.close();
});

interface PasskeyAccount {
  user: TestUser;
  browser: BrowserSession;
  passkey: SoftwarePasskey;
}

async function createAccount(newPasskey?: SoftwarePasskey): Promise<PasskeyAccount> {
  const user = await service.createUser();
  const browser = await openSignedInBrowser(service, user);
  const { passkey, response } = await registerPasskey(
    browser,
    service,
    newPasskey && { passkey: newPasskey },
  );
  expect(response.location?.search).toBe('?done=passkey-added');
  return { user, browser, passkey };
}

const encodeUserHandle = ({ userId }: TestUser): string =>
  Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url');
const isSignedIn = async (browser: BrowserSession): Promise<boolean> =>
  (await browser.get('/account')).status === 200;
const countRows = async (rows: string, ...values: unknown[]): Promise<number> =>
  Number((await sql(service.services.database, `select count(*) from ${rows}`, values))[0]?.count);
const countPasskeys = ({ userId }: TestUser) => countRows('passkeys where user_id = $1', userId);
const readPasskeyCount = async ({ userId }: TestUser): Promise<number> =>
  Number(
    (await sql(service.services.database, 'select passkey_count from users where id = $1', [userId]))[0]
      ?.passkey_count,
  );
const countSessions = ({ userId }: TestUser, method: string) =>
  countRows('sessions where user_id = $1 and methods = array[$2]', userId, method);
const countEvents = ({ userId }: TestUser, kind: string) =>
  countRows('events where user_id = $1 and kind = $2', userId, kind);

/** Overrides that make a registration or authentication response invalid. */
const INVALID_RESPONSES: [string, ResponseOverrides][] = [
  ['with a different origin', { origin: 'https://evil.example' }],
  ['with a different relying party', { rpId: 'evil.example' }],
  ['with a different type', { type: 'payment.get' }],
  ['without user presence', { isUserPresent: false }],
  ['without user verification', { isUserVerified: false }],
  ['from a cross-origin frame', { crossOrigin: true }],
  ['from a frame in a page on a different origin', { topOrigin: 'https://evil.example' }],
  ['with a different challenge', { challenge: 'A'.repeat(86) }],
];

describe('the passkey registration endpoint', () => {
  test('names the passkey after its authenticator', async () => {
    const { user, browser } = await createAccount(
      createPasskey(service.baseUrl, { aaguid: 'bada5566-a7aa-401f-bd96-45619a55120d' }),
    );
    const page = await browser.get('/account/security');
    expect(page.body).toContain('<bdi>1Password</bdi>');
    expect(page.body).toContain('On all your synced devices');
    expect((await findLastEmailTo(service, user.email)).subject).toContain('A passkey was added');
    const [event] = await sql(
      service.services.database,
      "select detail from events where kind = 'passkey_added' and user_id = $1",
      [user.userId],
    );
    expect(event?.detail).toEqual({ name: '1Password' });
    expect([await countPasskeys(user), await readPasskeyCount(user)]).toEqual([1, 1]);
  });

  test('requires a discoverable credential and user verification', async () => {
    const { user, browser, passkey } = await createAccount();
    const options = JSON.parse(readPasskeyOptions((await browser.get(NEW_PASSKEY_PATH)).body, 'create'));
    expect(options.authenticatorSelection).toMatchObject({
      residentKey: 'required',
      userVerification: 'required',
    });
    expect([options.rp.id, options.attestation]).toEqual(['localhost', 'none']);
    expect(options.pubKeyCredParams.map(({ alg }: { alg: number }) => alg)).toEqual([-7, -8, -257]);
    expect(options.excludeCredentials.map(({ id }: { id: string }) => id)).toEqual([passkey.id]);
    const handle = Buffer.from(options.user.id, 'base64url');
    expect(handle.toString('hex')).toBe(user.userId.replaceAll('-', ''));
  });

  describe('rejects a response', () => {
    let user: TestUser;
    let browser: BrowserSession;
    beforeAll(async () => {
      user = await service.createUser();
      browser = await openSignedInBrowser(service, user);
    });

    test.each([
      ...INVALID_RESPONSES,
      ['with an assertion instead of a registration', { type: 'webauthn.get' }],
      ['with self attestation by a different key', { attestation: 'another key' }],
      ['with an id that differs from the signed id', { id: 'A'.repeat(27) }],
      ['with an algorithm that was not requested', { algorithm: -36 }],
    ] as [string, ResponseOverrides][])('%s', async (_, overrides) => {
      const { passkey, response } = await registerPasskey(browser, service, { overrides });
      expect(response.status).toBe(400);
      expect(readFormErrors(response.body)).toEqual([expect.stringContaining('was not saved')]);
      expect(await countPasskeys(user)).toBe(0);
      // The page tells the authenticator that the passkey is unknown, so that it can be deleted.
      expect(response.body).toContain(`&quot;unknown&quot;:&quot;${overrides.id ?? passkey.id}&quot;`);
    });

    test('with an attestation certificate', async () => {
      const { cert, keyFile, remove } = await createSelfSignedCertificate();
      const attestation = { cert, key: await readFile(keyFile, 'utf8') };
      const { response } = await registerPasskey(browser, service, { overrides: { attestation } });
      await remove();
      expect([response.status, await countPasskeys(user)]).toEqual([400, 0]);
    });
  });

  test('rejects a credential ID that the account already has', async () => {
    const { user, browser, passkey } = await createAccount();
    const { response } = await registerPasskey(browser, service, {
      passkey: createPasskey(service.baseUrl, { id: passkey.id }),
    });
    expect(response.status).toBe(400);
    expect(response.body).not.toContain('&quot;unknown&quot;');
    expect([await countPasskeys(user), await readPasskeyCount(user)]).toEqual([1, 1]);
  });

  test('accepts a credential ID that belongs to a different account', async () => {
    const victim = await createAccount();
    const duplicate = createPasskey(service.baseUrl, { id: victim.passkey.id });
    const attacker = await createAccount(duplicate);
    for (const { passkey, user } of [victim, attacker]) {
      const { browser } = await signInWithPasskey(service, passkey);
      expect((await browser.get('/account')).body).toContain(user.email);
    }
    const overrides = { userHandle: encodeUserHandle(victim.user) };
    const { browser, response } = await signInWithPasskey(service, duplicate, { overrides });
    expect([response.status, await isSignedIn(browser)]).toEqual([401, false]);
    expect([await countPasskeys(victim.user), await countPasskeys(attacker.user)]).toEqual([1, 1]);
  });

  test('allows at most 20 passkeys per account', async () => {
    const { user, browser } = await createAccount();
    await sql(service.services.database, 'update users set passkey_count = 19 where id = $1', [user.userId]);
    expect((await registerPasskey(browser, service)).response.status).toBe(303);
    expect((await registerPasskey(browser, service)).response.status).toBe(400);
    expect([await countPasskeys(user), await readPasskeyCount(user)]).toEqual([2, 20]);
  });

  test('accepts a challenge only in the session that requested it', async () => {
    const user = await service.createUser();
    const browser = await openSignedInBrowser(service, user);
    const otherBrowser = await openSignedInBrowser(service, user);
    const passkey = createPasskey(service.baseUrl).createCredential(
      readPasskeyOptions((await browser.get(NEW_PASSKEY_PATH)).body, 'create'),
    );
    const otherPage = await otherBrowser.get(NEW_PASSKEY_PATH);
    const rejected = await otherBrowser.post(NEW_PASSKEY_PATH, { ...otherPage.hidden, passkey });
    expect(rejected.status).toBe(400);
    expect(await countPasskeys(user)).toBe(0);
    // The failed attempt didn't redeem the challenge.
    const page = await browser.get(NEW_PASSKEY_PATH);
    expect((await browser.post(NEW_PASSKEY_PATH, { ...page.hidden, passkey })).status).toBe(303);
  });

  test('requires recent authentication with all required factors', async () => {
    const user = await service.createUser();
    const browser = await openSignedInBrowser(service, user);
    service.clock.advance(RECENT_SIGN_IN_TTL + 1);
    const { response } = await registerPasskey(browser, service);
    expect(readFormErrors(response.body)).toEqual(['Enter your current password.']);
    expect(await countPasskeys(user)).toBe(0);
    const passkey = createPasskey(service.baseUrl).createCredential(
      readPasskeyOptions(response.body, 'create'),
    );
    const added = await browser.post(NEW_PASSKEY_PATH, {
      ...response.hidden,
      passkey,
      current_password: user.password,
    });
    expect(added.location?.search).toBe('?done=passkey-added');
    // The account now has MFA, so a password alone is not enough.
    const passwordOnly = await openSignedInBrowser(service, user);
    const second = await registerPasskey(passwordOnly, service);
    expect(second.response.status).toBe(400);
    expect(await countPasskeys(user)).toBe(1);
  });
});

const getPort = ({ app }: TestService): number => {
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  return address.port;
};

describe('the passkey sign-in endpoint', () => {
  test('requires neither an email address nor a password', async () => {
    const { passkey, user } = await createAccount();
    const { browser, response } = await signInWithPasskey(service, passkey);
    expect([response.status, response.location?.pathname]).toEqual([303, '/account']);
    expect((await browser.get('/account')).body).toContain(user.email);
    const [event] = await sql(
      service.services.database,
      "select detail from events where kind = 'signed_in' and user_id = $1 order by id desc limit 1",
      [user.userId],
    );
    expect(event?.detail).toEqual({ method: 'passkey', with: ['swk'] });
  });

  describe('rejects a response', () => {
    let account: PasskeyAccount;
    beforeAll(async () => {
      account = await createAccount();
    });

    test.each([
      ...INVALID_RESPONSES,
      ['with an invalid signature', { signature: Buffer.alloc(70, 1).toString('base64url') }],
      ['with changed backup eligibility', { isBackupEligible: false }],
    ] as [string, ResponseOverrides][])('%s', async (_, overrides) => {
      const { browser, response } = await signInWithPasskey(service, account.passkey, { overrides });
      expect(response.status).toBe(401);
      expect(readFormErrors(response.body)).toEqual([
        expect.stringContaining('does not belong to an account here'),
      ]);
      expect(await isSignedIn(browser)).toBe(false);
      // The passkey exists, so the page doesn't report it as unknown.
      expect(response.body).not.toContain('&quot;unknown&quot;');
    });

    test('with a signature by a different key', async () => {
      const userHandle = encodeUserHandle(account.user);
      const copy = createPasskey(service.baseUrl, { id: account.passkey.id });
      const { browser, response } = await signInWithPasskey(service, copy, { overrides: { userHandle } });
      expect(response.status).toBe(401);
      expect(await isSignedIn(browser)).toBe(false);
    });
  });

  test.each([
    ['doesn’t match any account', Buffer.alloc(16, 1).toString('base64url')],
    ['is malformed', 'AAAA'],
    ['is empty', ''],
    ['is missing', undefined],
  ])('treats a passkey as unknown if its user handle %s', async (_, userHandle) => {
    const account = await createAccount();
    const { browser, response } = await signInWithPasskey(service, account.passkey, {
      overrides: { userHandle },
    });
    expect([response.status, await isSignedIn(browser)]).toEqual([401, false]);
    expect(readFormErrors(response.body)).toEqual([
      expect.stringContaining('does not belong to an account here'),
    ]);
    expect((await signInWithPasskey(service, account.passkey)).response.status).toBe(303);
  });

  test('rejects a different account’s user handle', async () => {
    const [account, otherAccount] = [await createAccount(), await createAccount()];
    const overrides = { userHandle: encodeUserHandle(otherAccount.user) };
    const { browser, response } = await signInWithPasskey(service, account.passkey, { overrides });
    expect([response.status, await isSignedIn(browser)]).toEqual([401, false]);
    expect(await countSessions(otherAccount.user, 'swk')).toBe(0);
  });

  test('gives the same response for unknown and deleted passkeys', async () => {
    const { passkey, browser } = await createAccount();
    service.clock.advance(RECENT_SIGN_IN_TTL + 1);
    const [, id] =
      /passkeys\/remove\?passkey=([\w-]+)/.exec((await browser.get('/account/security')).body) ?? [];
    const page = await browser.get(`/account/security/passkeys/remove?passkey=${id}`);
    const assertion = passkey.createAssertion(readPasskeyOptions(page.body, 'confirm'));
    await browser.post('/account/security/passkeys/remove', {
      ...page.hidden,
      confirmation_passkey: assertion,
    });
    const removed = await signInWithPasskey(service, passkey);
    const unknown = createPasskey(service.baseUrl);
    unknown.createCredential(
      JSON.stringify({ challenge: '', rp: { id: 'localhost' }, user: { id: 'A'.repeat(22) } }),
    );
    const neverRegistered = await signInWithPasskey(service, unknown);
    for (const [{ response }, { id: reportedId }] of [
      [removed, passkey],
      [neverRegistered, unknown],
    ] as const) {
      expect(response.status).toBe(401);
      expect(readFormErrors(response.body)).toEqual([
        expect.stringContaining('does not belong to an account here'),
      ]);
      expect(response.body).toContain(`&quot;unknown&quot;:&quot;${reportedId}&quot;`);
    }
  });

  test('accepts a challenge only once', async () => {
    const { passkey, user } = await createAccount();
    const { browser, page, assertion } = await signInWithPasskey(service, passkey);
    await browser.post('/signin', { ...page.hidden, passkey: assertion });
    expect(await countSessions(user, 'swk')).toBe(1);
    const accountPage = await browser.get('/account');
    await browser.post('/signout', accountPage.hidden);
    expect(await isSignedIn(browser)).toBe(false);
    const replayed = await browser.post('/signin', { ...page.hidden, passkey: assertion });
    expect(replayed.status).toBe(401);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('accepts an account’s challenge only with that account’s passkeys', async () => {
    const [accountA, accountB] = [await createAccount(), await createAccount()];
    const browser = openBrowserSession(service.baseUrl);
    const { body, hidden } = await browser.get('/signin');
    const options = readPasskeyOptions(body, 'sign-in');
    for (const { user, passkey } of [accountA, accountB]) {
      const assertion = passkey.createAssertion(options);
      const response = await browser.post('/signin', { ...hidden, passkey: assertion });
      expect([response.status, response.location?.pathname]).toEqual([303, '/account']);
      await browser.post('/signout', (await browser.get('/account')).hidden);
      expect((await browser.post('/signin', { ...hidden, passkey: assertion })).status).toBe(401);
      expect(await countSessions(user, 'swk')).toBe(0);
    }
    const overrides = { userHandle: encodeUserHandle(accountB.user) };
    const stolen = accountA.passkey.createAssertion(options, overrides);
    expect((await browser.post('/signin', { ...hidden, passkey: stolen })).status).toBe(401);
  });

  test('starts only one session even if two processes receive the form', async () => {
    const { passkey, user } = await createAccount();
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signin');
    const assertion = passkey.createAssertion(readPasskeyOptions(page.body, 'sign-in'));
    const otherBrowser = openBrowserSession(`http://localhost:${getPort(secondProcess)}`);
    for (const [name, value] of browser.cookies) otherBrowser.cookies.set(name, value);
    await Promise.all(
      [browser, otherBrowser, browser, otherBrowser].map(({ post }) =>
        post('/signin', { ...page.hidden, passkey: assertion }),
      ),
    );
    expect(await countSessions(user, 'swk')).toBe(1);
  });

  test('accepts a challenge only in the browser that requested it', async () => {
    const { passkey } = await createAccount();
    const victim = openBrowserSession(service.baseUrl);
    const page = await victim.get('/signin');
    const assertion = passkey.createAssertion(readPasskeyOptions(page.body, 'sign-in'));
    const attacker = openBrowserSession(service.baseUrl);
    const attackerPage = await attacker.get('/signin');
    expect((await attacker.post('/signin', { ...attackerPage.hidden, passkey: assertion })).status).toBe(401);
    expect(await isSignedIn(attacker)).toBe(false);
  });

  test('rejects a challenge more than five minutes old', async () => {
    const { sealer } = service.services;
    const issuedAt = service.clock.now();
    const context = { purpose: 'sign-in', userId: 'user' } as const;
    const challenge = createChallenge(sealer, { ...context, holder: 'here' }, issuedAt);
    const verifyAfter = (seconds: number) =>
      verifyChallenge(
        sealer,
        challenge,
        { ...context, holders: ['here'] },
        new Date(issuedAt.getTime() + seconds * 1000),
      );
    expect([verifyAfter(299)?.until, verifyAfter(300)]).toEqual([
      new Date(issuedAt.getTime() + 300_000),
      undefined,
    ]);

    const { passkey } = await createAccount();
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signin');
    const options = readPasskeyOptions(page.body, 'sign-in');
    expect(JSON.parse(options).timeout).toBe(300_000);
    service.clock.advance(300);
    const fields = { ...page.hidden, passkey: passkey.createAssertion(options) };
    expect((await browser.post('/signin', fields)).status).toBe(401);
  });

  test('tells suspended users why they cannot sign in', async () => {
    const { passkey, user } = await createAccount();
    await sql(service.services.database, 'update users set suspended_at = now() where id = $1', [
      user.userId,
    ]);
    const { browser, response } = await signInWithPasskey(service, passkey);
    expect(response.status).toBe(403);
    expect(readFormErrors(response.body)).toEqual([expect.stringContaining('suspended')]);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('alerts the owner if the signature counter did not increase', async () => {
    const { passkey, user } = await createAccount(createPasskey(service.baseUrl, { synced: false }));
    const first = await signInWithPasskey(service, passkey);
    expect(first.response.status).toBe(303);
    const cloned = await signInWithPasskey(service, passkey, { overrides: { counter: 1 } });
    expect(cloned.response.status).toBe(401);
    expect(readFormErrors(cloned.response.body)).toEqual([expect.stringContaining('may be a copy')]);
    expect((await findLastEmailTo(service, user.email)).subject).toContain('refusée');
    expect(await countEvents(user, 'passkey_clone_suspected')).toBe(1);
    const withoutCounter = await signInWithPasskey(service, passkey, { overrides: { counter: 0 } });
    expect(readFormErrors(withoutCounter.response.body)).toEqual([expect.stringContaining('may be a copy')]);
    expect(await countEvents(user, 'passkey_clone_suspected')).toBe(2);
    const next = await signInWithPasskey(service, passkey);
    expect(next.response.status).toBe(303);
    await next.browser.post('/signout', (await next.browser.get('/account')).hidden);
    await next.browser.post('/signin', { ...next.page.hidden, passkey: next.assertion });
    expect(await countEvents(user, 'passkey_clone_suspected')).toBe(2);
  });

  test.each([
    'null',
    '{}',
    '[]',
    '{"id":1}',
    'x'.repeat(50_000),
    '{"id":"AAAA","rawId":"AAAA","type":"public-key","response":{}}',
    '{"__proto__":{"id":"AAAA"}}',
  ])('rejects a malformed response (%.40s)', async (passkey) => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signin');
    const response = await browser.post('/signin', { ...page.hidden, passkey });
    expect(response.status).toBe(401);
  });

  test('rejects a response that contains a malformed field', async () => {
    const { passkey } = await createAccount();
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signin');
    const valid = JSON.parse(passkey.createAssertion(readPasskeyOptions(page.body, 'sign-in')));
    for (const part of ['clientDataJSON', 'authenticatorData', 'signature'])
      for (const malformed of ['', 'AAAA', 'bnVsbA']) {
        const invalid = { ...valid, response: { ...valid.response, [part]: malformed } };
        const response = await browser.post('/signin', { ...page.hidden, passkey: JSON.stringify(invalid) });
        expect(response.status, `${part} ${malformed}`).toBe(401);
      }
  });
});

const REMOVE_PATH = '/account/security/passkeys/remove';

describe('the re-authentication endpoint', () => {
  test('accepts only the account’s own passkeys', async () => {
    const account = await createAccount();
    const otherAccount = await createAccount();
    service.clock.advance(RECENT_SIGN_IN_TTL + 1);
    const page = await account.browser.get(`${REMOVE_PATH}?passkey=${account.passkey.id}`);
    const options = readPasskeyOptions(page.body, 'confirm');
    expect(JSON.parse(options).allowCredentials.map(({ id }: { id: string }) => id)).toEqual([
      account.passkey.id,
    ]);
    const response = await account.browser.post(REMOVE_PATH, {
      ...page.hidden,
      confirmation_passkey: otherAccount.passkey.createAssertion(options),
    });
    expect(readFormErrors(response.body)).toEqual([expect.stringContaining('does not confirm your account')]);
    expect(await countPasskeys(account.user)).toBe(1);
    const correct = account.passkey.createAssertion(readPasskeyOptions(response.body, 'confirm'), {
      userHandle: undefined,
    });
    expect(
      (await account.browser.post(REMOVE_PATH, { ...response.hidden, confirmation_passkey: correct })).status,
    ).toBe(303);
  });

  const buildRelyingParty = () => ({ id: 'localhost', name: '', origins: [service.baseUrl] });

  async function createReauthentication({ user: { userId }, passkey }: PasskeyAccount) {
    const { sealer } = service.services;
    const now = service.clock.now();
    const challenge = createChallenge(sealer, { purpose: 'confirm', holder: 'here', userId }, now);
    const response = passkey.createAssertion(JSON.stringify({ challenge, rpId: 'localhost' }));
    const attempt = { rp: buildRelyingParty(), response, holders: ['here'] };
    const user = { userId, idHash: Buffer.alloc(32), ip: '127.0.0.1' };
    return {
      response,
      submit: (process: TestService) => reauthenticateWithPasskey(process.services, user, attempt, now),
    };
  }

  test('rejects challenges from sign-in and registration', async () => {
    const account = await createAccount();
    const { response } = await createReauthentication(account);
    const request: RequestContext = { ip: '127.0.0.1', userAgent: '', sessionIds: [] };
    const attempt = { rp: buildRelyingParty(), response, holders: ['here'] };
    expect(await signInByAssertion(service.services, attempt, request, service.clock.now())).toEqual({
      refused: 'wrong challenge',
    });

    service.clock.advance(RECENT_SIGN_IN_TTL + 1);
    const { browser, passkey, user } = account;
    const remove = await browser.get(`${REMOVE_PATH}?passkey=${passkey.id}`);
    const { challenge } = JSON.parse(readPasskeyOptions(remove.body, 'confirm'));
    const page = await browser.get(NEW_PASSKEY_PATH);
    const create = JSON.parse(readPasskeyOptions(page.body, 'create'));
    const wrong = await browser.post(REMOVE_PATH, {
      ...remove.hidden,
      confirmation_passkey: passkey.createAssertion(
        JSON.stringify({ challenge: create.challenge, rpId: 'localhost' }),
      ),
    });
    expect(readFormErrors(wrong.body)).toEqual([expect.stringContaining('does not confirm your account')]);
    const registration = await browser.post(NEW_PASSKEY_PATH, {
      ...page.hidden,
      confirmation_passkey: passkey.createAssertion(readPasskeyOptions(page.body, 'confirm')),
      passkey: createPasskey(service.baseUrl).createCredential(JSON.stringify({ ...create, challenge })),
    });
    expect(readFormErrors(registration.body)).toEqual([expect.stringContaining('was not saved')]);
    expect(await countPasskeys(user)).toBe(1);
  });

  test('accepts a challenge only in the session that requested it', async () => {
    const { browser, passkey, user } = await createAccount();
    const { browser: otherBrowser } = await signInWithPasskey(service, passkey);
    service.clock.advance(RECENT_SIGN_IN_TTL + 1);
    const page = await browser.get(`${REMOVE_PATH}?passkey=${passkey.id}`);
    const confirmation_passkey = passkey.createAssertion(readPasskeyOptions(page.body, 'confirm'));
    const otherPage = await otherBrowser.get(`${REMOVE_PATH}?passkey=${passkey.id}`);
    const refused = await otherBrowser.post(REMOVE_PATH, { ...otherPage.hidden, confirmation_passkey });
    expect(readFormErrors(refused.body)).toEqual([expect.stringContaining('does not confirm your account')]);
    expect(await countPasskeys(user)).toBe(1);
    expect((await browser.post(REMOVE_PATH, { ...page.hidden, confirmation_passkey })).status).toBe(303);
    expect(await countPasskeys(user)).toBe(0);
  });

  test('accepts a passkey response only once', async () => {
    const account = await createAccount();
    const { submit } = await createReauthentication(account);
    expect([await submit(service), await submit(service), await submit(secondProcess)]).toEqual([
      'swk',
      { refused: expect.stringContaining('already used') },
      { refused: expect.stringContaining('already used') },
    ]);
    const lock = await lockPasskey(service.databaseUrl, account.passkey.id);
    const { submit: submitConcurrently } = await createReauthentication(account);
    const responses = [service, secondProcess].map(submitConcurrently);
    // One process waits for this lock, and the other one for the lock on the challenge.
    await lock.waitForBlocked(1);
    await lock.release();
    expect((await Promise.all(responses)).filter((method) => typeof method === 'string')).toEqual(['swk']);
    expect(await countEvents(account.user, 'passkey_clone_suspected')).toBe(0);
  });

  test('rejects a signature counter that did not increase', async () => {
    const { browser, passkey, user } = await createAccount(createPasskey(service.baseUrl, { synced: false }));
    await signInWithPasskey(service, passkey);
    service.clock.advance(RECENT_SIGN_IN_TTL + 1);
    const page = await browser.get(`${REMOVE_PATH}?passkey=${passkey.id}`);
    const copied = passkey.createAssertion(readPasskeyOptions(page.body, 'confirm'), { counter: 1 });
    const response = await browser.post(REMOVE_PATH, { ...page.hidden, confirmation_passkey: copied });
    expect(readFormErrors(response.body)).toEqual([expect.stringContaining('does not confirm your account')]);
    expect([await countPasskeys(user), await countEvents(user, 'passkey_clone_suspected')]).toEqual([1, 1]);
    expect((await findLastEmailTo(service, user.email)).subject).toContain('refusée');
  });

  test('gives the same response for unknown, deleted and other accounts’ passkeys', async () => {
    const [account, otherAccount] = [await createAccount(), await createAccount()];
    const unknown = createPasskey(service.baseUrl);
    const deleted = (await registerPasskey(account.browser, service)).passkey;
    await account.browser.post(
      REMOVE_PATH,
      (await account.browser.get(`${REMOVE_PATH}?passkey=${deleted.id}`)).hidden,
    );
    const passkeys = [otherAccount.passkey, unknown, deleted];
    const toComparable = ({ status, headers, body }: Visit) => ({
      status,
      headers: [...headers].filter(([name]) => !/^(date|content-length|set-cookie)$/.test(name)),
      text: readText(body),
    });
    const expectSameResponse = async (response: (passkey: SoftwarePasskey) => Promise<Visit>) => {
      const [first, ...others] = await Promise.all(
        passkeys.map(async (passkey) => toComparable(await response(passkey))),
      );
      expect(others).toEqual([first, first]);
      return first;
    };
    const { csrf = '' } = (await account.browser.get(NEW_PASSKEY_PATH)).hidden;
    for (const action of ['rename', 'remove']) {
      const path = `/account/security/passkeys/${action}`;
      const redirect = await expectSameResponse(({ id }) => account.browser.get(`${path}?passkey=${id}`));
      expect([redirect?.status, Object.fromEntries(redirect?.headers ?? []).location]).toEqual([
        303,
        '/account/security',
      ]);
      await expectSameResponse(({ id }) => account.browser.post(path, { csrf, passkey: id, name: 'Mine' }));
    }
    expect([await countPasskeys(otherAccount.user), await countPasskeys(account.user)]).toEqual([1, 1]);
    service.clock.advance(RECENT_SIGN_IN_TTL + 1);
    const page = await account.browser.get('/account/security/codes/new');
    const response = await expectSameResponse((passkey) =>
      account.browser.post('/account/security/codes/new', {
        ...page.hidden,
        confirmation_passkey: passkey.createAssertion(readPasskeyOptions(page.body, 'confirm')),
      }),
    );
    expect([response?.status, response?.text]).toEqual([
      400,
      expect.stringContaining('does not confirm your account'),
    ]);
  });
});

describe('passkey deletion', () => {
  test('requires no re-authentication right after a passkey sign-in', async () => {
    const { passkey, user } = await createAccount();
    const { browser } = await signInWithPasskey(service, passkey);
    const page = await browser.get(`${REMOVE_PATH}?passkey=${passkey.id}`);
    expect(readHeading(page.body)).toContain('Remove the passkey');
    expect(page.body).not.toContain('current_password');
    const response = await browser.post(REMOVE_PATH, page.hidden);
    expect(response.location?.search).toBe('?done=passkey-removed');
    expect((await findLastEmailTo(service, user.email)).subject).toContain('A passkey was removed');
    expect([
      await countPasskeys(user),
      await readPasskeyCount(user),
      await countEvents(user, 'passkey_removed'),
    ]).toEqual([0, 0, 1]);
    // The page sends the authenticator an empty list of passkeys, so that it deletes its passkey.
    expect((await browser.follow(response)).body).toContain('&quot;accepted&quot;:[]');
  });

  test('revokes other sessions that used or registered a passkey', async () => {
    const { user, browser: registering, passkey } = await createAccount();
    const { browser: lostDevice } = await signInWithPasskey(service, passkey);
    const byPassword = await openSignedInBrowser(service, user);
    const { browser } = await signInWithPasskey(service, passkey);
    const page = await browser.get(`${REMOVE_PATH}?passkey=${passkey.id}`);
    expect(page.body).toContain('Your other sessions that used a passkey will end');
    await browser.post(REMOVE_PATH, page.hidden);
    expect(await Promise.all([registering, lostDevice, byPassword, browser].map(isSignedIn))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(await countEvents(user, 'sessions_ended')).toBe(1);
  });

  test.each<[string, (account: MfaAccount) => string]>([
    ['an app code', ({ secret }) => createTotpCode(service, secret)],
    ['a recovery code', ({ codes }) => codes[0] ?? ''],
  ])('is allowed after re-authentication with the password and %s (ADR 14)', async (_, codeFor) => {
    const account = await createMfaAccount(service);
    const { user, browser } = account;
    const { passkey } = await registerPasskey(browser, service);
    service.clock.advance(RECENT_SIGN_IN_TTL + 1);
    const page = await browser.get(`${REMOVE_PATH}?passkey=${passkey.id}`);
    const proof = { current_password: user.password, confirmation_code: codeFor(account) };
    const response = await browser.post(REMOVE_PATH, { ...page.hidden, ...proof });
    expect([response.location?.search, await countPasskeys(user)]).toEqual(['?done=passkey-removed', 0]);
  });

  test.each([
    ['also deletes the recovery codes if no MFA factor remains', false, 0],
    ['keeps the recovery codes if the account has an authenticator app', true, 10],
  ])('%s', async (_, hasApp, remaining) => {
    const account = await createMfaAccount(service);
    const { user, browser } = account;
    const { passkey } = await registerPasskey(browser, service);
    const app = await browser.get('/account/security/app/remove');
    if (!hasApp) await browser.post('/account/security/app/remove', app.hidden);
    expect((await findMfaFactors(service.services.database, user.userId)).recoveryCodes).toBe(10);
    await browser.post(REMOVE_PATH, (await browser.get(`${REMOVE_PATH}?passkey=${passkey.id}`)).hidden);
    expect(await countPasskeys(user)).toBe(0);
    expect((await findMfaFactors(service.services.database, user.userId)).recoveryCodes).toBe(remaining);
  });
});

test('a passkey’s owner gets an email when the passkey is renamed', async () => {
  const { passkey, user } = await createAccount();
  const { browser } = await signInWithPasskey(service, passkey);
  const RENAME = '/account/security/passkeys/rename';
  const page = await browser.get(`${RENAME}?passkey=${passkey.id}`);
  const empty = await browser.post(RENAME, { ...page.hidden, name: ' \u2800 ' });
  expect(readFormErrors(empty.body)).toEqual([expect.stringContaining('at most 60 characters')]);
  const response = await browser.post(RENAME, { ...empty.hidden, name: 'Phone <b>' });
  expect((await browser.follow(response)).body).toContain('<bdi>Phone &lt;b&gt;</bdi>');
  expect((await findLastEmailTo(service, user.email)).text).toContain('“Phone b”');
});

describe('the second factor of a password sign-in', () => {
  test('can only be one of the account’s own passkeys', async () => {
    const account = await createMfaAccount(service);
    const browser = openBrowserSession(service.baseUrl);
    const other = await createAccount();
    const { passkey, response } = await registerPasskey(account.browser, service);
    expect(response.status).toBe(303);
    const page = await signIn(browser, account.user);
    expect(readHeading(page.body)).toBe('Confirm that it’s you');
    expect(page.body.indexOf('data-passkey="sign-in"')).toBeLessThan(page.body.indexOf('name="code"'));
    const PATH = '/signin/second-factor';
    const foreign = other.passkey.createAssertion(readPasskeyOptions(page.body, 'sign-in'));
    const refused = await browser.post(PATH, { ...page.hidden, passkey: foreign });
    expect(refused.status).toBe(401);
    const assertion = passkey.createAssertion(readPasskeyOptions(refused.body, 'sign-in'));
    expect((await browser.post(PATH, { ...refused.hidden, passkey: assertion })).location?.pathname).toBe(
      '/account',
    );
    expect(await isSignedIn(browser)).toBe(true);
  });
});

describe('the service', () => {
  test('publishes well-known URLs for password managers', async () => {
    const request = (path: string) => fetch(new URL(path, service.baseUrl), { redirect: 'manual' });
    expect((await request('/.well-known/change-password')).headers.get('location')).toBe('/account/password');
    expect(await (await request('/.well-known/passkey-endpoints')).json()).toEqual({
      enroll: `${service.baseUrl}${NEW_PASSKEY_PATH}`,
      manage: `${service.baseUrl}/account/security`,
    });
    expect((await request('/.well-known/webauthn')).status).toBe(404);
  });

  describe('with a parent domain as the RP ID', () => {
    const BASE_URL = 'http://signin.example.com';
    const RELATED = 'https://signin.example.org';
    let subdomainService: TestService;
    /** The URL that the service listens on, which differs from BASE_URL. */
    let listener: { baseUrl: string };
    beforeAll(async () => {
      subdomainService = await startTestService({
        BASE_URL,
        PASSKEY_RP_ID: 'example.com',
        PASSKEY_RELATED_ORIGINS: RELATED,
      });
      listener = { baseUrl: `http://localhost:${getPort(subdomainService)}` };
    });
    afterAll(() => subdomainService.close());

    const createSubdomainAccount = async () => {
      const browser = await openSignedInBrowser(listener, await subdomainService.createUser());
      return { browser, ...(await registerPasskey(browser, listener, { passkey: createPasskey(BASE_URL) })) };
    };

    test('creates and accepts passkeys only for that domain', async () => {
      const { browser, passkey, response } = await createSubdomainAccount();
      expect(response.location?.search).toBe('?done=passkey-added');
      expect(JSON.parse(readPasskeyOptions((await browser.get(NEW_PASSKEY_PATH)).body, 'create')).rp.id).toBe(
        'example.com',
      );
      const { page, response: signedIn } = await signInWithPasskey(listener, passkey);
      expect(JSON.parse(readPasskeyOptions(page.body, 'sign-in')).rpId).toBe('example.com');
      expect(signedIn.location?.pathname).toBe('/account');
      const wrongId = await signInWithPasskey(listener, passkey, {
        overrides: { rpId: 'signin.example.com' },
      });
      expect(wrongId.response.status).toBe(401);
      // The page uses the same RP ID when it reports passkeys to the authenticator.
      const security = (await browser.get('/account/security')).body;
      expect(security).toContain('data-passkey-signal="{&quot;rpId&quot;:&quot;example.com&quot;');
      expect(wrongId.response.body).not.toContain('data-passkey-signal');
    });

    test('accepts passkeys only from related origins', async () => {
      const published = await fetch(new URL('/.well-known/webauthn', listener.baseUrl));
      expect(await published.json()).toEqual({ origins: [BASE_URL, RELATED] });
      const { passkey } = await createSubdomainAccount();
      const related = await signInWithPasskey(listener, passkey, { overrides: { origin: RELATED } });
      const unrelated = await signInWithPasskey(listener, passkey, {
        overrides: { origin: 'https://signin.example.net' },
      });
      expect([related.response.status, unrelated.response.status]).toEqual([303, 401]);
    });
  });

  test('offers no passkeys if its host is an IP address', async () => {
    const ipService = await startTestService({
      BASE_URL: 'http://127.0.0.1:9999',
      PASSKEY_RELATED_ORIGINS: 'https://signin.example.org',
    });
    const request = (path: string) => fetch(`http://localhost:${getPort(ipService)}${path}`);
    try {
      expect(await (await request('/signin')).text()).not.toContain('data-passkey');
      for (const path of ['passkey-endpoints', 'webauthn'])
        expect((await request(`/.well-known/${path}`)).status).toBe(404);
    } finally {
      await ipService.close();
    }
  });
});
