// Passkeys: made, shown at sign-in, confirmed by; once, here, for that, and by nobody else (D37, D38, D40, D41).
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { confirmByPasskey, signInByPasskey } from '../../src/credentials/passkeys.ts';
import { answeredChallenge, newChallenge } from '../../src/credentials/webauthn.ts';
import { RECENT_SIGN_IN } from '../../src/oauth/lifetimes.ts';
import { findFactors } from '../../src/store/second-factors.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { signedInBrowser, signIn } from '../support/flow.ts';
import { lockPasskey } from '../support/locks.ts';
import { lastMailTo } from '../support/mail.ts';
import { formErrors, headingOf, textIn } from '../support/markup.ts';
import {
  enrol,
  NEW,
  newPasskey,
  type Oddity,
  optionsIn,
  type SoftwarePasskey,
  showPasskey,
} from '../support/passkey.ts';
import { sql } from '../support/populate.ts';
import { codeOf, type ProtectedAccount, protect } from '../support/protected-account.ts';
import { selfSigned } from '../support/self-signed.ts';
import { startTestService, type TestService, type TestUser } from '../support/service.ts';

const service = await startTestService();
const other = await startTestService({ BASE_URL: service.baseUrl }, { databaseUrl: service.databaseUrl });
afterAll(async () => {
  await other.close();
  await service.close();
});

interface Holder {
  user: TestUser;
  browser: BrowserSession;
  passkey: SoftwarePasskey;
}

async function holder(made?: SoftwarePasskey): Promise<Holder> {
  const user = await service.createUser();
  const browser = await signedInBrowser(service, user);
  const { passkey, answer } = await enrol(browser, service, made && { passkey: made });
  expect(answer.location?.search).toBe('?done=passkey-added');
  return { user, browser, passkey };
}

const handleOf = ({ userId }: TestUser): string =>
  Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url');
const isIn = async (browser: BrowserSession): Promise<boolean> =>
  (await browser.get('/account')).status === 200;
const count = async (rows: string, ...values: unknown[]): Promise<number> =>
  Number((await sql(service.parts.database, `select count(*) from ${rows}`, values))[0]?.count);
const passkeysOf = ({ userId }: TestUser) => count('passkeys where user_id = $1', userId);
const countOf = async ({ userId }: TestUser): Promise<number> =>
  Number(
    (await sql(service.parts.database, 'select passkey_count from users where id = $1', [userId]))[0]
      ?.passkey_count,
  );
const sessionsBy = ({ userId }: TestUser, method: string) =>
  count('sessions where user_id = $1 and methods = array[$2]', userId, method);
const eventsOf = ({ userId }: TestUser, kind: string) =>
  count('events where user_id = $1 and kind = $2', userId, kind);

const ODD: [string, Oddity][] = [
  ['for another origin', { origin: 'https://evil.example' }],
  ['for another relying party', { rpId: 'evil.example' }],
  ['of another kind', { type: 'payment.get' }],
  ['by nobody', { present: false }],
  ['by somebody whom the device did not recognise', { verified: false }],
  ['in a frame of another site', { crossOrigin: true }],
  ['with a page of another site around it', { topOrigin: 'https://evil.example' }],
  ['to a challenge of its own', { challenge: 'A'.repeat(86) }],
];

