// Security alerts: which changes they are about, and which of their links are valid.

import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { notify } from '../../src/accounts/notifications.ts';
import { findUserByEmail } from '../../src/store/users.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { API_REGISTRATION, at, atApi, fill, SETTINGS } from '../support/console.ts';
import { newPerson, signedInBrowser, signIn } from '../support/flow.ts';
import { lastMailTo, linkIn, mailsTo } from '../support/mail.ts';
import { enrol } from '../support/passkey.ts';
import { sql } from '../support/populate.ts';
import { protect } from '../support/protected-account.ts';
import { PASSWORD, startTestService, type TestUser } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

const NEW = 'quite another password 7';
let counter = 0;
const freshEmail = () => `other${++counter}@example.org`;
const find = (email: string) => findUserByEmail(service.parts.database, email);
const isIn = async (browser: BrowserSession) => (await browser.get('/account/password')).status === 200;

/** Opens a mail's link in a fresh browser and sends its form. */
async function follow(link: string) {
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.get(link);
  return { page, browser, answer: await browser.post(link.split('?')[0] ?? '', page.hidden) };
}

async function changePassword(browser: BrowserSession, from: string, to: string): Promise<void> {
  const page = await browser.get('/account/password');
  await browser.post('/account/password', { ...page.hidden, current_password: from, new_password: to });
}

async function changeEmail(browser: BrowserSession, email: string): Promise<void> {
  const page = await browser.get('/account/email');
  await browser.post('/account/email', { csrf: page.hidden.csrf ?? '', new_email: email });
  const form = await browser.get(linkIn(await lastMailTo(service, email)));
  await browser.post('/security/confirm', form.hidden);
}

describe('a sign-in', () => {
  test('from a browser not seen before is told of, with address and browser; the next one there is not', async () => {
    const user = await service.createUser({ locale: 'fr' });
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signin');
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; http://evil.example) Gecko/20100101 Firefox/140.0';
    const headers = { 'user-agent': agent };
    await browser.post('/signin', { ...page.hidden, email: user.email, password: PASSWORD }, headers);
    const mail = await lastMailTo(service, user.email);
    expect(mail.subject).toBe('Nouvelle connexion à votre compte Sésame');
    expect(mail.text).toContain('127.0.0.1');
    expect(mail.text).toContain('Firefox sur Linux');
    expect(mail.text).not.toContain('evil.example');
    for (let i = 0; i < 2; i++) {
      browser.cookies.delete('sesame');
      await signIn(browser, user);
    }
    expect(await mailsTo(service, user.email)).toHaveLength(1);
  });

  test('a forged cookie is not believed', async () => {
    const user = await service.createUser();
    const browser = openBrowserSession(service.baseUrl);
    browser.cookies.set(
      'sesame-known',
      Buffer.from(user.userId.replaceAll('-', ''), 'hex').toString('base64url'),
    );
    await signIn(browser, user);
    expect(await mailsTo(service, user.email)).toHaveLength(1);
  });

  test('after a new password no browser is known any more: the next sign-in there sends an alert', async () => {
    const user = await service.createUser();
    const browser = await signedInBrowser(service, user);
    await changePassword(await signedInBrowser(service, user), PASSWORD, NEW);
    /** Mails about sign-ins, before and after one in that browser with whatever password is the present one. */
    const toldOf = async () => {
      const told = async () =>
        (await mailsTo(service, user.email)).filter(({ subject }) => subject.startsWith('New sign-in'))
          .length;
      const before = await told();
      browser.cookies.delete('sesame');
      for (const password of [PASSWORD, NEW]) await signIn(browser, { ...user, password });
      expect(browser.cookies.has('sesame')).toBe(true);
      return (await told()) - before;
    };
    expect([await toldOf(), await toldOf()]).toEqual([1, 0]);
  });

  test('twenty mails an hour are enough for anybody', async () => {
    const user = await service.createUser();
    for (let i = 0; i < 25; i++) await signedInBrowser(service, user);
    expect(await mailsTo(service, user.email)).toHaveLength(20);
  });
});

