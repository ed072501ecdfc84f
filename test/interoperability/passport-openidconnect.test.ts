// passport-openidconnect drives the whole flow in an application of its own; none of its checks is relaxed.
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AddSignIn, startExpressLike } from '../snippets/express-like.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { goThrough, signedInBrowser, userinfo } from '../support/flow.ts';
import { freePort, startTestService, type TestService, type TestUser } from '../support/service.ts';
import { createApplicationWithLogout, expectSignOut } from './session.ts';

type Told = (error: unknown, accessToken: string, refreshToken: string, body: Record<string, string>) => void;
type Verified = (error: null, user: object) => void;
/** The part of the strategy that its own types, which are not installed, would name. */
interface Strategy {
  /** The `oauth` client under every strategy of Passport, which passport-oauth2-refresh renews with. */
  _oauth2: { getOAuthAccessToken(token: string, parameters: object, told: Told): void };
}
const OpenIDConnectStrategy = createRequire(import.meta.url)('passport-openidconnect') as new (
  settings: object,
  verify: (
    issuer: string,
    profile: { id: string; displayName: string; emails: { value: string }[] },
    context: object,
    idToken: string,
    accessToken: string,
    refreshToken: string,
    done: Verified,
  ) => void,
) => Strategy;

let service: TestService;
let person: TestUser;
const stops: (() => Promise<void>)[] = [];
beforeAll(async () => {
  service = await startTestService();
  person = await service.createUser({ name: 'Grace Hopper' });
});
afterAll(() => Promise.all([...stops.map((stop) => stop()), service.close()]));

async function start(standard: boolean, secret?: string) {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const application = await createApplicationWithLogout(
    service,
    { standard, redirectUris: [`${origin}/callback`] },
    `${origin}/`,
  );
  const strategy = new OpenIDConnectStrategy(
    {
      issuer: service.baseUrl,
      authorizationURL: `${service.baseUrl}/oauth/authorize`,
      tokenURL: `${service.baseUrl}/oauth/token`,
      userInfoURL: `${service.baseUrl}/oauth/userinfo`,
      clientID: application.clientId,
      clientSecret: secret ?? application.clientSecret,
      callbackURL: '/callback',
      scope: ['profile', 'email'],
      nonce: true,
      maxAge: 3600,
      skipUserProfile: false,
    },
    (issuer, profile, _context, idToken, accessToken, refreshToken, done) =>
      done(null, { issuer, profile, idToken, accessToken, refreshToken }),
  );
  const addSignIn: AddSignIn = (app, passport) => {
    passport.use('sesame', strategy);
    app.get('/login', passport.authenticate('sesame'));
    app.get(
      '/callback',
      passport.authenticate('sesame', { successRedirect: '/', failureRedirect: '/failed' }),
    );
  };
  stops.push(await startExpressLike(port, addSignIn));
  return { application, strategy, origin, own: openBrowserSession(origin) };
}

describe.each([false, true])('passport-openidconnect, standard mode %s (D19)', (standard) => {
  test('signs in with state, nonce and max_age, reads the profile, renews, signs out', async () => {
    const { application, strategy, origin, own } = await start(standard);
    const { location: address } = await own.get('/login');
    for (const name of ['state', 'nonce', 'max_age'])
      expect(address?.searchParams.get(name), name).toBeTruthy();
    const browser = await signedInBrowser(service, person);
    const answer = await own.get(await goThrough(browser, address as URL));
    expect([answer.status, answer.location?.href], answer.body).toEqual([302, `${origin}/`]);
    const user = JSON.parse((await own.get('/')).body);
    expect(user.issuer).toBe(service.baseUrl);
    expect(user.profile).toMatchObject({
      id: person.userId,
      displayName: person.name,
      emails: [{ value: person.email }],
    });

    const renewed = await new Promise<Record<string, string>>((resolve, reject) => {
      const parameters = { grant_type: 'refresh_token' };
      strategy._oauth2.getOAuthAccessToken(user.refreshToken, parameters, (error, _token, _next, body) =>
        error ? reject(error) : resolve(body),
      );
    });
    expect(renewed.refresh_token).not.toBe(user.refreshToken);
    expect((await userinfo(service, renewed.access_token ?? '')).body.sub).toBe(person.userId);

    const signOut = new URL('/oauth/logout', service.baseUrl);
    signOut.searchParams.set('id_token_hint', user.idToken);
    signOut.searchParams.set('post_logout_redirect_uri', application.back);
    await expectSignOut(browser, signOut, application.back);
  });

  test('says what the service refuses: a wrong secret', async () => {
    const { own } = await start(standard, 'not-the-secret');
    const { location: address } = await own.get('/login');
    const browser = await signedInBrowser(service, person);
    const answer = await own.get(await goThrough(browser, address as URL));
    expect([answer.status, answer.body]).toEqual([500, expect.stringMatching(/secret/)]);
    expect((await own.get('/')).body).toBe('null');
  });
});