describe('making one', () => {
  test('adds it under the name of what keeps it, mails its owner, and is in the log', async () => {
    const { user, browser } = await holder(
      newPasskey(service.baseUrl, { aaguid: 'bada5566-a7aa-401f-bd96-45619a55120d' }),
    );
    const page = await browser.get('/account/security');
    expect(page.body).toContain('<bdi>1Password</bdi>');
    expect(page.body).toContain('on all your synced devices');
    expect((await lastMailTo(service, user.email)).subject).toContain('A passkey was added');
    const [event] = await sql(
      service.parts.database,
      "select detail from events where kind = 'passkey_added' and user_id = $1",
      [user.userId],
    );
    expect(event?.detail).toEqual({ name: '1Password' });
    expect([await passkeysOf(user), await countOf(user)]).toEqual([1, 1]);
  });

  test('asks for a discoverable one, of somebody whom the device recognises, and says nothing of the address', async () => {
    const { user, browser, passkey } = await holder();
    const options = JSON.parse(optionsIn((await browser.get(NEW)).body, 'create'));
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

  describe('refused', () => {
    let user: TestUser;
    let browser: BrowserSession;
    beforeAll(async () => {
      user = await service.createUser();
      browser = await signedInBrowser(service, user);
    });

    test.each([
      ...ODD.filter(([what]) => !what.includes('frame') || what.includes('another site')),
      ['without what it is for', { type: 'webauthn.get' }],
      ['vouched for by another key as if it were its own', { maker: 'another key' }],
      ['under another id than was signed', { id: 'A'.repeat(27) }],
      ['with a key of a kind that was not asked for', { algorithm: -36 }],
    ] as [string, Oddity][])('%s', async (_, odd) => {
      const { passkey, answer } = await enrol(browser, service, { odd });
      expect(answer.status).toBe(400);
      expect(formErrors(answer.body)).toEqual([expect.stringContaining('was not saved')]);
      expect(await passkeysOf(user)).toBe(0);
      // Whatever keeps it would offer it for ever: the browser is told that there is none.
      expect(answer.body).toContain(`&quot;unknown&quot;:&quot;${odd.id ?? passkey.id}&quot;`);
    });

    test('with a certificate of its maker, in which addresses stand that the service would ask', async () => {
      const { cert, keyFile, remove } = await selfSigned();
      const maker = { cert, key: await readFile(keyFile, 'utf8') };
      const { answer } = await enrol(browser, service, { odd: { maker } });
      await remove();
      expect([answer.status, await passkeysOf(user)]).toEqual([400, 0]);
    });
  });

  test('an id that the account has already is refused, and nobody is told to forget it', async () => {
    const { user, browser, passkey } = await holder();
    const { answer } = await enrol(browser, service, {
      passkey: newPasskey(service.baseUrl, { id: passkey.id }),
    });
    expect(answer.status).toBe(400);
    expect(answer.body).not.toContain('&quot;unknown&quot;');
    expect([await passkeysOf(user), await countOf(user)]).toEqual([1, 1]);
  });

  test('an id that another account has is accepted, and neither opens the other account', async () => {
    const victim = await holder();
    const twin = newPasskey(service.baseUrl, { id: victim.passkey.id });
    const attacker = await holder(twin);
    for (const { passkey, user } of [victim, attacker]) {
      const { browser } = await showPasskey(service, passkey);
      expect((await browser.get('/account')).body).toContain(user.email);
    }
    const odd = { userHandle: handleOf(victim.user) };
    const { browser, answer } = await showPasskey(service, twin, { odd });
    expect([answer.status, await isIn(browser)]).toEqual([401, false]);
    expect([await passkeysOf(victim.user), await passkeysOf(attacker.user)]).toEqual([1, 1]);
  });

  test('twenty at most', async () => {
    const { user, browser } = await holder();
    await sql(service.parts.database, 'update users set passkey_count = 19 where id = $1', [user.userId]);
    expect((await enrol(browser, service)).answer.status).toBe(303);
    expect((await enrol(browser, service)).answer.status).toBe(400);
    expect([await passkeysOf(user), await countOf(user)]).toEqual([2, 20]);
  });

  test('in the session that was asked: not in another one of the same account', async () => {
    const user = await service.createUser();
    const [asked, other] = [await signedInBrowser(service, user), await signedInBrowser(service, user)];
    const made = newPasskey(service.baseUrl);
    const answer = made.creation(optionsIn((await asked.get(NEW)).body, 'create'));
    const theirs = await other.get(NEW);
    expect((await other.post(NEW, { ...theirs.hidden, passkey: answer })).status).toBe(400);
    expect(await passkeysOf(user)).toBe(0);
    // It was not spent by that.
    const mine = await asked.get(NEW);
    expect((await asked.post(NEW, { ...mine.hidden, passkey: answer })).status).toBe(303);
  });

  test('needs a proof that is fresh at that moment, and as strong as the account has', async () => {
    const user = await service.createUser();
    const browser = await signedInBrowser(service, user);
    service.clock.advance(RECENT_SIGN_IN + 1);
    const { answer } = await enrol(browser, service);
    expect(formErrors(answer.body)).toEqual(['Enter your current password.']);
    expect(await passkeysOf(user)).toBe(0);
    const made = newPasskey(service.baseUrl).creation(optionsIn(answer.body, 'create'));
    const proven = await browser.post(NEW, {
      ...answer.hidden,
      passkey: made,
      current_password: user.password,
    });
    expect(proven.location?.search).toBe('?done=passkey-added');
    // From now on the password alone proves nothing, however fresh.
    const withPassword = await signedInBrowser(service, user);
    const second = await enrol(withPassword, service);
    expect(second.answer.status).toBe(400);
    expect(await passkeysOf(user)).toBe(1);
  });
});

const portOf = (one: TestService): number => {
  const address = one.app.server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  return address.port;
};

describe('signing in by one', () => {
  test('opens the account that it is of, without an address or a password', async () => {
    const { passkey, user } = await holder();
    const { browser, answer } = await showPasskey(service, passkey);
    expect([answer.status, answer.location?.pathname]).toEqual([303, '/account']);
    expect((await browser.get('/account')).body).toContain(user.email);
    const [event] = await sql(
      service.parts.database,
      "select detail from events where kind = 'signed_in' and user_id = $1 order by id desc limit 1",
      [user.userId],
    );
    expect(event?.detail).toEqual({ way: 'passkey', with: ['swk'] });
  });

  describe('refused', () => {
    let mine: Holder;
    beforeAll(async () => {
      mine = await holder();
    });

    test.each([
      ...ODD,
      ['signed by nothing', { signature: Buffer.alloc(70, 1).toString('base64url') }],
      ['that may be synced all of a sudden', { synced: false }],
    ] as [string, Oddity][])('%s', async (_, odd) => {
      const { browser, answer } = await showPasskey(service, mine.passkey, { odd });
      expect(answer.status).toBe(401);
      expect(formErrors(answer.body)).toEqual([expect.stringContaining('does not open an account here')]);
      expect(await isIn(browser)).toBe(false);
      // It is one of ours, whatever it said: nobody is told to forget it.
      expect(answer.body).not.toContain('&quot;unknown&quot;');
    });

    test('signed by another key, though all else is as it has to be', async () => {
      const userHandle = handleOf(mine.user);
      const copy = newPasskey(service.baseUrl, { id: mine.passkey.id });
      const { browser, answer } = await showPasskey(service, copy, { odd: { userHandle } });
      expect(answer.status).toBe(401);
      expect(await isIn(browser)).toBe(false);
    });
  });

  test.each([
    ['of nobody', Buffer.alloc(16, 1).toString('base64url')],
    ['that is none', 'AAAA'],
    ['that is empty', ''],
    ['that is missing', undefined],
  ])('a user handle %s is refused like an unknown passkey', async (_, userHandle) => {
    const mine = await holder();
    const { browser, answer } = await showPasskey(service, mine.passkey, { odd: { userHandle } });
    expect([answer.status, await isIn(browser)]).toEqual([401, false]);
    expect(formErrors(answer.body)).toEqual([expect.stringContaining('does not open an account here')]);
    expect((await showPasskey(service, mine.passkey)).answer.status).toBe(303);
  });

  test('the user handle of another account finds nothing of it', async () => {
    const [mine, theirs] = [await holder(), await holder()];
    const odd = { userHandle: handleOf(theirs.user) };
    const { browser, answer } = await showPasskey(service, mine.passkey, { odd });
    expect([answer.status, await isIn(browser)]).toEqual([401, false]);
    expect(await sessionsBy(theirs.user, 'swk')).toBe(0);
  });

  test('unknown and removed ones answer alike, and whatever keeps them is told', async () => {
    const { passkey, browser } = await holder();
    service.clock.advance(RECENT_SIGN_IN + 1);
    const [, id] =
      /passkeys\/remove\?passkey=([\w-]+)/.exec((await browser.get('/account/security')).body) ?? [];
    const confirm = await browser.get(`/account/security/passkeys/remove?passkey=${id}`);
    const proof = passkey.assertion(optionsIn(confirm.body, 'confirm'));
    await browser.post('/account/security/passkeys/remove', {
      ...confirm.hidden,
      confirmation_passkey: proof,
    });
    const removed = await showPasskey(service, passkey);
    const unknown = newPasskey(service.baseUrl);
    unknown.creation(
      JSON.stringify({ challenge: '', rp: { id: 'localhost' }, user: { id: 'A'.repeat(22) } }),
    );
    const never = await showPasskey(service, unknown);
    for (const [{ answer }, { id: lacking }] of [
      [removed, passkey],
      [never, unknown],
    ] as const) {
      expect(answer.status).toBe(401);
      expect(formErrors(answer.body)).toEqual([expect.stringContaining('does not open an account here')]);
      expect(answer.body).toContain(`&quot;unknown&quot;:&quot;${lacking}&quot;`);
    }
  });

  test('a challenge is answered once: again in this browser, it opens nothing more', async () => {
    const { passkey, user } = await holder();
    const { browser, page, shown } = await showPasskey(service, passkey);
    // Impatience is harmless: the same form leads into the same session.
    await browser.post('/signin', { ...page.hidden, passkey: shown });
    expect(await sessionsBy(user, 'swk')).toBe(1);
    const account = await browser.get('/account');
    await browser.post('/signout', account.hidden);
    expect(await isIn(browser)).toBe(false);
    const again = await browser.post('/signin', { ...page.hidden, passkey: shown });
    expect(again.status).toBe(401);
    expect(await isIn(browser)).toBe(false);
  });

  test('a challenge opens two accounts only by a passkey of each, and each of them once', async () => {
    const [one, two] = [await holder(), await holder()];
    const browser = openBrowserSession(service.baseUrl);
    const { body, hidden } = await browser.get('/signin');
    const options = optionsIn(body, 'sign-in');
    for (const { user, passkey } of [one, two]) {
      const shown = passkey.assertion(options);
      const answer = await browser.post('/signin', { ...hidden, passkey: shown });
      expect([answer.status, answer.location?.pathname]).toEqual([303, '/account']);
      await browser.post('/signout', (await browser.get('/account')).hidden);
      expect((await browser.post('/signin', { ...hidden, passkey: shown })).status).toBe(401);
      expect(await sessionsBy(user, 'swk')).toBe(0);
    }
    const odd = { userHandle: handleOf(two.user) };
    const stolen = one.passkey.assertion(options, odd);
    expect((await browser.post('/signin', { ...hidden, passkey: stolen })).status).toBe(401);
  });

  test('raced at two processes, it starts one session', async () => {
    const { passkey, user } = await holder();
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signin');
    const shown = passkey.assertion(optionsIn(page.body, 'sign-in'));
    const there = openBrowserSession(`http://localhost:${portOf(other)}`);
    for (const [name, value] of browser.cookies) there.cookies.set(name, value);
    await Promise.all(
      [browser, there, browser, there].map((one) => one.post('/signin', { ...page.hidden, passkey: shown })),
    );
    expect(await sessionsBy(user, 'swk')).toBe(1);
  });

  test('a challenge is of this browser', async () => {
    const { passkey } = await holder();
    const victim = openBrowserSession(service.baseUrl);
    const page = await victim.get('/signin');
    const shown = passkey.assertion(optionsIn(page.body, 'sign-in'));
    const thief = openBrowserSession(service.baseUrl);
    const own = await thief.get('/signin');
    expect((await thief.post('/signin', { ...own.hidden, passkey: shown })).status).toBe(401);
    expect(await isIn(thief)).toBe(false);
  });

  test('a challenge lives five minutes', async () => {
    const { sealer } = service.parts;
    const at = service.clock.now();
    const whose = { purpose: 'sign-in', userId: 'somebody' } as const;
    const challenge = newChallenge(sealer, { ...whose, holder: 'here' }, at);
    const answered = (seconds: number) =>
      answeredChallenge(
        sealer,
        challenge,
        { ...whose, holders: ['here'] },
        new Date(at.getTime() + seconds * 1000),
      );
    expect([answered(299)?.until, answered(300)]).toEqual([new Date(at.getTime() + 300_000), undefined]);

    const { passkey } = await holder();
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signin');
    const options = optionsIn(page.body, 'sign-in');
    expect(JSON.parse(options).timeout).toBe(300_000);
    service.clock.advance(300);
    const late = { ...page.hidden, passkey: passkey.assertion(options) };
    expect((await browser.post('/signin', late)).status).toBe(401);
  });

  test('a suspended account’s opens nothing, and its owner reads why', async () => {
    const { passkey, user } = await holder();
    await sql(service.parts.database, 'update users set suspended_at = now() where id = $1', [user.userId]);
    const { browser, answer } = await showPasskey(service, passkey);
    expect(answer.status).toBe(403);
    expect(formErrors(answer.body)).toEqual([expect.stringContaining('suspended')]);
    expect(await isIn(browser)).toBe(false);
  });

  test('a counter that does not grow is refused, told and in the log; a replay is not taken for it', async () => {
    const { passkey, user } = await holder(newPasskey(service.baseUrl, { synced: false }));
    const first = await showPasskey(service, passkey);
    expect(first.answer.status).toBe(303);
    const behind = await showPasskey(service, passkey, { odd: { counter: 1 } });
    expect(behind.answer.status).toBe(401);
    expect(formErrors(behind.answer.body)).toEqual([expect.stringContaining('may be a copy')]);
    expect((await lastMailTo(service, user.email)).subject).toContain('refusée');
    expect(await eventsOf(user, 'passkey_behind')).toBe(1);
    const none = await showPasskey(service, passkey, { odd: { counter: 0 } });
    expect(formErrors(none.answer.body)).toEqual([expect.stringContaining('may be a copy')]);
    expect(await eventsOf(user, 'passkey_behind')).toBe(2);
    const on = await showPasskey(service, passkey);
    expect(on.answer.status).toBe(303);
    await on.browser.post('/signout', (await on.browser.get('/account')).hidden);
    await on.browser.post('/signin', { ...on.page.hidden, passkey: on.shown });
    expect(await eventsOf(user, 'passkey_behind')).toBe(2);
  });

  test.each([
    'null',
    '{}',
    '[]',
    '{"id":1}',
    'x'.repeat(50_000),
    '{"id":"AAAA","rawId":"AAAA","type":"public-key","response":{}}',
    '{"__proto__":{"id":"AAAA"}}',
  ])('nonsense is refused: %.40s', async (passkey) => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signin');
    const answer = await browser.post('/signin', { ...page.hidden, passkey });
    expect(answer.status).toBe(401);
  });

  test('parts of an answer that are nonsense are refused', async () => {
    const { passkey } = await holder();
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signin');
    const good = JSON.parse(passkey.assertion(optionsIn(page.body, 'sign-in')));
    for (const part of ['clientDataJSON', 'authenticatorData', 'signature'])
      for (const nonsense of ['', 'AAAA', 'bnVsbA']) {
        const bad = { ...good, response: { ...good.response, [part]: nonsense } };
        const answer = await browser.post('/signin', { ...page.hidden, passkey: JSON.stringify(bad) });
        expect(answer.status, `${part} ${nonsense}`).toBe(401);
      }
  });
});

describe('confirming by one', () => {
  const REMOVE = '/account/security/passkeys/remove';

  test('removes it, mails and logs that; a session by it counts as proven', async () => {
    const { passkey, user } = await holder();
    const { browser } = await showPasskey(service, passkey);
    const page = await browser.get(`${REMOVE}?passkey=${passkey.id}`);
    expect(headingOf(page.body)).toContain('Remove the passkey');
    expect(page.body).not.toContain('current_password');
    const done = await browser.post(REMOVE, page.hidden);
    expect(done.location?.search).toBe('?done=passkey-removed');
    expect((await lastMailTo(service, user.email)).subject).toContain('A passkey was removed');
    expect([await passkeysOf(user), await countOf(user), await eventsOf(user, 'passkey_removed')]).toEqual([
      0, 0, 1,
    ]);
    // And whatever keeps it is told which ones are left.
    expect((await browser.follow(done)).body).toContain('&quot;accepted&quot;:[]');
  });

  test('removed, it is no way to stay in: the other sessions that it opened end, as does the one that made it', async () => {
    const { user, browser: maker, passkey } = await holder();
    const { browser: lost } = await showPasskey(service, passkey);
    const byPassword = await signedInBrowser(service, user);
    const { browser } = await showPasskey(service, passkey);
    const page = await browser.get(`${REMOVE}?passkey=${passkey.id}`);
    expect(page.body).toContain('your other sessions that a passkey opened or confirmed will end');
    await browser.post(REMOVE, page.hidden);
    expect(await Promise.all([maker, lost, byPassword, browser].map(isIn))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(await eventsOf(user, 'sessions_ended')).toBe(1);
  });

  test('takes one of that very account', async () => {
    const mine = await holder();
    const theirs = await holder();
    service.clock.advance(RECENT_SIGN_IN + 1);
    const page = await mine.browser.get(`${REMOVE}?passkey=${mine.passkey.id}`);
    const options = optionsIn(page.body, 'confirm');
    expect(JSON.parse(options).allowCredentials.map(({ id }: { id: string }) => id)).toEqual([
      mine.passkey.id,
    ]);
    const answer = await mine.browser.post(REMOVE, {
      ...page.hidden,
      confirmation_passkey: theirs.passkey.assertion(options),
    });
    expect(formErrors(answer.body)).toEqual([expect.stringContaining('does not confirm your account')]);
    expect(await passkeysOf(mine.user)).toBe(1);
    const right = mine.passkey.assertion(optionsIn(answer.body, 'confirm'), { userHandle: undefined });
    expect((await mine.browser.post(REMOVE, { ...answer.hidden, confirmation_passkey: right })).status).toBe(
      303,
    );
  });

  test.each<[string, (account: ProtectedAccount) => string]>([
    ['a code of the app', ({ secret }) => codeOf(service, secret)],
    ['a recovery code', ({ codes }) => codes[0] ?? ''],
  ])('with the password, %s takes the only one away: it may be lost (ADR 14)', async (_, codeOfTheirs) => {
    const account = await protect(service);
    const { user, browser } = account;
    const { passkey } = await enrol(browser, service);
    service.clock.advance(RECENT_SIGN_IN + 1);
    const page = await browser.get(`${REMOVE}?passkey=${passkey.id}`);
    const proof = { current_password: user.password, confirmation_code: codeOfTheirs(account) };
    const done = await browser.post(REMOVE, { ...page.hidden, ...proof });
    expect([done.location?.search, await passkeysOf(user)]).toEqual(['?done=passkey-removed', 0]);
  });

  const RP = () => ({ id: 'localhost', name: '', origins: [service.baseUrl] });

  /** Answers a challenge to confirm, and shows the answer wherever it is told to. */
  async function confirming({ user: { userId }, passkey }: Holder) {
    const { sealer } = service.parts;
    const now = service.clock.now();
    const challenge = newChallenge(sealer, { purpose: 'confirm', holder: 'here', userId }, now);
    const answer = passkey.assertion(JSON.stringify({ challenge, rpId: 'localhost' }));
    const showing = { rp: RP(), answer, holders: ['here'] };
    const user = { userId, idHash: Buffer.alloc(32), address: '127.0.0.1' };
    return { answer, show: (at: TestService) => confirmByPasskey(at.parts, user, showing, now) };
  }

  test('an answer serves what its challenge was for: not to sign in, not to confirm, not to make one', async () => {
    const mine = await holder();
    const { answer } = await confirming(mine);
    const origin = { address: '127.0.0.1', userAgent: '', sessionIds: [] };
    const entering = { rp: RP(), answer, holders: ['here'] };
    expect(await signInByPasskey(service.parts, entering, origin, service.clock.now())).toEqual({
      refused: 'wrong challenge',
    });

    service.clock.advance(RECENT_SIGN_IN + 1);
    const { browser, passkey, user } = mine;
    const remove = await browser.get(`${REMOVE}?passkey=${passkey.id}`);
    const { challenge } = JSON.parse(optionsIn(remove.body, 'confirm'));
    const page = await browser.get(NEW);
    const create = JSON.parse(optionsIn(page.body, 'create'));
    const wrong = await browser.post(REMOVE, {
      ...remove.hidden,
      confirmation_passkey: passkey.assertion(
        JSON.stringify({ challenge: create.challenge, rpId: 'localhost' }),
      ),
    });
    expect(formErrors(wrong.body)).toEqual([expect.stringContaining('does not confirm your account')]);
    const made = await browser.post(NEW, {
      ...page.hidden,
      confirmation_passkey: passkey.assertion(optionsIn(page.body, 'confirm')),
      passkey: newPasskey(service.baseUrl).creation(JSON.stringify({ ...create, challenge })),
    });
    expect(formErrors(made.body)).toEqual([expect.stringContaining('was not saved')]);
    expect(await passkeysOf(user)).toBe(1);
  });

  test('an answer confirms in the session that was asked: not in another one of the same account', async () => {
    const { browser, passkey, user } = await holder();
    const { browser: other } = await showPasskey(service, passkey);
    service.clock.advance(RECENT_SIGN_IN + 1);
    const asked = await browser.get(`${REMOVE}?passkey=${passkey.id}`);
    const confirmation_passkey = passkey.assertion(optionsIn(asked.body, 'confirm'));
    const theirs = await other.get(`${REMOVE}?passkey=${passkey.id}`);
    const refused = await other.post(REMOVE, { ...theirs.hidden, confirmation_passkey });
    expect(formErrors(refused.body)).toEqual([expect.stringContaining('does not confirm your account')]);
    expect(await passkeysOf(user)).toBe(1);
    expect((await browser.post(REMOVE, { ...asked.hidden, confirmation_passkey })).status).toBe(303);
    expect(await passkeysOf(user)).toBe(0);
  });

  test('an answer confirms once, also at two processes at the same moment', async () => {
    const mine = await holder();
    const { show } = await confirming(mine);
    expect([await show(service), await show(service), await show(other)]).toEqual([
      'swk',
      { refused: expect.stringContaining('used before') },
      { refused: expect.stringContaining('used before') },
    ]);
    const lock = await lockPasskey(service.databaseUrl, mine.passkey.id);
    const raced = await confirming(mine);
    const answers = [service, other].map(raced.show);
    await lock.heldUp(1); // the other finds the challenge spent
    await lock.release();
    expect((await Promise.all(answers)).filter((method) => typeof method === 'string')).toEqual(['swk']);
    expect(await eventsOf(mine.user, 'passkey_behind')).toBe(0); // a replay is no copy
  });

  test('a counter that does not grow confirms nothing, and is told and in the log', async () => {
    const { browser, passkey, user } = await holder(newPasskey(service.baseUrl, { synced: false }));
    await showPasskey(service, passkey);
    service.clock.advance(RECENT_SIGN_IN + 1);
    const page = await browser.get(`${REMOVE}?passkey=${passkey.id}`);
    const copied = passkey.assertion(optionsIn(page.body, 'confirm'), { counter: 1 });
    const answer = await browser.post(REMOVE, { ...page.hidden, confirmation_passkey: copied });
    expect(formErrors(answer.body)).toEqual([expect.stringContaining('does not confirm your account')]);
    expect([await passkeysOf(user), await eventsOf(user, 'passkey_behind')]).toEqual([1, 1]);
    expect((await lastMailTo(service, user.email)).subject).toContain('refusée');
  });

  test('somebody else’s, one that nobody has and one that was removed are answered alike, and nothing becomes of them', async () => {
    const [mine, theirs] = [await holder(), await holder()];
    const nobodys = newPasskey(service.baseUrl);
    const gone = (await enrol(mine.browser, service)).passkey;
    await mine.browser.post(REMOVE, (await mine.browser.get(`${REMOVE}?passkey=${gone.id}`)).hidden);
    const passkeys = [theirs.passkey, nobodys, gone];
    /** What an answer says to whoever sees it. */
    const seen = ({ status, headers, body }: Visit) => ({
      status,
      headers: [...headers].filter(([name]) => !/^(date|content-length|set-cookie)$/.test(name)),
      text: textIn(body),
    });
    const alike = async (answer: (passkey: SoftwarePasskey) => Promise<Visit>) => {
      const [one, ...others] = await Promise.all(
        passkeys.map(async (passkey) => seen(await answer(passkey))),
      );
      expect(others).toEqual([one, one]);
      return one;
    };
    const { csrf = '' } = (await mine.browser.get(NEW)).hidden;
    for (const does of ['rename', 'remove']) {
      const at = `/account/security/passkeys/${does}`;
      const led = await alike(({ id }) => mine.browser.get(`${at}?passkey=${id}`));
      expect([led?.status, Object.fromEntries(led?.headers ?? []).location]).toEqual([
        303,
        '/account/security',
      ]);
      await alike(({ id }) => mine.browser.post(at, { csrf, passkey: id, name: 'Mine' }));
    }
    expect([await passkeysOf(theirs.user), await passkeysOf(mine.user)]).toEqual([1, 1]);
    // Shown to confirm, none of them does.
    service.clock.advance(RECENT_SIGN_IN + 1);
    const page = await mine.browser.get('/account/security/codes/new');
    const shown = await alike((passkey) =>
      mine.browser.post('/account/security/codes/new', {
        ...page.hidden,
        confirmation_passkey: passkey.assertion(optionsIn(page.body, 'confirm')),
      }),
    );
    expect([shown?.status, shown?.text]).toEqual([
      400,
      expect.stringContaining('does not confirm your account'),
    ]);
  });

  test('renames it, and says so by mail', async () => {
    const { passkey, user } = await holder();
    const { browser } = await showPasskey(service, passkey);
    const RENAME = '/account/security/passkeys/rename';
    const page = await browser.get(`${RENAME}?passkey=${passkey.id}`);
    const empty = await browser.post(RENAME, { ...page.hidden, name: ' \u2800 ' });
    expect(formErrors(empty.body)).toEqual([expect.stringContaining('at most 60 characters')]);
    const done = await browser.post(RENAME, { ...empty.hidden, name: 'Phone <b>' });
    expect((await browser.follow(done)).body).toContain('<bdi>Phone &lt;b&gt;</bdi>');
    expect((await lastMailTo(service, user.email)).text).toContain('“Phone b”');
  });

  test.each([
    ['recovery codes go with the last one, which they stood in for', false, 0],
    ['or stay for the app', true, 10],
  ])('%s', async (_, hasApp, left) => {
    const account = await protect(service);
    const { user, browser } = account;
    const { passkey } = await enrol(browser, service);
    const app = await browser.get('/account/security/app/remove');
    if (!hasApp) await browser.post('/account/security/app/remove', app.hidden);
    expect((await findFactors(service.parts.database, user.userId)).recoveryCodes).toBe(10);
    await browser.post(REMOVE, (await browser.get(`${REMOVE}?passkey=${passkey.id}`)).hidden);
    expect(await passkeysOf(user)).toBe(0);
    expect((await findFactors(service.parts.database, user.userId)).recoveryCodes).toBe(left);
  });
});

describe('in place of a code', () => {
  test('after the password: of that very account', async () => {
    const account = await protect(service);
    const browser = openBrowserSession(service.baseUrl);
    const other = await holder();
    const { passkey, answer } = await enrol(account.browser, service);
    expect(answer.status).toBe(303);
    const page = await signIn(browser, account.user);
    expect(headingOf(page.body)).toBe('Enter your code');
    const SECOND = '/signin/second-factor';
    const theirs = other.passkey.assertion(optionsIn(page.body, 'sign-in'));
    const refused = await browser.post(SECOND, { ...page.hidden, passkey: theirs });
    expect(refused.status).toBe(401);
    const mine = passkey.assertion(optionsIn(refused.body, 'sign-in'));
    expect((await browser.post(SECOND, { ...refused.hidden, passkey: mine })).location?.pathname).toBe(
      '/account',
    );
    expect(await isIn(browser)).toBe(true);
  });
});

describe('where it stands', () => {
  test('addresses for password managers', async () => {
    const at = (path: string) => fetch(new URL(path, service.baseUrl), { redirect: 'manual' });
    expect((await at('/.well-known/change-password')).headers.get('location')).toBe('/account/password');
    expect(await (await at('/.well-known/passkey-endpoints')).json()).toEqual({
      enroll: `${service.baseUrl}${NEW}`,
      manage: `${service.baseUrl}/account/security`,
    });
    expect((await at('/.well-known/webauthn')).status).toBe(404);
  });

  describe('with a domain above the host, and related origins', () => {
    const BASE_URL = 'http://signin.example.com';
    const RELATED = 'https://signin.example.org';
    let above: TestService;
    /** Where it listens. */
    let here: { baseUrl: string };
    beforeAll(async () => {
      above = await startTestService({
        BASE_URL,
        PASSKEY_RP_ID: 'example.com',
        PASSKEY_RELATED_ORIGINS: RELATED,
      });
      here = { baseUrl: `http://localhost:${portOf(above)}` };
    });
    afterAll(() => above.close());

    const make = async () => {
      const browser = await signedInBrowser(here, await above.createUser());
      return { browser, ...(await enrol(browser, here, { passkey: newPasskey(BASE_URL) })) };
    };

    test('they are made and used for that domain, and for none below it', async () => {
      const { browser, passkey, answer } = await make();
      expect(answer.location?.search).toBe('?done=passkey-added');
      expect(JSON.parse(optionsIn((await browser.get(NEW)).body, 'create')).rp.id).toBe('example.com');
      const { page, answer: entered } = await showPasskey(here, passkey);
      expect(JSON.parse(optionsIn(page.body, 'sign-in')).rpId).toBe('example.com');
      expect(entered.location?.pathname).toBe('/account');
      const below = await showPasskey(here, passkey, { odd: { rpId: 'signin.example.com' } });
      expect(below.answer.status).toBe(401);
      // What keeps them is told by that name, too.
      const told = (await browser.get('/account/security')).body;
      expect(told).toContain('data-passkey-signal="{&quot;rpId&quot;:&quot;example.com&quot;');
      expect(below.answer.body).not.toContain('data-passkey-signal');
    });

    test('related origins may use them, and are published; others may not', async () => {
      const published = await fetch(new URL('/.well-known/webauthn', here.baseUrl));
      expect(await published.json()).toEqual({ origins: [BASE_URL, RELATED] });
      const { passkey } = await make();
      const good = await showPasskey(here, passkey, { odd: { origin: RELATED } });
      const bad = await showPasskey(here, passkey, { odd: { origin: 'https://signin.example.net' } });
      expect([good.answer.status, bad.answer.status]).toEqual([303, 401]);
    });
  });

  test('at an IP address there are none, and nothing offers them', async () => {
    const bare = await startTestService({
      BASE_URL: 'http://127.0.0.1:9999',
      PASSKEY_RELATED_ORIGINS: 'https://signin.example.org',
    });
    const at = (path: string) => fetch(`http://localhost:${portOf(bare)}${path}`);
    try {
      expect(await (await at('/signin')).text()).not.toContain('data-passkey');
      for (const path of ['passkey-endpoints', 'webauthn'])
        expect((await at(`/.well-known/${path}`)).status).toBe(404);
    } finally {
      await bare.close();
    }
  });
});