describe('an intruder who has the password', () => {
  async function intrusion(): Promise<{ user: TestUser; own: BrowserSession; intruder: BrowserSession }> {
    const user = await service.createUser();
    const own = await signedInBrowser(service, user);
    return { user, own, intruder: await signedInBrowser(service, user) };
  }

  test('cannot hide a takeover behind many small changes: it has room of its own', async () => {
    const { user, intruder } = await intrusion();
    for (let i = 0; i < 25; i++) await signedInBrowser(service, user);
    await changePassword(intruder, PASSWORD, NEW);
    expect((await lastMailTo(service, user.email)).subject).toContain('The password of your');
  });

  test('the mail about the wish stops the change before it happens', async () => {
    const { user, intruder } = await intrusion();
    const evil = freshEmail();
    const page = await intruder.get('/account/email');
    await intruder.post('/account/email', { csrf: page.hidden.csrf ?? '', new_email: evil });
    await follow(linkIn(await lastMailTo(service, user.email)));
    await follow(linkIn(await lastMailTo(service, evil)));
    expect(await find(evil)).toBeUndefined();
    expect((await find(user.email))?.userId).toBe(user.userId);
  });

  test('and the same mail undoes it afterwards', async () => {
    const { user, intruder } = await intrusion();
    const evil = freshEmail();
    const page = await intruder.get('/account/email');
    await intruder.post('/account/email', { csrf: page.hidden.csrf ?? '', new_email: evil });
    const wish = linkIn(await lastMailTo(service, user.email));
    const form = await intruder.get(linkIn(await lastMailTo(service, evil)));
    await intruder.post('/security/confirm', form.hidden);
    expect((await find(evil))?.userId).toBe(user.userId);
    await follow(wish);
    expect((await find(user.email))?.userId).toBe(user.userId);
  });

  test.each([
    ['before', true],
    ['after', false],
  ])(
    'cannot take it back with a link of their own mailbox, used %s: the earlier word stands',
    async (_, first) => {
      const { user, intruder } = await intrusion();
      const [evil, worse] = [freshEmail(), freshEmail()];
      await changeEmail(intruder, evil);
      const owners = linkIn(await lastMailTo(service, user.email));
      service.clock.advance(1);
      await changeEmail(intruder, worse);
      const intruders = linkIn(await lastMailTo(service, evil));
      if (first) {
        await follow(intruders);
        expect((await find(evil))?.userId).toBe(user.userId);
      }
      await follow(owners);
      expect((await find(user.email))?.userId).toBe(user.userId);
      expect((await follow(intruders)).page.status).toBe(400);
      expect((await find(user.email))?.userId).toBe(user.userId);
    },
  );

  describe('whoever had the mailbox before, once the new one has reset the password', () => {
    async function resetBy(email: string): Promise<BrowserSession> {
      const browser = openBrowserSession(service.baseUrl);
      const page = await browser.get('/password/forgot');
      await browser.post('/password/forgot', { ...page.hidden, email });
      const form = await browser.get(linkIn(await lastMailTo(service, email)));
      await browser.post('/password/reset', { ...form.hidden, new_password: 'the new mailbox says so' });
      return browser;
    }
    const DAY = 24 * 3600;

    test('has nothing left of older mails: their links end with it', async () => {
      const { user, own } = await intrusion();
      const signedIn = linkIn(await lastMailTo(service, user.email));
      await changePassword(own, PASSWORD, NEW);
      const password = linkIn(await lastMailTo(service, user.email));
      const moved = freshEmail();
      await changeEmail(own, moved);
      const browser = await resetBy(moved);
      for (const link of [signedIn, password]) expect((await follow(link)).page.status).toBe(400);
      expect(await isIn(browser)).toBe(true);
    });

    /** Signs in once more in a browser that the account has known for some seconds. */
    async function later(browser: BrowserSession, user: TestUser, seconds: number): Promise<void> {
      service.clock.advance(seconds);
      browser.cookies.delete('sesame');
      await signIn(browser, user);
    }

    test('takes nothing back that was asked for in a browser which was known: the link that undoes it ends, too', async () => {
      const { user, own } = await intrusion();
      await later(own, user, DAY);
      const moved = freshEmail();
      await changeEmail(own, moved);
      const links = (await mailsTo(service, user.email)).map(linkIn);
      const reset = await resetBy(moved);
      for (const link of links) expect((await follow(link)).page.status).toBe(400);
      expect((await find(moved))?.userId).toBe(user.userId);
      expect(await isIn(reset)).toBe(true);
    });

    test.each([
      [
        'in a second session, of which nobody is told',
        async (intruder: BrowserSession, user: TestUser) => later(intruder, user, DAY - 60),
      ],
      [
        'after a new password of their own',
        async (intruder: BrowserSession) => changePassword(intruder, PASSWORD, NEW),
      ],
    ])('has a day where the browser was new, whatever it does there: %s', async (_, prepare) => {
      const { user, intruder } = await intrusion();
      await prepare(intruder, user);
      const evil = freshEmail();
      await changeEmail(intruder, evil);
      const wish = linkIn(await lastMailTo(service, user.email));
      await resetBy(evil);
      const reset = await resetBy(evil);
      service.clock.advance(DAY - 60); // the clock goes on by itself, too
      await follow(wish);
      expect(await find(user.email)).toMatchObject({ userId: user.userId, emailVerified: true });
      expect(await isIn(reset)).toBe(false);
    });

    test('and no more than that day', async () => {
      const { user, intruder } = await intrusion();
      const moved = freshEmail();
      await changeEmail(intruder, moved);
      const link = linkIn(await lastMailTo(service, user.email));
      await resetBy(moved);
      service.clock.advance(DAY);
      expect((await follow(link)).page.status).toBe(400);
      expect((await find(moved))?.userId).toBe(user.userId);
    });
  });

  test('cannot use up the mailbox beforehand: notices have their own allowance', async () => {
    const { user, intruder } = await intrusion();
    for (let i = 0; i < 6; i++) {
      const browser = openBrowserSession(service.baseUrl);
      const page = await browser.get('/password/forgot');
      await browser.post('/password/forgot', { ...page.hidden, email: user.email });
    }
    await changePassword(intruder, PASSWORD, NEW);
    expect((await lastMailTo(service, user.email)).subject).toContain('has changed');
  });
});

