// The pages on which a person lets a device in: why they ask, what they warn of, and where it ends.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { statement } from '../../../src/store/statement.ts';
import { type BrowserSession, openBrowserSession } from '../../support/browser-session.ts';
import { allowDevices, deviceCode } from '../../support/device-pages.ts';
import { signedInBrowser, signIn } from '../../support/flow.ts';
import { headingOf, mainOf } from '../../support/markup.ts';
import {
  startTestService,
  type TestApplication,
  type TestService,
  type TestUser,
} from '../../support/service.ts';

let service: TestService;
let application: TestApplication;
let user: TestUser;
let browser: BrowserSession;
beforeAll(async () => {
  service = await startTestService();
  application = await service.createApplication({
    name: 'Salon',
    redirectUris: ['https://salon.example/cb'],
  });
  await allowDevices(service, application);
});
afterAll(() => service.close());
beforeEach(async () => {
  user = await service.createUser({ name: 'Zoé Lefèvre' });
  browser = await signedInBrowser(service, user);
});

const type = async (code: string) => {
  const { hidden } = await browser.get('/device');
  return browser.follow(await browser.post('/device', { ...hidden, user_code: code }));
};
const decide = (hidden: Record<string, string>, decision: 'allow' | 'deny') =>
  browser.post('/device/decision', { ...hidden, decision });

test('signing in on the way there says what for', async () => {
  const stranger = openBrowserSession(service.baseUrl);
  const page = await stranger.follow(await stranger.get('/device?user_code=BCDF-GHJK'));
  expect(headingOf(page.body)).toBe('Sign in');
  expect(page.body).toContain('to connect a device');
  expect((await stranger.get('/signin?next=/account')).body).not.toContain('to connect a device');
});

test('the page for the code says what it is for, into which account, and never to enter a code that was sent', async () => {
  const { body } = await browser.get('/device');
  expect(body).toContain('so that you do not have to type your password there');
  expect(body).toContain(user.email);
  expect(body).toContain('never one that someone sends you');
});

test('the decision warns as consent does: whose address, whether it is verified, what is shared; one answer is primary', async () => {
  const code = await deviceCode(service, application);
  const page = await type(code);
  for (const words of [
    'someone sent you this code',
    code,
    '<strong class="host">salon.example</strong>',
    'have not verified this application',
    '<span class="tag tag--waiting">not verified</span>',
    user.email,
    'Email address',
  ])
    expect(page.body).toContain(words);
  expect(page.body.match(/button--primary/g)).toHaveLength(1);

  await service.parts.database.query(
    statement('test_verify', 'update clients set verified_at = $2::timestamptz where client_id = $1::text'),
    [application.clientId, service.clock.now()],
  );
  expect((await type(code)).body).not.toContain('have not verified this application');
});

test.each([
  ['allow', 'Device allowed', '/account/applications'],
  ['deny', 'Device denied', 'Nothing was shared'],
] as const)('%s ends on an ending: nothing to fill in, and the ways on', async (decision, title, words) => {
  const { hidden } = await type(await deviceCode(service, application));
  const end = await browser.follow(await decide(hidden, decision));
  expect([end.status, headingOf(end.body)]).toEqual([200, title]);
  expect(end.body).toContain(words);
  expect(mainOf(end.body)).not.toContain('<form');
});

test('pressed twice, it is decided once, and says what was decided the first time', async () => {
  for (const [first, second] of [
    ['allow', 'allow'],
    ['deny', 'deny'],
    ['deny', 'allow'],
  ] as const) {
    const { hidden } = await type(await deviceCode(service, application));
    const [one, two] = [await decide(hidden, first), await decide(hidden, second)];
    expect(two.location?.href).toBe(one.location?.href);
  }
});

test('the ending of somebody else’s decision is not shown', async () => {
  const code = await deviceCode(service, application);
  const { hidden } = await type(code);
  browser = await signedInBrowser(service, await service.createUser());
  const { hidden: theirs } = await type(code);
  await decide(theirs, 'allow');
  browser = await signedInBrowser(service, user);
  const { csrf = '' } = (await browser.get('/device')).hidden;
  expect((await decide({ ...hidden, csrf }, 'allow')).status).toBe(400);
});

test('another account may take its place, and comes back with the code', async () => {
  const code = await deviceCode(service, application);
  const link = (body: string) =>
    / href="([^"]*)">Use another account<\/a><\/p>/
      .exec(body.slice(body.indexOf('<main')))?.[1]
      ?.replaceAll('&amp;', '&') ?? '';
  const page = await browser.get(`/device?user_code=${code}`);
  const other = await service.createUser({ name: 'Grace Hopper' });
  const back = await signIn(browser, other, await browser.get(link(page.body)));
  expect(back.body).toContain(`value="${code}"`);
  expect(back.body).toContain('Grace Hopper');
  const decision = await type(code);
  const chooser = await browser.get(link(decision.body));
  expect(headingOf(chooser.body)).toBe('Choose an account');
});
