// Changing what opens an account: only with a fresh proof, told by mail and in the log; and done in two places at once, what is left is
// as if one had come after the other (D39, D40, D43).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listEvents } from '../../src/store/events.ts';
import { findFactors } from '../../src/store/second-factors.ts';
import type { BrowserSession, Visit } from '../support/browser-session.ts';
import { signedInBrowser } from '../support/flow.ts';
import { linkIn, mailsTo } from '../support/mail.ts';
import { fieldError, inputOf } from '../support/markup.ts';
import { enrol, NEW, newPasskey, optionsIn, type SoftwarePasskey } from '../support/passkey.ts';
import { sql } from '../support/populate.ts';
import { codeOf, protect, setUpApp, wordsIn } from '../support/protected-account.ts';
import { PASSWORD, startTestService, type TestUser } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

const SECURITY = '/account/security';
const OFFER = `${SECURITY}/passkeys/offer`;
const NEW_PASSWORD = 'quite another battery staple';

describe('a session of a quarter of an hour ago changes nothing', () => {
  interface Person {
    user: TestUser;
    browser: BrowserSession;
    passkey?: SoftwarePasskey;
    secret?: string;
  }
  /** Somebody with a password alone, somebody with an app and a passkey beside it, and somebody with those in its place. */
  let plain: Person;
  let strong: Person;
  let without: Person;
  beforeAll(async () => {
    const person = async () => {
      const { user, browser, secret } = await protect(service);
      return { user, browser, secret, passkey: (await enrol(browser, service)).passkey };
    };
    const user = await service.createUser();
    [strong, without] = [await person(), await person()];
    plain = { user, browser: await signedInBrowser(service, user) };
    await sql(service.parts.database, 'update users set password_hash = null where id = $1', [
      without.user.userId,
    ]);
    service.clock.advance(15 * 60 - 30);
    const asked = await plain.browser.get(`${SECURITY}/app`);
    expect(inputOf(asked.body, 'current_password')).toBeUndefined();
    service.clock.advance(31);
  });

  /** All that opens an account, and where its mail goes. */
  const waysIn = ({ user: { userId } }: Person) =>
    sql(
      service.parts.database,
      `select u.email, u.password_hash, u.totp_secret, u.passkey_count,
        (select json_agg(json_build_array(p.credential_id, p.name) order by p.credential_id) from passkeys p where p.user_id = u.id) passkeys,
        (select json_agg(r.hash order by r.hash) from recovery_codes r where r.user_id = u.id) codes,
        (select count(*) from one_time_tokens t where t.user_id = u.id and t.kind = 'change_email') changes
      from users u where u.id = $1::uuid`,
      [userId],
    );
  const ofPasskey = (does: 'rename' | 'remove', { passkey }: Person) =>
    `${SECURITY}/passkeys/${does}?passkey=${passkey?.id}`;
  const made = ({ body }: Visit) => ({
    passkey: newPasskey(service.baseUrl).creation(optionsIn(body, 'create')),
  });

  /** A form, by its page. */
  type Form = [what: string, path: string | ((of: Person) => string), fields?: (page: Visit) => object];
  const removeApp: Form = ['removes the app', `${SECURITY}/app/remove`];
  const makeCodes: Form = ['makes recovery codes', `${SECURITY}/codes/new`];
  const addPasskey: Form = ['adds a passkey', NEW, made];
  const rename: Form = ['renames one', (of) => ofPasskey('rename', of), () => ({ name: 'Phone' })];
  const remove: Form = ['removes one', (of) => ofPasskey('remove', of)];
  const changeAddress: Form = ['changes the address', '/account/email', () => ({ new_email: 'a@b.example' })];

  async function refused(of: Person, [, path, fields]: Form, proof: Record<string, string>, missing: string) {
    const before = await waysIn(of);
    const address = typeof path === 'string' ? path : path(of);
    const page = await of.browser.get(address);
    const answer = await of.browser.post(address, { ...page.hidden, ...fields?.(page), ...proof });
    expect([answer.status, fieldError(answer.body, missing)]).toEqual([400, expect.any(String)]);
    expect(await waysIn(of)).toEqual(before);
  }

  test.each<Form>([
    removeApp,
    makeCodes,
    addPasskey,
    rename,
    remove,
    changeAddress,
    ['changes the password', '/account/password', () => ({ new_password: NEW_PASSWORD })],
    ['gives the password up', `${SECURITY}/password/remove`],
  ])('with the password alone, where there is more: %s', (...form) =>
    refused(strong, form, { current_password: PASSWORD }, 'confirmation_code'),
  );

  test.each<Form>([
    [
      'sets an app up',
      `${SECURITY}/app`,
      (page) => ({ code: codeOf(service, wordsIn(page, 'key').replaceAll(' ', '')) }),
    ],
    addPasskey,
    ['adds the one that is offered', OFFER, made],
    changeAddress,
    ['changes the password', '/account/password', () => ({ new_password: NEW_PASSWORD })],
  ])('without the password: %s', (...form) => refused(plain, form, {}, 'current_password'));

  test.each<Form>([
    ['chooses a password', `${SECURITY}/password`, () => ({ new_password: NEW_PASSWORD })],
    removeApp,
    makeCodes,
    addPasskey,
    rename,
    remove,
    changeAddress,
  ])('without a code, where there is no password: %s', (...form) =>
    refused(without, form, {}, 'confirmation_code'),
  );

  test('with a code of the app, where there is no password: it is one factor, and alone', () =>
    refused(
      without,
      makeCodes,
      { confirmation_code: codeOf(service, without.secret ?? '') },
      'confirmation_code',
    ));
});

