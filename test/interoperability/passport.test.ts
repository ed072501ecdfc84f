// Passport: the strategies that an application's page shows, run as they are copied, and one that keeps and renews tokens.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { SnippetId } from '../../src/pages/console/snippets/catalogue.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import { goThrough, signedInBrowser, userinfo } from '../support/flow.ts';
import { codeOf } from '../support/markup.ts';
import { freePort, startTestService, type TestService, type TestUser } from '../support/service.ts';
import { envOf, type Folder, integratePageOf, openFolder } from './copied.ts';
import { type AddSignIn, startExpressLike } from './express-like.ts';
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
let folder: Folder;
const stops: (() => Promise<void>)[] = [];
beforeAll(async () => {
  [service, folder] = await Promise.all([startTestService(), openFolder()]);
  person = await service.createUser({ name: 'Zoé Lefèvre' });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await Promise.all([...stops.map((stop) => stop()), service.close(), folder.remove()]);
});

async function start(id: SnippetId, standard: boolean, scopes = ['openid', 'profile', 'email']) {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const application = await service.createApplication({
    ownerId: person.userId,
    redirectUris: [`${origin}/retour?l=fr`],
    scopes,
    standard,
  });
  const page = await integratePageOf(service, person, application);
  const code = codeOf(page, `${id}-1`);
  expect(code).not.toContain(application.clientSecret);
  for (const [name, value] of Object.entries(parseEnv(envOf(page, id, application)))) vi.stubEnv(name, value);
  const file = await folder.put(`${application.clientId}.mjs`, code);
  const { addSignIn } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
    addSignIn: AddSignIn;
  };
  stops.push(await startExpressLike(port, addSignIn));
  return openBrowserSession(origin);
}

test.each([
  ['passport-oauth2', false],
  ['passport-oauth2', true],
  ['passport-openidconnect', false],
  ['passport-openidconnect', true],
] as const)(
  'the strategy to copy for %s signs a person in and refuses another state, standard mode %s',
  async (id, standard) => {
    const own = await start(id, standard);
    const browser = await signedInBrowser(service, person);
    const { location: began } = await own.get('/login');
    const forged = await goThrough(browser, began as URL);
    forged.searchParams.set('state', 'forged');
    expect((await own.get(forged)).location?.pathname).toBe('/login');
    expect((await own.get('/')).body).toBe('null');

    const { location: address } = await own.get('/login');
    expect(address?.searchParams.get('state')).toMatch(/^.{20,}$/);
    expect(address?.searchParams.get('scope')).toBe('openid profile email');
    expect(address?.searchParams.has(id === 'passport-oauth2' ? 'code_challenge' : 'nonce')).toBe(true);
    const answer = await own.get(await goThrough(browser, address as URL));
    expect([answer.status, answer.location?.pathname], answer.body).toEqual([302, '/']);
    const profile = JSON.parse((await own.get('/')).body);
    expect(profile.sub ?? profile.id).toBe(person.userId);
    expect(profile.name ?? profile.displayName).toBe('Zoé Lefèvre');
    expect(profile.email ?? profile.emails[0].value).toBe(person.email);
  },
);

test('passport-oauth2 reads the profile without openid, too', async () => {
  const own = await start('passport-oauth2', false, ['profile']);
  const { location: address } = await own.get('/login');
  await own.get(await goThrough(await signedInBrowser(service, person), address as URL));
  expect(JSON.parse((await own.get('/')).body)).toMatchObject({ name: 'Zoé Lefèvre' });
});

/** A strategy as an application writes it that keeps tokens: with max_age, renewal and sign-out. */
async function startWithTokens(secret?: string) {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const application = await createApplicationWithLogout(
    service,
    { standard: true, redirectUris: [`${origin}/callback`] },
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

test('passport-openidconnect signs in with state, nonce and max_age, reads the profile, renews, signs out', async () => {
  const { application, strategy, origin, own } = await startWithTokens();
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

test('passport-openidconnect says what the service refuses: a wrong secret', async () => {
  const { own } = await startWithTokens('not-the-secret');
  const { location: address } = await own.get('/login');
  const browser = await signedInBrowser(service, person);
  const answer = await own.get(await goThrough(browser, address as URL));
  expect([answer.status, answer.body]).toEqual([500, expect.stringMatching(/secret/)]);
  expect((await own.get('/')).body).toBe('null');
});
