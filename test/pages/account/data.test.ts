// /account/data and /account/delete: everything about a person, taken away or deleted.

import { beforeAll, describe, expect, test } from 'vitest';
import { moderateThing } from '../../../src/accounts/moderation.ts';
import { statement } from '../../../src/store/statement.ts';
import { findUserByEmail } from '../../../src/store/users.ts';
import type { BrowserSession, Visit } from '../../support/browser-session.ts';
import { OUTLIVING, tablesNaming } from '../../support/database-content.ts';
import { obtainCode, obtainTokens, redeem, renew, signedInBrowser, userinfo } from '../../support/flow.ts';
import { fieldError, headingOf } from '../../support/markup.ts';
import { rememberConsent } from '../../support/populate.ts';
import {
  startTestService,
  type TestApplication,
  type TestUser,
  useTestService,
} from '../../support/service.ts';
import { samplePicture, upload } from '../../support/upload.ts';

const service = useTestService();
beforeAll(() => service.createUser({ operator: true }));

interface Person {
  user: TestUser;
  browser: BrowserSession;
  csrf: string;
}

async function enter(user?: TestUser): Promise<Person> {
  const whose = user ?? (await service.createUser({ phone: '+33612345678' }));
  const browser = await signedInBrowser(service, whose);
  return { user: whose, browser, csrf: (await browser.get('/account')).hidden.csrf ?? '' };
}

const take = ({ browser, csrf }: Person, fields = {}): Promise<Visit> =>
  browser.post('/account/data', { csrf, ...fields });
const remove = ({ browser, csrf, user }: Person, fields = {}): Promise<Visit> =>
  browser.post('/account/delete', { csrf, email: user.email, ...fields });
const exists = async ({ user }: Person) =>
  (await findUserByEmail(service.parts.database, user.email)) !== undefined;

const EVENTS = statement(
  'test_events',
  'select kind, detail from events where user_id = $1 or actor_id = $1 order by id',
);
const kindsOf = async ({ user }: Person) =>
  (await service.parts.database.query<{ kind: string }>(EVENTS, [user.userId])).map(({ kind }) => kind);

/** Somebody with everything: a picture, an application that read, one of their own that another person uses. */
async function withEverything(): Promise<
  Person & {
    tokens: { accessToken: string; refreshToken: string };
    application: TestApplication;
    own: TestApplication;
  }
> {
  const person = await enter();
  const picture = { name: 'picture', content: await samplePicture(), fileName: 'me.png' };
  await upload(person.browser, '/account/picture', { csrf: person.csrf }, picture);
  const application = await service.createApplication({ name: 'Carnet <b>' });
  const tokens = await obtainTokens(service, application, person.browser);
  await userinfo(service, tokens.accessToken);
  const own = await service.createApplication({ name: 'À moi', ownerId: person.user.userId });
  const { userId } = await service.createUser();
  const now = service.clock.now();
  await rememberConsent(service.parts.database, { userId, clientId: own.clientId, scopes: ['openid'], now });
  await service.parts.usage.flush();
  return { ...person, tokens, application, own };
}

