// A client secret is shown once (ADR 11).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowserSession, type Visit } from '../../support/browser-session.ts';
import {
  CLIENT_REGISTRATION,
  clientPath,
  NEW_CLIENT_PATH,
  postFields,
  REDIRECT_URI,
  readCredentials,
  submitForm,
} from '../../support/console-forms.ts';
import { databaseContent } from '../../support/database-content.ts';
import { readCookieValue } from '../../support/exact-response.ts';
import { listUrls } from '../../support/markup.ts';
import {
  authorize,
  obtainTokens,
  openSignedInBrowser,
  redeemCode,
  redeemRefreshToken,
  signIn,
} from '../../support/oauth-flow.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { killProcesses, type ServiceProcess, startService } from '../../support/service-process.ts';

/** Creates users in the running process's database. */
let userCreator: TestService;
let running: ServiceProcess;
let service: TestService;
beforeAll(async () => {
  userCreator = await startTestService();
  await userCreator.createUser({ isAdmin: true }); // otherwise, the process creates an administrator
  running = await startService({
    DATABASE_URL: userCreator.databaseUrl,
    LOG_LEVEL: 'trace',
    RATE_LIMIT_PER_MINUTE: '0',
  });
  service = { ...userCreator, baseUrl: running.url };
});
afterAll(async () => {
  await killProcesses();
  await userCreator?.close();
});

async function crawl(get: (url: URL) => Promise<Visit>, start: string[]): Promise<Map<string, Visit>> {
  const visited = new Map<string, Visit>();
  const queue = [...start];
  while (queue.length > 0 && visited.size < 200) {
    const url = new URL(queue.pop() ?? '', service.baseUrl);
    const key = url.pathname + url.search;
    if (url.origin !== service.baseUrl || visited.has(key) || url.searchParams.has('lang')) continue;
    if (url.pathname === '/signout') continue;
    const visit = await get(url);
    visited.set(key, visit);
    if (visit.location) queue.push(visit.location.href);
    if (visit.headers.get('content-type')?.includes('html')) queue.push(...listUrls(visit.body));
  }
  return visited;
}

