// After sign-up the verification that waits is said and led to; verifying returns to where one came from, in the same browser.
import { describe, expect, test } from 'vitest';
import { type BrowserSession, openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { authorizeAddress } from '../../support/flow.ts';
import { codeIn, lastMailTo, linkIn } from '../../support/mail.ts';
import { elementsOf } from '../../support/markup.ts';
import { PASSWORD, useTestService } from '../../support/service.ts';

const service = useTestService();

let counter = 0;

async function signUp(browser: BrowserSession, page: Visit) {
  const email = `verifies${++counter}@example.org`;
  const fields = { ...page.hidden, name: 'Ada', email, password: PASSWORD };
  return { email, visit: await browser.follow(await browser.post('/signup', fields)) };
}

const addressesIn = ({ body }: Visit): (string | undefined)[] =>
  elementsOf(body).flatMap(({ name, attributes }) => (name === 'a' ? [attributes.href] : []));

const NEXT = '/console/applications/new';

/** Opens the link of the mail and presses its button. */
async function confirm(browser: BrowserSession, email: string): Promise<Visit> {
  const page = await browser.get(linkIn(await lastMailTo(service, email)));
  return browser.follow(await browser.post('/security/confirm', page.hidden));
}

describe('after sign-up', () => {
  test('the page says what waits and takes the code, which leads on to where one was going', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get(`/signup?next=${encodeURIComponent(NEXT)}`);
    const { email, visit } = await signUp(browser, page);
    expect(visit.body).toContain('Your account has been created. Now verify your address');
    expect(addressesIn(visit)).toContain(NEXT);
    const code = codeIn(await lastMailTo(service, email));
    const wrong = await browser.post('/account/verify', { ...visit.hidden, code: '000000' });
    expect(wrong.hidden.next).toBe(NEXT);
    const done = await browser.post('/account/verify', { ...wrong.hidden, code });
    expect([done.status, done.location?.pathname]).toEqual([303, NEXT]);
  });

  test('a new mail can be had without losing the way; one can verify later', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const { visit } = await signUp(browser, await browser.get('/signup'));
    expect(addressesIn(visit)).toContain('/account');
    const again = await browser.follow(await browser.post('/account/verify/send', visit.hidden));
    expect(again.hidden.next).toBe('/account');
  });

  test('the link leads back to where one was going', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get(`/signup?next=${encodeURIComponent(NEXT)}`);
    const { email } = await signUp(browser, page);
    expect(addressesIn(await confirm(browser, email))).toContain(NEXT);
  });

  test('nowhere but to pages of our own', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const { email, visit } = await signUp(browser, await browser.get('/signup'));
    const code = codeIn(await lastMailTo(service, email));
    const fields = { ...visit.hidden, code, next: 'https://evil.example/' };
    const { location } = await browser.post('/account/verify', fields);
    expect(`${location?.pathname}${location?.search}`).toBe('/account/email?done=verified');
    const address = `/security/confirmed?done=verified&next=${encodeURIComponent('//evil.example')}`;
    const elsewhere = addressesIn(await browser.get(address)).filter((to) => !to?.startsWith('/security/'));
    expect(elsewhere.join()).not.toContain('evil');
  });

  test('to no authorization request that somebody else named', async () => {
    const user = await service.createUser();
    const application = await service.createApplication();
    const next = `/oauth/authorize${new URL(authorizeAddress(service, application), service.baseUrl).search}`;
    const mallory = openBrowserSession(service.baseUrl);
    const { hidden } = await mallory.get(`/password/forgot?next=${encodeURIComponent(next)}`);
    expect(hidden.next).toBe(next);
    await mallory.post('/password/forgot', { ...hidden, email: user.email });

    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get(linkIn(await lastMailTo(service, user.email)));
    const { location } = await browser.post('/password/reset', { ...page.hidden, new_password: PASSWORD });
    expect(`${location?.pathname}${location?.search}`).toBe('/account?done=reset');
    const confirmed = `/security/confirmed?next=${encodeURIComponent(next)}`;
    const shown = addressesIn(await browser.get(`${confirmed}&done=verified`));
    expect(shown.join()).not.toContain('/oauth/authorize');
    expect((await browser.get(confirmed)).status).toBe(400);
  });
});

describe('on the way to an application', () => {
  async function onTheWay() {
    const application = await service.createApplication({ name: 'Carnet' });
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.follow(await browser.get(authorizeAddress(service, application)));
    const { email, visit } = await signUp(
      browser,
      await browser.get(`/signup?pending=${page.hidden.pending}`),
    );
    expect(visit.body).toContain('action="/consent"');
    return { browser, email, visit };
  }
  const pendingIn = (visit: Visit) =>
    addressesIn(visit).find((address) => address?.startsWith('/oauth/authorize?pending='));

  test('the link leads back to it, in the same browser', async () => {
    const { browser, email } = await onTheWay();
    const done = await confirm(browser, email);
    expect(done.body).toContain('Continue to Carnet');
    const consent = await browser.follow(await browser.get(pendingIn(done) ?? ''));
    expect(consent.body).toContain('action="/consent"');
  });

  test('in another browser, where a password is chosen first, it leads to the account', async () => {
    const { email } = await onTheWay();
    const elsewhere = openBrowserSession(service.baseUrl);
    const page = await elsewhere.follow(await elsewhere.get(linkIn(await lastMailTo(service, email))));
    const fields = { ...page.hidden, new_password: 'quite another password 7' };
    expect((await elsewhere.post('/password/reset', fields)).location?.pathname).toBe('/account');
  });
});
