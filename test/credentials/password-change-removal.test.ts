// An account without a password (D43): when it may give it up, what opens it then, and that nothing weaker takes its place.
import { afterAll, describe, expect, test } from 'vitest';
import { carryOutDueReset } from '../../src/credentials/second-factor-reset.ts';
import { RECENT_SIGN_IN } from '../../src/oauth/lifetimes.ts';
import { listEvents } from '../../src/store/events.ts';
import { listPasskeys } from '../../src/store/passkeys.ts';
import { findFactors } from '../../src/store/second-factors.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { authorizeAddress, signedInBrowser, signIn } from '../support/flow.ts';
import { linkIn, mailsTo } from '../support/mail.ts';
import { formErrors, inputOf } from '../support/markup.ts';
import { accountPath, signedInOperator } from '../support/operator.ts';
import { enrol, NEW, newPasskey, optionsIn, type SoftwarePasskey, showPasskey } from '../support/passkey.ts';
import { sql } from '../support/populate.ts';
import {
  halfWay,
  isIn,
  protect,
  setUpFields,
  trustedBrowser,
  wordsIn,
} from '../support/protected-account.ts';
import { startTestService, type TestUser } from '../support/service.ts';
import { until } from '../support/until.ts';

const REMOVE = '/account/security/password/remove';
const SET = '/account/security/password';
const NEW_PASSWORD = 'quite another battery staple';

const service = await startTestService();
afterAll(() => service.close());

interface WithPasskeys {
  user: TestUser;
  /** Freshly signed in by the first passkey. */
  browser: BrowserSession;
  passkeys: SoftwarePasskey[];
}

/** Somebody with so many passkeys. */
async function withPasskeys(count: number): Promise<WithPasskeys> {
  const user = await service.createUser({ locale: 'en', emailVerified: true });
  const { passkey } = await enrol(await signedInBrowser(service, user), service);
  const { browser } = await showPasskey(service, passkey);
  const passkeys = [passkey];
  while (passkeys.length < count) passkeys.push((await enrol(browser, service)).passkey);
  return { user, browser, passkeys };
}

async function makeCodes(browser: BrowserSession): Promise<string[]> {
  const page = await browser.get('/account/security/codes/new');
  const shown = await browser.follow(await browser.post('/account/security/codes/new', page.hidden));
  return wordsIn(shown, 'codes').split('\n');
}

async function giveUp(browser: BrowserSession): Promise<Visit> {
  const page = await browser.get(REMOVE);
  return browser.post(REMOVE, page.hidden);
}

/** Somebody whose account has no password any more: a passkey and recovery codes open it. */
async function withoutPassword(): Promise<WithPasskeys & { codes: string[] }> {
  const account = await withPasskeys(1);
  const codes = await makeCodes(account.browser);
  expect((await giveUp(account.browser)).location?.search).toBe('?done=password-removed');
  return { ...account, codes };
}

async function byCode(email: string, code: string, browser = openBrowserSession(service.baseUrl)) {
  const page = await browser.get('/signin/recovery');
  return { browser, answer: await browser.post('/signin/recovery', { ...page.hidden, email, code }) };
}

const hasPassword = async (browser: BrowserSession) =>
  (await browser.get('/account/security')).body.includes('href="/account/password"');

const kindsOf = async ({ userId }: TestUser) =>
  (await listEvents(service.parts.database, { userId }, { limit: 50 })).map(({ kind }) => kind);