describe('taking everything away', () => {
  test('is a JSON file to keep, with all that is known, and no hash and no secret', async () => {
    const person = await withEverything();
    const { user, application, own } = person;
    const answer = await take(person);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="account-\d{4}-\d\d-\d\d\.json"$/,
    );
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const file = JSON.parse(answer.body);
    expect(file).toMatchObject({
      issuer: service.baseUrl,
      profile: {
        sub: user.userId,
        name: user.name,
        email: user.email,
        phone: '+33612345678',
        picture_type: 'image/webp',
      },
      sessions: [{ address: '127.0.0.1', user_agent: 'node' }],
      consents: [{ client_id: application.clientId, application: 'Carnet <b>', withdrawn_at: null }],
      applications: [{ client_id: own.clientId, name: 'À moi', secrets: [{ number: 1 }] }],
    });
    expect(Buffer.from(file.profile.picture, 'base64').subarray(8, 12).toString()).toBe('WEBP');
    expect(file.disclosures.map(({ fields }: { fields: string[] }) => fields)).toEqual([
      ['sub', 'auth_time'],
      ['sub', 'name', 'avatar', 'updated_at', 'email', 'email_verified'],
    ]);
    expect(file.events.map(({ kind }: { kind: string }) => kind)).toEqual([
      'signed_in',
      'picture_changed',
      'consent_given',
      'data_exported',
    ]);
    for (const event of file.events) expect(event).toMatchObject({ actor: 'you', address: '127.0.0.1' });
    expect(answer.body).not.toMatch(/hash|argon2|\\\\x[0-9a-f]/);
    for (const secret of [
      ...person.browser.cookies.values(),
      own.clientSecret,
      ...Object.values(person.tokens),
    ])
      expect(answer.body).not.toContain(secret);
  });

  test('holds nothing of another person, not even of whom an operator dealt with', async () => {
    const operator = await enter(await service.createUser({ operator: true }));
    const other = await enter();
    const insert = statement(
      'test_insert_event',
      `insert into events (at, kind, actor_id, user_id, address, detail)
      values (now(), 'account_suspended', $1, $2, '192.0.2.99', '{"email": "whom@example.org"}')`,
    );
    await service.parts.database.query(insert, [operator.user.userId, other.user.userId]);
    expect((await take(operator)).body).not.toContain('whom@example.org');
    const foreign = await service.createApplication();
    await moderateThing(
      { database: service.parts.database },
      'application',
      'suspend',
      foreign.clientId,
      { userId: operator.user.userId, address: '127.0.0.1', reason: 'a reason of theirs' },
      service.clock.now(),
    );
    const own = (await take(operator)).body;
    for (const part of ['whom@example.org', other.user.userId, foreign.clientId, 'a reason of theirs'])
      expect(own).not.toContain(part);
    expect(JSON.parse(own).events.filter(({ kind }: { kind: string }) => /suspended/.test(kind))).toEqual([
      expect.objectContaining({ kind: 'account_suspended', actor: 'you', detail: {}, client_id: null }),
      expect.objectContaining({ kind: 'application_suspended', actor: 'you', detail: {}, client_id: null }),
    ]);
    const theirs = JSON.parse((await take(other)).body).events.at(-2);
    expect(theirs).toMatchObject({ kind: 'account_suspended', actor: 'operator', address: null });
  });

  test('asks for the password when the sign-in is not recent', async () => {
    const person = await enter();
    service.clock.advance(16 * 60);
    expect((await person.browser.get('/account/data')).body).toContain('name="current_password"');
    const missing = await take(person);
    expect([missing.status, fieldError(missing.body, 'current_password')]).toEqual([
      400,
      'Enter your current password.',
    ]);
    const wrong = await take(person, { current_password: 'wrong password' });
    expect(fieldError(wrong.body, 'current_password')).toBe('That is not your current password.');
    expect(await kindsOf(person)).not.toContain('data_exported');
    const right = await take(person, { current_password: person.user.password });
    expect(JSON.parse(right.body).profile.email).toBe(person.user.email);
  });
});

