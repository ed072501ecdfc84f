// Operators invite people, and have mails sent to accounts: what arrives, what it opens, and what it cannot be used for.
import { beforeAll, describe, expect, test } from 'vitest';
import { MAILED_LINK } from '../../../src/oauth/lifetimes.ts';
import { listEvents } from '../../../src/store/events.ts';
import { findUserByEmail } from '../../../src/store/users.ts';
import { openBrowserSession } from '../../support/browser-session.ts';
import { newPerson, signedInBrowser, signIn } from '../../support/flow.ts';
import { codeIn, lastMailTo, linkIn, mailsTo } from '../../support/mail.ts';
import { fieldError, formErrors, headingOf, textIn } from '../../support/markup.ts';
import { accountPath, type Operator, signedInOperator } from '../../support/operator.ts';
import { PASSWORD, startTestService, useTestService } from '../../support/service.ts';

const service = useTestService({ SIGN_UP: 'closed', HOURLY_LIMITS: 'on' });
let operator: Operator;
beforeAll(async () => {
  operator = await signedInOperator(service);
});

const NEW = '/console/operations/accounts/new';
const CHOSEN = 'four-wandering-otters-77';
let counter = 0;
const newEmail = () => `Invited.${++counter}@exemple.fr`;

/** Invites somebody: the answer to the form, and whose account it is. */
async function invite(email: string, fields: Record<string, string> = {}) {
  const answer = await operator.act(NEW, { name: 'Élise Martin', email, language: 'en', ...fields });
  return { answer, userId: answer.location?.pathname.split('/').at(-1) ?? '' };
}

/** Opens the link of a mail in a fresh browser, and sends its form. */
async function accept(link: string, password: string) {
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.get(link);
  return {
    browser,
    page,
    answer: await browser.post('/password/reset', { ...page.hidden, new_password: password }),
  };
}

const kindsOf = async (userId: string) =>
  (await listEvents(service.parts.database, { userId }, { limit: 50 })).map(({ kind }) => kind);

