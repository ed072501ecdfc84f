// /account, /account/profile, /account/picture: what a person says of themselves, and what applications see of it (D20).
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { statement } from '../../../src/store/statement.ts';
import { findUserByEmail } from '../../../src/store/users.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { authorizeAddress, newPerson, obtainTokens, signedInBrowser, userinfo } from '../../support/flow.ts';
import { elementsOf, fieldError, formErrors, inputOf } from '../../support/markup.ts';
import { type TestService, type TestUser, useTestService } from '../../support/service.ts';
import { samplePicture, upload } from '../../support/upload.ts';

const service = useTestService();

interface Person {
  user: TestUser;
  browser: BrowserSession;
  csrf: string;
}

async function enter(fields: Parameters<TestService['createUser']>[0] = {}): Promise<Person> {
  const { user, browser } = await newPerson(service, fields);
  const { csrf = '' } = (await browser.get('/account')).hidden;
  return { user, browser, csrf };
}

/** Sends the profile form: the name as it is, no telephone, the browser's language, unless told. */
const save = (
  { browser, csrf, user }: Person,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Visit> =>
  browser.post(
    '/account/profile',
    { csrf, name: user.name, phone: '', language: 'auto', ...fields },
    headers,
  );

const find = async ({ user }: Person) => findUserByEmail(service.parts.database, user.email);

const EVENTS = statement(
  'test_events_of',
  'select kind, detail, address from events where user_id = $1 order by id',
);
const eventsOf = ({ user }: Person) =>
  service.parts.database.query<{ kind: string; detail: object; address: string }>(EVENTS, [user.userId]);
const kindsOf = async (person: Person) => (await eventsOf(person)).map(({ kind }) => kind);

const picture = async (color?: string, format?: 'png' | 'jpeg' | 'webp' | 'gif') => ({
  name: 'picture',
  content: await samplePicture(color, format),
  fileName: 'me.png',
});
const avatarOf = (page: string): string =>
  elementsOf(page).find(({ attributes }) => attributes.class?.startsWith('avatar'))?.attributes.src ?? '';

describe('the home address', () => {
  test('leads whoever is signed in to their account, in the language that was chosen', async () => {
    const { browser } = await enter();
    for (const [from, to] of [
      ['/', '/account'],
      ['/?signed-out=1', '/account'],
      ['/?lang=fr', '/account?lang=fr'],
    ] as const) {
      const { status, location } = await browser.get(from);
      expect([status, `${location?.pathname}${location?.search}`]).toEqual([303, to]);
    }
  });
});

describe('the overview', () => {
  test('says who one is and leads to every part', async () => {
    const { browser, user } = await enter({ name: 'Zoé <b>', phone: '+33612345678' });
    const { body } = await browser.get('/account');
    expect(body).toContain('<h1>Hello Zoé &lt;b&gt;</h1>');
    for (const words of [
      user.email,
      'not verified yet',
      '+33\u00a06\u00a012\u00a034\u00a056\u00a078',
      'Same as your browser',
    ])
      expect(body).toContain(words);
    for (const part of ['profile', 'email', 'password', 'sessions', 'applications', 'data'])
      expect(body).toContain(`href="/account/${part}"`);
  });

  test('names five applications and counts the rest', async () => {
    const { browser } = await enter();
    for (let i = 1; i <= 6; i += 1) {
      const application = await service.createApplication({ name: `Carnet ${i}` });
      const page = await browser.follow(await browser.get(authorizeAddress(service, application)));
      await browser.post('/consent', { ...page.hidden, decision: 'allow' });
      service.clock.advance(1);
    }
    const { body } = await browser.get('/account');
    expect([...body.matchAll(/<dt><bdi>([^<]*)</g)].map(([, name]) => name)).toEqual(
      [6, 5, 4, 3, 2].map((i) => `Carnet ${i}`),
    );
    expect(body).toContain('See what they receive, and 1 more');
  });
});

describe('the profile', () => {
  test('is kept, said, and seen by applications at once', async () => {
    const person = await enter();
    const { accessToken } = await obtainTokens(service, await service.createApplication(), person.browser, {
      scope: 'openid profile phone',
    });
    const before = (await userinfo(service, accessToken)).body;
    service.clock.advance(5);
    const answer = await save(person, { name: '  Zoé  Müller ', phone: '06 12 34 56 78' });
    expect([answer.status, answer.location?.search]).toEqual([303, '?done=saved']);
    expect((await person.browser.follow(answer)).body).toContain('Your profile has been saved.');
    const { body } = await userinfo(service, accessToken);
    expect(body).toMatchObject({ name: 'Zoé Müller', phone: '+33612345678' });
    expect(Date.parse(String(body.updated_at))).toBeGreaterThan(Date.parse(String(before.updated_at)));
    expect((await eventsOf(person)).at(-1)).toEqual({
      kind: 'profile_changed',
      detail: { fields: ['name', 'phone'] },
      address: '127.0.0.1',
    });
  });

  test('updated_at stands when nothing changes, and when only the language does (D20)', async () => {
    const person = await enter();
    const before = (await find(person))?.profileUpdatedAt;
    service.clock.advance(60);
    expect((await save(person, {})).status).toBe(303);
    expect(await kindsOf(person)).not.toContain('profile_changed');
    await save(person, { language: 'fr' });
    expect((await eventsOf(person)).at(-1)?.detail).toEqual({ fields: ['language'] });
    await signedInBrowser(service, person.user);
    expect((await find(person))?.profileUpdatedAt).toEqual(before);
    await save(person, { phone: '0612345678' });
    expect((await find(person))?.profileUpdatedAt).not.toEqual(before);
  });

  test('a national number is of the browser’s country; emptied, it is gone from userinfo (D20)', async () => {
    const person = await enter();
    await save(person, { phone: '07400 123456' }, { 'accept-language': 'en-GB' });
    expect((await find(person))?.phone).toBe('+447400123456');
    await save(person, { phone: ' ' });
    expect((await find(person))?.phone).toBeNull();
  });

  test.each([
    ['no name', { name: ' \u202e ' }, 'name', 'Enter your name.'],
    ['a name too long', { name: 'x'.repeat(101) }, 'name', '100 characters or fewer'],
    ['no telephone number', { phone: '"><b>12' }, 'phone', 'country code'],
  ])('%s: 400 at the field, everything typed is kept, nothing is saved', async (_, fields, field, text) => {
    const person = await enter();
    const before = await find(person);
    const { status, body } = await save(person, { name: 'Grace', phone: '+44', language: 'fr', ...fields });
    expect(status).toBe(400);
    expect(fieldError(body, field)).toContain(text);
    expect(formErrors(body).length).toBeGreaterThan(0);
    if (field === 'phone') expect(inputOf(body, 'name')?.value).toBe('Grace');
    expect(inputOf(body, 'phone')?.value).toBe((fields as { phone?: string }).phone ?? '+44');
    expect(
      elementsOf(body).find(({ attributes }) => attributes.id === 'language-fr')?.attributes.checked,
    ).toBe('');
    expect(await find(person)).toEqual(before);
  });
});

test('fields that are not on the profile form change nothing', async () => {
  const [person, other] = [await enter(), await enter()];
  const before = await find(person);
  const { userId } = other.user;
  const ids = { id: userId, user_id: userId, userId };
  const more = { operator: 'true', email: 'x@example.org', email_verified: 'true', picture_hash: 'x' };
  expect((await save(person, { ...more, ...ids, name: 'Grace' })).status).toBe(303);
  expect(await find(person)).toEqual({ ...before, name: 'Grace', profileUpdatedAt: expect.any(Date) });
  expect((await find(other))?.name).toBe(other.user.name);
});

describe('the language of the account (D31)', () => {
  const languageOf = ({ body }: Visit) => /<html lang="(..)">/.exec(body)?.[1];

  test('is that of pages wherever nothing else was chosen: the browser’s choice and the application’s wish come first', async () => {
    const person = await enter();
    await save(person, { language: 'fr' });
    const elsewhere = await signedInBrowser(service, person.user);
    expect(languageOf(await elsewhere.get('/account'))).toBe('fr');
    const application = await service.createApplication();
    const consent = (parameters = {}) =>
      elsewhere
        .get(authorizeAddress(service, application, parameters))
        .then((visit) => elsewhere.follow(visit));
    expect(languageOf(await consent())).toBe('fr');
    expect(languageOf(await consent({ ui_locales: 'en' }))).toBe('en');
    await elsewhere.get('/account?lang=en');
    expect(languageOf(await elsewhere.get('/account'))).toBe('en');
  });

  test('chosen in the profile it counts in this browser too, whatever was chosen there before', async () => {
    const person = await enter();
    await person.browser.get('/account?lang=fr');
    expect(languageOf(await person.browser.follow(await save(person, { language: 'en' })))).toBe('en');
    expect(languageOf(await person.browser.get('/account', { 'accept-language': 'fr' }))).toBe('en');
    await save(person, { language: 'auto' });
    expect(languageOf(await person.browser.get('/account', { 'accept-language': 'fr' }))).toBe('fr');
    expect(languageOf(await person.browser.get('/account', { 'accept-language': 'en' }))).toBe('en');
  });

  test('a new account speaks the language in which it was made', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await browser.get('/signup');
    const fields = { name: 'Ada', email: 'speaks@example.org', password: 'un mot de passe bien long' };
    await browser.post('/signup', { ...hidden, ...fields });
    const again = await signedInBrowser(service, { ...fields, userId: '' });
    expect(languageOf(await again.get('/account', { 'accept-language': 'fr' }))).toBe('en');
  });
});