describe('deleting the account', () => {
  test('is asked on a page that says what goes with it', async () => {
    const { browser, user } = await withEverything();
    const { body } = await browser.get('/account/delete');
    expect(headingOf(body)).toBe('Delete your account?');
    expect(body).toContain('the access you gave to one application');
    expect(body).toContain('<strong><bdi>À moi</bdi></strong> (one person uses it)');
    expect(body).toContain(`Your address is ${user.email}.`);
  });

  test('ends everything at once: session, code, tokens, own applications; the address is free again (D28)', async () => {
    const person = await withEverything();
    const { user, browser, tokens, application, own } = person;
    const second = await enter(user);
    const code = await obtainCode(service, application, browser);
    const answer = await remove(person);
    expect([answer.status, answer.location?.search]).toEqual([303, '?deleted=1']);
    expect(browser.cookies.has('sesame')).toBe(false);
    expect((await browser.follow(answer)).body).toContain('Your account has been deleted.');
    expect((await second.browser.get('/account')).location?.pathname).toBe('/signin');
    expect((await userinfo(service, tokens.accessToken)).status).toBe(401);
    expect((await renew(service, application, tokens.refreshToken)).body.error).toBe('invalid_grant');
    expect((await redeem(service, application, code)).body.error).toBe('invalid_grant');
    expect((await redeem(service, own, 'x')).body.error).toBe('invalid_client');
    expect((await kindsOf(person)).slice(-2)).toEqual(['application_deleted', 'account_deleted']);

    expect(await tablesNaming(service.databaseUrl, user.userId, OUTLIVING)).toEqual([]);
    const again = await service.createUser({ email: user.email });
    expect(again.userId, '`sub` is never given again (D33)').not.toBe(user.userId);
  });

  test.each([
    ['without the address', { email: '' }],
    ['with another address', { email: 'somebody@example.org' }],
  ])('%s nothing happens: 400 at the field', async (_, fields) => {
    const person = await enter();
    const { status, body } = await remove(person, fields);
    expect([status, fieldError(body, 'email')]).toEqual([
      400,
      'This is not the email address of this account.',
    ]);
    expect(await exists(person)).toBe(true);
  });

  test('asks for the password when the sign-in is not recent', async () => {
    const person = await enter();
    service.clock.advance(16 * 60);
    for (const [fields, text] of [
      [{}, 'Enter your current password.'],
      [{ current_password: 'wrong password' }, 'That is not your current password.'],
    ] as const) {
      const { status, body } = await remove(person, fields);
      expect([status, fieldError(body, 'current_password')]).toEqual([400, text]);
    }
    expect(await exists(person)).toBe(true);
    expect((await remove(person, { current_password: person.user.password })).status).toBe(303);
    expect(await exists(person)).toBe(false);
  });

  test('is of one’s own only, whatever else the form says, and needs its token', async () => {
    const [person, victim] = [await enter(), await enter()];
    expect((await remove(person, { csrf: victim.csrf })).status).toBe(403);
    expect(await exists(person)).toBe(true);
    await remove(person, { user_id: victim.user.userId, userId: victim.user.userId });
    expect([await exists(person), await exists(victim)]).toEqual([false, true]);
  });

  test('twice at once deletes once and fails nobody', async () => {
    const person = await enter();
    const answers = await Promise.all([remove(person), remove(person)]);
    for (const { status } of answers) expect(status).toBe(303);
    expect((await kindsOf(person)).filter((kind) => kind === 'account_deleted')).toHaveLength(1);
  });

  test('is refused to the last operator, who is told why', async () => {
    await using alone = await startTestService();
    const user = await alone.createUser({ operator: true });
    const browser = await signedInBrowser(alone, user);
    const { csrf = '' } = (await browser.get('/account')).hidden;
    const { status, body } = await browser.post('/account/delete', { csrf, email: user.email });
    expect(status).toBe(400);
    expect(body).toContain('You’re the only operator of this service.');
    await alone.createUser({ operator: true });
    expect((await browser.post('/account/delete', { csrf, email: user.email })).status).toBe(303);
  });
});

test('data can be taken away five times an hour, by an account: all of it is read for each', async () => {
  const person = await enter();
  const statuses: number[] = [];
  for (let i = 0; i < 6; i += 1) statuses.push((await take(person)).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  expect((await take(await enter())).status).toBe(200);
  service.clock.advance(12 * 60);
  const { csrf = '' } = (await person.browser.get('/account/data')).hidden;
  expect((await take({ ...person, csrf })).status).toBe(200);
});
