// The device authorization pages (RFC 8628).
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type BrowserSession, openBrowserSession, type Visit } from '../../support/browser-session.ts';
import { findInput, readHeading, readMain } from '../../support/markup.ts';
import {
  createMfaAccountWithOldSession,
  createTotpCode,
  type MfaAccountWithOldSession,
  signInOnRememberedDevice,
  submitSecondFactor,
} from '../../support/mfa-account.ts';
import {
  enableDeviceFlow,
  openSignedInBrowser,
  postForm,
  requestUserCode,
  signIn,
} from '../../support/oauth-flow.ts';
import {
  startTestService,
  type TestClient,
  type TestService,
  type TestUser,
  useTestService,
} from '../../support/service.ts';
import { sql } from '../../support/store-fixtures.ts';

const service = useTestService();
let application: TestClient;
let user: TestUser;
let browser: BrowserSession;
beforeAll(async () => {
  application = await service.createClient({
    name: 'Salon',
    redirectUris: ['https://salon.example/cb'],
  });
  await enableDeviceFlow(service, application);
});
beforeEach(async () => {
  user = await service.createUser({ name: 'Zoé Lefèvre' });
  browser = await openSignedInBrowser(service, user);
});

const enterCode = async (code: string) => {
  const { hidden } = await browser.get('/device');
  return browser.follow(await browser.post('/device', { ...hidden, user_code: code }));
};
const submitDeviceDecision = (hidden: Record<string, string>, decision: 'allow' | 'deny') =>
  browser.post('/device/decision', { ...hidden, decision });

test('the sign-in page explains that the user is about to connect a device', async () => {
  const anonymous = openBrowserSession(service.baseUrl);
  const page = await anonymous.follow(await anonymous.get('/device?user_code=BCDF-GHJK'));
  expect(readHeading(page.body)).toBe('Sign in');
  expect(page.body).toContain('to connect a device');
  expect((await anonymous.get('/signin?next=/account')).body).not.toContain('to connect a device');
});

test("the code entry page warns users against entering someone else's code", async () => {
  const { body } = await browser.get('/device');
  expect(body).toContain('Enter the code that your TV, console or program shows');
  expect(body).toContain(user.email);
  expect(body).toContain('never one that someone sends you');
});

test('the decision page shows the redirect host and the requested data', async () => {
  const code = await requestUserCode(service, application);
  const page = await enterCode(code);
  for (const text of [
    'someone sent you this code',
    code,
    '<strong class="host">salon.example</strong>',
    'has not verified this application',
    '<span class="tag tag--waiting">not verified</span>',
    user.email,
    'Email address',
  ])
    expect(page.body).toContain(text);
  expect(page.body.match(/button--primary/g)).toHaveLength(1);

  await sql(
    service.services.database,
    'update clients set verified_at = $2::timestamptz where client_id = $1::text',
    [application.clientId, service.clock.now()],
  );
  expect((await enterCode(code)).body).not.toContain('has not verified this application');
});

describe('the decision page', () => {
  let proxied: TestService;
  let device: TestClient;
  beforeAll(async () => {
    proxied = await startTestService({ TRUSTED_PROXIES: '127.0.0.1' });
    device = await proxied.createClient({ name: 'Salon' });
    await enableDeviceFlow(proxied, device);
  });
  afterAll(() => proxied.close());

  /** Opens the decision page. The device and the user may have different IP addresses. */
  async function openDecisionPage(requestedFrom: string, enteredFrom: string): Promise<string> {
    const { body } = await postForm(
      proxied,
      '/oauth/device_authorization',
      { client_id: device.clientId, client_secret: device.clientSecret, scope: 'openid' },
      { 'x-forwarded-for': requestedFrom },
    );
    const session = openBrowserSession(proxied.baseUrl, { 'x-forwarded-for': enteredFrom });
    await signIn(session, await proxied.createUser());
    const { hidden } = await session.get('/device');
    const response = await session.post('/device', { ...hidden, user_code: String(body.user_code) });
    return (await session.follow(response)).body;
  }

  test("shows the device's network and the request time", async () => {
    const body = await openDecisionPage('203.0.113.7', '203.0.113.7');
    expect(body).toMatch(/Requested <time datetime="[^"]+" data-as="ago"/);
    expect(body).toContain('from your own network (203.0.113.7)');
  });

  test('warns if the device is on a different network than the user', async () => {
    const body = await openDecisionPage('198.51.100.9', '203.0.113.7');
    expect(body).toContain('from a different network than yours (198.51.100.9)');
  });
});

