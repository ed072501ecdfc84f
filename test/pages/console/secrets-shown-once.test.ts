// A Client Secret is on its own page, once, for whoever made it, and nowhere else: no other page,
// no header, no table, no log line (D32; ADR 11).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { at, CALLBACK, credentialsOn, fill, NEW, REGISTRATION, sendFields } from '../../support/console.ts';
import { databaseContent } from '../../support/database-content.ts';
import { cookieValue } from '../../support/exact-request.ts';
import { authorize, obtainTokens, redeem, renew, signedInBrowser, signIn } from '../../support/flow.ts';
import { addressesOf } from '../../support/markup.ts';
import { endProcesses, type ServiceProcess, startService } from '../../support/process.ts';
import { startTestService, type TestService } from '../../support/service.ts';

/** Makes people on the same database. */
let maker: TestService;
let running: ServiceProcess;
let service: TestService;
beforeAll(async () => {
  maker = await startTestService();
  await maker.createUser({ operator: true }); // so that the process makes up none
  running = await startService({
    DATABASE_URL: maker.databaseUrl,
    LOG_LEVEL: 'trace',
    RATE_LIMIT_PER_MINUTE: '0',
  });
  service = { ...maker, baseUrl: running.address };
});
afterAll(async () => {
  await endProcesses();
  await maker?.close();
});

/** Every page that links lead to, from these on; the language of a page is not another page. */
async function crawl(get: (address: URL) => Promise<Visit>, start: string[]): Promise<Map<string, Visit>> {
  const seen = new Map<string, Visit>();
  const ahead = [...start];
  while (ahead.length > 0 && seen.size < 200) {
    const url = new URL(ahead.pop() ?? '', service.baseUrl);
    const key = url.pathname + url.search;
    if (url.origin !== service.baseUrl || seen.has(key) || url.searchParams.has('lang')) continue;
    if (url.pathname === '/signout') continue;
    const visit = await get(url);
    seen.set(key, visit);
    if (visit.location) ahead.push(visit.location.href);
    if (visit.headers.get('content-type')?.includes('html')) ahead.push(...addressesOf(visit.body));
  }
  return seen;
}

test('the secret of registration and that of rotation, used well and badly', async () => {
  const browser = openBrowserSession(service.baseUrl);
  await signIn(browser, await maker.createUser());
  const { hidden } = await browser.get(NEW);
  const form = { ...hidden, ...REGISTRATION };
  const first = credentialsOn(await sendFields(browser, NEW, form));
  const { clientId } = first;
  const rotated = credentialsOn(await fill(browser, at(clientId, '/secrets'), { overlap: '86400' }));
  const secrets = [first.clientSecret ?? '', rotated.clientSecret ?? ''];
  expect(new Set(secrets).size).toBe(2);
  for (const secret of secrets) expect(secret).toMatch(/^sesame_secret_[A-Za-z0-9_-]{49}$/);

  const application = { clientId, clientSecret: rotated.clientSecret ?? '', redirectUri: CALLBACK };
  await obtainTokens(service, application, browser);
  const code = (await authorize(service, application, browser)).searchParams.get('code') ?? '';
  await redeem(service, application, code, { code_verifier: 'x'.repeat(43) });
  await renew(service, { ...application, clientSecret: secrets[0] ?? '' }, 'no refresh token');
  await redeem(service, application, code, { client_secret: `${secrets[0]}x` });
  await browser.get(`/oauth/token?client_id=${clientId}&client_secret=${secrets[1]}`);

  for (const number of [1, 2]) await browser.get(at(clientId, `/secrets/${number}`));
  const pages = await crawl(
    browser.get,
    ['/account', '/console/applications', at(clientId), NEW].concat(
      [1, 2].map((number) => at(clientId, `/secrets/${number}`)),
    ),
  );
  expect(pages.size, 'the crawl sees the pages').toBeGreaterThan(20);
  for (const below of [
    '',
    '/edit',
    '/secrets',
    '/secrets/1',
    '/secrets/2',
    '/secrets/1/end',
    '/secrets/2/end',
    '/integrate',
    '/diagnostics',
  ])
    expect(pages.get(at(clientId, below))?.status, below).toBe(200);

  expect((await running.stop()).code).toBe(0);
  expect(running.logs().length, 'there is a log').toBeGreaterThan(pages.size);
  const places: Record<string, string> = {
    ...Object.fromEntries(
      [...pages].map(([path, { body, headers }]) => [path, body + JSON.stringify([...headers])]),
    ),
    ...(await databaseContent(maker.databaseUrl)),
    log: running.output(),
  };
  expect(places.clients).toContain(clientId);
  for (const secret of secrets) {
    const core = secret.slice('sesame_secret_'.length, -6);
    const traces = [
      core,
      Buffer.from(secret).toString('hex'),
      Buffer.from(secret).toString('base64').slice(20, -4),
    ];
    for (const [place, text] of Object.entries(places))
      for (const trace of traces) expect(text.includes(trace), place).toBe(false);
  }
});

