import { describe, expect, test } from 'vitest';
import { newAccountSecret } from '../../../src/oauth/secrets.ts';
import { listEvents } from '../../../src/store/events.ts';
import { readLists } from '../../../src/store/exported-data.ts';
import { type BrowserSession, openBrowserSession } from '../../support/browser-session.ts';
import { databaseContent } from '../../support/database-content.ts';
import { newPerson, signedInBrowser, signIn } from '../../support/flow.ts';
import { lockRecoveryCodes, lockUser } from '../../support/locks.ts';
import { lastMailTo, linkIn, mailsTo } from '../../support/mail.ts';
import { elementsOf, fieldError, formErrors, headingOf, inputOf } from '../../support/markup.ts';
import { sql } from '../../support/populate.ts';
import {
  codeOf as codeAtService,
  give,
  isIn,
  type ProtectedAccount,
  halfWay as passwordGiven,
  protect as protectAccount,
  setUpApp,
  wordsIn,
} from '../../support/protected-account.ts';
import { PASSWORD, startTestService, useTestService } from '../../support/service.ts';
import { sesameCommand } from '../../support/sesame-command.ts';

const service = useTestService();

const codeOf = (secret: string, steps = 0): string => codeAtService(service, secret, steps);
const protect = () => protectAccount(service, { emailVerified: true });
const halfWay = ({ user }: ProtectedAccount, browser?: BrowserSession) =>
  passwordGiven(service, user, browser);
const NEW_PASSWORD = 'quite another battery staple';

/** The ways to another password. @returns that */
const changes: Record<string, (account: ProtectedAccount) => Promise<string>> = {
  async 'on the page of the account'({ browser }) {
    const page = await browser.get('/account/password');
    const fields = { current_password: PASSWORD, new_password: NEW_PASSWORD };
    await browser.post('/account/password', { ...page.hidden, ...fields });
    return NEW_PASSWORD;
  },
  async 'by a mailed link'({ user }) {
    await resetByMail(user.email);
    return NEW_PASSWORD;
  },
  async 'on the command line'({ user }) {
    const { password } = await cli.json('users', 'set-password', user.email);
    return String(password);
  },
};
const cli = sesameCommand(() => service.databaseUrl);

/** Sets another password by the mail of « forgotten password », in a browser of its own. */
async function resetByMail(email: string) {
  const browser = openBrowserSession(service.baseUrl);
  const forgot = await browser.get('/password/forgot');
  await browser.post('/password/forgot', { ...forgot.hidden, email });
  const page = await browser.get(linkIn(await lastMailTo(service, email)));
  const done = await browser.post('/password/reset', { ...page.hidden, new_password: NEW_PASSWORD });
  return { browser, done };
}

/** Has the account trust a browser, in which nobody is signed in afterwards. */
async function trusted(account: ProtectedAccount) {
  const { browser, page } = await halfWay(account);
  const given = await give(browser, page, { code: codeOf(account.secret), trust: 'yes' });
  browser.cookies.delete('sesame');
  return { browser, given };
}
/** Where the password leads in a browser. */
async function passwordLeadsTo(account: ProtectedAccount, browser: BrowserSession) {
  const { asked } = await halfWay(account, browser);
  browser.cookies.delete('sesame');
  return asked.location?.pathname;
}

