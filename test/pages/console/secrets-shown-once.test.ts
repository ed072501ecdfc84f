// A Client Secret is on the one answer that made it and nowhere else: no page, no header, no table, no log line (D32).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { at, CALLBACK, credentialsOn, fill, NEW, REGISTRATION, sendFields } from '../../support/console.ts';
import { databaseContent } from '../../support/database-content.ts';
import { authorize, obtainTokens, redeem, renew, signIn } from '../../support/flow.ts';
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

  const again = await sendFields(browser, NEW, form);
  const pages = await crawl(browser.get, ['/account', '/console/applications', at(clientId), NEW]);
  pages.set('the form sent again', again);
  expect(pages.size, 'the crawl sees the pages').toBeGreaterThan(20);
  for (const below of [
    '',
    '/edit',
    '/secrets',
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
