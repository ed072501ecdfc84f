// Where an application, or whoever runs the service, demands a second factor: at the authorization, at each renewal, for a
// device, on operators' pages; whoever has none sets it up on the way, and no path leads around it (D40, D42, D44).
import { decodeJwt } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { recoveryCodeHash } from '../../src/credentials/recovery-codes.ts';
import { statement } from '../../src/store/statement.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import {
  allowDevices,
  authorizeAddress,
  decide,
  deviceCode,
  obtainTokens,
  postForm,
  redeem,
  renew,
  signedInBrowser,
  signIn,
} from '../support/flow.ts';
import { lastMailTo, linkIn } from '../support/mail.ts';
import { headingOf, inputOf, textIn } from '../support/markup.ts';
import { signedInOperator } from '../support/operator.ts';
import { enrol as enrolPasskey, NEW, newPasskey, optionsIn } from '../support/passkey.ts';
import { sql } from '../support/populate.ts';
import {
  codeOf,
  enrol,
  protectedPerson,
  setUpApp,
  setUpFields,
  trustedBrowser,
} from '../support/protected-account.ts';
import { startTestService, type TestApplication, type TestService } from '../support/service.ts';

afterAll(() => service.close());

const DEMAND = statement(
  'test_demand_second_factor',
  'update clients set second_factor_required = $2::boolean where client_id = $1',
);
const demand = (from: TestService, { clientId }: TestApplication, required = true) =>
  from.parts.database.query(DEMAND, [clientId, required]);
async function demanding(from: TestService): Promise<TestApplication> {
  const one = await from.createApplication({ name: 'Coffre', standard: true });
  await demand(from, one);
  return one;
}

const ask = async (browser: BrowserSession, parameters = {}, asking = application, at = service) =>
  browser.follow(await browser.get(authorizeAddress(at, asking, parameters)));
const isStepUp = (visit: Visit): boolean => visit.body.includes('action="/signin/step-up"');
const isEnrolment = (visit: Visit): boolean => visit.body.includes('action="/account/security/app"');
const isConsent = (visit: Visit): boolean => visit.body.includes('action="/consent"');
const errorOf = (visit: Visit) => visit.location?.searchParams.get('error');
const give = async (browser: BrowserSession, page: Visit, code: string) =>
  browser.follow(await browser.post('/signin/step-up', { ...page.hidden, code }));

const service = await startTestService();
const application = await demanding(service);