describe('the picture', () => {
  test('is made 256 × 256, shown at an address of its own, and is the avatar of userinfo (D20)', async () => {
    const person = await enter();
    const application = await service.createApplication();
    const { accessToken } = await obtainTokens(service, application, person.browser);
    const before = (await userinfo(service, accessToken)).body;
    expect(before.avatar).toContain('/avatars/initials/');
    service.clock.advance(5);
    const answer = await upload(person.browser, '/account/picture', { csrf: person.csrf }, await picture());
    expect([answer.status, answer.location?.search]).toEqual([303, '?done=changed']);
    const page = await person.browser.follow(answer);
    expect(page.body).toContain('Your picture has been updated.');

    const { body } = await userinfo(service, accessToken);
    expect(body.avatar).toBe(service.baseUrl + avatarOf(page.body));
    expect(Date.parse(String(body.updated_at))).toBeGreaterThan(Date.parse(String(before.updated_at)));
    const image = await fetch(String(body.avatar));
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/webp']);
    const { width, height } = await sharp(Buffer.from(await image.arrayBuffer())).metadata();
    expect([width, height]).toEqual([256, 256]);
    expect(await kindsOf(person)).toContain('picture_changed');
    for (const path of ['/account', '/account/profile'])
      expect((await person.browser.get(path)).body).toContain(avatarOf(page.body));
    const consent = await person.browser.get(authorizeAddress(service, application, { prompt: 'consent' }));
    expect((await person.browser.follow(consent)).body).toContain(avatarOf(page.body));
  });

  test('has another address when it is another picture, the same when it is the same; removed, initials are back', async () => {
    const { browser, csrf, ...person } = await enter();
    const put = async (color: string) =>
      avatarOf(
        (await browser.follow(await upload(browser, '/account/picture', { csrf }, await picture(color))))
          .body,
      );
    const red = await put('#ff0000');
    const updatedAt = (await find({ browser, csrf, ...person }))?.profileUpdatedAt;
    service.clock.advance(5);
    expect(await put('#ff0000')).toBe(red);
    expect((await find({ browser, csrf, ...person }))?.profileUpdatedAt, 'the same is no change').toEqual(
      updatedAt,
    );
    expect(await put('#00ff00')).not.toBe(red);
    const answer = await browser.post('/account/picture/remove', { csrf });
    expect(answer.location?.search).toBe('?done=removed');
    const page = await browser.follow(answer);
    expect(avatarOf(page.body)).toContain('/avatars/initials/');
    expect(page.body).not.toContain('action="/account/picture/remove"');
    const again = await browser.post('/account/picture/remove', { csrf });
    expect(again.status).toBe(303);
    expect(
      (await kindsOf({ browser, csrf, ...person })).filter((kind) => kind === 'picture_removed'),
    ).toHaveLength(1);
  });

  /** A part of a form with files whose boundary is `b`. */
  const part = (name: string, value: string, header = '') =>
    `--b\r\ncontent-disposition: form-data; name="${name}"${header}\r\n\r\n${value}\r\n`;
  const sendParts = (browser: BrowserSession, parts: string, headers = {}) =>
    browser.send('/account/picture', {
      method: 'POST',
      body: `${parts}--b--\r\n`,
      headers: {
        ...headers,
        'content-type': 'multipart/form-data; boundary=b',
        'sec-fetch-site': 'same-origin',
      },
    });

  test('a form of 20,000 parts is refused with 400', async () => {
    const { browser, csrf } = await enter();
    const parts = part('csrf', csrf) + part('x', '1').repeat(20_000);
    const { status, body } = await sendParts(browser, parts, { accept: 'application/json' });
    expect([status, JSON.parse(body).error_description]).toEqual([400, 'The form has too many parts.']);
  });
});
