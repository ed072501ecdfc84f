// The pages on which a person lets a device in: why they ask, what they warn of, and where it ends.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type BrowserSession, openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { allowDevices, deviceCode, postForm, signedInBrowser, signIn } from '../../support/flow.ts';
import { headingOf, inputOf, mainOf } from '../../support/markup.ts';
import { sql } from '../../support/populate.ts';
import {
  codeOf,
  give,
  type ProtectedPerson,
  protectedPerson,
  trustedBrowser,
} from '../../support/protected-account.ts';
import {
  startTestService,
  type TestApplication,
  type TestService,
  type TestUser,
  useTestService,
} from '../../support/service.ts';

const service = useTestService();
let application: TestApplication;
let user: TestUser;
let browser: BrowserSession;
beforeAll(async () => {
  application = await service.createApplication({
    name: 'Salon',
    redirectUris: ['https://salon.example/cb'],
  });
  await allowDevices(service, application);
});
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

  await sql(
    service.parts.database,
    'update clients set verified_at = $2::timestamptz where client_id = $1::text',
    [application.clientId, service.clock.now()],
  );
  expect((await type(code)).body).not.toContain('have not verified this application');
});

describe('where the code was requested (RFC 10027 §6.1.14)', () => {
  let proxied: TestService;
  let device: TestApplication;
  beforeAll(async () => {
    proxied = await startTestService({ TRUSTED_PROXIES: '127.0.0.1' });
    device = await proxied.createApplication({ name: 'Salon' });
    await allowDevices(proxied, device);
  });
  afterAll(() => proxied.close());

  /** The text of the decision page for a code that was requested from one IP and entered from another. */
  async function decisionPage(requestedFrom: string, enteredFrom: string): Promise<string> {
    const { body } = await postForm(
      proxied,
      '/oauth/device_authorization',
      { client_id: device.clientId, client_secret: device.clientSecret, scope: 'openid' },
      { 'x-forwarded-for': requestedFrom },
    );
    const session = openBrowserSession(proxied.baseUrl, { 'x-forwarded-for': enteredFrom });
    await signIn(session, await proxied.createUser());
    const { hidden } = await session.get('/device');
    const sent = await session.post('/device', { ...hidden, user_code: String(body.user_code) });
    return (await session.follow(sent)).body;
  }

  test('the decision shows the network of the device, and when', async () => {
    const body = await decisionPage('203.0.113.7', '203.0.113.7');
    expect(body).toMatch(/Requested <time datetime="[^"]+" data-as="ago">/);
    expect(body).toContain('from your own network (203.0.113.7)');
  });

  test('the decision warns if the device is on another network than the user', async () => {
    const body = await decisionPage('198.51.100.9', '203.0.113.7');
    expect(body).toContain('from another network than yours (198.51.100.9)');
  });
});

describe('nothing is approved by a link (RFC 10027)', () => {
  /** The URL of the decision page, and what its form holds. */
  async function decisionOf(code: string) {
    const { hidden } = await browser.get('/device');
    const sent = await browser.post('/device', { ...hidden, user_code: code });
    const at = sent.location ?? new URL('/device', service.baseUrl);
    return { at, hidden: (await browser.get(at)).hidden };
  }

  test('the link with the code in it shows the page to enter it, and no decision', async () => {
    const code = await deviceCode(service, application);
    const page = await browser.get(`/device?user_code=${code}`);
    expect([page.status, headingOf(page.body)]).toEqual([200, 'Connect a device']);
    expect(page.body).not.toContain('name="decision"');
  });

  test('a decision in the query of any page decides nothing', async () => {
    const { at, hidden } = await decisionOf(await deviceCode(service, application));
    for (const path of ['/device', '/device/decision', '/device/done'])
      await browser.get(`${path}?${new URLSearchParams({ ...hidden, decision: 'allow', done: 'allowed' })}`);
    const again = await browser.get(at);
    expect(headingOf(again.body)).toBe('Connect a device to Salon?');
  });

  test('the decision page of one account is of no use in another', async () => {
    const { at } = await decisionOf(await deviceCode(service, application));
    const other = await signedInBrowser(service, await service.createUser());
    const page = await other.follow(await other.get(at));
    expect(headingOf(page.body)).toBe('Connect a device');
  });
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

describe('of whoever has an authenticator app', () => {
  let person: ProtectedPerson;
  beforeEach(async () => {
    person = await protectedPerson(service);
  });

  /** An application whose devices may sign in, demanding a second factor or not. */
  async function asking(second: { demanded: boolean }) {
    const made = await service.createApplication({ name: 'Salon', standard: true });
    await allowDevices(service, made);
    await sql(
      service.parts.database,
      'update clients set second_factor_required = $2::boolean where client_id = $1',
      [made.clientId, second.demanded],
    );
    return made;
  }
  /** Begins at a device. @returns the code to type, and what the device is told afterwards of how its person signed in */
  async function begin({ clientId, clientSecret }: TestApplication) {
    const credentials = { client_id: clientId, client_secret: clientSecret };
    const { body } = await postForm(service, '/oauth/device_authorization', {
      ...credentials,
      scope: 'openid',
    });
    const told = async () => {
      const answer = await postForm(service, '/oauth/token', {
        ...credentials,
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: String(body.device_code),
      });
      const { acr, amr } = decodeJwt(String(answer.body.id_token));
      return { acr, amr };
    };
    return { code: String(body.user_code), told };
  }
  const allow = async (hidden: Record<string, string>) =>
    (await decide(hidden, 'allow')).location?.search === '?done=allowed';
  const isStepUp = ({ body }: Visit) => body.includes('action="/signin/step-up"');

  const WEAK = { acr: '1', amr: ['pwd'] };
  const STRONG = { acr: '2', amr: ['pwd', 'otp', 'mfa'] };
  const SESSIONS: [string, () => BrowserSession | Promise<BrowserSession>, typeof WEAK][] = [
    ['a session from before it was set up', () => person.before, WEAK],
    ['a session that showed both', () => person.browser, STRONG],
    ['a browser that the account trusts', () => trustedBrowser(service, person), WEAK],
  ];

  test.each(SESSIONS)(
    '%s, where a second factor is demanded: it is asked for once',
    async (_, open, shown) => {
      browser = await open();
      const { code, told } = await begin(await asking({ demanded: true }));
      let page = await type(code);
      expect(isStepUp(page)).toBe(shown === WEAK);
      if (shown === WEAK) {
        expect(inputOf(page.body, 'code')).toBeDefined();
        const wrong = await browser.post('/signin/step-up', { ...page.hidden, code: '000000' });
        expect(isStepUp(await browser.follow(wrong))).toBe(true);
        const right = { ...page.hidden, code: codeOf(service, person.secret) };
        page = await browser.follow(await browser.post('/signin/step-up', right));
      }
      expect(headingOf(page.body)).toContain('Salon');
      expect(await allow(page.hidden)).toBe(true);
      expect(await told()).toEqual(STRONG);
    },
  );

  test('signing in on the way asks for password and code, and comes back with what was typed', async () => {
    const { code, told } = await begin(await asking({ demanded: true }));
    browser = openBrowserSession(service.baseUrl);
    const page = await browser.follow(await browser.get(`/device?user_code=${code}`));
    const half = await signIn(browser, person.user, page);
    const back = await browser.follow(await give(browser, half, { code: codeOf(service, person.secret) }));
    expect(inputOf(back.body, 'user_code')?.value).toBe(code);
    expect(await allow((await type(code)).hidden)).toBe(true);
    expect(await told()).toEqual(STRONG);
  });
});
