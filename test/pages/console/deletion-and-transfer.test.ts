// Parting with an application: deleting it by its name, and handing it over to somebody who accepts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findOwnApplication } from '../../../src/store/applications.ts';
import { statement } from '../../../src/store/statement.ts';
import { accept, at, fill, register, sendFields } from '../../support/console.ts';
import { withDatabase } from '../../support/database-content.ts';
import {
  authorize,
  authorizeAddress,
  obtainTokens,
  redeem,
  renew,
  signedInBrowser,
  userinfo,
} from '../../support/flow.ts';
import { linkIn, mailsTo } from '../../support/mail.ts';
import { formErrors, headingOf, textIn } from '../../support/markup.ts';
import { CROWD, PASSWORD, startTestService, type TestService, type TestUser } from '../../support/service.ts';
import { startSmtp, type TestSmtp } from '../../support/smtp.ts';

let service: TestService;
let other: TestService;
beforeAll(async () => {
  service = await startTestService({ ...CROWD, APPLICATIONS_PER_ACCOUNT: '3' });
  other = await startTestService({}, { databaseUrl: service.databaseUrl });
});
afterAll(async () => {
  await other.close();
  await service.close();
});

async function developer(fields = {}) {
  const user = await service.createUser();
  const application = await service.createApplication({ ownerId: user.userId, ...fields });
  const browser = await signedInBrowser(service, user);
  return { user, application, browser, clientId: application.clientId };
}

const ownedBy = async ({ userId }: TestUser, clientId: string): Promise<boolean> =>
  (await findOwnApplication(service.parts.database, userId, clientId)) !== undefined;

const eventsOf = async (clientId: string): Promise<Record<string, unknown>[]> =>
  withDatabase(service.databaseUrl, async (client) => {
    const sql =
      "select kind, actor_id, user_id, detail from events where client_id = $1 and kind <> 'consent_given' order by id";
    return (await client.query(sql, [clientId])).rows;
  });

describe('deleting', () => {
  test('is asked by typing the name, says how many people are signed in, and kills all at once (D28)', async () => {
    const { user, application, browser, clientId } = await developer({ name: 'Mon carnet' });
    const person = await signedInBrowser(service, await service.createUser());
    const tokens = await obtainTokens(service, application, person);
    const code = (await authorize(service, application, person)).searchParams.get('code') ?? '';
    const page = await browser.get(at(clientId, '/delete'));
    expect(page.body).toContain('One person is signed in to this application.');

    const answer = await fill(browser, at(clientId, '/delete'), { name: '  Mon carnet ' });
    expect([answer.status, answer.location?.search]).toEqual([303, '?done=deleted']);
    expect((await browser.follow(answer)).body).toContain('The application has been deleted.');
    expect(await ownedBy(user, clientId)).toBe(false);
    expect((await userinfo(other, tokens.accessToken)).status).toBe(401);
    expect((await renew(other, application, tokens.refreshToken)).status).toBe(401);
    expect((await redeem(other, application, code)).status).toBe(401);
    const gone = await fetch(authorizeAddress(other, application), { redirect: 'manual' });
    expect(gone.status).toBe(401);
    expect(await eventsOf(clientId)).toMatchObject([
      { kind: 'application_deleted', actor_id: user.userId, detail: { name: 'Mon carnet' } },
    ]);
  });

  test.each(['', 'mon carnet', 'Mon carne', 'Mon carnett'])(
    'another name (%j) deletes nothing',
    async (name) => {
      const { user, browser, clientId } = await developer({ name: 'Mon carnet' });
      const answer = await fill(browser, at(clientId, '/delete'), { name });
      expect([answer.status, formErrors(answer.body)]).toEqual([
        400,
        ['That is not the name of the application.'],
      ]);
      expect(await ownedBy(user, clientId)).toBe(true);
    },
  );

  test('needs a recent sign-in, or the password', async () => {
    const { user, browser, clientId } = await developer();
    service.clock.advance(15 * 60 + 1);
    const asked = await fill(browser, at(clientId, '/delete'), { name: 'Carnet' });
    expect([asked.status, formErrors(asked.body)]).toEqual([400, ['Enter your current password.']]);
    expect(await ownedBy(user, clientId)).toBe(true);
    const given = await fill(browser, at(clientId, '/delete'), {
      name: 'Carnet',
      current_password: PASSWORD,
    });
    expect(given.status).toBe(303);
  });

  test('twice: a second click is answered as the first, and from another page there is nothing left', async () => {
    const { browser, clientId } = await developer();
    const { hidden } = await browser.get(at(clientId, '/delete'));
    const fields = { ...hidden, name: 'Carnet' };
    const other = await browser.get(at(clientId, '/delete'));
    const answer = await sendFields(browser, at(clientId, '/delete'), fields);
    const again = await sendFields(browser, at(clientId, '/delete'), fields);
    expect([answer.status, again.status]).toEqual([303, 303]);
    expect(again.location?.href).toBe(answer.location?.href);
    const late = await sendFields(browser, at(clientId, '/delete'), { ...fields, ...other.hidden });
    expect(late.status).toBe(404);
  });
});