describe('an invitation', () => {
  test('makes an account, mails a link, and its owner chooses the password while sign-up is closed', async () => {
    const email = newEmail();
    const { answer, userId } = await invite(email);
    expect([answer.status, answer.location?.search]).toEqual([303, '?done=invitation']);
    const page = await operator.browser.follow(answer);
    expect(page.body).toMatch(/role="status"[\s\S]*?Account created by invitation/);
    expect(page.body).toContain('>invited</span>');

    const mail = await lastMailTo(service, email);
    expect(mail.subject).toBe('Your Sésame account is ready');
    expect(mail.text).toContain('Hello Élise Martin,');
    const { browser, page: opened, answer: entered } = await accept(linkIn(mail), CHOSEN);
    expect(headingOf(opened.body)).toBe('Welcome to Sésame');
    expect(textIn(opened.body)).not.toMatch(/new password/i);
    expect(opened.body).toContain(email);
    expect([entered.status, entered.location?.pathname]).toEqual([303, '/account']);
    expect((await browser.follow(entered)).body).toContain('Your account is ready. Welcome to Sésame.');
    const account = await findUserByEmail(service.parts.database, email);
    expect(account).toMatchObject({ userId, emailVerified: true, invited: false, operator: false });
    const again = openBrowserSession(service.baseUrl);
    await signIn(again, { userId, email, name: 'Élise Martin', password: CHOSEN });
    expect((await again.get('/account')).status).toBe(200);
    expect((await kindsOf(userId)).filter((kind) => kind !== 'signed_in')).toEqual([
      'invitation_accepted',
      'account_invited',
    ]);
    const [invited] = await listEvents(
      service.parts.database,
      { userId, kind: 'account_invited' },
      { limit: 1 },
    );
    expect(invited).toMatchObject({ actorId: operator.user.userId, address: '127.0.0.1', detail: { email } });
  });

  test('whoever has lost it asks for a password, and is spoken to as one who never had any', async () => {
    const email = newEmail();
    await invite(email);
    const stranger = openBrowserSession(service.baseUrl);
    const forgot = await stranger.get('/password/forgot');
    await stranger.post('/password/forgot', { ...forgot.hidden, email });
    const mail = await lastMailTo(service, email);
    const page = await stranger.get(linkIn(mail));
    expect(headingOf(page.body)).toBe('Welcome to Sésame');
    expect(textIn(page.body)).not.toMatch(/new password/i);
    const entered = await stranger.post('/password/reset', { ...page.hidden, new_password: CHOSEN });
    expect((await stranger.follow(entered)).body).toContain('Your account is ready. Welcome to Sésame.');
  });

  test('works once: opened again, raced, or after it has expired its link is dead', async () => {
    const email = newEmail();
    await invite(email);
    const link = linkIn(await lastMailTo(service, email));
    const browsers = [0, 1, 2].map(() => openBrowserSession(service.baseUrl));
    const answers = await Promise.all(
      browsers.map(async (browser, index) => {
        const { hidden } = await browser.get(link);
        return browser.post('/password/reset', { ...hidden, new_password: `${CHOSEN} ${index}` });
      }),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 400, 400]);
    expect((await openBrowserSession(service.baseUrl).get(link)).status).toBe(400);

    const late = newEmail();
    await invite(late);
    const expired = linkIn(await lastMailTo(service, late));
    service.clock.advance(MAILED_LINK.invitation + 1);
    expect((await openBrowserSession(service.baseUrl).get(expired)).status).toBe(400);
    operator = await signedInOperator(service);
  });

  test('until then nobody gets in, and the link is that of no other page', async () => {
    const email = newEmail();
    const { userId } = await invite(email);
    const browser = openBrowserSession(service.baseUrl);
    for (const password of ['', PASSWORD, CHOSEN])
      await signIn(browser, { userId, email, name: 'Élise Martin', password });
    expect((await browser.get('/account')).location?.pathname).toBe('/signin');
    const token = linkIn(await lastMailTo(service, email)).split('token=')[1];
    for (const path of ['/security/confirm', '/security/not-me', '/security/stop-reset'])
      expect([path, (await browser.get(`${path}?token=${token}`)).status]).toEqual([path, 400]);
  });

  test('another form of the link’s page, or of another browser, is refused', async () => {
    const email = newEmail();
    await invite(email);
    const { hidden } = await openBrowserSession(service.baseUrl).get(
      linkIn(await lastMailTo(service, email)),
    );
    const forged = await openBrowserSession(service.baseUrl).post('/password/reset', {
      ...hidden,
      new_password: CHOSEN,
    });
    expect(forged.status).toBe(403);
    expect((await findUserByEmail(service.parts.database, email))?.invited).toBe(true);
  });

  test('never touches an account that exists: the operator is told and led to it', async () => {
    const user = await service.createUser({ email: 'There.Already@exemple.fr' });
    const refused = await operator.browser.follow(
      (await invite('there.already@EXEMPLE.fr', { name: 'Another' })).answer,
    );
    expect(refused.status).toBe(400);
    expect(fieldError(refused.body, 'email')).toContain('An account already uses this address.');
    expect(refused.body).toContain(`href="${accountPath(user.userId)}"`);
    expect(refused.body).toContain('value="Another"');
    expect(await mailsTo(service, user.email)).toEqual([]);
    expect((await findUserByEmail(service.parts.database, user.email))?.name).toBe(user.name);
    await signedInBrowser(service, user);
  });

  test('sent twice at once it is one account and one mail, and both lead to it', async () => {
    const email = newEmail();
    const { hidden } = await operator.browser.get(NEW);
    const form = { csrf: hidden.csrf ?? '', name: 'Élise Martin', email, language: 'fr' };
    const answers = await Promise.all([0, 1, 2].map(() => operator.browser.post(NEW, form)));
    const places = new Set(answers.map(({ location }) => `${location?.pathname}${location?.search}`));
    expect(places.size).toBe(1);
    expect([...places][0]).toMatch(/\?done=invitation$/);
    expect(await mailsTo(service, email)).toHaveLength(1);
    expect((await lastMailTo(service, email)).subject).toBe('Votre compte Sésame vous attend');
  });

  test('asks what is missing, and the password where the sign-in is not recent', async () => {
    const { answer } = await invite('nobody', { name: '' });
    const refused = await operator.browser.follow(answer);
    expect([fieldError(refused.body, 'name'), fieldError(refused.body, 'email')]).not.toContain('');
    const stale = await signedInOperator(service);
    service.clock.advance(16 * 60);
    const email = newEmail();
    const asked = await stale.browser.follow(await stale.act(NEW, { name: 'Élise', email, language: 'fr' }));
    expect(asked.status).toBe(400);
    expect(await findUserByEmail(service.parts.database, email)).toBeUndefined();
    const fields = { name: 'Élise', email, language: 'fr', current_password: PASSWORD };
    expect((await stale.act(NEW, fields)).location?.search).toBe('?done=invitation');
    operator = stale;
  });

  test('can be sent again until it is accepted; a suspended account gets none', async () => {
    const email = newEmail();
    const { userId } = await invite(email);
    const path = accountPath(userId, 'invitation');
    expect((await operator.act(path, { reason: 'lost' })).location?.search).toBe('?done=invitation');
    const [second, first] = (await mailsTo(service, email)).map(linkIn);
    expect((await accept(first ?? '', CHOSEN)).answer.status).toBe(303);
    expect((await accept(second ?? '', 'seven-other-badgers-12')).page.status, 'the other one ended').toBe(
      400,
    );
    expect((await operator.browser.get(path)).location?.pathname).toBe(accountPath(userId));
    expect(await kindsOf(userId)).toContain('invitation_sent');

    const held = newEmail();
    const { userId: suspended } = await invite(held);
    const link = linkIn(await lastMailTo(service, held));
    await operator.act(accountPath(suspended, 'suspend'));
    const { csrf = '' } = (await operator.browser.get('/account')).hidden;
    const answer = await operator.browser.post(accountPath(suspended, 'invitation'), { csrf });
    expect([answer.status, answer.location?.search]).toEqual([303, '']);
    expect(await mailsTo(service, held)).toHaveLength(2); // the invitation, and that it is suspended
    expect((await openBrowserSession(service.baseUrl).get(link)).status).toBe(400);
  });
});

