// The address that was typed is not typed twice: it comes along between the pages by which one enters, in this browser only.
import { describe, expect, test } from 'vitest';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { authorizeAddress } from '../support/flow.ts';
import { elementsOf, inputOf } from '../support/markup.ts';
import { PASSWORD, useTestService } from '../support/service.ts';

const service = useTestService();

const TYPED = 'zoe.mueller+notes@example.org';

/** The links of a page that lead to a path. */
const linksTo = (visit: Visit, path: string): string[] =>
  elementsOf(visit.body).flatMap(({ name, attributes }) =>
    name === 'a' && attributes.href?.split('?')[0] === path ? [attributes.href] : [],
  );

/** Follows the first link to a path. */
const go = (browser: BrowserSession, visit: Visit, path: string): Promise<Visit> => {
  const [link] = linksTo(visit, path);
  if (link === undefined) throw new Error(`no link to ${path}`);
  return browser.get(link);
};

async function refusedAtSignIn(): Promise<{ browser: BrowserSession; visit: Visit }> {
  const browser = openBrowserSession(service.baseUrl);
  const { hidden } = await browser.get('/signin');
  return { browser, visit: await browser.post('/signin', { ...hidden, email: TYPED, password: 'wrong' }) };
}

describe('the address typed at sign-in', () => {
  test.each(['/signup', '/password/forgot'])('is at %s already, and again on the way back', async (path) => {
    const { browser, visit } = await refusedAtSignIn();
    const page = await go(browser, visit, path);
    expect(inputOf(page.body, 'email')?.value).toBe(TYPED);
    expect(inputOf((await go(browser, page, '/signin')).body, 'email')?.value).toBe(TYPED);
  });

  test('comes along on the way to an application, and in another language', async () => {
    const application = await service.createApplication();
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.follow(await browser.get(authorizeAddress(service, application)));
    const visit = await browser.post('/signin', { ...page.hidden, email: TYPED, password: 'wrong' });
    const signUp = await go(browser, visit, '/signup');
    expect([inputOf(signUp.body, 'email')?.value, signUp.hidden.pending]).toEqual([
      TYPED,
      expect.any(String),
    ]);
    const toFrench = elementsOf(signUp.body).find(({ attributes: { hreflang } }) => hreflang === 'fr');
    const french = toFrench?.attributes.href ?? '';
    expect(inputOf((await browser.get(french)).body, 'email')?.value).toBe(TYPED);
  });

  test('is to be read in no address, and means nothing in another browser', async () => {
    const { visit } = await refusedAtSignIn();
    const [link = ''] = linksTo(visit, '/signup');
    expect(decodeURIComponent(link)).not.toContain('example.org');
    const { body } = await openBrowserSession(service.baseUrl).get(link);
    expect(inputOf(body, 'email')?.value).toBe('');
  });
});

test('« exists already » leads to sign-in, where the address stands', async () => {
  const user = await service.createUser();
  const browser = openBrowserSession(service.baseUrl);
  const { hidden } = await browser.get('/signup');
  const fields = { ...hidden, name: 'Ada', email: user.email, password: PASSWORD };
  const visit = await browser.post('/signup', fields);
  expect(visit.status).toBe(400);
  const page = await go(browser, visit, '/signin');
  expect(inputOf(page.body, 'email')?.value).toBe(user.email);
  // The link stands in what is to be put right, and under the form.
  expect(linksTo(visit, '/signin')).toHaveLength(2);
});

test('a forgotten password: the address is there to ask again, and to sign in', async () => {
  const browser = openBrowserSession(service.baseUrl);
  const { hidden } = await browser.get('/password/forgot');
  const sent = await browser.follow(await browser.post('/password/forgot', { ...hidden, email: TYPED }));
  for (const path of ['/password/forgot', '/signin'])
    expect(inputOf((await go(browser, sent, path)).body, 'email')?.value, path).toBe(TYPED);
});
