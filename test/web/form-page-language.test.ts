// What was typed into a form survives a change of language, by a button of that form at the page's foot, which does nothing else.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { at, CALLBACK, NEW, REGISTRATION, SETTINGS, sendFields } from '../support/console.ts';
import { databaseContent, settledContent } from '../support/database-content.ts';
import { authorizeAddress, signedInBrowser } from '../support/flow.ts';
import { elementsOf, formErrors, headingOf, inputOf, textIn } from '../support/markup.ts';
import { sql } from '../support/populate.ts';
import { PASSWORD, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** The button to the other language. */
const otherLanguage = ({ body }: Visit) =>
  elementsOf(body).find(({ name, attributes: { lang } }) => name === 'button' && lang !== undefined)
    ?.attributes;

/** Presses it, with what is typed in the form that it belongs to. */
async function turn(browser: BrowserSession, page: Visit, typed: Parameters<typeof sendFields>[2]) {
  return sendFields(browser, otherLanguage(page)?.formaction ?? '', { ...page.hidden, ...typed });
}

const languageOf = ({ body }: Visit) => elementsOf(body)[0]?.attributes.lang;
const TYPED = { name: 'Zoé Lefèvre', email: 'zoe@example.org', password: 'bleuet orage tuile lampe' };

describe('the button to another language', () => {
  test('belongs to the form in which something can be typed, after all of its own, and asks for no value', async () => {
    const { body } = await openBrowserSession(service.baseUrl).get('/signin');
    const [button] = elementsOf(body).filter(({ attributes: { lang } }) => lang === 'fr');
    expect(button).toEqual({
      name: 'button',
      attributes: {
        ...{ type: 'submit', form: 'typed', formaction: '/signin?lang=fr', formnovalidate: '', lang: 'fr' },
      },
    });
    const forms = elementsOf(body).filter(({ attributes: { id } }) => id === 'typed');
    expect(forms.map(({ attributes: { action } }) => action)).toEqual(['/signin']);
    expect(body.indexOf('type="submit"')).toBeLessThan(body.indexOf('form="typed"'));
  });

  test('is a link where nothing that could be typed would come along', async () => {
    const browser = await signedInBrowser(service, await service.createUser());
    for (const path of ['/', '/account', '/account/picture', '/account/sessions', '/account/password'])
      expect(otherLanguage(await browser.get(path)), path).toBeUndefined();
    expect(otherLanguage(await browser.get('/account/profile'))?.form).toBe('typed');
  });
});

describe('what was typed', () => {
  test('survives on sign-up, without the password; no account is made, and nothing is held against anybody', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const empty = await browser.get('/signup');
    const before = await databaseContent(service.databaseUrl);
    const page = await turn(browser, empty, TYPED);
    expect([page.status, languageOf(page), formErrors(page.body)]).toEqual([200, 'fr', []]);
    expect([inputOf(page.body, 'name')?.value, inputOf(page.body, 'email')?.value]).toEqual([
      TYPED.name,
      TYPED.email,
    ]);
    expect(inputOf(page.body, 'password')).not.toHaveProperty('value');
    expect(page.body).not.toContain('bleuet');
    expect(await databaseContent(service.databaseUrl)).toEqual(before);
    expect(languageOf(await browser.get('/signup')), 'remembered').toBe('fr');
  });

  test('survives on the way to an application, which goes on; right or wrong, no password is tried', async () => {
    const user = await service.createUser();
    const application = await service.createApplication();
    const browser = openBrowserSession(service.baseUrl);
    let page = await browser.follow(await browser.get(authorizeAddress(service, application)));
    const before = await databaseContent(service.databaseUrl);
    for (const [password, language] of [
      ['wrong', 'fr'],
      [user.password, 'en'],
    ] as const) {
      page = await turn(browser, page, { email: user.email, password });
      expect([page.status, languageOf(page)]).toEqual([200, language]);
      expect([inputOf(page.body, 'email')?.value, formErrors(page.body)]).toEqual([user.email, []]);
      expect(page.body).toContain('client.example');
    }
    expect(await databaseContent(service.databaseUrl)).toEqual(before);
    const { email, password } = user;
    const answer = await browser.post('/signin', { ...page.hidden, email, password });
    expect(headingOf((await browser.follow(answer)).body)).toContain('Carnet');
  });

  test('survives where a form says more than an address can carry: an application that is being registered', async () => {
    const user = await service.createUser({ emailVerified: true });
    const browser = await signedInBrowser(service, user);
    const long = `${CALLBACK}/${randomBytes(6000).toString('base64url')}`;
    const fields = { ...REGISTRATION, name: 'Carnet rouge', scopes: ['openid'], redirect_uris: long };
    const page = await turn(browser, await browser.get(NEW), fields);
    expect([page.status, languageOf(page), formErrors(page.body)]).toEqual([200, 'fr', []]);
    expect(inputOf(page.body, 'name')?.value).toBe('Carnet rouge');
    expect(page.body).toContain(long);
    const ticked = elementsOf(page.body).filter(
      ({ attributes: { name, checked } }) => name === 'scopes' && checked !== undefined,
    );
    expect(ticked.map(({ attributes: { value } }) => value)).toEqual(['openid']);
    expect(
      await sql(service.parts.database, 'select from clients where owner_id = $1::uuid', [user.userId]),
    ).toEqual([]);
  });

  test('survives where details are changed, though they would be refused, or need a proof; nothing is changed', async () => {
    const owner = await service.createUser({ emailVerified: true });
    const { clientId } = await service.createApplication({ ownerId: owner.userId });
    const browser = await signedInBrowser(service, owner);
    service.clock.advance(3600);
    const before = await settledContent(service.databaseUrl);
    for (const [typed, language] of [
      [{ name: '', redirect_uris: 'no address' }, 'fr'],
      [{ name: 'Carnet vert', redirect_uris: `${CALLBACK}/green` }, 'en'],
    ] as const) {
      const fields = { ...SETTINGS, ...typed, current_password: PASSWORD };
      const edited = await browser.get(at(clientId, '/edit'));
      const page = await turn(browser, edited, fields);
      expect([page.status, languageOf(page), formErrors(page.body)]).toEqual([200, language, []]);
      expect(inputOf(page.body, 'name')?.value).toBe(typed.name);
      expect(page.body).toContain(typed.redirect_uris);
      expect(page.body).not.toContain(PASSWORD);
    }
    expect(await settledContent(service.databaseUrl)).toEqual(before);
  });

  test('comes along with the faults of the form, said in that language, and is sent as ever afterwards', async () => {
    const browser = await signedInBrowser(service, await service.createUser());
    const { hidden } = await browser.get('/account/profile');
    const refused = await browser.post('/account/profile', {
      ...hidden,
      name: '',
      phone: '',
      language: 'auto',
    });
    expect(formErrors(refused.body)).toEqual(['Enter your name.']);
    const page = await turn(browser, refused, { name: 'Ada Byron', phone: '', language: 'auto' });
    expect([page.status, formErrors(page.body), inputOf(page.body, 'name')?.value]).toEqual([
      400,
      ['Saisissez votre nom.'],
      'Ada Byron',
    ]);
    const saved = await browser.post('/account/profile', {
      ...page.hidden,
      ...{ name: 'Ada Byron', phone: '', language: 'auto' },
    });
    expect(saved.location?.search).toBe('?done=saved');
  });

  test('comes along with the reason why nobody was let in, and with what was done before', async () => {
    const stranger = openBrowserSession(service.baseUrl);
    const { hidden } = await stranger.get('/signin');
    const typed = { email: TYPED.email, password: 'wrong' };
    const refused = await stranger.post('/signin', { ...hidden, ...typed });
    expect(formErrors(refused.body)).toHaveLength(1);
    const french = await turn(stranger, refused, typed);
    expect(french.status).toBe(401);
    expect(textIn(french.body)).toContain('ou mot de passe incorrect.');

    const browser = await signedInBrowser(service, await service.createUser());
    const saved = await browser.get('/account/profile?done=saved');
    expect(textIn(saved.body)).toContain('Your profile has been saved.');
    const turned = await turn(browser, saved, { name: 'Ada Byron', phone: '', language: 'auto' });
    expect(textIn(turned.body)).toContain('Votre profil a été enregistré.');
    expect(inputOf(turned.body, 'name')?.value).toBe('Ada Byron');
  });

  test('leaves the rest of the address as it is', async () => {
    const user = await service.createUser();
    const browser = await signedInBrowser(service, user);
    const page = await browser.get('/signin?another=1');
    const french = await turn(browser, page, { email: TYPED.email, password: '' });
    expect(inputOf(french.body, 'email')?.value).toBe(TYPED.email);
    for (const { body } of [page, french]) expect(body).toContain(`<a href="/account">`);
  });

  test('comes along again and again, each time as it was typed last', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get('/signup');
    for (const name of ['Zoé', 'Zoé', 'Ada'])
      expect(inputOf((await turn(browser, page, { ...TYPED, name })).body, 'name')?.value).toBe(name);
  });
});