describe('handing over', () => {
  /** An application on offer to somebody. */
  async function offered({ emailVerified = false } = {}, fields = {}) {
    const one = await developer(fields);
    const recipient = await service.createUser({ emailVerified });
    const theirs = await signedInBrowser(service, recipient);
    const answer = await fill(one.browser, at(one.clientId, '/transfer'), { email: recipient.email });
    return { ...one, recipient, theirs, answer };
  }

  const offersTo = async ({ email }: TestUser) =>
    (await mailsTo(service, email)).filter(({ subject }) => subject.startsWith('You have been offered'));

  test('changes nothing until the other person accepts; then all of it is theirs', async () => {
    const { user, browser, application, clientId, recipient, theirs, answer } = await offered();
    expect([answer.status, answer.location?.search]).toEqual([303, '?done=offered']);
    const { body } = await browser.follow(answer);
    expect(body).toContain(`Offered to ${recipient.email}`);
    const row = body.slice(body.indexOf('<dt>Transfer</dt>'));
    expect(row, 'leads to where it is cancelled').toMatch(
      new RegExp(`^[^]*?<a class="change" href="${at(clientId, '/transfer')}">View`),
    );
    expect(await ownedBy(user, clientId)).toBe(true);
    expect((await theirs.get(at(clientId))).status, 'only the offer is theirs to see').toBe(404);
    const { refreshToken } = await obtainTokens(service, application, browser);

    const list = await theirs.get('/console/applications');
    expect(list.body).toContain('Transfers offered to you');
    expect(list.body).toContain(user.email);
    const accepted = await accept(theirs, clientId, { overlap: '3600' });
    expect([accepted.status, accepted.location?.pathname]).toEqual([303, at(clientId)]);
    expect((await theirs.follow(accepted)).body).toContain('This application is now yours.');
    expect([await ownedBy(user, clientId), await ownedBy(recipient, clientId)]).toEqual([false, true]);
    expect((await browser.get(at(clientId))).status).toBe(404);
    expect((await renew(service, application, refreshToken)).status, 'people stay signed in').toBe(200);
    expect(await eventsOf(clientId)).toMatchObject([
      { kind: 'application_transfer_offered', actor_id: user.userId, detail: { email: recipient.email } },
      { kind: 'application_transferred', actor_id: recipient.userId, user_id: user.userId },
    ]);
  });

  test('is told to the recipient by mail, which leads to the offer, and by a mark until they decide', async () => {
    const { user, clientId, recipient, theirs } = await offered({ emailVerified: true });
    const [mail] = await offersTo(recipient);
    if (mail === undefined) throw new Error('no mail');
    for (const text of ['Carnet', user.name, 'Nothing changes until you accept.'])
      expect(mail.text).toContain(text);
    expect(linkIn(mail)).toBe(at(clientId, '/transfer/accept'));
    expect((await theirs.get(linkIn(mail))).status).toBe(200);
    expect(await offersTo(user)).toEqual([]);

    const mark = /<span class="mark">1<span class="unseen"> application on offer<\/span>/;
    for (const path of ['/account', '/console/applications'])
      expect((await theirs.get(path)).body, path).toMatch(mark);
    const { csrf = '' } = (await theirs.get('/console/applications')).hidden;
    await sendFields(theirs, at(clientId, '/transfer/decline'), { csrf });
    expect((await theirs.get('/account')).body).not.toContain('class="mark"');
  });

  test('names its secrets by what tells them apart, as their owner sees them', async () => {
    const { application, clientId, theirs } = await offered();
    const page = textIn((await theirs.get(at(clientId, '/transfer/accept'))).body);
    expect(page).toContain(`Secret no. 1 (…${application.clientSecret.slice(-4)}), created`);
  });

  test('is not mailed to an address that has not answered: its owner sees the mark alone', async () => {
    const { recipient, theirs } = await offered();
    expect(await offersTo(recipient)).toEqual([]);
    expect((await theirs.get('/account')).body).toContain('class="mark"');
  });

  test('again and again is mailed as often as a mailbox and an account are allowed, and looks the same', async () => {
    const { browser, clientId, recipient, answer } = await offered({ emailVerified: true });
    for (let n = 0; n < 12; n += 1) {
      service.clock.advance(16);
      const again = await fill(browser, at(clientId, '/transfer'), { email: recipient.email });
      expect([again.status, again.location?.href]).toEqual([answer.status, answer.location?.href]);
    }
    const { mailPerMailboxPerHour } = service.parts.config;
    expect(mailPerMailboxPerHour).toBeLessThan(13);
    expect(await offersTo(recipient)).toHaveLength(mailPerMailboxPerHour);
  });

  test('names that a stranger chose are cut down to names in the mail', async () => {
    const { recipient } = await offered({ emailVerified: true }, { name: 'Visit evil.example/now' });
    const [mail] = await offersTo(recipient);
    expect(mail?.text).toContain('Visit');
    expect(mail?.text).not.toContain('evil.example');
  });

  test('to an address that nobody has looks the same as to one that somebody has', async () => {
    const { browser, clientId, recipient, answer } = await offered();
    const page = async () =>
      (await browser.get(at(clientId, '/transfer'))).body
        .replace(/datetime="[^"]*"/, 'datetime=""')
        .replace(/name="csrf" value="[\w-]{65}"/g, 'csrf');
    const known = (await page()).replaceAll(recipient.email, 'EMAIL');
    const unknown = await fill(browser, at(clientId, '/transfer'), { email: 'nobody@nowhere.example' });
    expect([unknown.status, unknown.location?.href]).toEqual([answer.status, answer.location?.href]);
    expect((await page()).replaceAll('nobody@nowhere.example', 'EMAIL')).toBe(known);
    const before = await service.createUser({ email: 'later@nowhere.example' });
    expect((await (await signedInBrowser(service, before)).get('/console/applications')).body).not.toContain(
      'Transfers offered to you',
    );
  });

  test('an address that gets an account only later is offered nothing', async () => {
    const { browser, clientId } = await developer();
    await fill(browser, at(clientId, '/transfer'), { email: 'squatter@nowhere.example' });
    const squatter = await service.createUser({ email: 'squatter@nowhere.example' });
    const theirs = await signedInBrowser(service, squatter);
    expect((await theirs.get('/console/applications')).body).not.toContain('Transfers offered to you');
    expect((await theirs.get(at(clientId, '/transfer/accept'))).status).toBe(404);
  });

  test.each<[string, (owner: TestUser) => string, string]>([
    ['nobody', () => '', 'Enter a full email address.'],
    ['what is no address', () => 'x', 'Enter a full email address.'],
    ['oneself', ({ email }) => ` ${email.toUpperCase()} `, 'This is your own address.'],
  ])('to %s is refused in words', async (_, email, words) => {
    const { user, browser, clientId } = await developer();
    const answer = await fill(browser, at(clientId, '/transfer'), { email: email(user) });
    expect([answer.status, formErrors(answer.body)]).toEqual([400, [words]]);
    expect(await eventsOf(clientId)).toEqual([]);
  });

  test('can be declined, and withdrawn; either way it is the owner’s, and a second click does no harm', async () => {
    for (const way of ['decline', 'cancel'] as const) {
      const { user, browser, clientId, theirs } = await offered();
      const who = way === 'decline' ? theirs : browser;
      const list = await who.get(way === 'decline' ? '/console/applications' : at(clientId, '/transfer'));
      expect(list.body).toContain(`action="${at(clientId, `/transfer/${way}`)}"`);
      const { csrf = '' } = list.hidden;
      const answer = await sendFields(who, at(clientId, `/transfer/${way}`), { csrf });
      expect(answer.status).toBe(303);
      const again = await sendFields(who, at(clientId, `/transfer/${way}`), { csrf });
      expect(again.location?.href).toBe(answer.location?.href);
      const { hidden } = await who.get('/account');
      const late = await sendFields(who, at(clientId, `/transfer/${way}`), { csrf: hidden.csrf ?? '' });
      expect(late.status).toBe(way === 'decline' ? 404 : 303);
      expect((await theirs.get(at(clientId, '/transfer/accept'))).status).toBe(404);
      expect(await ownedBy(user, clientId)).toBe(true);
      expect((await eventsOf(clientId)).map(({ kind }) => kind)).toEqual([
        'application_transfer_offered',
        way === 'decline' ? 'application_transfer_declined' : 'application_transfer_cancelled',
      ]);
    }
  });

  test('an offer to somebody else replaces the first one', async () => {
    const { browser, clientId, theirs } = await offered();
    const second = await service.createUser();
    await fill(browser, at(clientId, '/transfer'), { email: second.email });
    expect((await theirs.get(at(clientId, '/transfer/accept'))).status).toBe(404);
    const page = await (await signedInBrowser(service, second)).get(at(clientId, '/transfer/accept'));
    expect(headingOf(page.body)).toBe('Accept Carnet?');
  });

  test('an offer ends after seven days', async () => {
    const { clientId, theirs, recipient } = await offered();
    const { hidden } = await theirs.get(at(clientId, '/transfer/accept'));
    service.clock.advance(7 * 24 * 3600);
    const answer = await sendFields(theirs, at(clientId, '/transfer/accept'), hidden);
    expect(answer.status).toBe(404);
    expect(await ownedBy(recipient, clientId)).toBe(false);
  });

  test('both sides need a recent sign-in', async () => {
    const { browser, clientId, theirs, recipient } = await offered();
    service.clock.advance(15 * 60 + 1);
    const offer = await fill(browser, at(clientId, '/transfer'), { email: 'x@nowhere.example' });
    const accepted = await accept(theirs, clientId);
    for (const answer of [offer, accepted])
      expect([answer.status, formErrors(answer.body)]).toEqual([400, ['Enter your current password.']]);
    expect(await ownedBy(recipient, clientId)).toBe(false);
    const given = await accept(theirs, clientId, { current_password: PASSWORD });
    expect(given.status).toBe(303);
  });

  test('whoever has as many applications as allowed can take it when there is room again', async () => {
    const { clientId, theirs, recipient } = await offered();
    for (let n = 0; n < 3; n += 1) await register(theirs);
    const refused = await accept(theirs, clientId);
    expect([refused.status, formErrors(refused.body)[0]]).toEqual([
      400,
      expect.stringContaining('limit of 3 applications'),
    ]);
    expect(await ownedBy(recipient, clientId)).toBe(false);
    expect((await theirs.get(at(clientId, '/transfer/accept'))).status, 'the offer stands').toBe(200);
  });

  test('accepted many times at once it changes hands once', async () => {
    const { clientId, theirs, recipient } = await offered();
    const { hidden } = await theirs.get(at(clientId, '/transfer/accept'));
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        sendFields(theirs, at(clientId, '/transfer/accept'), { ...hidden, callbacks: ['0'], overlap: '0' }),
      ),
    );
    expect(answers.map(({ status, location }) => [status, location?.search])).toEqual(
      answers.map(() => [303, '?done=accepted']),
    );
    expect(await ownedBy(recipient, clientId)).toBe(true);
    expect((await eventsOf(clientId)).filter(({ kind }) => kind === 'application_transferred')).toHaveLength(
      1,
    );
  });

  test('keeps a suspension', async () => {
    const { application, clientId, theirs } = await offered();
    const now = service.clock.now();
    const suspend = 'update clients set suspended_at = $2::timestamptz where client_id = $1::text';
    await service.parts.database.query(statement('suspend_offered', suspend), [clientId, now]);
    await accept(theirs, clientId);
    const answer = await fetch(authorizeAddress(service, application), { redirect: 'manual' });
    expect(answer.status).toBe(401);
  });
});

