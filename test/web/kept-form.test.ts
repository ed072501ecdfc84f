// Nothing typed is thrown away because a session was over: the sign-in page says why it asks, and leads back to the form as it
// was, which only the account whose session it was is shown.
import { inflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findUserByEmail } from '../../src/store/users.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import {
  at,
  CALLBACK,
  credentialsOn,
  fill,
  NEW,
  REGISTRATION,
  register,
  SETTINGS,
  sendFields,
} from '../support/console.ts';
import { signedInBrowser, signIn } from '../support/flow.ts';
import { elementsOf, inputOf } from '../support/markup.ts';
import { PASSWORD, startTestService, type TestService, type TestUser } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const PROFILE = '/account/profile';
const TYPED = { name: 'Ada Byron', phone: '+33612345678', language: 'en' };

/** Somebody whose session ends while they fill in a form, and what its sending leads to. */
async function tooLate(
  path: string,
  fields: Record<string, string>,
): Promise<{ user: TestUser; browser: BrowserSession; asked: URL }> {
  const user = await service.createUser({ emailVerified: true });
  const browser = await signedInBrowser(service, user);
  const { hidden } = await browser.get(path);
  service.clock.advance(service.parts.config.sessionTtl + 1);
  const { status, location } = await browser.post(path, { ...hidden, ...fields });
  expect([status, location?.pathname]).toEqual([303, '/signin']);
  return { user, browser, asked: location as URL };
}

