// The whole journey: sign-up, consent, tokens, profile, renewal, revocation.
import { afterAll, describe, expect, test } from 'vitest';
import { openBrowserSession } from '../support/browser-session.ts';
import {
  authorize,
  authorizeAddress,
  decide,
  obtainTokens,
  redeem,
  renew,
  revoke,
  signedInBrowser,
  userinfo,
} from '../support/flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());

describe('a person signs in to an application', () => {
  test('signs up on the way, agrees, and the application reads the profile, renews and revokes', async () => {
    const application = await service.createApplication();
    const browser = openBrowserSession(service.baseUrl);
    const signInPage = await browser.follow(await browser.get(authorizeAddress(service, application)));
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
    expect(consentPage.body).toContain('Zoe@Example.com');

    const callback = (await decide(browser, consentPage, 'allow')).location;
    expect(callback?.origin).toBe('https://client.example');
    expect(callback?.searchParams.get('state')).toBe('state-1');
    expect(callback?.searchParams.get('iss')).toBe(service.baseUrl);

    const exchange = await redeem(service, application, callback?.searchParams.get('code') ?? '');
    expect(exchange.status).toBe(200);
    expect(exchange.body).toMatchObject({
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'openid profile email',
    });
    const profile = await userinfo(service, String(exchange.body.access_token));
    expect(profile.status).toBe(200);
    expect(profile.body).toMatchObject({
      name: 'Zoé Müller',
      email: 'Zoe@Example.com',
      email_verified: false,
    });

    const renewed = await renew(service, application, String(exchange.body.refresh_token));
    expect(renewed.status).toBe(200);
    expect(renewed.body).not.toHaveProperty('id_token');
    expect((await revoke(service, application, String(renewed.body.refresh_token))).status).toBe(200);
    expect((await userinfo(service, String(renewed.body.access_token))).status).toBe(401);
    expect((await userinfo(service, String(exchange.body.access_token))).status).toBe(401);
    expect((await renew(service, application, String(renewed.body.refresh_token))).body.error).toBe(
      'invalid_grant',
    );
  });

  test('remembers the consent: the second time no page is shown (D7)', async () => {
    const application = await service.createApplication();
    const browser = await signedInBrowser(service, await service.createUser());
    await authorize(service, application, browser);
    const second = await browser.get(authorizeAddress(service, application));
    expect(second.status).toBe(303);
    expect(second.location?.searchParams.get('code')).toBeTruthy();
  });

  test('tokens come with PKCE too', async () => {
    const application = await service.createApplication();
    const tokens = await obtainTokens(
      service,
      application,
      await signedInBrowser(service, await service.createUser()),
    );
    expect((await userinfo(service, tokens.accessToken)).status).toBe(200);
    expect(tokens.idToken).toBeDefined();
  });
});