describe('where there is mail, nobody gets an application at an address that may not be theirs', () => {
  let smtp: TestSmtp;
  let withMail: TestService;
  beforeAll(async () => {
    smtp = await startSmtp();
    const environment = { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'no-reply@signin.example' };
    withMail = await startTestService(environment);
  });
  afterAll(async () => {
    await withMail.close();
    await smtp.close();
  });

  test.each([
    [false, 403],
    [true, 303],
  ])('accepted by an account whose address is verified: %s', async (emailVerified, status) => {
    const owner = await withMail.createUser({ emailVerified: true });
    const taker = await withMail.createUser({ emailVerified });
    const { clientId } = await withMail.createApplication({ ownerId: owner.userId });
    const offered = await fill(await signedInBrowser(withMail, owner), at(clientId, '/transfer'), {
      email: taker.email,
    });
    expect(offered.status).toBe(303);
    const browser = await signedInBrowser(withMail, taker);
    const { csrf = '' } = (await browser.get('/account')).hidden;
    const page = await browser.get(at(clientId, '/transfer/accept'));
    const fields = { ...page.hidden, csrf, callbacks: ['0'], overlap: '0' };
    expect([page.status, page.body.includes('/account/verify')]).toEqual([200, !emailVerified]);
    expect((await sendFields(browser, at(clientId, '/transfer/accept'), fields)).status).toBe(status);
    const found = await findOwnApplication(withMail.parts.database, taker.userId, clientId);
    expect(found !== undefined).toBe(emailVerified);
  });
});
