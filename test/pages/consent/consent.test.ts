// GET /consent: when a person is asked, and what the page shows (D7).
import { beforeAll, describe, expect, test } from 'vitest';
import { withdrawConsent } from '../../../src/store/consents.ts';
import { openBrowserSession } from '../../support/browser-session.ts';
import { authorize, authorizeAddress, decide, newPerson, signedInBrowser } from '../../support/flow.ts';
import { elementsOf, headingOf } from '../../support/markup.ts';
import { sql } from '../../support/populate.ts';
import { type TestApplication, useTestService } from '../../support/service.ts';

const service = useTestService();
let application: TestApplication;
beforeAll(async () => {
  application = await service.createApplication();
});

type Parameters = Record<string, string | undefined>;

async function returningPerson(asking = application, parameters: Parameters = {}) {
  const { user, browser } = await newPerson(service);
  await authorize(service, asking, browser, parameters);
  const ask = (more: Parameters = {}) =>
    browser.get(authorizeAddress(service, asking, { ...parameters, ...more }));
  return { user, browser, ask };
}

describe('consent is asked (D7)', () => {
  test('the first time', async () => {
    const browser = await signedInBrowser(service, await service.createUser());
    expect((await browser.get(authorizeAddress(service, application))).location?.pathname).toBe('/consent');
  });

  test('not again for the same scopes, fewer, or in another order', async () => {
    const { ask } = await returningPerson(application, { scope: 'openid profile email' });
    for (const scope of ['openid profile email', 'openid', 'email profile'])
      expect((await ask({ scope })).location?.searchParams.get('code'), scope).toBeTruthy();
  });

  test('again when the scopes grow, and then the larger set is remembered', async () => {
    const { ask, browser } = await returningPerson(application, { scope: 'openid' });
    const visit = await ask({ scope: 'openid email' });
    expect(visit.location?.pathname).toBe('/consent');
    await decide(browser, await browser.follow(visit), 'allow');
    expect((await ask({ scope: 'openid email' })).location?.searchParams.get('code')).toBeTruthy();
    expect((await ask({ scope: 'openid email profile' })).location?.pathname).toBe('/consent');
  });

  test('again after it was withdrawn, and only for what is asked then', async () => {
    const { ask, user, browser } = await returningPerson(application, { scope: 'openid profile email' });
    await withdrawConsent(service.parts.database, user.userId, application.clientId, service.clock.now());
    const visit = await ask({ scope: 'openid' });
    expect(visit.location?.pathname).toBe('/consent');
    await decide(browser, await browser.follow(visit), 'allow');
    expect((await ask({ scope: 'openid' })).location?.searchParams.get('code')).toBeTruthy();
    expect((await ask({ scope: 'openid email' })).location?.pathname).toBe('/consent');
  });
});

describe('the page', () => {
  test('names application, callback host and account, and shows the values of each scope', async () => {
    const user = await service.createUser({ name: 'Zoé <b>Müller', phone: '+33612345678' });
    const carnet = await service.createApplication({
      name: 'Carnet & Cie <script>',
      redirectUris: ['https://carnet.example:8443/cb'],
    });
    const browser = await signedInBrowser(service, user);
    const page = await browser.follow(
      await browser.get(authorizeAddress(service, carnet, { scope: 'openid profile email phone' })),
    );
    expect(headingOf(page.body)).toBe('Share your information with Carnet & Cie <script>?');
    const values = [
      'carnet.example:8443',
      user.userId,
      'Zoé &lt;b&gt;Müller',
      user.email,
      '+33\u00a06\u00a012\u00a034\u00a056\u00a078',
      'not verified yet',
    ];
    for (const value of values) expect(page.body).toContain(value);
    expect(page.body).toContain('/avatars/initials/');
    expect(page.body).not.toContain('<script>');
  });

  test('shows nothing of a scope that is not asked for', async () => {
    const { user, browser } = await newPerson(service, { phone: '+33612345678', emailVerified: true });
    const ask = async (scope: string) =>
      (await browser.follow(await browser.get(authorizeAddress(service, application, { scope })))).body;
    const openid = await ask('openid');
    expect(openid).toContain(user.userId);
    for (const value of [
      '+33\u00a06\u00a012\u00a034\u00a056\u00a078',
      'Phone',
      'Email address',
      'Name and picture',
      'Profile changed on',
    ])
      expect(openid).not.toContain(value);
    expect(await ask('email')).toContain('<span class="tag tag--good">verified</span>');
    expect(await ask('email')).not.toContain(user.userId);
    expect(await ask('email')).not.toContain('<details');
  });

  test.each([
    [false, 'have not verified this application. Allow only if you recognise it.'],
    [true, 'have verified this application. Allow only if you recognise it.'],
  ])(
    'says whether the operators vouch for it (%s), and what to look at in either case',
    async (verified, words) => {
      const browser = await signedInBrowser(service, await service.createUser());
      const { clientId, ...rest } = await service.createApplication();
      await sql(
        service.parts.database,
        'update clients set verified_at = $2::timestamptz where client_id = $1::text',
        [clientId, verified ? service.clock.now() : null],
      );
      const { body } = await browser.follow(
        await browser.get(authorizeAddress(service, { clientId, ...rest })),
      );
      expect(body).toContain(`The people who run this service ${words}`);
    },
  );

  test('has two buttons, decision=allow as the primary one and decision=deny, and no choice made beforehand', async () => {
    const browser = await signedInBrowser(service, await service.createUser());
    const page = await browser.follow(await browser.get(authorizeAddress(service, application)));
    const buttons = elementsOf(page.body).filter(({ name }) => name === 'button');
    expect(
      buttons.map(({ attributes }) => [attributes.name, attributes.value, attributes.class]).sort(),
    ).toEqual([
      ['decision', 'allow', 'button button--primary'],
      ['decision', 'deny', 'button button--secondary'],
    ]);
    expect(elementsOf(page.body).some(({ attributes }) => 'autofocus' in attributes)).toBe(false);
    expect(Object.keys(page.hidden).sort()).toEqual(['csrf', 'pending']);
  });

  test('needs a session: without one it leads to sign-in', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const page = await browser.follow(await browser.get(authorizeAddress(service, application)));
    const visit = await browser.follow(await browser.get(`/consent?pending=${page.hidden.pending}`));
    expect(visit.body).toContain('action="/signin"');
  });
});