describe('a form whose session is over', () => {
  test('is there again after signing in, with what was typed; nothing was done, and it can be sent', async () => {
    const { user, browser, asked } = await tooLate(PROFILE, TYPED);
    const why = await browser.get(asked);
    expect(why.body).toContain('Your session has ended.');
    expect(why.body).toContain('what you typed has been kept');
    const page = await signIn(browser, user, why);
    expect(page.status).toBe(200);
    expect(inputOf(page.body, 'name')?.value).toBe('Ada Byron');
    expect(inputOf(page.body, 'phone')?.value).toContain('12');
    expect(page.body).toContain('nothing has been saved yet');
    expect((await findUserByEmail(service.parts.database, user.email))?.name).toBe(user.name);
    const saved = await browser.post(PROFILE, { ...page.hidden, ...TYPED });
    expect(saved.location?.search).toBe('?done=saved');
  });

  test('nothing of what proves who somebody is goes along, sealed or not', async () => {
    const proofs = {
      current_password: 'secret-1',
      confirmation_code: 'secret-2',
      confirmation_passkey: 'secret-3',
      passkey: 'secret-4',
      code: 'secret-5',
    };
    const { asked } = await tooLate('/account/email', { new_email: 'ada@new.example', ...proofs });
    const kept =
      new URL(asked.searchParams.get('next') ?? '', service.baseUrl).searchParams.get('kept') ?? '';
    const opened = service.parts.sealer.open('kept-form', kept) ?? Buffer.alloc(0);
    const said = inflateRawSync(opened).toString();
    expect(said).toContain('ada%40new.example');
    expect(said).not.toContain('secret-');
  });

  test('survives a wrong password and a change of language on the way', async () => {
    const { user, browser, asked } = await tooLate(PROFILE, TYPED);
    const wrong = { ...(await browser.get(asked)).hidden, email: user.email, password: 'wrong' };
    const again = await browser.post('/signin', wrong);
    expect(again.status).toBe(401);
    const french = await browser.get(`/signin?next=${encodeURIComponent(again.hidden.next ?? '')}&lang=fr`);
    const page = await signIn(browser, user, french);
    expect(inputOf(page.body, 'name')?.value).toBe('Ada Byron');
    expect(page.body).toContain('lang="fr"');
  });

  test('an application that was being registered is there again, boxes and all', async () => {
    const user = await service.createUser({ emailVerified: true });
    const browser = await signedInBrowser(service, user);
    const { hidden } = await browser.get(NEW);
    service.clock.advance(service.parts.config.sessionTtl + 1);
    const sent = await sendFields(browser, NEW, {
      ...REGISTRATION,
      ...hidden,
      name: 'Kept',
      scopes: ['openid'],
    });
    const page = await signIn(browser, user, await browser.follow(sent));
    expect(inputOf(page.body, 'name')?.value).toBe('Kept');
    const ticked = elementsOf(page.body).filter(
      ({ attributes }) => attributes.name === 'scopes' && 'checked' in attributes,
    );
    expect(ticked.map(({ attributes }) => attributes.value)).toEqual(['openid']);
  });

  test('is shown to no other account that signs in there', async () => {
    const { browser, asked } = await tooLate(PROFILE, TYPED);
    const other = await service.createUser({ name: 'Grace' });
    const page = await signIn(browser, other, await browser.get(asked));
    expect(inputOf(page.body, 'name')?.value).toBe('Grace');
    expect(page.body).not.toContain('Ada Byron');
  });

  test('is filled in in no other browser of its account: the form is shown there as it is stored', async () => {
    const user = await service.createUser({ emailVerified: true });
    const owner = await signedInBrowser(service, user);
    const { clientId } = credentialsOn(await register(owner));
    const thief = await signedInBrowser(service, user);
    const edit = at(clientId, '/edit');
    const { hidden } = await thief.get(edit);
    const chosen = 'four wandering otters 77';
    await fill(owner, '/account/password', { current_password: PASSWORD, new_password: chosen });
    const callback = 'https://thief.example/callback';
    const sent = await sendFields(thief, edit, { ...SETTINGS, ...hidden, redirect_uris: callback });
    expect([sent.status, sent.location?.pathname]).toEqual([303, '/signin']);
    const link = sent.location?.searchParams.get('next') ?? '';
    expect(link).toMatch(/^\/console\/applications\/[^/]+\/edit\?kept=/);
    const page = await owner.get(link);
    expect(page.status).toBe(200);
    expect(page.body).toContain(CALLBACK);
    expect(page.body).not.toContain('thief.example');
    expect(page.body).not.toContain('nothing has been saved yet');
  });

  test('is not kept where the browser has no id that it could be kept for', async () => {
    const user = await service.createUser();
    const browser = await signedInBrowser(service, user);
    const { hidden } = await browser.get(PROFILE);
    service.clock.advance(service.parts.config.sessionTtl + 1);
    for (const name of browser.cookies.keys()) if (name.includes('browser')) browser.cookies.delete(name);
    const { location } = await browser.post(PROFILE, { ...hidden, ...TYPED });
    expect([location?.pathname, location?.search]).toEqual(['/signin', expect.not.stringContaining('kept')]);
  });

  test('nor is it kept from another site, or with a token of another session', async () => {
    const user = await service.createUser();
    const browser = await signedInBrowser(service, user);
    const { hidden } = await browser.get(PROFILE);
    service.clock.advance(service.parts.config.sessionTtl + 1);
    const fields = { ...hidden, ...TYPED };
    const foreign = await browser.post(PROFILE, fields, { 'sec-fetch-site': 'cross-site' });
    const forged = await browser.post(PROFILE, { ...fields, csrf: 'x'.repeat(65) });
    for (const { location } of [foreign, forged]) {
      expect(location?.pathname).toBe('/signin');
      expect(location?.search).not.toContain('kept');
    }
  });

  test('passwords are not kept', async () => {
    const fields = { current_password: PASSWORD, new_password: 'another good password' };
    const { user, browser, asked } = await tooLate('/account/password', fields);
    const page = await signIn(browser, user, await browser.get(asked));
    for (const field of Object.keys(fields)) expect(inputOf(page.body, field)).not.toHaveProperty('value');
    for (const password of Object.values(fields)) expect(page.body).not.toContain(password);
  });
});

describe('the sign-in page says why it asks', () => {
  const isSaid = async (browser: BrowserSession, words: string) =>
    (await browser.follow(await browser.get('/account/sessions'))).body.includes(words);

  test('a session that is over', async () => {
    const browser = await signedInBrowser(service, await service.createUser());
    service.clock.advance(service.parts.config.sessionTtl + 1);
    expect(await isSaid(browser, 'Your session has ended.')).toBe(true);
  });

  test('a page that takes an account', async () => {
    expect(await isSaid(openBrowserSession(service.baseUrl), 'Sign in to open this page.')).toBe(true);
  });

  test('nothing where somebody came by themselves', async () => {
    const { body } = await openBrowserSession(service.baseUrl).get('/signin');
    expect(body).not.toContain('notice--attention');
  });
});