describe('setting it up', () => {
  test('takes a code of that very secret, and shows ten recovery codes once', async () => {
    const user = await service.createUser();
    const browser = openBrowserSession(service.baseUrl);
    await signIn(browser, user);
    const page = await browser.get('/account/security/app');
    const secret = wordsIn(page, 'key').replaceAll(' ', '');
    expect(secret).toMatch(/^[A-Z2-7]{32}$/); // 160 bits
    expect(page.body).toContain('<svg class="qr" role="img"');
    const wrong = await browser.follow(
      await browser.post('/account/security/app', { ...page.hidden, code: '000000' }),
    );
    expect(fieldError(wrong.body, 'code')).toContain('does not match');
    expect(wordsIn(wrong, 'key').replaceAll(' ', '')).toBe(secret);

    const shown = await browser.follow(
      await browser.post('/account/security/app', { ...wrong.hidden, code: codeOf(secret) }),
    );
    const codes = wordsIn(shown, 'codes').split('\n');
    expect(codes).toHaveLength(10);
    for (const code of codes) expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/);
    expect(new Set(codes).size).toBe(10);
    const file = elementsOf(shown.body).find(({ attributes }) => attributes.download !== undefined);
    const text = decodeURIComponent(file?.attributes.href ?? '');
    expect(text).toMatch(/^data:text\/plain;charset=utf-8,/);
    expect(text).toContain(codes.join('\n'));
  });

  test('nothing of secret and codes is in the database as it is typed, nor in the export', async () => {
    const { user, secret, codes, browser } = await protect();
    const content = JSON.stringify(await databaseContent(service.databaseUrl));
    expect(content).not.toContain(secret);
    for (const code of codes) expect(content).not.toContain(code);
    expect(content).toContain(user.email);
    expect((await browser.get('/account/security')).body).not.toContain(secret);
    const rows: Record<string, Record<string, unknown>[]> = {};
    for await (const { list, rows: some } of readLists(service.parts.database, user.userId))
      rows[list] = [...(rows[list] ?? []), ...(some as Record<string, unknown>[])];
    expect(rows.recovery_codes).toHaveLength(codes.length);
    for (const row of rows.recovery_codes ?? []) expect(Object.keys(row)).toEqual(['created_at', 'used_at']);
    expect(JSON.stringify(rows)).not.toContain(secret);
    for (const code of codes) expect(JSON.stringify(rows)).not.toContain(code);
  });
});