describe('who has no second factor sets it up on the way', () => {
  test('without a password it is a passkey: a code alone would lead in a circle', async () => {
    const { userId, email } = await service.createUser();
    const code = '0000-1111-2222-3333';
    const { database } = service.parts;
    await sql(database, 'update users set password_hash = null where id = $1', [userId]);
    await sql(
      database,
      'insert into recovery_codes (hash, user_id, created_at) values ($1::bytea, $2::uuid, $3::timestamptz)',
      [recoveryCodeHash(userId, code), userId, service.clock.now()],
    );
    const browser = openBrowserSession(service.baseUrl);
    const pending = (await ask(browser)).hidden.pending ?? '';
    const page = await browser.get(`/signin/recovery?pending=${pending}`);
    const arrived = await browser.follow(
      await browser.post('/signin/recovery', { ...page.hidden, email, code }),
    );
    expect(arrived.body).toContain('action="/account/security/passkeys/new"');
    const passkey = newPasskey(service.baseUrl).creation(optionsIn(arrived.body, 'create'));
    expect(textIn(arrived.body)).toContain('Cancel and return to Coffre');
    const sent = await browser.post(NEW, { ...setUpFields(arrived, NEW), passkey });
    expect(isConsent(await browser.follow(sent))).toBe(true);
  });

  test('from the sign-in page to the application, with the recovery codes shown once', async () => {
    const user = await service.createUser();
    const browser = openBrowserSession(service.baseUrl);
    const page = await signIn(browser, user, await ask(browser));
    expect(headingOf(page.body)).toBe('Set up an authenticator app');
    expect(textIn(page.body)).toContain('Coffre asks for more than a password.');
    expect(page.body).not.toContain('class="side'); // it leads nowhere else
    const { shown, arrived } = await enrol(service, browser, page);
    expect(shown.body).toContain('id="codes"');
    expect(isConsent(arrived)).toBe(true);
    const callback = (await decide(browser, arrived, 'allow')).location;
    const { body } = await redeem(service, application, callback?.searchParams.get('code') ?? '');
    expect(decodeJwt(String(body.id_token))).toMatchObject({ acr: '2', amr: ['pwd', 'otp', 'mfa'] });
    // The codes are shown no more.
    expect((await browser.get('/account/security/codes')).body).not.toContain('id="codes"');
  });

  test('a wrong code leads back to the page, which still knows where it leads', async () => {
    const user = await service.createUser();
    const browser = await signedInBrowser(service, user);
    const page = await ask(browser);
    const wrong = await browser.follow(
      await browser.post('/account/security/app', { ...setUpFields(page), code: '000000' }),
    );
    expect(isEnrolment(wrong)).toBe(true);
    expect(textIn(wrong.body)).toContain('Coffre');
    expect(isConsent((await enrol(service, browser, wrong)).arrived)).toBe(true);
  });

  test('a session that is not fresh has to give the password, too', async () => {
    const user = await service.createUser();
    const browser = await signedInBrowser(service, user);
    service.clock.advance(16 * 60);
    const page = await ask(browser);
    expect(inputOf(page.body, 'current_password')).toBeDefined();
    const { shown } = await setUpApp(service, browser, page);
    expect(shown.body).not.toContain('id="codes"');
  });

  test('who has a passkey has one: it is asked for', async () => {
    const user = await service.createUser();
    const { passkey } = await enrolPasskey(await signedInBrowser(service, user), service);
    const browser = await signedInBrowser(service, user);
    const page = await ask(browser);
    expect(isStepUp(page)).toBe(true);
    const shown = passkey.assertion(optionsIn(page.body, 'sign-in'));
    const sent = await browser.post('/signin/step-up', { ...page.hidden, passkey: shown });
    expect(isConsent(await browser.follow(sent))).toBe(true);
  });

  test('an essential acr leads there as well, pushed too, and back to the application', async () => {
    const plain = await service.createApplication({ standard: true });
    const browser = await signedInBrowser(service, await service.createUser());
    const claims = JSON.stringify({ id_token: { acr: { essential: true, values: ['2'] } } });
    const page = await ask(browser, { claims }, plain);
    expect(isEnrolment(page)).toBe(true);
    const form = Object.fromEntries(authorizeAddress(service, plain, { claims }).searchParams);
    const { body } = await postForm(service, '/oauth/par', { ...form, client_secret: plain.clientSecret });
    const pushed = new URLSearchParams({ client_id: plain.clientId, request_uri: String(body.request_uri) });
    expect(isEnrolment(await browser.follow(await browser.get(`/oauth/authorize?${pushed}`)))).toBe(true);
    expect(isConsent((await enrol(service, browser, page)).arrived)).toBe(true);
  });

  test('who does not want to goes back, and the application is told', async () => {
    const browser = await signedInBrowser(service, await service.createUser());
    const page = await ask(browser);
    const csrf = [...page.body.matchAll(/name="csrf" value="([^"]+)"/g)].at(-1)?.[1] ?? '';
    const back = await browser.post('/signin/cancel', { csrf, pending: page.hidden.pending ?? '' });
    expect(errorOf(back)).toBe('access_denied');
  });

  test('where no page may be shown: interaction_required', async () => {
    const browser = await signedInBrowser(service, await service.createUser());
    expect(errorOf(await ask(browser, { prompt: 'none' }))).toBe('interaction_required');
  });

  test('set up at the same moment in two processes, there is one app, and both lead on', async () => {
    const other = await startTestService({}, { databaseUrl: service.databaseUrl });
    const user = await service.createUser();
    const both = await Promise.all(
      [service, other].map(async (at) => {
        const browser = await signedInBrowser(at, user);
        const page = await ask(browser, {}, application, at);
        const secret = (/id="key"[^>]*>([^<]*)</.exec(page.body)?.[1] ?? '').replaceAll(' ', '');
        return { browser, fields: { ...setUpFields(page), code: codeOf(at, secret) } };
      }),
    );
    const answers = await Promise.all(
      both.map(({ browser, fields }) => browser.post('/account/security/app', fields)),
    );
    expect(answers.map(({ location }) => location?.pathname).sort()).toEqual([
      '/account/security/codes',
      '/oauth/authorize',
    ]);
    await other.close();
  });
});

