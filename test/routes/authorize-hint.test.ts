// id_token_hint: an earlier id_token says who is meant, and nobody else gets in (OpenID Connect Core §3.1.2.1).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { authorizeAddress, obtainTokens, signedInBrowser, signIn } from '../support/flow.ts';
import {
  startTestService,
  type TestApplication,
  type TestService,
  type TestUser,
} from '../support/service.ts';

let service: TestService;
let application: TestApplication;
let ada: TestUser;
let grace: TestUser;
let hint: string;
beforeAll(async () => {
  service = await startTestService();
  application = await service.createApplication();
  ada = await service.createUser();
  grace = await service.createUser();
  const tokens = await obtainTokens(service, application, await signedInBrowser(service, ada));
  hint = tokens.idToken ?? '';
  await obtainTokens(service, application, await signedInBrowser(service, grace));
});
afterAll(() => service.close());

const address = (parameters: Record<string, string> = {}) =>
  authorizeAddress(service, application, { id_token_hint: hint, ...parameters });
const answer = (location: URL | undefined) =>
  location?.searchParams.get('error') ?? (location?.searchParams.get('code') ? 'code' : undefined);

test('the person it names, silently: a code; also when the id_token has long expired', async () => {
  const browser = await signedInBrowser(service, ada);
  expect(answer((await browser.get(address({ prompt: 'none' }))).location)).toBe('code');
  service.clock.advance(24 * 3600);
  expect(answer((await browser.get(address({ prompt: 'none' }))).location)).toBe('code');
});

test('somebody else, silently: login_required', async () => {
  const browser = await signedInBrowser(service, grace);
  expect(answer((await browser.get(address({ prompt: 'none' }))).location)).toBe('login_required');
});

test('somebody else may sign in as the one who is meant, and nobody else gets a code', async () => {
  const browser = await signedInBrowser(service, grace);
  const page = await browser.follow(await browser.get(address()));
  expect(page.body).toContain('action="/signin"');
  expect(answer((await signIn(browser, ada, page)).location)).toBe('code');

  const stranger = openBrowserSession(service.baseUrl);
  const asked = await stranger.follow(await stranger.get(address()));
  expect(answer((await signIn(stranger, grace, asked)).location)).toBe('login_required');
});

test('the id_token of another application, an access token, an altered one: invalid_request', async () => {
  const other = await service.createApplication();
  const browser = await signedInBrowser(service, ada);
  const elsewhere = await obtainTokens(service, other, browser);
  const altered = `${hint.slice(0, -4)}${hint.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
  for (const wrong of [elsewhere.idToken ?? '', elsewhere.accessToken, altered, 'x'])
    expect(answer((await browser.get(address({ id_token_hint: wrong }))).location)).toBe('invalid_request');
});
