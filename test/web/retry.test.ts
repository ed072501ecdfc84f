import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { parseElements, readMain, readText } from '../support/markup.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let browser: BrowserSession;
beforeAll(async () => {
  service = await startTestService({ RATE_LIMIT_PER_MINUTE: '1' });
  browser = openBrowserSession(service.baseUrl);
  await browser.get('/signin');
});
afterAll(() => service.close());

const findRetryLink = (page: string) =>
  parseElements(page).find(({ attributes }) => attributes['data-retry-after'] !== undefined)?.attributes;

test('the retry link shows when it can be used', async () => {
  const { status, headers, body } = await browser.get('/signup?ui_locales=en&x=%22');
  expect(status).toBe(429);
  const link = findRetryLink(body);
  expect(link?.href).toBe('/signup?ui_locales=en&x=%22');
  expect(link?.['data-retry-after']).toBe(headers.get('retry-after'));
  const [, time] = /Try again after (\d\d:\d\d:\d\d) UTC/.exec(readText(readMain(body))) ?? [];
  const at = service.clock.now().getTime() + Number(headers.get('retry-after')) * 1000;
  expect([at - 1000, at].map((milliseconds) => new Date(milliseconds).toISOString().slice(11, 19))).toContain(
    time,
  );
});

test('the retry link leads back to the form after a refused submission', async () => {
  const post = async (referer?: string) =>
    (await browser.post('/signin?x=1', {}, referer === undefined ? {} : { referer })).body;
  const page = await post(`${service.baseUrl}/signin?pending=sealed`);
  expect(findRetryLink(page)?.href).toBe('/signin?pending=sealed');
  expect(readText(readMain(page))).toContain('Back to the form after');
  expect(readMain(page)).not.toContain('<form');
  expect(findRetryLink(await post())?.href).toBe('/signin');
});

test('the retry link never points to a different site', async () => {
  for (const referer of [
    'https://evil.example/',
    '//evil.example/',
    'not a url',
    `${service.baseUrl}//evil.example/`,
  ])
    expect(
      findRetryLink((await browser.post('/signin', {}, { referer })).body)?.href ?? '/signin',
    ).not.toMatch(/evil|^\/\//);
  for (const path of ['//evil.example/', '/.//evil.example/', '/\\evil.example/']) {
    const { body } = await browser.send(`${service.baseUrl}${path}`, { headers: {} });
    expect(findRetryLink(body)?.href ?? '/').toMatch(/^\/(?!\/)/);
  }
});

test('the retry link is shown only if the response has a Retry-After header', async () => {
  await using other = await startTestService({});
  expect(findRetryLink((await openBrowserSession(other.baseUrl).get('/nothing')).body)).toBeUndefined();
});