describe('no path leads around an application’s demand', () => {
  test('a session from before the app was set up, and one in a browser that the account trusts: the code', async () => {
    const person = await protectedPerson(service);
    for (const browser of [person.before, await trustedBrowser(service, person)]) {
      const page = await ask(browser);
      expect(isStepUp(page)).toBe(true);
      expect(errorOf(await ask(browser, { prompt: 'none' }))).toBe('login_required');
      // The consent page by its own address is no way either.
      const consent = await browser.get(`/consent?pending=${page.hidden.pending}`);
      expect(consent.location?.pathname).toBe('/oauth/authorize');
      expect(isConsent(await give(browser, page, codeOf(service, person.secret)))).toBe(true);
      service.clock.advance(30);
    }
    expect(isConsent(await ask(person.browser))).toBe(true);
  });

  test('prompt=login in a browser that the account trusts: password and code', async () => {
    const person = await protectedPerson(service);
    const browser = await trustedBrowser(service, person);
    const page = await ask(browser, { prompt: 'login' });
    expect(isStepUp(await signIn(browser, person.user, page))).toBe(true);
  });

  test('a new password by mail, and a new address: still what the session has shown', async () => {
    const user = await service.createUser();
    const browser = openBrowserSession(service.baseUrl);
    const forgot = await browser.get('/password/forgot');
    await browser.post('/password/forgot', { ...forgot.hidden, email: user.email });
    const reset = await browser.get(linkIn(await lastMailTo(service, user.email)));
    await browser.post('/password/reset', { ...reset.hidden, new_password: 'quite another battery staple' });
    expect(isEnrolment(await ask(browser))).toBe(true);

    const person = await protectedPerson(service);
    const form = await person.browser.get('/account/email');
    const address = `new-${person.user.email}`;
    await person.browser.post('/account/email', { ...form.hidden, new_email: address });
    const confirm = await person.before.get(linkIn(await lastMailTo(service, address)));
    await person.before.post('/security/confirm', confirm.hidden);
    expect(isStepUp(await ask(person.before))).toBe(true);
  });

  test('a page that was open when the demand came', async () => {
    const asking = await service.createApplication();
    const browser = await signedInBrowser(service, await service.createUser());
    const consent = await ask(browser, {}, asking);
    await demand(service, asking);
    const answer = await browser.follow(await decide(browser, consent, 'allow'));
    expect(isEnrolment(answer)).toBe(true);
  });

  test('a device: whoever lets it in shows the second factor first, or sets it up', async () => {
    const asking = await demanding(service);
    await allowDevices(service, asking);
    const browser = await signedInBrowser(service, await service.createUser());
    const userCode = await deviceCode(service, asking);
    const form = await browser.get('/device');
    const page = await browser.follow(await browser.post('/device', { ...form.hidden, user_code: userCode }));
    expect(isEnrolment(page)).toBe(true);
    const { arrived } = await enrol(service, browser, page);
    expect(headingOf(arrived.body)).toContain('Coffre');
    const end = await browser.post('/device/decision', { ...arrived.hidden, decision: 'allow' });
    expect(end.location?.search).toBe('?done=allowed');
  });

  test('a device whose page was open when the demand came', async () => {
    const asking = await service.createApplication({ name: 'Coffre' });
    await allowDevices(service, asking);
    const person = await protectedPerson(service);
    const userCode = await deviceCode(service, asking);
    const { before: browser } = person;
    const form = await browser.get('/device');
    const page = await browser.follow(await browser.post('/device', { ...form.hidden, user_code: userCode }));
    await demand(service, asking);
    const sent = await browser.post('/device/decision', { ...page.hidden, decision: 'allow' });
    expect(sent.location?.pathname).toBe('/signin/step-up');
    const back = await give(browser, await browser.follow(sent), codeOf(service, person.secret));
    const end = await browser.post('/device/decision', { ...back.hidden, decision: 'allow' });
    expect(end.location?.search).toBe('?done=allowed');
  });
});