describe('signing in', () => {
  test('asks for the code after the right password, and lets nobody in before it', async () => {
    const account = await protect();
    const { browser, asked, page } = await halfWay(account);
    expect(asked.location?.pathname).toBe('/signin/second-factor');
    expect(headingOf(page.body)).toBe('Enter your code');
    expect(await isIn(browser)).toBe(false);
    const wrong = await browser.follow(await give(browser, page, { code: '000000' }));
    expect(formErrors(wrong.body)).toHaveLength(1);
    expect(await isIn(browser)).toBe(false);
    const right = await give(browser, wrong, { code: codeOf(account.secret) });
    expect(right.location?.pathname).toBe('/account');
    expect(await isIn(browser)).toBe(true);
  });

  test.each([
    ['the one before', -1, true],
    ['the one after', 1, true],
    ['two before', -2, false],
    ['two after', 2, false],
  ])('a code of another step: %s', async (_, steps, good) => {
    const account = await protect();
    service.clock.advance(90); // past the step that set it up
    const { browser, page } = await halfWay(account);
    await give(browser, page, { code: codeOf(account.secret, steps) });
    expect(await isIn(browser)).toBe(good);
  });

  test('a code works once, also when it is sent twice at the same moment', async () => {
    const account = await protect();
    const tries = await Promise.all([halfWay(account), halfWay(account)]);
    const code = codeOf(account.secret);
    const answers = await Promise.all(tries.map(({ browser, page }) => give(browser, page, { code })));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 401]);
  });

  test('only a code of a later step than the last one that was accepted works, that of the set-up included', async () => {
    const { user, browser } = await newPerson(service);
    const page = await browser.get('/account/security/app');
    const secret = wordsIn(page, 'key').replaceAll(' ', '');
    const opens = async (code: string) => {
      const begun = await passwordGiven(service, user);
      await give(begun.browser, begun.page, { code });
      return isIn(begun.browser);
    };
    const setUp = codeOf(secret);
    await browser.post('/account/security/app', { ...page.hidden, code: setUp });
    expect(await opens(setUp)).toBe(false);
    service.clock.advance(60);
    const [one, next] = [codeOf(secret), codeOf(secret, 1)];
    expect(await opens(next)).toBe(true);
    // It is still of this time, and was never used.
    expect(await opens(one)).toBe(false);
  });

  test.each(['app', 'recovery code'])(
    'a double click leads to one session, also in a browser that dropped the first answer: %s',
    async (by) => {
      const account = await protect();
      const { userId, email } = account.user;
      const { browser, page } = await halfWay(account);
      const mails = (await mailsTo(service, email)).length;
      const code = by === 'app' ? codeOf(account.secret) : (account.codes[0] ?? '');
      const cookies = new Map(browser.cookies);
      const send = (fields: Record<string, string>) => {
        browser.cookies.clear();
        for (const [name, value] of cookies) browser.cookies.set(name, value);
        return give(browser, page, { trust: 'yes', ...fields });
      };
      const answers = [...(await Promise.all([send({ code }), send({ code })])), await send({ code })];
      for (const { status, location } of answers)
        expect([status, location?.pathname]).toEqual([303, '/account']);
      expect(await isIn(browser)).toBe(true);
      const count = (table: string) =>
        sql(service.parts.database, `select from ${table} where user_id = $1`, [userId]);
      expect(await count('sessions')).toHaveLength(2); // the other one set the app up
      expect(await count('trusted_browsers')).toHaveLength(1);
      expect(await mailsTo(service, email)).toHaveLength(mails + 1);

      // The same form with another code, or the same code in another form, opens nothing.
      expect((await send({ code: '000000' })).status).toBe(401);
      const again = await halfWay(account);
      expect((await give(again.browser, again.page, { code })).status).toBe(401);
      // Nor does the form once its session has ended.
      await sql(service.parts.database, 'delete from sessions where user_id = $1', [userId]);
      expect((await send({ code })).status).toBe(401);
    },
  );

  test('a recovery code works once, however it is typed, and for its own account alone', async () => {
    const [account, other] = [await protect(), await protect()];
    const [code = ''] = account.codes;
    const typed = ` ${code.toUpperCase().replaceAll('-', ' ')} `;
    const stranger = await halfWay(other);
    await give(stranger.browser, stranger.page, { code: typed });
    expect(await isIn(stranger.browser)).toBe(false);
    const first = await halfWay(account);
    await give(first.browser, first.page, { code: typed });
    expect(await isIn(first.browser)).toBe(true);
    const second = await halfWay(account);
    await give(second.browser, second.page, { code });
    expect(await isIn(second.browser)).toBe(false);
    expect((await first.browser.get('/account/security')).body).toContain('9 left');
  });

  test('a code of the app, or a recovery code, at two processes at the same moment lets one in', async () => {
    await using other = await startTestService({}, { databaseUrl: service.databaseUrl });
    const account = await protect();
    const races = [
      [lockUser, () => codeOf(account.secret)],
      [lockRecoveryCodes, () => account.codes[0] ?? ''],
    ] as const;
    for (const [lock, code] of races) {
      other.clock.advance((service.clock.now().getTime() - other.clock.now().getTime()) / 1000);
      const begun = [await halfWay(account), await passwordGiven(other, account.user)];
      const held = await lock(service.databaseUrl, account.user.userId);
      const answers = begun.map(({ browser, page }) => give(browser, page, { code: code() }));
      await held.heldUp(2);
      await held.release();
      expect((await Promise.all(answers)).map(({ status }) => status).sort()).toEqual([303, 401]);
    }
  });

  test('wrong codes are slowed, never locked, and told of', async () => {
    const account = await protect();
    const { browser, page } = await halfWay(account);
    service.waits.length = 0;
    for (let times = 0; times < 7; times++) await give(browser, page, { code: '000000' });
    expect(service.waits).toEqual([500, 1000, 2000]);
    expect((await lastMailTo(service, account.user.email)).subject).toContain('connaît le mot de passe');
    await give(browser, page, { code: codeOf(account.secret) });
    expect(await isIn(browser)).toBe(true);
  });

  test('what was begun is good in its own browser, and for ten minutes', async () => {
    const account = await protect();
    const { page } = await halfWay(account);
    const thief = openBrowserSession(service.baseUrl);
    await thief.get('/signin');
    const refused = await thief.get(`/signin/second-factor?half=${page.hidden.half}&next=%2Faccount%2Femail`);
    expect(refused.status).toBe(400);
    expect(refused.body).toContain('href="/signin?next=%2Faccount%2Femail"');
    const late = await halfWay(account);
    service.clock.advance(590);
    expect((await late.browser.get(late.asked.location ?? '')).status).toBe(200);
    service.clock.advance(11);
    expect((await give(late.browser, late.page, { code: codeOf(account.secret) })).status).toBe(400);
  });
});