describe('the page of a new secret', () => {
  const secretOf = (visit: Visit) => credentialsOn(visit).clientSecret;

  async function registered() {
    const user = await maker.createUser();
    const browser = await signedInBrowser(maker, user);
    const { hidden } = await browser.get(NEW);
    const fields = { ...hidden, ...(REGISTRATION as Record<string, string>), scopes: 'openid profile' };
    const answer = await browser.post(NEW, fields);
    return { user, browser, fields, answer, page: answer.location?.pathname ?? '' };
  }

  test('is what the form leads to; neither its URL nor a cache keeps the secret, and the cookie only encrypted', async () => {
    const { browser, answer } = await registered();
    expect([answer.status, answer.location?.search]).toEqual([303, '']);
    expect(answer.location?.pathname).toMatch(/^\/console\/applications\/app_[\w-]{20}\/secrets\/1$/);
    const [cookie = ''] = answer.headers.getSetCookie().filter((line) => line.startsWith('sesame-flash'));
    const visit = await browser.get(answer.location ?? '');
    expect(secretOf(visit)).toMatch(/^sesame_secret_/);
    expect(visit.headers.get('cache-control')).toBe('no-store');
    const sealed = Buffer.from(cookieValue(cookie), 'base64url').toString('latin1');
    expect(cookie + sealed).not.toContain(secretOf(visit)?.slice(14, 40));
  });

  test('shows it once: loaded again it says so, with the last four characters and the way to another one', async () => {
    const { browser, page } = await registered();
    const secret = secretOf(await browser.get(page)) ?? '';
    for (const address of [page, `${page}?lang=en`]) {
      const { status, body } = await browser.get(address);
      expect([status, body.includes(secret), body.includes(`…${secret.slice(-4)}`)]).toEqual([
        200,
        false,
        true,
      ]);
      expect(body).toContain('was shown once');
      expect(addressesOf(body)).toContain(page.replace(/\/1$/, ''));
    }
    expect((await browser.get(page.replace(/\/1$/, ''))).body).toContain(`…${secret.slice(-4)}`);
  });

  test('a form that is sent twice within a minute leads to the same secret, and after that to none', async () => {
    const { browser, page, fields } = await registered();
    const secret = secretOf(await browser.get(page));
    for (const [seconds, shown] of [
      [30, secret],
      [31, undefined],
    ] as const) {
      maker.clock.advance(seconds);
      const again = await browser.post(NEW, fields);
      expect(again.location?.pathname).toBe(page);
      expect(secretOf(await browser.get(page))).toBe(shown);
    }
  });

  test('shows it for ten minutes, in the browser that made it and to its account alone', async () => {
    const { user, browser, page } = await registered();
    const flash = [...browser.cookies].filter(([name]) => name.startsWith('sesame-flash'));
    for (const [other, status] of [
      [await signedInBrowser(maker, user), 200],
      [await signedInBrowser(maker, await maker.createUser()), 404],
    ] as const) {
      for (const pair of flash) other.cookies.set(...pair);
      const visit = await other.get(page);
      expect([visit.status, secretOf(visit)]).toEqual([status, undefined]);
    }
    maker.clock.advance(600);
    expect(secretOf(await browser.get(page))).toBeUndefined();
  });
});