describe('giving the password up', () => {
  test('one passkey is not enough; two are, and so are one and recovery codes', async () => {
    const one = await withPasskeys(1);
    expect(formErrors((await giveUp(one.browser)).body)).toHaveLength(1);
    expect(await hasPassword(one.browser)).toBe(true);
    await makeCodes(one.browser);
    service.clock.advance(120); // the same form within seconds is one wish
    expect((await giveUp(one.browser)).location?.search).toBe('?done=password-removed');
    expect(await hasPassword(one.browser)).toBe(false);
    const two = await withPasskeys(2);
    expect((await giveUp(two.browser)).location?.search).toBe('?done=password-removed');
    expect((await kindsOf(two.user))[0]).toBe('password_removed');
    const told = (await mailsTo(service, two.user.email)).map(({ subject }) => subject);
    expect(told).toContain('Your Sésame account no longer has a password');
  });

  test('no passkey, an app alone, and used recovery codes do not count', async () => {
    const user = await service.createUser();
    const browser = await signedInBrowser(service, user);
    expect(formErrors((await giveUp(browser)).body)).toHaveLength(1);
    const account = await withPasskeys(1);
    await makeCodes(account.browser);
    await service.parts.database.query(
      {
        name: 'use_all_codes',
        text: 'update recovery_codes set used_at = created_at where user_id = $1::uuid',
      },
      [account.user.userId],
    );
    expect(formErrors((await giveUp(account.browser)).body)).toHaveLength(1);
  });

  test('takes a fresh proof by the passkey: the password is not one', async () => {
    const { user } = await withPasskeys(2);
    const browser = await signedInBrowser(service, user);
    const page = await browser.get(REMOVE);
    expect(inputOf(page.body, 'confirmation_code')).toBeDefined();
    await browser.post(REMOVE, { ...page.hidden, current_password: user.password });
    expect(await hasPassword(browser)).toBe(true);
  });
});