describe('a browser that is trusted', () => {
  test('asks for the password alone, until it is ended in the account', async () => {
    const account = await protect();
    const { browser } = await trusted(account);
    const again = await halfWay(account, browser);
    expect(again.asked.location?.pathname).toBe('/account');
    // What touches the account itself asks for both all the same.
    const remove = await browser.get('/account/security/app/remove');
    expect(inputOf(remove.body, 'confirmation_code')).toBeDefined();

    const list = await account.browser.get('/account/security');
    const id = /name="browser" value="([^"]+)"/.exec(list.body)?.[1] ?? '';
    const stranger = (await protect()).browser;
    const end = async (by: BrowserSession) => {
      const { csrf = '' } = (await by.get('/account/security')).hidden;
      await by.post('/account/security/browsers/end', { csrf, browser: id });
      browser.cookies.delete('sesame');
      return passwordLeadsTo(account, browser);
    };
    expect(await end(stranger)).toBe('/account');
    expect(await end(account.browser)).toBe('/signin/second-factor');
    const filter = { userId: account.user.userId, kind: 'trust_ended' } as const;
    expect(await listEvents(service.parts.database, filter, { limit: 5 })).toMatchObject([
      { actorId: account.user.userId, address: '127.0.0.1' },
    ]);
  });

  test('is trusted by the account that trusts it, and by no other', async () => {
    const [account, other] = [await protect(), await protect()];
    const { browser } = await trusted(account);
    expect(await passwordLeadsTo(other, browser)).toBe('/signin/second-factor');
    const bits = Buffer.from(browser.cookies.get('sesame-trusted') ?? '', 'base64url').subarray(16);
    expect(bits).toHaveLength(32);
    browser.cookies.set('sesame-trusted', newAccountSecret(other.user.userId, bits));
    expect(await passwordLeadsTo(other, browser)).toBe('/signin/second-factor');
    browser.cookies.set('sesame-trusted', newAccountSecret(account.user.userId, bits));
    expect(await passwordLeadsTo(account, browser)).toBe('/account');
  });

  test('is trusted for thirty days', async () => {
    const account = await protect();
    const { browser, given } = await trusted(account);
    expect(given.headers.getSetCookie().join('\n')).toMatch(/^sesame-trusted=[^;]+; Max-Age=2592000;/m);
    service.clock.advance(30 * 86_400 - 60);
    expect(await passwordLeadsTo(account, browser)).toBe('/account');
    service.clock.advance(61);
    expect(await passwordLeadsTo(account, browser)).toBe('/signin/second-factor');
  });
});

test.each(Object.entries(changes))(
  'another password, %s: what was begun is over, and no browser is trusted any more',
  async (_, change) => {
    const account = await protect();
    const { browser: formerlyTrusted } = await trusted(account);
    service.clock.advance(30);
    const { browser, page } = await halfWay(account);
    const password = await change(account);
    expect((await give(browser, page, { code: codeOf(account.secret) })).status).toBe(400);
    expect(await isIn(browser)).toBe(false);
    const changed = { ...account, user: { ...account.user, password } };
    expect(await passwordLeadsTo(changed, formerlyTrusted)).toBe('/signin/second-factor');
  },
);