describe('a language that is sent', () => {
  test('and is none of ours changes nothing: the form is taken as it is', async () => {
    const browser = openBrowserSession(service.baseUrl);
    for (const lang of ['tlh', '', 'fr%00', 'FR']) {
      const { hidden } = await browser.get('/signup');
      const page = await browser.post(`/signup?lang=${lang}`, { ...hidden, ...TYPED, name: '' });
      expect([page.status, languageOf(page)], lang).toEqual([400, 'en']);
    }
  });

  test('by another browser, or after its cookie is gone, carries nothing: the page is shown in that language', async () => {
    const page = await openBrowserSession(service.baseUrl).get('/signup');
    const other = openBrowserSession(service.baseUrl);
    await other.get('/signup');
    for (const browser of [other, openBrowserSession(service.baseUrl)]) {
      const answer = await turn(browser, page, TYPED);
      const shown = await browser.follow(answer);
      expect([shown.status, languageOf(shown), inputOf(shown.body, 'name')?.value ?? '']).toEqual([
        200,
        'fr',
        '',
      ]);
    }
  });

  test('by another site, or with the token of another session, is refused as every form is', async () => {
    const user = await service.createUser();
    const [one, two] = [await signedInBrowser(service, user), await signedInBrowser(service, user)];
    const fields = { name: 'Mallory', phone: '', language: 'auto' };
    const page = await one.get('/account/profile');
    expect((await turn(two, page, fields)).status).toBe(403);
    const foreign = { ...page.hidden, ...fields };
    for (const path of ['/account/profile?lang=fr', '/signup?lang=fr'])
      expect((await one.post(path, foreign, { 'sec-fetch-site': 'cross-site' })).status, path).toBe(403);
  });

  test('after the session is over asks to sign in, in that language, and what was typed is there again', async () => {
    const user = await service.createUser();
    const browser = await signedInBrowser(service, user);
    const page = await browser.get('/account/profile');
    service.clock.advance(service.parts.config.sessionTtl + 1);
    const answer = await turn(browser, page, { name: 'Ada Byron', phone: '', language: 'auto' });
    const asked = await browser.follow(answer);
    expect([asked.status, languageOf(asked)]).toEqual([200, 'fr']);
    const { email, password } = user;
    const again = await browser.follow(await browser.post('/signin', { ...asked.hidden, email, password }));
    expect([languageOf(again), inputOf(again.body, 'name')?.value]).toEqual(['fr', 'Ada Byron']);
    expect(textIn(again.body)).toContain('rien n’est encore enregistré');
    const english = await turn(browser, again, { name: 'Ada King', phone: '', language: 'auto' });
    expect(inputOf(english.body, 'name')?.value).toBe('Ada King');
    expect(textIn(english.body)).toContain('nothing has been saved yet');
  });
});