describe('notify', () => {
  test('tells of what other pages do, in the person’s language, with its name', async () => {
    const user = await service.createUser({ locale: 'fr' });
    const own = await signedInBrowser(service, user);
    await notify(
      service.parts,
      {
        account: user.userId,
        kind: 'secret_created',
        address: '203.0.113.7',
        subject: 'Carnet <b>',
      },
      service.clock.now(),
    );
    const mail = await lastMailTo(service, user.email);
    expect(mail.text).toContain('Concerne\u202f: «\u202fCarnet b\u202f»');
    expect(mail.html).toContain('Carnet b');
    // Without a session to end, all of them are.
    await follow(linkIn(mail));
    expect(await isIn(own)).toBe(false);
  });

  test('never fails what it tells of', async () => {
    const gone = { account: crypto.randomUUID(), kind: 'password_changed', address: '' } as const;
    await notify(service.parts, gone, service.clock.now());
    const broken = { ...service.parts, database: { query: () => Promise.reject(new Error('away')) } };
    await notify(broken as never, gone, service.clock.now());
  });
});

describe('without its alert', () => {
  /** Makes alerts fail until the function that it returns is called. */
  async function breakAlerts(): Promise<() => Promise<void>> {
    const run = (text: string) => sql(service.parts.database, text, []);
    await run("create function fail() returns trigger language plpgsql as $$ begin raise 'broken'; end $$");
    await run(
      `create trigger broken before insert on one_time_tokens for each row when (new.kind = 'not_me')
      execute function fail()`,
    );
    return async () => void (await run('drop function fail cascade'));
  }

  test('no change of email address is prepared or made', async () => {
    const user = await service.createUser();
    const browser = await signedInBrowser(service, user);
    const [first, next] = [freshEmail(), freshEmail()];
    const ask = async (email: string) => {
      const { csrf = '' } = (await browser.get('/account/email')).hidden;
      return browser.post('/account/email', { csrf, new_email: email });
    };
    await ask(first);
    const form = await browser.get(linkIn(await lastMailTo(service, first)));
    const repair = await breakAlerts();
    const answers = [await browser.post('/security/confirm', form.hidden), await ask(next)];
    await repair();
    expect(answers.map(({ status }) => status)).toEqual([500, 500]);
    expect([await find(first), await mailsTo(service, next)]).toEqual([undefined, []]);
    // The link can still be used.
    expect((await browser.post('/security/confirm', form.hidden)).status).toBe(303);
    expect((await find(first))?.userId).toBe(user.userId);
  });

  test('no password, passkey or authenticator app is changed', async () => {
    const { user, browser } = await protect(service);
    const { passkey } = await enrol(browser, service);
    const { hidden } = await browser.get('/password/forgot');
    await browser.post('/password/forgot', { ...hidden, email: user.email });
    const link = linkIn(await lastMailTo(service, user.email));
    const state = async () => {
      const { userId } = user;
      const [row] = await sql(
        service.parts.database,
        `select u.password_hash, u.totp_secret, u.epoch, (select json_agg(p.name) from passkeys p where p.user_id = u.id) as passkeys
        from users u where u.id = $1`,
        [userId],
      );
      return row;
    };
    const before = await state();
    const at = (path: string) => `/account/security/${path}`;
    const send = async (path: string, page: string, fields = {}) =>
      (await browser.post(path, { ...(await browser.get(page)).hidden, ...fields })).status;
    const repair = await breakAlerts();
    const changed = [
      await send('/account/password', '/account/password', { current_password: PASSWORD, new_password: NEW }),
      await send('/password/reset', link, { new_password: NEW }),
      await send(at('app/remove'), at('app/remove')),
      await send(at('passkeys/rename'), at(`passkeys/rename?passkey=${passkey.id}`), { name: 'Other' }),
      await send(at('passkeys/remove'), at(`passkeys/remove?passkey=${passkey.id}`)),
      await send(at('password/remove'), at('password/remove')),
      (await enrol(browser, service)).answer.status,
    ];
    await repair();
    expect(changed).toEqual(Array.from(changed, () => 500));
    expect(await state()).toEqual(before);
  });
});

