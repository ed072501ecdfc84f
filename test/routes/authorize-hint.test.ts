// id_token_hint: an earlier id_token says who is meant, and nobody else gets in (OpenID Connect Core §3.1.2.1).
import { afterAll, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { authorizeAddress, obtainTokens, signedInBrowser, signIn } from '../support/flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const application = await service.createApplication();
const ada = await service.createUser();
const grace = await service.createUser();
const tokens = await obtainTokens(service, application, await signedInBrowser(service, ada));
const hint = tokens.idToken ?? '';
await obtainTokens(service, application, await signedInBrowser(service, grace));
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

test('the longest id_token of this service is accepted as a hint, and is not carried along', async () => {
  const clientFields = { standard: true, scopes: ['openid', 'profile', 'email'] } as const;
  const standard = await service.createApplication({ ...clientFields, scopes: [...clientFields.scopes] });
  const lovelace = await service.createUser({ name: '𝒜'.repeat(100) });
  const browser = await signedInBrowser(service, lovelace);
  const nonce = 'n'.repeat(1024);
  const { idToken = '' } = await obtainTokens(service, standard, browser, {
    nonce,
    scope: 'openid profile email',
  });
  expect(idToken.length).toBeGreaterThan(2048);
  const asked = (parameters: Record<string, string>) =>
    authorizeAddress(service, standard, { id_token_hint: idToken, scope: 'openid', ...parameters });
  expect(answer((await browser.get(asked({ prompt: 'none' }))).location)).toBe('code');

  const other = openBrowserSession(service.baseUrl);
  const { location } = await other.get(asked({ state: 's'.repeat(4096), nonce }));
  expect(location?.pathname).toBe('/signin');
  expect(location?.href.length).toBeLessThan(9_000);
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
