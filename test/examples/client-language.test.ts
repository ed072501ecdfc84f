import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { type ExampleClient, startExampleClient } from '../support/example-client.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let carnet: ExampleClient;
beforeAll(async () => {
  service = await startTestService();
  carnet = await startExampleClient(service);
});
afterAll(() => Promise.all([carnet.close(), service.close()]));

const WELCOME_TEXTS = { fr: 'Une page blanche, rien que pour vous.', en: 'A blank page, just for you.' };

test.each([
  ['fr-CA,fr;q=0.9,en;q=0.8', 'fr'],
  ['en-GB,en;q=0.9,fr;q=0.8', 'en'],
  ['tlh', 'fr'],
] as const)('for Accept-Language: %s, the example client shows pages in %s', async (header, language) => {
  const page = await openBrowserSession(carnet.baseUrl).get('/', { 'accept-language': header });
  expect(page.body).toContain(`<html lang="${language}">`);
  expect(page.body).toContain(WELCOME_TEXTS[language]);
  expect(page.body, 'the button’s label is always in French').toContain('Se connecter avec Sésame');
});

test('a language selected on a page is kept and sent to the service as ui_locales', async () => {
  const browser = openBrowserSession(carnet.baseUrl);
  await browser.get('/?lang=fr');
  const notFound = await browser.get('/no/such/page');
  expect([notFound.status, notFound.body.includes('Page introuvable')]).toEqual([404, true]);
  const { location } = await browser.get('/login');
  expect(location?.searchParams.get('ui_locales')).toBe('fr');
  expect((await browser.get('/?lang=xx')).body).toContain('<html lang="fr">');
  const failed = await browser.get('/callback?error=access_denied&state=x');
  expect(failed.body).toContain('Cette réponse n’est pas la nôtre');
});