test('a secret never reappears in pages, logs or the database', async () => {
  const browser = openBrowserSession(service.baseUrl);
  await signIn(browser, await userCreator.createUser());
  const { hidden } = await browser.get(NEW_CLIENT_PATH);
  const form = { ...hidden, ...CLIENT_REGISTRATION };
  const firstSecret = readCredentials(await postFields(browser, NEW_CLIENT_PATH, form));
  const { clientId } = firstSecret;
  const rotatedSecret = readCredentials(
    await submitForm(browser, clientPath(clientId, '/secrets'), { overlap: '86400' }),
  );
  const secrets = [firstSecret.clientSecret ?? '', rotatedSecret.clientSecret ?? ''];
  expect(new Set(secrets).size).toBe(2);
  for (const secret of secrets) expect(secret).toMatch(/^sesame_secret_[A-Za-z0-9_-]{49}$/);

  const application = { clientId, clientSecret: rotatedSecret.clientSecret ?? '', redirectUri: REDIRECT_URI };
  await obtainTokens(service, application, browser);
  const code = (await authorize(service, application, browser)).searchParams.get('code') ?? '';
  await redeemCode(service, application, code, { code_verifier: 'x'.repeat(43) });
  await redeemRefreshToken(service, { ...application, clientSecret: secrets[0] ?? '' }, 'no refresh token');
  await redeemCode(service, application, code, { client_secret: `${secrets[0]}x` });
  await browser.get(`/oauth/token?client_id=${clientId}&client_secret=${secrets[1]}`);

  for (const number of [1, 2]) await browser.get(clientPath(clientId, `/secrets/${number}`));
  const pages = await crawl(
    browser.get,
    ['/account', '/console/applications', clientPath(clientId), NEW_CLIENT_PATH].concat(
      [1, 2].map((number) => clientPath(clientId, `/secrets/${number}`)),
    ),
  );
  expect(pages.size, 'the crawl reaches most pages').toBeGreaterThan(20);
  for (const subpath of [
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
    expect(pages.get(clientPath(clientId, subpath))?.status, subpath).toBe(200);

  expect((await running.stop()).code).toBe(0);
  expect(running.logs().length, 'the process logs requests').toBeGreaterThan(pages.size);
  const sources: Record<string, string> = {
    ...Object.fromEntries(
      [...pages].map(([path, { body, headers }]) => [path, body + JSON.stringify([...headers])]),
    ),
    ...(await databaseContent(userCreator.databaseUrl)),
    log: running.output(),
  };
  expect(sources.clients).toContain(clientId);
  for (const secret of secrets) {
    const secretCore = secret.slice('sesame_secret_'.length, -6);
    const traces = [
      secretCore,
      Buffer.from(secret).toString('hex'),
      Buffer.from(secret).toString('base64').slice(20, -4),
    ];
    for (const [source, text] of Object.entries(sources))
      for (const trace of traces) expect(text.includes(trace), source).toBe(false);
  }
});

describe('the page with a new secret', () => {
  const readSecret = (visit: Visit) => readCredentials(visit).clientSecret;

  async function registerNewClient() {
    const user = await userCreator.createUser();
    const browser = await openSignedInBrowser(userCreator, user);
    const { hidden } = await browser.get(NEW_CLIENT_PATH);
    const fields = {
      ...hidden,
      ...(CLIENT_REGISTRATION as Record<string, string>),
    };
    const response = await browser.post(NEW_CLIENT_PATH, fields);
    return { user, browser, fields, response, page: response.location?.pathname ?? '' };
  }

  test('is not cached', async () => {
    const { browser, response } = await registerNewClient();
    expect([response.status, response.location?.search]).toEqual([303, '?done=registered']);
    expect(response.location?.pathname).toMatch(/^\/console\/applications\/app_[\w-]{20}\/secrets\/1$/);
    const [cookie = ''] = response.headers.getSetCookie().filter((line) => line.startsWith('sesame-flash'));
    const visit = await browser.get(response.location ?? '');
    expect(readSecret(visit)).toMatch(/^sesame_secret_/);
    expect(visit.body).toContain(' is registered.');
    expect(visit.headers.get('cache-control')).toBe('no-store');
    const sealed = Buffer.from(readCookieValue(cookie), 'base64url').toString('latin1');
    expect(cookie + sealed).not.toContain(readSecret(visit)?.slice(14, 40));
  });

  test('shows only the last four characters on reload', async () => {
    const { browser, page } = await registerNewClient();
    const secret = readSecret(await browser.get(page)) ?? '';
    for (const path of [page, `${page}?lang=en`]) {
      const { status, body } = await browser.get(path);
      expect([status, body.includes(secret), body.includes(`…${secret.slice(-4)}`)]).toEqual([
        200,
        false,
        true,
      ]);
      expect(body).toContain('was shown when it was created');
      expect(listUrls(body)).toContain(page.replace(/\/1$/, ''));
    }
    expect((await browser.get(page.replace(/\/1$/, ''))).body).toContain(`…${secret.slice(-4)}`);
  });

  test('shows the secret again on resubmission within a minute', async () => {
    const { browser, page, fields } = await registerNewClient();
    const secret = readSecret(await browser.get(page));
    for (const [seconds, expectedSecret] of [
      [30, secret],
      [31, undefined],
    ] as const) {
      userCreator.clock.advance(seconds);
      const response = await browser.post(NEW_CLIENT_PATH, fields);
      expect(response.location?.pathname).toBe(page);
      expect(readSecret(await browser.get(page))).toBe(expectedSecret);
    }
  });

  test('shows the secret for at most ten minutes', async () => {
    const { user, browser, page } = await registerNewClient();
    const flash = [...browser.cookies].filter(([name]) => name.startsWith('sesame-flash'));
    for (const [session, status] of [
      [await openSignedInBrowser(userCreator, user), 200],
      [await openSignedInBrowser(userCreator, await userCreator.createUser()), 404],
    ] as const) {
      for (const cookie of flash) session.cookies.set(...cookie);
      const visit = await session.get(page);
      expect([visit.status, readSecret(visit)]).toEqual([status, undefined]);
    }
    userCreator.clock.advance(600);
    expect(readSecret(await browser.get(page))).toBeUndefined();
  });
});
