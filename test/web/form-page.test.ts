// How every form is answered: whatever a browser goes back to or loads again is a page that it asked for, never a POST.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowserSession, type Visit } from '../support/browser-session.ts';
import { databaseContent } from '../support/database-content.ts';
import { signedInBrowser } from '../support/flow.ts';
import { fieldError, formErrors, inputOf } from '../support/markup.ts';
import { startTestService, type TestService, type TestUser } from '../support/service.ts';

const HOUR = 3_600_000;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** Sends a form without being led on. */
async function sendOnly(cookies: Map<string, string>, path: string, fields: Record<string, string>) {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const answer = await fetch(`${service.baseUrl}${path}`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams(fields),
    headers: { accept: 'text/html', 'accept-language': 'en', 'sec-fetch-site': 'same-origin', cookie },
  });
  const location = answer.headers.get('location');
  return { status: answer.status, location: location ?? '', body: await answer.text() };
}

async function refusedProfile(user: TestUser) {
  const browser = await signedInBrowser(service, user);
  const { hidden } = await browser.get('/account/profile');
  const fields = { ...hidden, name: '', phone: '0612 typed', language: 'auto' };
  return { browser, answer: await sendOnly(browser.cookies, '/account/profile', fields) };
}

const shown = (visit: Visit) => [
  visit.status,
  fieldError(visit.body, 'name'),
  inputOf(visit.body, 'phone')?.value,
];
const REFUSED = [400, expect.stringContaining('Enter your name.'), '0612 typed'];

describe('a form that is refused', () => {
  test('leads back to its page, which says why and keeps what was typed, as often as it is loaded', async () => {
    const { browser, answer } = await refusedProfile(await service.createUser());
    expect([answer.status, answer.body]).toEqual([303, '']);
    expect(answer.location).toMatch(/^\/account\/profile\?sent=[\w-]+$/);
    for (let load = 0; load < 2; load += 1)
      expect(shown(await browser.get(answer.location))).toEqual(REFUSED);
  });

  test('says so in the other language too', async () => {
    const { browser, answer } = await refusedProfile(await service.createUser());
    const visit = await browser.get(`${answer.location}&lang=fr`);
    expect(fieldError(visit.body, 'name')).toContain('Saisissez votre nom.');
  });

  test('shows nothing of it to another session, on another page, or an hour later', async () => {
    const user = await service.createUser();
    const { browser, answer } = await refusedProfile(user);
    const other = await signedInBrowser(service, user);
    const calm = [200, undefined];
    const seen = ({ status, body }: Visit) => [status, formErrors(body)[0]];
    expect(seen(await other.get(answer.location))).toEqual(calm);
    const query = answer.location.slice(answer.location.indexOf('?'));
    expect(seen(await browser.get(`/account/delete${query}`))).toEqual(calm);
    expect(seen(await browser.get(`${answer.location}x`))).toEqual(calm);
    service.clock.advance(HOUR / 1000);
    expect(seen(await browser.get(answer.location))).toEqual(calm);
  });

  test('in what its address carries nobody reads anything', async () => {
    const { answer } = await refusedProfile(await service.createUser());
    const carried = Buffer.from(answer.location.split('sent=')[1] ?? '', 'base64url');
    expect(carried.toString('latin1')).not.toMatch(/typed|name|phone/);
  });

  test('leads back, too, when it says more than an address can carry: to the very session, and from there alone', async () => {
    const user = await service.createUser();
    const browser = await signedInBrowser(service, user);
    const { hidden } = await browser.get('/account/profile');
    const name = randomBytes(6000).toString('base64url');
    const answer = await sendOnly(browser.cookies, '/account/profile', { ...hidden, name, phone: '' });
    expect([answer.status, answer.location.length < 200]).toEqual([303, true]);
    for (let n = 0; n < 2; n += 1) {
      const page = await browser.get(answer.location);
      expect([page.status, inputOf(page.body, 'name')?.value]).toEqual([400, name]);
    }
    const same = await signedInBrowser(service, user);
    expect((await same.get(answer.location)).body).not.toContain(name.slice(0, 40));
    const content = Object.values(await databaseContent(service.databaseUrl)).join();
    expect(content).not.toContain(name.slice(0, 40));
    service.clock.advance(3601);
    expect((await browser.get(answer.location)).body).not.toContain(name.slice(0, 40));
  });

  test('a second one takes the place of the first, which the address of that one no longer shows', async () => {
    const browser = await signedInBrowser(service, await service.createUser());
    const names = [1, 2].map(() => randomBytes(6000).toString('base64url'));
    const answers = [];
    for (const name of names) {
      const { hidden } = await browser.get('/account/profile');
      answers.push(await sendOnly(browser.cookies, '/account/profile', { ...hidden, name, phone: '' }));
    }
    const shown = await Promise.all(answers.map(({ location }) => browser.get(location)));
    expect(shown.map(({ status }) => status)).toEqual([200, 400]);
  });
});

describe('a form that anybody may send', () => {
  const wrong = { email: 'nobody@example.org', password: 'a wrong password' };

  test('leads back too, on the way that it was on', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await browser.get('/signin?next=%2Faccount%2Fdata');
    const answer = await sendOnly(browser.cookies, '/signin', { ...hidden, ...wrong });
    expect(answer.location).toMatch(/^\/signin\?next=%2Faccount%2Fdata&sent=/);
    const page = await browser.get(answer.location);
    expect([page.status, formErrors(page.body)]).toEqual([401, ['Incorrect email address or password.']]);
    expect([page.hidden.next, inputOf(page.body, 'email')?.value]).toEqual(['/account/data', wrong.email]);
  });

  test('is answered in place by a browser that keeps no cookies, or it could not be told', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const { hidden } = await browser.get('/signin');
    const answer = await sendOnly(new Map(), '/signin', { ...hidden, ...wrong });
    expect([answer.status, formErrors(answer.body)[0]]).toEqual([403, expect.stringContaining('expired')]);
  });
});
