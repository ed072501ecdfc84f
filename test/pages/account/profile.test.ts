// Profile, profile picture, and the claims that clients receive.
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { statement } from '../../../src/store/statement.ts';
import { findUserByEmail } from '../../../src/store/users.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { findInput, parseElements, readFieldError, readFormErrors } from '../../support/markup.ts';
import {
  buildAuthorizeUrl,
  createSignedInUser,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
} from '../../support/oauth-flow.ts';
import { type TestService, type TestUser, useTestService } from '../../support/service.ts';
import { createPicture, upload } from '../../support/upload.ts';

const service = useTestService();

interface SignedInUser {
  user: TestUser;
  browser: BrowserSession;
  csrf: string;
}

async function signInUser(fields: Parameters<TestService['createUser']>[0] = {}): Promise<SignedInUser> {
  const { user, browser } = await createSignedInUser(service, fields);
  const { csrf = '' } = (await browser.get('/account')).hidden;
  return { user, browser, csrf };
}

/** By default, submits the unchanged name and no phone number. */
const saveProfile = (
  { browser, csrf, user }: SignedInUser,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Visit> =>
  browser.post(
    '/account/profile',
    { csrf, name: user.name, phone: '', language: 'auto', ...fields },
    headers,
  );

const findUser = async ({ user }: SignedInUser) => findUserByEmail(service.services.database, user.email);

const LIST_EVENTS = statement(
  'test_events_of',
  'select kind, detail, ip from events where user_id = $1 order by id',
);
const readEvents = ({ user }: SignedInUser) =>
  service.services.database.query<{ kind: string; detail: object; address: string }>(LIST_EVENTS, [
    user.userId,
  ]);
const listEventKinds = async (signedIn: SignedInUser) => (await readEvents(signedIn)).map(({ kind }) => kind);

const createPictureFile = async (color?: string, format?: 'png' | 'jpeg' | 'webp' | 'gif') => ({
  name: 'picture',
  content: await createPicture(color, format),
  fileName: 'me.png',
});
const readAvatar = (page: string): string =>
  parseElements(page).find(({ attributes }) => attributes.class?.startsWith('avatar'))?.attributes.src ?? '';

describe('the home page', () => {
  test('redirects signed-in users to the account', async () => {
    const { browser } = await signInUser();
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

describe('the account overview', () => {
  test('shows the profile and links to every section', async () => {
    const { browser, user } = await signInUser({ name: 'Zoé <b>', phone: '+33612345678' });
    const { body } = await browser.get('/account');
    expect(body).toContain('<h1>Hello Zoé &lt;b&gt;</h1>');
    for (const text of [
      user.email,
      'not verified yet',
      '+33\u00a06\u00a012\u00a034\u00a056\u00a078',
      'Account created <time datetime=',
    ])
      expect(body).toContain(text);
    for (const part of ['profile', 'email', 'password', 'sessions', 'applications', 'activity', 'data'])
      expect(body).toContain(`href="/account/${part}"`);
  });

  test('lists at most five connected applications', async () => {
    const { browser } = await signInUser();
    for (let i = 1; i <= 6; i += 1) {
      const application = await service.createClient({ name: `Carnet ${i}` });
      const page = await browser.follow(await browser.get(buildAuthorizeUrl(service, application)));
      await browser.post('/consent', { ...page.hidden, decision: 'allow' });
      service.clock.advance(1);
    }
    const { body } = await browser.get('/account');
    expect([...body.matchAll(/<h3><bdi>([^<]*)</g)].map(([, name]) => name)).toEqual(
      [6, 5, 4, 3, 2].map((i) => `Carnet ${i}`),
    );
    expect(body).toContain('See what these and 1 more receive');
  });
});

describe('the profile form', () => {
  test('updates the claims that clients receive', async () => {
    const signedIn = await signInUser();
    const { accessToken } = await obtainTokens(service, await service.createClient(), signedIn.browser, {
      scope: 'openid profile phone',
    });
    const before = (await fetchUserinfo(service, accessToken)).body;
    service.clock.advance(5);
    const response = await saveProfile(signedIn, { name: '  Zoé  Müller ', phone: '06 12 34 56 78' });
    expect([response.status, response.location?.search]).toEqual([303, '?done=saved']);
    expect((await signedIn.browser.follow(response)).body).toContain('Your profile has been saved.');
    const { body } = await fetchUserinfo(service, accessToken);
    expect(body).toMatchObject({ name: 'Zoé Müller', phone: '+33612345678' });
    expect(Date.parse(String(body.updated_at))).toBeGreaterThan(Date.parse(String(before.updated_at)));
    expect((await readEvents(signedIn)).at(-1)).toEqual({
      kind: 'profile_changed',
      detail: { fields: ['name', 'phone'] },
      ip: '127.0.0.1',
    });
  });

  test('leaves updated_at unchanged if only the language changes', async () => {
    const signedIn = await signInUser();
    const before = (await findUser(signedIn))?.profileUpdatedAt;
    service.clock.advance(60);
    expect((await saveProfile(signedIn, {})).status).toBe(303);
    expect(await listEventKinds(signedIn)).not.toContain('profile_changed');
    await saveProfile(signedIn, { language: 'fr' });
    expect((await readEvents(signedIn)).at(-1)?.detail).toEqual({ fields: ['language'] });
    await openSignedInBrowser(service, signedIn.user);
    expect((await findUser(signedIn))?.profileUpdatedAt).toEqual(before);
    await saveProfile(signedIn, { phone: '0612345678' });
    expect((await findUser(signedIn))?.profileUpdatedAt).not.toEqual(before);
  });

  test('accepts national phone numbers of the region in Accept-Language', async () => {
    const signedIn = await signInUser();
    await saveProfile(signedIn, { phone: '07400 123456' }, { 'accept-language': 'en-GB' });
    expect((await findUser(signedIn))?.phone).toBe('+447400123456');
    await saveProfile(signedIn, { phone: ' ' });
    expect((await findUser(signedIn))?.phone).toBeNull();
  });

  test.each([
    ['no name', { name: ' \u202e ' }, 'name', 'Enter your name.'],
    ['an overlong name', { name: 'x'.repeat(101) }, 'name', '100 characters or fewer'],
    ['an invalid phone number', { phone: '"><b>12' }, 'phone', 'country code'],
  ])('is rejected with a field error if it has %s', async (_, fields, field, text) => {
    const signedIn = await signInUser();
    const before = await findUser(signedIn);
    const { status, body } = await saveProfile(signedIn, {
      name: 'Grace',
      phone: '+44',
      language: 'fr',
      ...fields,
    });
    expect(status).toBe(400);
    expect(readFieldError(body, field)).toContain(text);
    expect(readFormErrors(body).length).toBeGreaterThan(0);
    if (field === 'phone') expect(findInput(body, 'name')?.value).toBe('Grace');
    expect(findInput(body, 'phone')?.value).toBe((fields as { phone?: string }).phone ?? '+44');
    expect(
      parseElements(body).find(({ attributes }) => attributes.id === 'language-fr')?.attributes.checked,
    ).toBe('');
    expect(await findUser(signedIn)).toEqual(before);
  });
});

test('the profile form ignores unknown fields', async () => {
  const [signedIn, other] = [await signInUser(), await signInUser()];
  const before = await findUser(signedIn);
  const { userId } = other.user;
  const ids = { id: userId, user_id: userId, userId };
  const forgedFields = { admin: 'true', email: 'x@example.org', email_verified: 'true', picture_hash: 'x' };
  expect((await saveProfile(signedIn, { ...forgedFields, ...ids, name: 'Grace' })).status).toBe(303);
  expect(await findUser(signedIn)).toEqual({ ...before, name: 'Grace', profileUpdatedAt: expect.any(Date) });
  expect((await findUser(other))?.name).toBe(other.user.name);
});

describe('the language of an account', () => {
  const readLanguage = ({ body }: Visit) => /<html lang="(..)">/.exec(body)?.[1];

  test('is used for pages, but ui_locales overrides it', async () => {
    const signedIn = await signInUser();
    await saveProfile(signedIn, { language: 'fr' });
    const otherBrowser = await openSignedInBrowser(service, signedIn.user);
    expect(readLanguage(await otherBrowser.get('/account'))).toBe('fr');
    const application = await service.createClient();
    const openConsentPage = (parameters = {}) =>
      otherBrowser
        .get(buildAuthorizeUrl(service, application, parameters))
        .then((visit) => otherBrowser.follow(visit));
    expect(readLanguage(await openConsentPage())).toBe('fr');
    expect(readLanguage(await openConsentPage({ ui_locales: 'en' }))).toBe('en');
    await otherBrowser.get('/account?lang=en');
    expect(readLanguage(await otherBrowser.get('/account'))).toBe('en');
  });

  test('is stored in a cookie when the user changes it', async () => {
    const signedIn = await signInUser();
    await signedIn.browser.get('/account?lang=fr');
    expect(readLanguage(await signedIn.browser.follow(await saveProfile(signedIn, { language: 'en' })))).toBe(
      'en',
    );
    expect(readLanguage(await signedIn.browser.get('/account', { 'accept-language': 'fr' }))).toBe('en');
    await saveProfile(signedIn, { language: 'auto' });
    expect(readLanguage(await signedIn.browser.get('/account', { 'accept-language': 'fr' }))).toBe('fr');
    expect(readLanguage(await signedIn.browser.get('/account', { 'accept-language': 'en' }))).toBe('en');
  });

  test('is initially the language of the sign-up page', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await browser.get('/signup');
    const fields = { name: 'Ada', email: 'speaks@example.org', password: 'un mot de passe bien long' };
    await browser.post('/signup', { ...hidden, ...fields });
    const secondBrowser = await openSignedInBrowser(service, { ...fields, userId: '' });
    expect(readLanguage(await secondBrowser.get('/account', { 'accept-language': 'fr' }))).toBe('en');
  });
});

describe('the profile picture', () => {
  test('is resized to 256 × 256 pixels', async () => {
    const signedIn = await signInUser();
    const application = await service.createClient();
    const { accessToken } = await obtainTokens(service, application, signedIn.browser);
    const before = (await fetchUserinfo(service, accessToken)).body;
    expect(before.avatar).toContain('/avatars/initials/');
    service.clock.advance(5);
    const response = await upload(
      signedIn.browser,
      '/account/picture',
      { csrf: signedIn.csrf },
      await createPictureFile(),
    );
    expect([response.status, response.location?.search]).toEqual([303, '?done=changed']);
    const page = await signedIn.browser.follow(response);
    expect(page.body).toContain('Your picture has been updated.');

    const { body } = await fetchUserinfo(service, accessToken);
    expect(body.avatar).toBe(service.baseUrl + readAvatar(page.body));
    expect(Date.parse(String(body.updated_at))).toBeGreaterThan(Date.parse(String(before.updated_at)));
    const image = await fetch(String(body.avatar));
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/webp']);
    const { width, height } = await sharp(Buffer.from(await image.arrayBuffer())).metadata();
    expect([width, height]).toEqual([256, 256]);
    expect(await listEventKinds(signedIn)).toContain('picture_changed');
    for (const path of ['/account', '/account/profile'])
      expect((await signedIn.browser.get(path)).body).toContain(readAvatar(page.body));
    const consent = await signedIn.browser.get(
      buildAuthorizeUrl(service, application, { prompt: 'consent' }),
    );
    expect((await signedIn.browser.follow(consent)).body).toContain(readAvatar(page.body));
  });

  test('has a URL derived from the file content', async () => {
    const { browser, csrf, ...signedIn } = await signInUser();
    const uploadPicture = async (color: string) =>
      readAvatar(
        (
          await browser.follow(
            await upload(browser, '/account/picture', { csrf }, await createPictureFile(color)),
          )
        ).body,
      );
    const red = await uploadPicture('#ff0000');
    const updatedAt = (await findUser({ browser, csrf, ...signedIn }))?.profileUpdatedAt;
    service.clock.advance(5);
    expect(await uploadPicture('#ff0000')).toBe(red);
    expect(
      (await findUser({ browser, csrf, ...signedIn }))?.profileUpdatedAt,
      'uploading an identical picture changes nothing',
    ).toEqual(updatedAt);
    expect(await uploadPicture('#00ff00')).not.toBe(red);
    const response = await browser.post('/account/picture/remove', { csrf });
    expect(response.location?.search).toBe('?done=removed');
    const page = await browser.follow(response);
    expect(readAvatar(page.body)).toContain('/avatars/initials/');
    expect(page.body).not.toContain('action="/account/picture/remove"');
    const secondResponse = await browser.post('/account/picture/remove', { csrf });
    expect(secondResponse.status).toBe(303);
    expect(
      (await listEventKinds({ browser, csrf, ...signedIn })).filter((kind) => kind === 'picture_removed'),
    ).toHaveLength(1);
  });

  const buildPart = (name: string, value: string, header = '') =>
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

  test('is rejected with 400 if the form has 20,000 parts', async () => {
    const { browser, csrf } = await signInUser();
    const parts = buildPart('csrf', csrf) + buildPart('x', '1').repeat(20_000);
    const { status, body } = await sendParts(browser, parts, { accept: 'application/json' });
    expect([status, JSON.parse(body).error_description]).toEqual([400, 'The form has too many parts.']);
  });
});
