// The pages between an application, a device and the person, opened in one go: codes, decisions, the ways back.
import { statement } from '../../src/store/statement.ts';
import { openBrowserSession } from './browser-session.ts';
import { authorizeAddress, browserIn, decide, obtainTokens, postForm, signIn } from './flow.ts';
import { type OpenedPage, pageList } from './opened-page.ts';
import type { TestApplication, TestService } from './service.ts';

const ALLOW = statement(
  'test_device_and_logout',
  'update clients set device_flow = true, post_logout_redirect_uris = $2 where client_id = $1',
);
const BACK = 'https://notes.example/out?a=1&b="x';

/** Lets devices sign in to the application, and has it ask for sign-outs. */
export const allowDevices = (service: TestService, { clientId }: TestApplication) =>
  service.parts.database.query(ALLOW, [clientId, [BACK]]);

/** The code that a device of the application shows. */
export async function deviceCode(service: TestService, application: TestApplication): Promise<string> {
  const { body } = await postForm(service, '/oauth/device_authorization', {
    client_id: application.clientId,
    client_secret: application.clientSecret || undefined,
    scope: 'openid profile email phone',
  });
  return String(body.user_code);
}

/** Opens the pages in a language. */
export async function openDevicePages(service: TestService, language: 'fr' | 'en'): Promise<OpenedPage[]> {
  const { pages, add } = pageList('device');
  const application = await service.createApplication({ name: 'Notes & "Cie" <b>' });
  await allowDevices(service, application);
  const user = await service.createUser({ name: 'Zoé "O\'Hara" <i>& Fils', phone: '+33612345678' });
  const browser = await browserIn(service, language);
  await signIn(browser, user);
  const ask = add('code', 200, await browser.get('/device?user_code=%22%3E%3Cb%3E'));
  const type = async (code: string) =>
    browser.follow(await browser.post('/device', { ...ask.hidden, user_code: code }));
  add('unknown code', 400, await type('"><b>'));
  const decision = add('decision', 200, await type(await deviceCode(service, application)));
  const answer = (hidden: Record<string, string>, word: string) =>
    browser.post('/device/decision', { ...hidden, decision: word });
  add('allowed', 200, await browser.follow(await answer(decision.hidden, 'allow')));
  const second = await type(await deviceCode(service, application));
  add('denied', 200, await browser.follow(await answer(second.hidden, 'deny')));
  for (let tries = 0; tries < 20; tries += 1) await type('BCDFGHJK');
  add('too many tries', 429, await type('BCDFGHJK'));

  const address = authorizeAddress(service, application, { response_mode: 'form_post', prompt: 'consent' });
  const consent = await browser.follow(await browser.get(address));
  add('back to the application by a form', 200, await decide(browser, consent, 'allow'), true);
  const other = openBrowserSession(service.baseUrl);
  await signIn(other, user);
  const { idToken = '' } = await obtainTokens(service, application, other);
  const logout = (parameters: Record<string, string>) =>
    browser.get(`/oauth/logout?${new URLSearchParams({ id_token_hint: idToken, ...parameters })}`);
  const asked = await logout({ post_logout_redirect_uri: BACK });
  add('sign-out asked for by an application', 200, await browser.follow(asked), true);
  add('sign-out that cannot be verified', 400, await logout({ id_token_hint: '"><b>' }));
  return pages;
}
