import { describe, expect, onTestFinished, test } from 'vitest';
import { RESEND_DELAY } from '../../../src/oauth/lifetimes.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { findLastEmailTo, listEmailsTo, readCode, readLink } from '../../support/emails.ts';
import { findInput, parseElements, readHeading, readText } from '../../support/markup.ts';
import { buildAuthorizeUrl } from '../../support/oauth-flow.ts';
import { PASSWORD, useTestService } from '../../support/service.ts';

const service = useTestService();

let emailCount = 0;

async function signUp(browser: BrowserSession, page: Visit) {
  const email = `verifies${++emailCount}@example.org`;
  const fields = { ...page.hidden, name: 'Ada', email, password: PASSWORD };
  return { email, visit: await browser.follow(await browser.post('/signup', fields)) };
}

const listLinks = ({ body }: Visit): (string | undefined)[] =>
  parseElements(body).flatMap(({ name, attributes }) => (name === 'a' ? [attributes.href] : []));

const NEXT_PATH = '/console/applications/new';

async function followEmailedLink(browser: BrowserSession, email: string): Promise<Visit> {
  const page = await browser.get(readLink(await findLastEmailTo(service, email)));
  return browser.follow(await browser.post('/security/confirm', page.hidden));
}

describe('the verification page', () => {
  test('redirects to the return URL after accepting the code', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get(`/signup?next=${encodeURIComponent(NEXT_PATH)}`);
    const { email, visit } = await signUp(browser, page);
    expect(visit.body).toContain('Your account has been created. Now verify your address');
    expect(listLinks(visit)).toContain(NEXT_PATH);
    const code = readCode(await findLastEmailTo(service, email));
    const rejected = await browser.post('/account/verify', { ...visit.hidden, code: '000000' });
    expect(rejected.hidden.next).toBe(NEXT_PATH);
    const accepted = await browser.post('/account/verify', { ...rejected.hidden, code });
    expect([accepted.status, accepted.location?.pathname]).toEqual([303, NEXT_PATH]);
  });

  test('names the mailbox and sends the email again after a delay', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const { email, visit } = await signUp(browser, await browser.get('/signup'));
    expect(readHeading(visit.body)).toBe('Check your email');
    expect(readText(visit.body)).toContain(`We’ve sent a code to ${email}.`);
    expect(findInput(visit.body, 'code')).toHaveProperty('autofocus');
    expect(listLinks(visit)).toContain('/account/email');
    expect(visit.body).toContain(`data-retry-after="${RESEND_DELAY}"`);
    service.clock.advance(RESEND_DELAY);
    const later = await browser.get('/account/verify');
    expect(later.body).not.toContain('data-retry-after');
    const resent = await browser.follow(await browser.post('/account/verify/send', later.hidden));
    expect(readText(resent.body)).toContain('Email sent.');
    expect(await listEmailsTo(service, email)).toHaveLength(2);
  });

  test('asks for no code once the mail server is removed', async () => {
    const browser = openBrowserSession(service.baseUrl);
    await signUp(browser, await browser.get('/signup'));
    service.services.mailer.available = false; // as in production without SMTP_URL
    onTestFinished(() => {
      service.services.mailer.available = true;
    });
    const { body } = await browser.get('/account/verify');
    expect(readHeading(body)).toBe('Verify your address');
    expect(readText(body)).not.toContain('Enter it here');
  });

  test('keeps the return URL when the user requests a new email', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const { visit } = await signUp(browser, await browser.get('/signup'));
    expect(listLinks(visit)).toContain('/account');
    const resentPage = await browser.follow(await browser.post('/account/verify/send', visit.hidden));
    expect(resentPage.hidden.next).toBe('/account');
  });

  test('sends a link that leads to the return URL', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get(`/signup?next=${encodeURIComponent(NEXT_PATH)}`);
    const { email } = await signUp(browser, page);
    expect(listLinks(await followEmailedLink(browser, email))).toContain(NEXT_PATH);
  });

  test('never redirects to a different site', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const { email, visit } = await signUp(browser, await browser.get('/signup'));
    const code = readCode(await findLastEmailTo(service, email));
    const fields = { ...visit.hidden, code, next: 'https://evil.example/' };
    const { location } = await browser.post('/account/verify', fields);
    expect(`${location?.pathname}${location?.search}`).toBe('/account/email?done=verified');
    const path = `/security/confirmed?done=verified&next=${encodeURIComponent('//evil.example')}`;
    const externalLinks = listLinks(await browser.get(path)).filter((to) => !to?.startsWith('/security/'));
    expect(externalLinks.join()).not.toContain('evil');
  });

  test("does not continue another user's authorization request", async () => {
    const user = await service.createUser();
    const application = await service.createClient();
    const next = `/oauth/authorize${new URL(buildAuthorizeUrl(service, application), service.baseUrl).search}`;
    const attackerBrowser = openBrowserSession(service.baseUrl);
    const { hidden } = await attackerBrowser.get(`/password/forgot?next=${encodeURIComponent(next)}`);
    expect(hidden.next).toBe(next);
    await attackerBrowser.post('/password/forgot', { ...hidden, email: user.email });

    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.get(readLink(await findLastEmailTo(service, user.email)));
    const { location } = await browser.post('/password/reset', { ...page.hidden, new_password: PASSWORD });
    expect(`${location?.pathname}${location?.search}`).toBe('/account?done=reset');
    const confirmationPath = `/security/confirmed?next=${encodeURIComponent(next)}`;
    const links = listLinks(await browser.get(`${confirmationPath}&done=verified`));
    expect(links.join()).not.toContain('/oauth/authorize');
    expect((await browser.get(confirmationPath)).status).toBe(400);
  });
});

describe('the emailed verification link', () => {
  async function signUpForClient() {
    const application = await service.createClient({ name: 'Carnet' });
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.follow(await browser.get(buildAuthorizeUrl(service, application)));
    const { email, visit } = await signUp(
      browser,
      await browser.get(`/signup?pending=${page.hidden.pending}`),
    );
    expect(visit.body).toContain('action="/consent"');
    return { browser, email, visit };
  }
  const findPendingLink = (visit: Visit) =>
    listLinks(visit).find((url) => url?.startsWith('/oauth/authorize?pending='));

  test('continues the authorization request in the same browser', async () => {
    const { browser, email } = await signUpForClient();
    const confirmation = await followEmailedLink(browser, email);
    expect(confirmation.body).toContain('Continue to Carnet');
    const consent = await browser.follow(await browser.get(findPendingLink(confirmation) ?? ''));
    expect(consent.body).toContain('action="/consent"');
  });

  test('lets the user set a password in a different browser', async () => {
    const { email } = await signUpForClient();
    const otherBrowser = openBrowserSession(service.baseUrl);
    const page = await otherBrowser.follow(
      await otherBrowser.get(readLink(await findLastEmailTo(service, email))),
    );
    const fields = { ...page.hidden, new_password: 'quite another password 7' };
    expect((await otherBrowser.post('/password/reset', fields)).location?.pathname).toBe('/account');
  });
});
