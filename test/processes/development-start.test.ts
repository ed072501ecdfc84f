// Development startup without settings: embedded database, example client, first administrator.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { signIn, submitDecision } from '../support/oauth-flow.ts';
import type { TestUser } from '../support/service.ts';
import {
  createTemporaryFolder,
  killProcesses,
  type ServiceProcess,
  startService,
} from '../support/service-process.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Creates the environment of a developer who has set neither DATABASE_URL nor SECRET_KEY. */
const createEnvironment = async () => ({
  DATABASE_URL: undefined,
  SECRET_KEY: undefined,
  NODE_ENV: undefined,
  LOG_LEVEL: 'trace',
  DATA_DIR: await createTemporaryFolder(),
});

let environment: Awaited<ReturnType<typeof createEnvironment>>;
let process: ServiceProcess;
beforeAll(async () => {
  environment = await createEnvironment();
  process = await startService(environment);
});
afterAll(killProcesses);

const readBanner = (label: string) =>
  new RegExp(`^ *${label} +(\\S+)$`, 'm').exec(process.output())?.[1] ?? '';
const readAdministrator = (): TestUser => ({
  userId: '',
  name: 'Administrator',
  email: readBanner('First administrator'),
  password: readBanner('Password, shown once'),
});

const readElement = ({ body }: Visit, id: string) =>
  new RegExp(` id="${id}"[^>]*>(?:<code>)?([^<]*)<`).exec(body)?.[1] ?? '';

/**
 * Opens one browser session per origin. A single session would share cookies between ports, which the test
 * must avoid.
 */
function openBrowsers(): { provider: BrowserSession; example: BrowserSession } {
  return {
    provider: openBrowserSession(process.url),
    example: openBrowserSession(readBanner('Example application')),
  };
}

async function clickSignIn(example: BrowserSession): Promise<URL> {
  const welcome = await example.get('/');
  const [, target = '', label] =
    /<a id="sign-in" class="service-signin-btn" href="([^"]*)">.*?>([^<]*)<\/a>/.exec(welcome.body) ?? [];
  expect(label).toBe('Se connecter avec Sésame');
  const redirect = await example.get(target);
  expect(redirect.status).toBe(303);
  return redirect.location as URL;
}

test('startup prints one line for all migrations and ends with the banner', () => {
  const output = process.output();
  const banner = output.indexOf('\n  Sésame ');
  expect(output.slice(0, banner)).not.toContain('{"level"');
  expect(
    output.match(/^\[\d\d:\d\d:\d\d\] INFO: database migrated \{"migrations":\d+,"latest":"\d{4}_\w+"\}$/gm),
  ).toHaveLength(1);
  expect(output.indexOf('listening')).toBeLessThan(banner);
  expect(output.slice(banner)).toMatch(
    /^\n {2}Sésame .*\n {2}Emails .*\n {2}Example application .*\n {2}First administrator .*\n {2}Password, shown once .*\n {2}Change password {9}npm run sesame -- users set-password admin@example\.com\n/,
  );
});

test('sign-in, profile, token refresh and logout work in the example client', async () => {
  const { provider, example } = openBrowsers();
  const url = await clickSignIn(example);
  expect(url.origin).toBe(process.url);
  expect(url.pathname).toBe('/oauth/authorize');

  const consentPage = await signIn(
    provider,
    readAdministrator(),
    await provider.follow(await provider.get(url)),
  );
  expect(consentPage.body).toContain('Carnet');
  const callback = (await submitDecision(provider, consentPage, 'allow')).location as URL;
  expect(callback.href).toMatch(`${readBanner('Example application')}/callback?`);
  const profile = await example.follow(await example.get(callback));
  expect(profile.status).toBe(200);
  expect(readElement(profile, 'profile-name')).toBe('Administrator');
  expect(readElement(profile, 'profile-email')).toBe('admin@example.com');
  expect(readElement(profile, 'profile-sub')).not.toBe('');

  const refreshed = await example.follow(await example.post('/renew', {}));
  expect(refreshed.status).toBe(200);
  expect(readElement(refreshed, 'message')).toBe('Access renewed.');
  for (const id of ['access-token-fingerprint', 'refresh-token-fingerprint'])
    expect(readElement(refreshed, id)).not.toBe(readElement(profile, id));
  expect(readElement(refreshed, 'profile-sub')).toBe(readElement(profile, 'profile-sub'));

  const outputLength = process.output().length;
  const logoutUrl = (await example.post('/logout', {})).location as URL;
  expect([logoutUrl.origin, logoutUrl.pathname]).toEqual([process.url, '/oauth/logout']);
  const returnUrl = (await provider.get(logoutUrl)).location as URL;
  expect(returnUrl.href).toBe(`${readBanner('Example application')}/signed-out`);
  const signedOut = await example.follow(await example.get(returnUrl));
  expect(readElement(signedOut, 'message')).toContain('You’ve signed out of Carnet and Sésame');
  await waitUntil('the revocation to be logged', () =>
    process.output().slice(outputLength).includes(' POST /oauth/token/revoke 200 in '),
  );
  expect((await example.get('/profile')).location?.search).toBe('?message=sign-in-first');

  // The next sign-in needs no consent page because the user has already consented.
  const signInPage = await provider.follow(await provider.get(await clickSignIn(example)));
  const secondCallback = await signIn(provider, readAdministrator(), signInPage);
  expect(secondCallback.location?.href).toMatch(`${readBanner('Example application')}/callback?`);
});

test('the log contains no secrets at any level', async () => {
  const { provider, example } = openBrowsers();
  const url = await clickSignIn(example);
  const { password } = readAdministrator();
  const authorization = await signIn(
    provider,
    readAdministrator(),
    await provider.follow(await provider.get(url)),
  );
  const callback = authorization.location as URL;
  await example.follow(await example.get(callback));
  const code = callback.searchParams.get('code') ?? '';
  const secrets = [password, code, callback.searchParams.get('state') ?? '', ...provider.cookies.values()];
  const lines = process
    .output()
    .split('\n')
    .filter((line) => !line.startsWith('  Password, shown once '));
  expect(lines.length).toBeGreaterThan(10);
  for (const secret of [...secrets, 'sesame_ac_', 'sesame_rt_', 'eyJ']) {
    expect(secret.length).toBeGreaterThan(2);
    expect(lines.filter((line) => line.includes(secret))).toEqual([]);
  }
});

test('a second start reuses existing data and prints no password', async () => {
  const firstAdministrator = readAdministrator();
  const example = readBanner('Example application');
  expect(await process.stop()).toEqual({ code: 0, signal: null });
  process = await startService(environment);
  expect(process.output()).not.toContain(firstAdministrator.password);
  expect(readBanner('Password, shown once')).toBe('');
  expect(readBanner('Example application')).toMatch(/^http:\/\/localhost:\d+$/);
  expect(example).toMatch(/^http:\/\/localhost:\d+$/);
  const browsers = openBrowsers();
  const consented = await signIn(
    browsers.provider,
    firstAdministrator,
    await browsers.provider.follow(await browsers.provider.get(await clickSignIn(browsers.example))),
  );
  // The example client still exists after the restart.
  expect(consented.location?.pathname).toBe('/callback');
  const profile = await browsers.example.follow(await browsers.example.get(consented.location as URL));
  expect(readElement(profile, 'profile-email')).toBe('admin@example.com');
});