describe('mails that an operator has sent', () => {
  test('a link for another password changes nothing until it is used', async () => {
    const { user, browser: own } = await newPerson(service, { emailVerified: true });
    const answer = await operator.act(accountPath(user.userId, 'reset_password'));
    expect((await operator.browser.follow(answer)).body).toMatch(
      /role="status"[\s\S]*?Password reset link sent/,
    );
    expect((await own.get('/account')).status).toBe(200);
    const mail = await lastMailTo(service, user.email);
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await browser.get(linkIn(mail));
    expect((await browser.post('/password/reset', { ...hidden, new_password: CHOSEN })).status).toBe(303);
    expect((await own.get('/account')).location?.pathname).toBe('/signin');
    expect(await kindsOf(user.userId)).toContain('password_offered');
  });

  test('a verification by link or code; not for an address that is verified', async () => {
    const user = await service.createUser();
    const path = accountPath(user.userId, 'verify_email');
    expect((await operator.act(path)).location?.search).toBe('?done=verify_email');
    const own = await signedInBrowser(service, user);
    const { csrf = '' } = (await own.get('/account/verify')).hidden;
    const mail = (await mailsTo(service, user.email)).find(({ text }) => /^\d{8}$/m.test(text));
    await own.post('/account/verify', { csrf, code: codeIn(mail ?? { text: '' }) });
    expect((await findUserByEmail(service.parts.database, user.email))?.emailVerified).toBe(true);
    expect((await operator.browser.get(path)).location?.pathname).toBe(accountPath(user.userId));
    expect((await operator.browser.get(accountPath(user.userId))).body).not.toContain('verify_email');
  });

  test('are so many an hour', async () => {
    const user = await service.createUser({ emailVerified: true });
    const path = accountPath(user.userId, 'reset_password');
    for (let sent = 0; sent < 5; sent += 1) await operator.act(path);
    const refused = await operator.browser.follow(await operator.act(path));
    expect(refused.status).toBe(429);
    expect(formErrors(refused.body).join()).toContain('Too many emails have gone to this address');
  });
});

test('where no mail can be sent, the pages say so, offer none and make nobody', async () => {
  await using silent = await startTestService();
  silent.parts.mailer.available = false; // as in production without SMTP_URL
  const own = await signedInOperator(silent);
  expect((await own.browser.get(NEW)).body).toContain('This service sends no email');
  const email = newEmail();
  const refused = await own.act(NEW, { name: 'Élise', email, language: 'fr' });
  expect(refused.status).toBe(400);
  expect(formErrors(refused.body).join()).toContain('This service sends no email');
  expect(await findUserByEmail(silent.parts.database, email)).toBeUndefined();
  const { body } = await own.browser.get(accountPath((await silent.createUser()).userId));
  expect(body).not.toContain('/verify_email');
});