test('a new secret, its end, an offer and a deletion of an application are told of', async () => {
  const user = await service.createUser({ name: 'Ada' });
  const { clientId } = await service.createApplication({ ownerId: user.userId, name: 'Carnet' });
  const browser = await signedInBrowser(service, user);
  const send = async (path: string, fields: Record<string, string>) => {
    const address = `/console/applications/${clientId}/${path}`;
    const page = await browser.get(address);
    expect((await browser.post(address, { ...page.hidden, ...fields })).status).toBeLessThan(400);
  };
  await send('secrets', { overlap: '86400' });
  await send('secrets/1/end', {});
  await send('transfer', { email: 'somebody@example.org' });
  await send('delete', { name: 'Carnet' });
  const told = (await mailsTo(service, user.email)).filter(({ text }) => text.includes('Concerns: “Carnet”'));
  expect(told.map(({ subject }) => subject).toReversed()).toEqual([
    'New secret for an application on Sésame',
    'Application secret revoked on Sésame',
    'One of your applications has been offered to another account on Sésame',
    'One of your applications was deleted from Sésame',
  ]);
  // It ends the session that did it.
  await follow(linkIn(told[0] ?? { text: '' }));
  expect(await isIn(browser)).toBe(false);
});

test('so are other callback URLs, another protocol, ended sessions and a download of all data', async () => {
  const user = await service.createUser();
  const { clientId } = await service.createApplication({ ownerId: user.userId, name: 'Carnet' });
  const [browser, second] = [await signedInBrowser(service, user), await signedInBrowser(service, user)];
  const before = (await mailsTo(service, user.email)).length;
  const callbacks = 'https://client.example/callback\nhttps://client.example/other';
  const edit = { ...SETTINGS, redirect_uris: callbacks };
  expect((await fill(browser, at(clientId, '/edit'), edit)).status).toBe(303);
  expect((await fill(browser, at(clientId, '/edit'), { ...edit, name: 'Agenda' })).status).toBe(303); // no alert
  const protocol = { par_required: 'on', backchannel_logout_uri: 'https://client.example/logout' };
  expect((await fill(browser, at(clientId, '/protocol'), protocol)).status).toBe(303);
  const { csrf = '' } = (await browser.get('/account')).hidden;
  for (let i = 0; i < 2; i++) await browser.post('/account/sessions/end-others', { csrf });
  expect(await isIn(second)).toBe(false);
  expect((await browser.post('/account/data', { csrf })).status).toBe(200);
  const told = (await mailsTo(service, user.email)).slice(0, -before).map(({ subject }) => subject);
  const expected = [
    'Application settings changed on Sésame',
    'Application settings changed on Sésame',
    'Sessions of your Sésame account were ended',
    'The data of your Sésame account was downloaded',
  ];
  expect(told.toSorted()).toEqual(expected.toSorted());
});