describe('without a password', () => {
  test('the former one is answered as a wrong one, and the passkey opens the account', async () => {
    const { user, passkeys } = await withoutPassword();
    const former = await signIn(openBrowserSession(service.baseUrl), user);
    const wrong = await signIn(openBrowserSession(service.baseUrl), { ...user, password: 'not it, surely' });
    expect([former.status, formErrors(former.body)]).toEqual([wrong.status, formErrors(wrong.body)]);
    const [passkey] = passkeys;
    if (passkey === undefined) throw new Error('there is one');
    expect(await isIn((await showPasskey(service, passkey)).browser)).toBe(true);
  });

  test('a recovery code opens it once, leads to what is to be mended, and lets a passkey be made', async () => {
    const { user, codes } = await withoutPassword();
    const { browser, answer } = await byCode(user.email.toUpperCase(), codes[0] ?? '');
    expect(answer.location?.pathname).toBe('/account/security');
    expect((await browser.get('/account/security')).body).toContain('Recovery code<br>');
    await enrol(browser, service);
    expect(await listPasskeys(service.parts.database, user.userId)).toHaveLength(2);
    expect((await byCode(user.email, codes[0] ?? '')).answer.status).toBe(401);
  });

  test('in by a recovery code, where two factors are asked for: a passkey, or another one made on the way', async () => {
    const { user, codes } = await withoutPassword();
    const { browser } = await byCode(user.email, codes[0] ?? '');
    const application = await service.createApplication();
    await sql(
      service.parts.database,
      'update clients set second_factor_required = true where client_id = $1',
      [application.clientId],
    );
    const ask = async () => browser.follow(await browser.get(authorizeAddress(service, application)));
    const page = await ask();
    expect(page.body).toContain('asks you to confirm with one of your passkeys');
    const [, href = ''] = /<a href="([^"]*)">Create a new one/.exec(page.body) ?? [];
    const making = await browser.get(href.replaceAll('&amp;', '&'));
    const passkey = newPasskey(service.baseUrl).creation(optionsIn(making.body, 'create'));
    const consent = await browser.follow(await browser.post(NEW, { ...setUpFields(making, NEW), passkey }));
    expect(consent.body).toContain('action="/consent"');
    // The code proves it for a quarter of an hour.
    const late = await byCode(user.email, codes[1] ?? '');
    service.clock.advance(RECENT_SIGN_IN + 1);
    const asked = await late.browser.follow(await late.browser.get(authorizeAddress(service, application)));
    expect([asked.body.includes('action="/signin/step-up"'), asked.body.includes(NEW)]).toEqual([
      true,
      false,
    ]);
  });

  test('a code of somebody else, none at all, or of an account with a password: the same answer', async () => {
    const [account, other] = [await withoutPassword(), await withoutPassword()];
    const withPassword = await withPasskeys(1);
    const [code = ''] = await makeCodes(withPassword.browser);
    const answers = [
      await byCode(account.user.email, other.codes[0] ?? ''),
      await byCode(account.user.email, '000000'),
      await byCode('nobody@nowhere.example', account.codes[0] ?? ''),
      await byCode(withPassword.user.email, code),
    ];
    const said = answers.map(({ answer }) => [answer.status, ...formErrors(answer.body)].join());
    expect(new Set(said).size).toBe(1);
    expect(answers.map(({ answer }) => answer.status)).toEqual([401, 401, 401, 401]);
    // Nothing was used up by it.
    expect((await findFactors(service.parts.database, withPassword.user.userId)).recoveryCodes).toBe(10);
    expect((await byCode(account.user.email, account.codes[0] ?? '')).answer.status).toBe(303);
  });

  test('the passkey that it needs stays: the last two ways in are not taken away', async () => {
    const { user, browser } = await withoutPassword();
    const [passkey] = await listPasskeys(service.parts.database, user.userId);
    const address = `/account/security/passkeys/remove?passkey=${passkey?.credentialId}`;
    const page = await browser.get(address);
    const refused = await browser.post(address, page.hidden);
    expect(formErrors(refused.body)[0]).toContain('it needs two ways in');
    expect(await listPasskeys(service.parts.database, user.userId)).toHaveLength(1);
    await enrol(browser, service);
    service.clock.advance(120);
    const again = await browser.get(address);
    expect((await browser.post(address, again.hidden)).location?.search).toBe('?done=passkey-removed');
  });

  test('a link from before does not set one, and asking for a new one says what opens the account', async () => {
    const account = await withPasskeys(2);
    const { user } = account;
    const ask = async () => {
      const browser = openBrowserSession(service.baseUrl);
      const page = await browser.get('/password/forgot');
      await browser.post('/password/forgot', { ...page.hidden, email: user.email });
      return (await mailsTo(service, user.email)).find(({ text }) => /reset\?|signin\/recovery/.test(text));
    };
    const link = linkIn((await ask()) ?? { text: '' });
    expect(link).toContain('/password/reset?');
    await giveUp(account.browser);
    expect((await openBrowserSession(service.baseUrl).get(link)).status).toBe(400);
    const mail = await ask();
    expect(mail?.subject).toBe('Your Sésame account has no password');
    expect(mail?.text).not.toContain('/password/reset');
    const operator = await signedInOperator(service);
    expect((await operator.browser.get(accountPath(user.userId))).body).not.toContain('mail/reset_password');
  });

  test('once everything else was reset, a mail may set a password', async () => {
    const { user } = await withoutPassword();
    const operator = await signedInOperator(service);
    await operator.act(accountPath(user.userId, 'reset_second_factor'), { passkeys: 'yes' });
    service.clock.advance(86_401);
    while (await carryOutDueReset(service.parts, service.clock.now()));
    const browser = openBrowserSession(service.baseUrl);
    const forgot = await browser.get('/password/forgot');
    await browser.post('/password/forgot', { ...forgot.hidden, email: user.email });
    const mail = (await mailsTo(service, user.email)).find(({ text }) => text.includes('/password/reset?'));
    const page = await browser.get(linkIn(mail ?? { text: '' }));
    await browser.post('/password/reset', { ...page.hidden, new_password: NEW_PASSWORD });
    expect(await isIn(browser)).toBe(true);
  });

  test('a browser that was trusted with the former password is not trusted with the next one', async () => {
    const account = await protect(service);
    const { user, browser } = account;
    await enrol(browser, service);
    const trusted = await trustedBrowser(service, account);
    expect(await isIn(trusted)).toBe(true);
    expect((await giveUp(browser)).location?.search).toBe('?done=password-removed');
    const form = await browser.get(SET);
    const done = await browser.post(SET, { ...form.hidden, new_password: NEW_PASSWORD });
    expect(done.location?.search).toBe('?done=password-added');
    trusted.cookies.delete('sesame');
    const { asked } = await halfWay(service, { ...user, password: NEW_PASSWORD }, trusted);
    expect(asked.location?.pathname).toBe('/signin/second-factor');
  });

  test('« this was not me » opens no way by mail', async () => {
    const { user } = await withoutPassword();
    const mails = await mailsTo(service, user.email);
    const mail = mails.find(({ subject }) => subject.includes('no longer has a password'));
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get(linkIn(mail ?? { text: '' }));
    await browser.post('/security/not-me', page.hidden);
    const [row] = await service.parts.database.query<{ none: boolean }>(
      { name: 'has_none', text: 'select password_hash is null as none from users where id = $1::uuid' },
      [user.userId],
    );
    expect(row?.none).toBe(true);
  });

  test('one is chosen again with a fresh proof, and opens the account beside the passkeys', async () => {
    const { user, browser, codes } = await withoutPassword();
    expect((await browser.get('/account/password')).location?.pathname).toBe(SET);
    expect((await browser.get('/account')).body).toContain(`href="${SET}">Choose`);
    expect((await browser.get('/account/security')).body).toContain('end your other sessions');
    service.clock.advance(16 * 60);
    const page = await browser.get(SET);
    expect(inputOf(page.body, 'current_password')).toBeUndefined();
    const bare = await browser.post(SET, { ...page.hidden, new_password: NEW_PASSWORD });
    expect(formErrors(bare.body)).toHaveLength(1);
    const fields = { ...bare.hidden, new_password: NEW_PASSWORD, confirmation_code: codes[1] ?? '' };
    const done = await browser.post(SET, fields);
    expect(done.location?.search).toBe('?done=password-added');
    expect((await kindsOf(user))[0]).toBe('password_added');
    const again = openBrowserSession(service.baseUrl);
    await signIn(again, { ...user, password: NEW_PASSWORD });
    expect(await isIn(again)).toBe(true);
    expect((await byCode(user.email, codes[2] ?? '')).answer.status).toBe(401); // the password is asked for again
  });

  test('chosen by whoever came in by a recovery code: from then on that code is no proof any more', async () => {
    const { user, codes } = await withoutPassword();
    const { browser } = await byCode(user.email, codes[0] ?? '');
    const page = await browser.get(SET);
    const done = await browser.post(SET, { ...page.hidden, new_password: NEW_PASSWORD });
    expect(done.location?.search).toBe('?done=password-added');
    const path = '/account/security/codes/new';
    const refused = await browser.post(path, (await browser.get(path)).hidden);
    expect(formErrors(refused.body)).toHaveLength(1);
  });
});

test('strangers who try recovery codes keep nobody out, however many wait', async () => {
  const { user, codes } = await withoutPassword();
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const slow = await startTestService({}, { databaseUrl: service.databaseUrl, wait: () => ended });
  slow.clock.advance((service.clock.now().getTime() - slow.clock.now().getTime()) / 1000);
  try {
    const enter = async (code: string) => {
      const browser = openBrowserSession(slow.baseUrl);
      const page = await browser.get('/signin/recovery');
      const answer = await browser.post('/signin/recovery', { ...page.hidden, email: user.email, code });
      return answer.location?.pathname;
    };
    for (let tried = 0; tried < 4; tried += 1) await enter(`0000-0000-0000-000${tried}`);
    const waiting = Array.from({ length: 8 }, (_, place) => enter(`0000-0000-0000-00${10 + place}`));
    await until('all places to be taken', async () => slow.parts.attempts.held() === 8);
    expect(await enter(codes[0] ?? '')).toBe('/account/security');
    end();
    await Promise.all(waiting);
  } finally {
    end();
    await slow.close();
  }
});
