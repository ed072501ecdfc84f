import { afterAll, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import { buildAuthorizeUrl, obtainTokens, openSignedInBrowser, signIn } from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const client = await service.createClient();
const ada = await service.createUser();
const grace = await service.createUser();
const tokens = await obtainTokens(service, client, await openSignedInBrowser(service, ada));
const hint = tokens.idToken ?? '';
await obtainTokens(service, client, await openSignedInBrowser(service, grace));
afterAll(() => service.close());

const buildRequestUrl = (parameters: Record<string, string> = {}) =>
  buildAuthorizeUrl(service, client, { id_token_hint: hint, ...parameters });
const readOutcome = (location: URL | undefined) =>
  location?.searchParams.get('error') ?? (location?.searchParams.get('code') ? 'code' : undefined);

test('an expired id_token is accepted as a hint for prompt=none', async () => {
  const browser = await openSignedInBrowser(service, ada);
  expect(readOutcome((await browser.get(buildRequestUrl({ prompt: 'none' }))).location)).toBe('code');
  service.clock.advance(24 * 3600);
  expect(readOutcome((await browser.get(buildRequestUrl({ prompt: 'none' }))).location)).toBe('code');
});

test('the longest possible id_token is accepted as a hint', async () => {
  const clientFields = { standard: true, scopes: ['openid', 'profile', 'email'] } as const;
  const standard = await service.createClient({ ...clientFields, scopes: [...clientFields.scopes] });
  const lovelace = await service.createUser({ name: '𝒜'.repeat(100) });
  const browser = await openSignedInBrowser(service, lovelace);
  const nonce = 'n'.repeat(1024);
  const { idToken = '' } = await obtainTokens(service, standard, browser, {
    nonce,
    scope: 'openid profile email',
  });
  expect(idToken.length).toBeGreaterThan(2048);
  const buildUrl = (parameters: Record<string, string>) =>
    buildAuthorizeUrl(service, standard, { id_token_hint: idToken, scope: 'openid', ...parameters });
  expect(readOutcome((await browser.get(buildUrl({ prompt: 'none' }))).location)).toBe('code');

  const other = openBrowserSession(service.baseUrl);
  const { location } = await other.get(buildUrl({ state: 's'.repeat(4096), nonce }));
  expect(location?.pathname).toBe('/signin');
  expect(location?.href.length).toBeLessThan(9_000);
});

test('with prompt=none, the service returns login_required if a different user is signed in', async () => {
  const browser = await openSignedInBrowser(service, grace);
  expect(readOutcome((await browser.get(buildRequestUrl({ prompt: 'none' }))).location)).toBe(
    'login_required',
  );
});

test('only the user in the id_token_hint can sign in', async () => {
  const browser = await openSignedInBrowser(service, grace);
  const page = await browser.follow(await browser.get(buildRequestUrl()));
  expect(page.body).toContain('action="/signin"');
  expect(readOutcome((await signIn(browser, ada, page)).location)).toBe('code');

  const anonymous = openBrowserSession(service.baseUrl);
  const anonymousPage = await anonymous.follow(await anonymous.get(buildRequestUrl()));
  expect(readOutcome((await signIn(anonymous, grace, anonymousPage)).location)).toBe('login_required');
});

test('an invalid id_token_hint is rejected with invalid_request', async () => {
  const other = await service.createClient();
  const browser = await openSignedInBrowser(service, ada);
  const otherTokens = await obtainTokens(service, other, browser);
  const altered = `${hint.slice(0, -4)}${hint.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
  for (const invalidHint of [otherTokens.idToken ?? '', otherTokens.accessToken, altered, 'x'])
    expect(readOutcome((await browser.get(buildRequestUrl({ id_token_hint: invalidHint }))).location)).toBe(
      'invalid_request',
    );
});