describe('no path leads around it', () => {
  test('a new password by mail: the code is asked for', async () => {
    const account = await protect();
    const { browser, done } = await resetByMail(account.user.email);
    expect(done.location?.pathname).toBe('/signin/second-factor');
    expect(await isIn(browser)).toBe(false);
    await give(browser, await browser.follow(done), { code: codeOf(account.secret) });
    expect(await isIn(browser)).toBe(true);
  });

  test('a session from before it was set up: it may not take it away', async () => {
    const user = await service.createUser();
    const [before, owner] = [openBrowserSession(service.baseUrl), openBrowserSession(service.baseUrl)];
    await signIn(before, user);
    await signIn(owner, user);
    const page = await owner.get('/account/security/app');
    const secret = wordsIn(page, 'key').replaceAll(' ', '');
    await owner.post('/account/security/app', { ...page.hidden, code: codeOf(secret) });
    const remove = await before.get('/account/security/app/remove');
    for (const proof of [
      {},
      { current_password: user.password },
      { current_password: user.password, confirmation_code: '000000' },
    ])
      await before.post('/account/security/app/remove', { ...remove.hidden, ...proof });
    expect((await owner.get('/account/security')).body).toContain('/account/security/app/remove');
    service.clock.advance(30);
    await before.post('/account/security/app/remove', {
      ...remove.hidden,
      current_password: user.password,
      confirmation_code: codeOf(secret),
    });
    expect((await owner.get('/account/security')).body).not.toContain('/account/security/app/remove');
  });

  test('a session whose password is long ago: the code alone, shown in place, changes nothing', async () => {
    const user = await service.createUser();
    const before = openBrowserSession(service.baseUrl);
    await signIn(before, user);
    const { secret } = await setUpApp(service, await signedInBrowser(service, user));
    service.clock.advance(15 * 60);
    const stepUp = await before.get('/signin/step-up?next=/account/security');
    const done = await before.post('/signin/step-up', { ...stepUp.hidden, code: codeOf(secret) });
    expect(done.location?.pathname).toBe('/account/security');
    for (const path of ['/account/security/app/remove', '/account/security/codes/new']) {
      const page = await before.get(path);
      expect(inputOf(page.body, 'current_password')).toBeDefined();
      const refused = await before.post(path, page.hidden);
      expect(fieldError(refused.body, 'current_password')).toBeTruthy();
    }
  });

  test('a new password in a session that is not fresh: the present one is not enough', async () => {
    const account = await protect();
    service.clock.advance(16 * 60);
    const page = await account.browser.get('/account/password');
    expect(inputOf(page.body, 'confirmation_code')).toBeDefined();
    const fields = {
      ...page.hidden,
      current_password: account.user.password,
      new_password: NEW_PASSWORD,
    };
    const refused = await account.browser.post('/account/password', fields);
    expect(fieldError(refused.body, 'confirmation_code')).toBeTruthy();
    const code = codeOf(account.secret);
    const done = await account.browser.post('/account/password', {
      ...refused.hidden,
      ...fields,
      csrf: refused.hidden.csrf ?? '',
      confirmation_code: code,
    });
    expect(done.location?.search).toBe('?done=changed');
  });

  test('taking it away takes codes and trust with it', async () => {
    const account = await protect();
    const { browser, page } = await halfWay(account);
    await give(browser, page, { code: codeOf(account.secret), trust: 'yes' });
    const remove = await account.browser.get('/account/security/app/remove');
    await account.browser.post('/account/security/app/remove', remove.hidden);
    const left = `select 1 from trusted_browsers t where t.user_id = $1::uuid
      union all select 1 from recovery_codes r where r.user_id = $1::uuid`;
    expect(await sql(service.parts.database, left, [account.user.userId])).toEqual([]);
    expect((await halfWay(account)).asked.location?.pathname).toBe('/account');
  });
});