describe('a link with a user code', () => {
  async function requestDecision(code: string) {
    const { hidden } = await browser.get('/device');
    const response = await browser.post('/device', { ...hidden, user_code: code });
    const url = response.location ?? new URL('/device', service.baseUrl);
    return { at: url, hidden: (await browser.get(url)).hidden };
  }

  test('opens the code entry page (RFC 10027)', async () => {
    const code = await requestUserCode(service, application);
    const page = await browser.get(`/device?user_code=${code}`);
    expect([page.status, readHeading(page.body)]).toEqual([200, 'Connect a device']);
    expect(page.body).not.toContain('name="decision"');
  });

  test('ignores a decision parameter', async () => {
    const { at, hidden } = await requestDecision(await requestUserCode(service, application));
    for (const path of ['/device', '/device/decision', '/device/done'])
      await browser.get(`${path}?${new URLSearchParams({ ...hidden, decision: 'allow', done: 'allowed' })}`);
    const page = await browser.get(at);
    expect(readHeading(page.body)).toBe('Connect a device to Salon?');
  });

  test("does not open another user's decision page", async () => {
    const { at } = await requestDecision(await requestUserCode(service, application));
    const other = await openSignedInBrowser(service, await service.createUser());
    const page = await other.follow(await other.get(at));
    expect(readHeading(page.body)).toBe('Connect a device');
  });
});

test.each([
  ['allow', 'Device allowed', '/account/applications'],
  ['deny', 'Device denied', 'Nothing was shared'],
] as const)(
  'the page shown after the user chooses to %s access has no form',
  async (decision, title, text) => {
    const { hidden } = await enterCode(await requestUserCode(service, application));
    const outcome = await browser.follow(await submitDeviceDecision(hidden, decision));
    expect([outcome.status, readHeading(outcome.body)]).toEqual([200, title]);
    expect(outcome.body).toContain(text);
    expect(readMain(outcome.body)).not.toContain('<form');
  },
);

test('resubmitting the decision form does not change the decision', async () => {
  for (const [first, second] of [
    ['allow', 'allow'],
    ['deny', 'deny'],
    ['deny', 'allow'],
  ] as const) {
    const { hidden } = await enterCode(await requestUserCode(service, application));
    const [firstOutcome, secondOutcome] = [
      await submitDeviceDecision(hidden, first),
      await submitDeviceDecision(hidden, second),
    ];
    expect(secondOutcome.location?.href).toBe(firstOutcome.location?.href);
  }
});

test('the result of a decision is not shown to other users', async () => {
  const code = await requestUserCode(service, application);
  const { hidden } = await enterCode(code);
  browser = await openSignedInBrowser(service, await service.createUser());
  const { hidden: otherHidden } = await enterCode(code);
  await submitDeviceDecision(otherHidden, 'allow');
  browser = await openSignedInBrowser(service, user);
  const { csrf = '' } = (await browser.get('/device')).hidden;
  expect((await submitDeviceDecision({ ...hidden, csrf }, 'allow')).status).toBe(400);
});

test('switching accounts preserves the user code', async () => {
  const code = await requestUserCode(service, application);
  const readSwitchLink = (body: string) =>
    / href="([^"]*)">Use another account<\/a><\/p>/
      .exec(body.slice(body.indexOf('<main')))?.[1]
      ?.replaceAll('&amp;', '&') ?? '';
  const page = await browser.get(`/device?user_code=${code}`);
  const other = await service.createUser({ name: 'Grace Hopper' });
  const codePage = await signIn(browser, other, await browser.get(readSwitchLink(page.body)));
  expect(codePage.body).toContain(`value="${code}"`);
  expect(codePage.body).toContain('Grace Hopper');
  const decision = await enterCode(code);
  const chooser = await browser.get(readSwitchLink(decision.body));
  expect(readHeading(chooser.body)).toBe('Choose an account');
});

