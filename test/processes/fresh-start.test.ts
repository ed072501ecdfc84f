// A fresh checkout, started with no settings to speak of: embedded database, example application, first operator.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { decide, signIn } from '../support/flow.ts';
import { endProcesses, type ServiceProcess, startService, temporaryFolder } from '../support/process.ts';
import type { TestUser } from '../support/service.ts';
import { until } from '../support/until.ts';

/** Neither a database nor a secret key is given: the process makes both up in its data folder. */
const fresh = async () => ({
  DATABASE_URL: undefined,
  SECRET_KEY: undefined,
  NODE_ENV: undefined,
  LOG_LEVEL: 'trace',
  DATA_DIR: await temporaryFolder(),
});

let environment: Awaited<ReturnType<typeof fresh>>;
let process: ServiceProcess;
beforeAll(async () => {
  environment = await fresh();
  process = await startService(environment);
});
afterAll(endProcesses);

/** What the process printed for the person who started it. */
const printed = (label: string) => new RegExp(`^ *${label} +(\\S+)$`, 'm').exec(process.output())?.[1] ?? '';
const operator = (): TestUser => ({
  userId: '',
  name: 'Operator',
  email: printed('First operator'),
  password: printed('Password, shown once'),
});

/** The text of the element with this id. */
const textOf = ({ body }: Visit, id: string) =>
  new RegExp(` id="${id}"[^>]*>(?:<code>)?([^<]*)<`).exec(body)?.[1] ?? '';

/** The same browser at two origins: each keeps its own cookies here, and redirects between them are followed by hand. */
function openBrowsers(): { here: BrowserSession; example: BrowserSession } {
  return {
    here: openBrowserSession(process.address),
    example: openBrowserSession(printed('Example application')),
  };
}

/** Presses the button of the example's first page. */
async function pressButton(example: BrowserSession): Promise<URL> {
  const welcome = await example.get('/');
  const [, target = '', label] =
    /<a id="sign-in" class="service-signin-btn" href="([^"]*)">.*?>([^<]*)<\/a>/.exec(welcome.body) ?? [];
  expect(label).toBe('Se connecter avec Sésame');
  const leaving = await example.get(target);
  expect(leaving.status).toBe(303);
  return leaving.location as URL;
}

test('the start logs a line per event, one for all migrations, and ends with the banner and its password', () => {
  const output = process.output();
  const banner = output.indexOf('\n  Sésame ');
  expect(output.slice(0, banner)).not.toContain('{"level"');
  expect(
    output.match(/^\[\d\d:\d\d:\d\d\] INFO: migrated \{"migrations":\d+,"latest":"\d{4}_\w+"\}$/gm),
  ).toHaveLength(1);
  expect(output.indexOf('listening')).toBeLessThan(banner);
  expect(output.slice(banner)).toMatch(
    /^\n {2}Sésame .*\n {2}Mails .*\n {2}Example application .*\n {2}First operator .*\n {2}Password, shown once .*\n {2}Another password {8}npm run sesame -- users set-password operator@example\.com\n/,
  );
});

test('the button leads to a sign-in that ends on the profile page; access is renewed, and revoked at logout', async () => {
  const { here, example } = openBrowsers();
  const address = await pressButton(example);
  expect(address.origin).toBe(process.address);
  expect(address.pathname).toBe('/oauth/authorize');

  const consentPage = await signIn(here, operator(), await here.follow(await here.get(address)));
  expect(consentPage.body).toContain('Carnet');
  const callback = (await decide(here, consentPage, 'allow')).location as URL;
  expect(callback.href).toMatch(`${printed('Example application')}/callback?`);
  const profile = await example.follow(await example.get(callback));
  expect(profile.status).toBe(200);
  expect(textOf(profile, 'profile-name')).toBe('Operator');
  expect(textOf(profile, 'profile-email')).toBe('operator@example.com');
  expect(textOf(profile, 'profile-sub')).not.toBe('');

  const renewed = await example.follow(await example.post('/renew', {}));
  expect(renewed.status).toBe(200);
  expect(textOf(renewed, 'message')).toBe('Access renewed.');
  for (const id of ['access-token-fingerprint', 'refresh-token-fingerprint'])
    expect(textOf(renewed, id)).not.toBe(textOf(profile, id));
  expect(textOf(renewed, 'profile-sub')).toBe(textOf(profile, 'profile-sub'));

  const known = process.output().length;
  const signingOut = (await example.post('/logout', {})).location as URL;
  expect([signingOut.origin, signingOut.pathname]).toEqual([process.address, '/oauth/logout']);
  const back = (await here.get(signingOut)).location as URL;
  expect(back.href).toBe(`${printed('Example application')}/signed-out`);
  const left = await example.follow(await example.get(back));
  expect(textOf(left, 'message')).toContain('You’ve signed out of Carnet and Sésame');
  await until('the revocation to be logged', () =>
    process.output().slice(known).includes(' POST /oauth/token/revoke 200 in '),
  );
  expect((await example.get('/profile')).location?.search).toBe('?message=sign-in-first');

  // The second time the password is asked again, and consent is remembered.
  const signInPage = await here.follow(await here.get(await pressButton(example)));
  const again = await signIn(here, operator(), signInPage);
  expect(again.location?.href).toMatch(`${printed('Example application')}/callback?`);
});

test('the log holds no password, code, token or session id, not even at its lowest level (D32)', async () => {
  const { here, example } = openBrowsers();
  const address = await pressButton(example);
  const { password } = operator();
  const arrived = await signIn(here, operator(), await here.follow(await here.get(address)));
  const callback = arrived.location as URL;
  await example.follow(await example.get(callback));
  const code = callback.searchParams.get('code') ?? '';
  const secrets = [password, code, callback.searchParams.get('state') ?? '', ...here.cookies.values()];
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

test('the second start uses the same database, key, operator and example, and prints no password', async () => {
  const before = operator();
  const example = printed('Example application');
  expect(await process.stop()).toEqual({ code: 0, signal: null });
  process = await startService(environment);
  expect(process.output()).not.toContain(before.password);
  expect(printed('Password, shown once')).toBe('');
  expect(printed('Example application')).toMatch(/^http:\/\/localhost:\d+$/);
  expect(example).toMatch(/^http:\/\/localhost:\d+$/);
  const browsers = openBrowsers();
  const consented = await signIn(
    browsers.here,
    before,
    await browsers.here.follow(await browsers.here.get(await pressButton(browsers.example))),
  );
  // The consent of the first process is remembered: it is the same application.
  expect(consented.location?.pathname).toBe('/callback');
  const profile = await browsers.example.follow(await browsers.example.get(consented.location as URL));
  expect(textOf(profile, 'profile-email')).toBe('operator@example.com');
});