describe('a grant that was given with less', () => {
  test('is not renewed while more is demanded, and is as it was once that is over', async () => {
    const asking = await service.createApplication();
    const person = await protectedPerson(service);
    const weak = await obtainTokens(service, asking, person.before);
    const strong = await obtainTokens(service, asking, person.browser);
    await demand(service, asking);
    const refused = await renew(service, asking, weak.refreshToken);
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant']);
    expect(refused.body.error_description).toContain('Multi-factor authentication');
    expect((await renew(service, asking, strong.refreshToken)).status).toBe(200);
    await demand(service, asking, false);
    expect((await renew(service, asking, weak.refreshToken)).status).toBe(200);
  });

  test('is ended all the same by a refresh token that was used before', async () => {
    const asking = await service.createApplication();
    const person = await protectedPerson(service);
    const { refreshToken } = await obtainTokens(service, asking, person.before);
    const next = await renew(service, asking, refreshToken);
    await demand(service, asking);
    await renew(service, asking, refreshToken);
    await demand(service, asking, false);
    expect((await renew(service, asking, String(next.body.refresh_token))).status).toBe(400);
  });

  test('not by the grace for lost answers either', async () => {
    const asking = await service.createApplication({ refreshGrace: 60 });
    const browser = await signedInBrowser(service, await service.createUser());
    const { refreshToken } = await obtainTokens(service, asking, browser);
    await renew(service, asking, refreshToken);
    await demand(service, asking);
    expect((await renew(service, asking, refreshToken)).body.error).toBe('invalid_grant');
  });

  test('of a device likewise', async () => {
    const asking = await service.createApplication();
    await allowDevices(service, asking);
    const browser = await signedInBrowser(service, await service.createUser());
    const credentials = { client_id: asking.clientId, client_secret: asking.clientSecret };
    const { body } = await postForm(service, '/oauth/device_authorization', {
      ...credentials,
      scope: 'openid',
    });
    const form = await browser.get(`/device?user_code=${body.user_code}`);
    const page = await browser.follow(
      await browser.post('/device', { ...form.hidden, user_code: String(body.user_code) }),
    );
    await browser.post('/device/decision', { ...page.hidden, decision: 'allow' });
    const tokens = await postForm(service, '/oauth/token', {
      ...credentials,
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: String(body.device_code),
    });
    await demand(service, asking);
    const refused = await renew(service, asking, String(tokens.body.refresh_token));
    expect(refused.body.error).toBe('invalid_grant');
  });
});

describe('SECOND_FACTOR', () => {
  test('everyone: of every application, and at each renewal; optional: of none', async () => {
    const strict = await startTestService(
      { SECOND_FACTOR: 'everyone' },
      { databaseUrl: service.databaseUrl },
    );
    const asking = await service.createApplication();
    const user = await service.createUser();
    const browser = await signedInBrowser(service, user);
    const { refreshToken } = await obtainTokens(service, asking, browser);
    const there = await signedInBrowser(strict, user);
    expect(isEnrolment(await ask(there, {}, asking, strict))).toBe(true);
    expect((await renew(strict, asking, refreshToken)).body.error).toBe('invalid_grant');
    expect((await renew(service, asking, refreshToken)).status).toBe(200);
    // Their own pages stay theirs: there they set it up.
    expect((await there.get('/account')).status).toBe(200);
    await strict.close();
  });

  test('operators: of operators, on their pages and at every application, and of nobody else', async () => {
    const strict = await startTestService(
      { SECOND_FACTOR: 'operators' },
      { databaseUrl: service.databaseUrl },
    );
    const asking = await strict.createApplication();
    const { browser, user } = await signedInOperator(strict);
    const weaker = await signedInBrowser(service, user);
    const { refreshToken } = await obtainTokens(service, asking, weaker);
    expect((await renew(strict, asking, refreshToken)).body.error).toBe('invalid_grant');
    expect(isEnrolment(await ask(browser, {}, asking, strict))).toBe(true);
    const sent = await browser.get('/console/operations/accounts?q=x');
    expect([sent.location?.pathname, sent.location?.searchParams.get('next')]).toEqual([
      '/account/security/app',
      '/console/operations/accounts?q=x',
    ]);
    const setUp = await browser.follow(sent);
    expect(setUp.body).toContain('href="/account"');
    const instead = await browser.get(
      `${NEW}?next=${encodeURIComponent('/console/operations/accounts?q=x')}`,
    );
    expect(instead.body).toContain('href="/account"');
    const { arrived, secret } = await enrol(strict, browser, setUp);
    expect(arrived.status).toBe(200);
    expect(arrived.body).toContain('action="/console/operations/accounts"');

    // A session with the password alone gets no further, whatever it sends.
    const csrf = (await weaker.get('/account')).hidden.csrf ?? '';
    const other = await signedInBrowser(strict, await strict.createUser());
    expect(isConsent(await ask(other, {}, asking, strict))).toBe(true);
    expect((await other.get('/console/operations')).status).toBe(404);
    const trusting = await trustedBrowser(strict, { user, secret });
    const post = await trusting.post('/console/operations/invite', { csrf, email: 'x@exemple.fr' });
    expect(post.location?.pathname).toBe('/signin/step-up');
    const page = await trusting.follow(await trusting.get('/console/operations'));
    expect(textIn(page.body)).toContain(
      'The page you asked for needs the code from your authenticator app as well as your password',
    );
    expect(page.body).toContain('href="/account"');
    expect((await give(trusting, page, codeOf(strict, secret))).status).toBe(200);
    await strict.close();
  });
});