test('so are an API that admits more, its keys, access that is granted to it, and one session that is ended', async () => {
  const { user, browser } = await newPerson(service, { locale: 'en', emailVerified: true });
  const other = await newPerson(service, { emailVerified: true });
  const { apiId, identifier } = await service.createApi({ ownerId: user.userId, admits: 'applications' });
  const own = await service.createApplication({ ownerId: user.userId });
  const theirs = await service.createApplication({ ownerId: other.user.userId });
  await signedInBrowser(service, user);
  const before = (await mailsTo(service, user.email)).length;
  const edit = { ...API_REGISTRATION, token_lifetime: '600' };
  const jwks = JSON.stringify(await exportJWK((await generateKeyPair('ES256')).publicKey));
  const answer = `${atApi(apiId, '/requests/answer')}?client_id=${theirs.clientId}`;
  const [, session = ''] =
    /name="session" value="([^"]*)"/.exec((await browser.get('/account/sessions')).body) ?? [];
  const asked = { identifier, scopes: 'read' };
  for (const [who, path, fields] of [
    [browser, atApi(apiId, '/edit'), { ...edit, admits: 'agents' }],
    [browser, atApi(apiId, '/edit'), { ...edit, admits: 'agents', name: 'Other' }], // no alert
    [browser, atApi(apiId, '/keys'), { jwks }],
    [browser, at(own.clientId, '/apis'), asked],
    [other.browser, at(theirs.clientId, '/apis'), asked],
    [browser, answer, { decision: 'grant', scopes: 'read' }],
  ] as const)
    expect((await fill(who, path, fields)).status, path).toBe(303);
  const { csrf = '' } = (await browser.get('/account')).hidden;
  for (let i = 0; i < 2; i++) await browser.post('/account/sessions/end', { csrf, session });
  const told = (await mailsTo(service, user.email)).slice(0, -before).map(({ subject }) => subject);
  const expected = [
    'Settings of an API changed on Sésame',
    'Keys of an API changed on Sésame',
    'Access granted to one of your APIs on Sésame',
    'An application requests access to one of your APIs on Sésame',
    'Access granted to one of your APIs on Sésame',
    'Sessions of your Sésame account were ended',
  ];
  expect(told.toSorted()).toEqual(expected.toSorted());
});
