import { beforeAll, describe, expect, test } from 'vitest';
import { withdrawConsent } from '../../../src/store/consents.ts';
import { openBrowserSession } from '../../support/browser-session.ts';
import { parseElements, readHeading, readText } from '../../support/markup.ts';
import {
  authorize,
  buildAuthorizeUrl,
  createSignedInUser,
  openSignedInBrowser,
  submitDecision,
} from '../../support/oauth-flow.ts';
import { type TestClient, useTestService } from '../../support/service.ts';
import { sql } from '../../support/store-fixtures.ts';

const service = useTestService();
let application: TestClient;
beforeAll(async () => {
  application = await service.createClient();
});

type RequestParameters = Record<string, string | undefined>;

async function signInReturningUser(client = application, parameters: RequestParameters = {}) {
  const { user, browser } = await createSignedInUser(service);
  await authorize(service, client, browser, parameters);
  const requestAuthorization = (extraParameters: RequestParameters = {}) =>
    browser.get(buildAuthorizeUrl(service, client, { ...parameters, ...extraParameters }));
  return { user, browser, ask: requestAuthorization };
}

describe('consent', () => {
  test('is required for the first authorization', async () => {
    const browser = await openSignedInBrowser(service, await service.createUser());
    expect((await browser.get(buildAuthorizeUrl(service, application))).location?.pathname).toBe('/consent');
  });

  test('is not required again for the same scopes', async () => {
    const { ask } = await signInReturningUser(application, { scope: 'openid profile email' });
    for (const scope of ['openid profile email', 'openid', 'email profile'])
      expect((await ask({ scope })).location?.searchParams.get('code'), scope).toBeTruthy();
  });

  test('is required again for additional scopes', async () => {
    const { ask, browser } = await signInReturningUser(application, { scope: 'openid' });
    const visit = await ask({ scope: 'openid email' });
    expect(visit.location?.pathname).toBe('/consent');
    await submitDecision(browser, await browser.follow(visit), 'allow');
    expect((await ask({ scope: 'openid email' })).location?.searchParams.get('code')).toBeTruthy();
    expect((await ask({ scope: 'openid email profile' })).location?.pathname).toBe('/consent');
  });

  test('is required again after the user has revoked it', async () => {
    const { ask, user, browser } = await signInReturningUser(application, { scope: 'openid profile email' });
    await withdrawConsent(service.services.database, user.userId, application.clientId, service.clock.now());
    const visit = await ask({ scope: 'openid' });
    expect(visit.location?.pathname).toBe('/consent');
    await submitDecision(browser, await browser.follow(visit), 'allow');
    expect((await ask({ scope: 'openid' })).location?.searchParams.get('code')).toBeTruthy();
    expect((await ask({ scope: 'openid email' })).location?.pathname).toBe('/consent');
  });
});

describe('the consent page', () => {
  test('shows the user’s data for each requested scope', async () => {
    const user = await service.createUser({ name: 'Zoé <b>Müller', phone: '+33612345678' });
    const carnet = await service.createClient({
      name: 'Carnet & Cie <script>',
      redirectUris: ['https://carnet.example:8443/cb'],
    });
    const browser = await openSignedInBrowser(service, user);
    const page = await browser.follow(
      await browser.get(buildAuthorizeUrl(service, carnet, { scope: 'openid profile email phone' })),
    );
    expect(readHeading(page.body)).toBe('Share your information with Carnet & Cie <script>?');
    const values = [
      'carnet.example:8443',
      user.userId,
      'Zoé &lt;b&gt;Müller',
      user.email,
      '+33\u00a06\u00a012\u00a034\u00a056\u00a078',
      'not verified yet',
    ];
    for (const value of values) expect(page.body.replaceAll('<wbr>', '')).toContain(value);
    expect(page.body).toContain('/avatars/initials/');
    expect(page.body).not.toContain('<script>');
  });

  test('omits data that the requested scopes do not cover', async () => {
    const { user, browser } = await createSignedInUser(service, {
      phone: '+33612345678',
      emailVerified: true,
    });
    const openConsentPage = async (scope: string) =>
      (await browser.follow(await browser.get(buildAuthorizeUrl(service, application, { scope })))).body;
    const openidPage = await openConsentPage('openid');
    expect(openidPage).toContain(user.userId);
    for (const value of [
      '+33\u00a06\u00a012\u00a034\u00a056\u00a078',
      'Phone',
      'Email address',
      'Name and picture',
      'Profile changed on',
    ])
      expect(openidPage).not.toContain(value);
    expect(await openConsentPage('email')).toContain('<span class="tag tag--good">verified</span>');
    expect(await openConsentPage('email')).not.toContain(user.userId);
    expect(await openConsentPage('email')).not.toContain('<details');
  });

  test.each([
    [false, 'has not verified this application. Allow only if you recognize it.'],
    [true, 'has verified this application. Allow only if you recognize it.'],
  ])('says whether the client is verified (%s)', async (verified, text) => {
    const browser = await openSignedInBrowser(service, await service.createUser());
    const { clientId, ...client } = await service.createClient();
    await sql(
      service.services.database,
      'update clients set verified_at = $2::timestamptz where client_id = $1::text',
      [clientId, verified ? service.clock.now() : null],
    );
    const { body } = await browser.follow(
      await browser.get(buildAuthorizeUrl(service, { clientId, ...client })),
    );
    expect(body).toContain(`This service ${text}`);
    const [meaning, label] = verified ? ['good', 'verified'] : ['waiting', 'not verified'];
    expect(readText(body)).toContain(`client.example ${label} `);
    expect(body).toContain(`class="tag tag--${meaning}"`);
  });

  test('has one button for each decision', async () => {
    const browser = await openSignedInBrowser(service, await service.createUser());
    const page = await browser.follow(await browser.get(buildAuthorizeUrl(service, application)));
    const buttons = parseElements(page.body).filter(({ name }) => name === 'button');
    expect(
      buttons.map(({ attributes }) => [attributes.name, attributes.value, attributes.class]).sort(),
    ).toEqual([
      ['decision', 'allow', 'button button--primary'],
      ['decision', 'deny', 'button button--secondary'],
    ]);
    expect(parseElements(page.body).some(({ attributes }) => 'autofocus' in attributes)).toBe(false);
    expect(Object.keys(page.hidden).sort()).toEqual(['csrf', 'pending']);
  });

  test('redirects anonymous users to the sign-in page', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.follow(await browser.get(buildAuthorizeUrl(service, application)));
    const visit = await browser.follow(await browser.get(`/consent?pending=${page.hidden.pending}`));
    expect(visit.body).toContain('action="/signin"');
  });
});
