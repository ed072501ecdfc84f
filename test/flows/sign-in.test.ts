// Authorization code flow, from sign-up to token revocation.
import { afterAll, describe, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import {
  authorize,
  buildAuthorizeUrl,
  fetchUserinfo,
  obtainTokens,
  openSignedInBrowser,
  redeemCode,
  redeemRefreshToken,
  revokeToken,
  submitDecision,
} from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

describe('the authorization code flow', () => {
  test('works from sign-up to token revocation', async () => {
    const client = await service.createClient();
    const browser = openBrowserSession(service.baseUrl);
    const signInPage = await browser.follow(await browser.get(buildAuthorizeUrl(service, client)));
    expect(signInPage.status).toBe(200);
    expect(signInPage.body).toContain('client.example');

    const signUpLink = /href="(\/signup\?[^"]*)"/.exec(signInPage.body)?.[1] ?? '';
    const signUpPage = await browser.get(signUpLink);
    const consentPage = await browser.follow(
      await browser.post('/signup', {
        ...signUpPage.hidden,
        name: 'Zoé Müller',
        email: 'Zoe@Example.com',
        password: 'un mot de passe bien long',
      }),
    );
    expect(consentPage.status).toBe(200);
    expect(consentPage.body).toContain('Zoé Müller');
    expect(consentPage.body.replaceAll('<wbr>', '')).toContain('Zoe@Example.com');

    const callback = (await submitDecision(browser, consentPage, 'allow')).location;
    expect(callback?.origin).toBe('https://client.example');
    expect(callback?.searchParams.get('state')).toBe('state-1');
    expect(callback?.searchParams.get('iss')).toBe(service.baseUrl);

    const exchange = await redeemCode(service, client, callback?.searchParams.get('code') ?? '');
    expect(exchange.status).toBe(200);
    expect(exchange.body).toMatchObject({
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'openid profile email',
    });
    const profile = await fetchUserinfo(service, String(exchange.body.access_token));
    expect(profile.status).toBe(200);
    expect(profile.body).toMatchObject({
      name: 'Zoé Müller',
      email: 'Zoe@Example.com',
      email_verified: false,
    });

    const refreshed = await redeemRefreshToken(service, client, String(exchange.body.refresh_token));
    expect(refreshed.status).toBe(200);
    expect(refreshed.body).not.toHaveProperty('id_token');
    expect((await revokeToken(service, client, String(refreshed.body.refresh_token))).status).toBe(200);
    expect((await fetchUserinfo(service, String(refreshed.body.access_token))).status).toBe(401);
    expect((await fetchUserinfo(service, String(exchange.body.access_token))).status).toBe(401);
    expect((await redeemRefreshToken(service, client, String(refreshed.body.refresh_token))).body.error).toBe(
      'invalid_grant',
    );
  });

  test('shows no page if the user has already consented', async () => {
    const client = await service.createClient();
    const browser = await openSignedInBrowser(service, await service.createUser());
    await authorize(service, client, browser);
    const response = await browser.get(buildAuthorizeUrl(service, client));
    expect(response.status).toBe(303);
    expect(response.location?.searchParams.get('code')).toBeTruthy();
  });

  test('returns working tokens to a client that uses PKCE', async () => {
    const client = await service.createClient();
    const tokens = await obtainTokens(
      service,
      client,
      await openSignedInBrowser(service, await service.createUser()),
    );
    expect((await fetchUserinfo(service, tokens.accessToken)).status).toBe(200);
    expect(tokens.idToken).toBeDefined();
  });
});