describe('is told by mail, with the link against it, and in the log', () => {
  let user: TestUser;
  let browser: BrowserSession;
  /** The passkey, once it is made. */
  let id: string;
  beforeAll(async () => {
    user = await service.createUser({ locale: 'en', emailVerified: true });
    browser = await signedInBrowser(service, user);
  });

  /** Sends the form of a page of the account. */
  const send = async (path: string, fields: Record<string, string> = {}) => {
    const page = await browser.get(`${SECURITY}${path}`);
    expect((await browser.post(`${SECURITY}${path}`, { ...page.hidden, ...fields })).status).toBe(303);
  };
  const addPasskey = async () => {
    id = (await enrol(browser, service)).passkey.id;
  };
  const addApp = async () => {
    await setUpApp(service, browser);
  };

  // One person's, in this order.
  test.each<[kind: string, mail: string, detail: object, change: () => Promise<unknown>]>([
    ['passkey_added', 'A passkey was added to', { name: 'Passkey' }, addPasskey],
    [
      'passkey_renamed',
      'A passkey of',
      { name: 'Phone' },
      () => send(`/passkeys/rename?passkey=${id}`, { name: 'Phone' }),
    ],
    ['app_added', 'Authenticator app added to', {}, addApp],
    ['recovery_codes_made', 'New recovery codes for', {}, () => send('/codes/new')],
    [
      'passkey_removed',
      'A passkey was removed from',
      { name: 'Phone' },
      () => send(`/passkeys/remove?passkey=${id}`),
    ],
    ['app_removed', 'Authenticator app removed from', {}, () => send('/app/remove')],
  ])('%s', async (kind, words, detail, change) => {
    const events = () => listEvents(service.parts.database, { userId: user.userId }, { limit: 50 });
    const before = { mails: (await mailsTo(service, user.email)).length, events: (await events()).length };
    await change();
    const mails = await mailsTo(service, user.email);
    const [mail, ...others] = mails.slice(0, mails.length - before.mails);
    expect(mail?.subject).toContain(words);
    expect(linkIn(mail ?? { text: '' })).toMatch(/^\/security\/not-me\?token=/);
    expect(others).toEqual([]);
    const written = await events();
    expect(written.slice(0, written.length - before.events)).toMatchObject([
      { kind, actorId: user.userId, userId: user.userId, address: '127.0.0.1', detail },
    ]);
  });
});

test('an app is set up with the secret that its own account was shown, and with no other’s', async () => {
  const mine = await signedInBrowser(service, await service.createUser());
  const theirs = await signedInBrowser(service, await service.createUser());
  const [own, foreign] = [await mine.get(`${SECURITY}/app`), await theirs.get(`${SECURITY}/app`)];
  const code = codeOf(service, wordsIn(foreign, 'key').replaceAll(' ', ''));
  const refused = await mine.post(`${SECURITY}/app`, {
    ...own.hidden,
    secret: foreign.hidden.secret ?? '',
    code,
  });
  expect(fieldError(refused.body, 'code')).toBeTruthy();
});

test('the same page sets an app up again after it was removed', async () => {
  const user = await service.createUser();
  const browser = await signedInBrowser(service, user);
  const page = await browser.get(`${SECURITY}/app`);
  await setUpApp(service, browser, page);
  const remove = await browser.get(`${SECURITY}/app/remove`);
  expect((await browser.post(`${SECURITY}/app/remove`, remove.hidden)).location?.search).toBe(
    '?done=app-removed',
  );
  await setUpApp(service, browser, page);
  expect((await findFactors(service.parts.database, user.userId)).appSince).not.toBeNull();
});

describe('recovery codes that were just made', () => {
  const CODES = `${SECURITY}/codes`;

  test('are shown once: loaded again, the page says so and leads to new ones', async () => {
    const { browser, codes } = await protect(service);
    const gone = await browser.get(CODES);
    expect(gone.status).toBe(200);
    expect(gone.body).toContain('were shown once');
    expect(gone.body).toContain(`href="${CODES}/new"`);
    expect(codes.some((code) => gone.body.includes(code))).toBe(false);
  });
});