describe('device authorization with required MFA', () => {
  let protectedUser: MfaAccountWithOldSession;
  beforeEach(async () => {
    protectedUser = await createMfaAccountWithOldSession(service);
  });

  async function createDeviceClient(mfa: { required: boolean }) {
    const client = await service.createClient({ name: 'Salon', standard: true });
    await enableDeviceFlow(service, client);
    await sql(
      service.services.database,
      'update clients set mfa_required = $2::boolean where client_id = $1',
      [client.clientId, mfa.required],
    );
    return client;
  }
  /** Returns the user code, and a function that reads the id_token's claims. */
  async function startAuthorization({ clientId, clientSecret }: TestClient) {
    const credentials = { client_id: clientId, client_secret: clientSecret };
    const { body } = await postForm(service, '/oauth/device_authorization', {
      ...credentials,
      scope: 'openid',
    });
    const readAmr = async () => {
      const response = await postForm(service, '/oauth/token', {
        ...credentials,
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: String(body.device_code),
      });
      const { acr, amr } = decodeJwt(String(response.body.id_token));
      return { acr, amr };
    };
    return { code: String(body.user_code), readAmr };
  }
  const isAllowed = async (hidden: Record<string, string>) =>
    (await submitDeviceDecision(hidden, 'allow')).location?.search === '?done=allowed';
  const isStepUpPage = ({ body }: Visit) => body.includes('action="/signin/step-up"');

  const WEAK = { acr: '1', amr: ['pwd'] };
  const STRONG = { acr: '2', amr: ['pwd', 'otp', 'mfa'] };
  const SESSIONS: [string, () => BrowserSession | Promise<BrowserSession>, typeof WEAK][] = [
    ['a session that started before the app was set up', () => protectedUser.passwordOnlyBrowser, WEAK],
    ['a session with MFA', () => protectedUser.browser, STRONG],
    ['a session on a remembered device', () => signInOnRememberedDevice(service, protectedUser), WEAK],
  ];

  test.each(SESSIONS)('requires a TOTP code at most once in %s', async (_, openBrowser, expectedClaims) => {
    browser = await openBrowser();
    const { code, readAmr } = await startAuthorization(await createDeviceClient({ required: true }));
    let page = await enterCode(code);
    expect(isStepUpPage(page)).toBe(expectedClaims === WEAK);
    if (expectedClaims === WEAK) {
      expect(findInput(page.body, 'code')).toBeDefined();
      const rejected = await browser.post('/signin/step-up', { ...page.hidden, code: '000000' });
      expect(isStepUpPage(await browser.follow(rejected))).toBe(true);
      const correctFields = { ...page.hidden, code: createTotpCode(service, protectedUser.secret) };
      page = await browser.follow(await browser.post('/signin/step-up', correctFields));
    }
    expect(readHeading(page.body)).toContain('Salon');
    expect(await isAllowed(page.hidden)).toBe(true);
    expect(await readAmr()).toEqual(STRONG);
  });

  test('requires the password and a TOTP code at sign-in', async () => {
    const { code, readAmr } = await startAuthorization(await createDeviceClient({ required: true }));
    browser = openBrowserSession(service.baseUrl);
    const page = await browser.follow(await browser.get(`/device?user_code=${code}`));
    const passwordResponse = await signIn(browser, protectedUser.user, page);
    const codePage = await browser.follow(
      await submitSecondFactor(browser, passwordResponse, {
        code: createTotpCode(service, protectedUser.secret),
      }),
    );
    expect(findInput(codePage.body, 'user_code')?.value).toBe(code);
    expect(await isAllowed((await enterCode(code)).hidden)).toBe(true);
    expect(await readAmr()).toEqual(STRONG);
  });
});
