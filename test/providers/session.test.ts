// Sessions started through a provider: MFA, suspension, acr and amr, re-authentication.
import { decodeJwt } from 'jose';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { IdentityProvider } from '../../src/oauth/identity-provider.ts';
import { removeProvider } from '../../src/providers/settings.ts';
import { unlinkIdentity } from '../../src/store/external-identities.ts';
import { findProvider, insertProvider, updateProvider } from '../../src/store/identity-providers.ts';
import { listAddedItems } from '../../src/store/recent-additions.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { listEmailsTo, readLink } from '../support/emails.ts';
import { readHeading } from '../support/markup.ts';
import { createMfaAccount, createTotpCode, submitSecondFactor } from '../support/mfa-account.ts';
import {
  authorize,
  buildAuthorizeUrl,
  obtainTokens,
  openSignedInBrowser,
  redeemCode,
  submitDecision,
} from '../support/oauth-flow.ts';
import { PASSWORD, type TestClient, type TestUser, useTestService } from '../support/service.ts';
import { sql } from '../support/store-fixtures.ts';
import { isSignedIn, signWith, useStubIssuer } from '../support/stub-issuer.ts';

const service = useTestService();
const { stub, link, start, respond, signIn } = useStubIssuer(service, {
  name: 'Stub',
  options: { acrs: { 'urn:mfa': '2' } },
});
let client: TestClient;
beforeAll(async () => {
  client = await service.createClient({ standard: true });
});

const newBrowser = () => openBrowserSession(service.baseUrl);
let subjectCount = 0;

/** Creates an account with a linked identity, which the provider then asserts at every sign-in. */
async function createLinkedUser(user?: TestUser): Promise<TestUser & { subject: string }> {
  subjectCount += 1;
  const subject = `session-${subjectCount}`;
  const linked = user ?? (await service.createUser());
  await link(linked.userId, subject);
  stub.behavior = { claims: { sub: subject } };
  return { ...linked, subject };
}

async function changeProvider(fields: Partial<IdentityProvider>): Promise<void> {
  const provider = await findProvider(service.services.database, 'stub');
  if (provider === undefined) throw new Error('no provider');
  await updateProvider(service.services.database, { ...provider, ...fields });
}
afterEach(() => changeProvider({ disabledAt: null }));

const hasSession = (browser: BrowserSession): boolean => browser.cookies.has('sesame');

/** Completes an authorization through the provider. @returns the id_token's claims */
async function obtainIdToken(parameters: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const browser = newBrowser();
  let page = await browser.get(buildAuthorizeUrl(service, client, { provider_hint: 'stub', ...parameters }));
  const { location } = await browser.get(page.location ?? '');
  stub.nonce = location?.searchParams.get('nonce') ?? '';
  page = await browser.follow(await respond(browser, location?.searchParams ?? new URLSearchParams()));
  if (page.location === undefined) page = await submitDecision(browser, page, 'allow');
  const code = page.location?.searchParams.get('code') ?? '';
  const { body } = await redeemCode(service, client, code);
  return decodeJwt(String(body.id_token));
}

describe('a user with an authenticator app', () => {
  async function reachSecondFactor(hoursAgo?: number): Promise<{
    browser: BrowserSession;
    page: Visit;
    secret: string;
    userId: string;
    subject: string;
    codes: string[];
  }> {
    const { user, secret, codes } = await createMfaAccount(service);
    const { subject } = await createLinkedUser(user);
    const now = Math.floor(service.clock.now().getTime() / 1000);
    if (hoursAgo !== undefined)
      stub.behavior = { claims: { sub: subject, auth_time: now - hoursAgo * 3600 } };
    const browser = newBrowser();
    const page = await browser.follow(await respond(browser, await start(browser)));
    return { browser, page, secret, codes, subject, userId: user.userId };
  }

  test('must enter a code after signing in at the provider', async () => {
    const { browser, page, secret } = await reachSecondFactor();
    expect(page.body).toContain('/signin/second-factor');
    expect(page.body).not.toContain('name="able"');
    expect(hasSession(browser)).toBe(false);
    const wrong = await submitSecondFactor(browser, page, { code: '000000' });
    expect(hasSession(browser)).toBe(false);
    const fields = { code: createTotpCode(service, secret), able: 'yes' };
    const done = await submitSecondFactor(browser, wrong, fields);
    expect(hasSession(browser)).toBe(true);
    // The response redirects to the account page, not to a passkey offer.
    expect(isSignedIn(done)).toBe(true);
    const [row] = await sql(
      service.services.database,
      'select methods from sessions where methods @> array[$1] order by auth_time desc limit 1',
      ['idp'],
    );
    expect(row?.methods).toEqual(['idp', 'otp']);
  });

  test('can enter a recovery code instead of a TOTP code', async () => {
    const { browser, page, codes } = await reachSecondFactor();
    await submitSecondFactor(browser, page, { code: codes[0] ?? '' });
    expect(hasSession(browser)).toBe(true);
  });

  test('must enter a code even if the provider used MFA', async () => {
    const { user } = await createMfaAccount(service);
    const { subject } = await createLinkedUser(user);
    stub.behavior = { claims: { sub: subject, acr: 'urn:mfa' } };
    expect((await signIn()).location?.pathname).toBe('/signin/second-factor');
  });

  test('must enter the password for sensitive changes, even after a code', async () => {
    const { browser, page, secret } = await reachSecondFactor();
    await submitSecondFactor(browser, page, { code: createTotpCode(service, secret) });
    expect(hasSession(browser)).toBe(true);
    expect((await browser.get('/account/security/app/remove')).body).toContain('name="current_password"');
  });

  test('must present all factors again if the sign-in at the provider was hours ago', async () => {
    const { browser, page, secret } = await reachSecondFactor(3);
    await submitSecondFactor(browser, page, { code: createTotpCode(service, secret) });
    expect(hasSession(browser)).toBe(true);
    const { location } = await browser.get(buildAuthorizeUrl(service, client, { max_age: '60' }));
    expect(location?.pathname).toBe('/signin');
  });

  test('needs no code on a remembered device', async () => {
    const { browser, page, secret } = await reachSecondFactor();
    await submitSecondFactor(browser, page, { code: createTotpCode(service, secret), trust: 'yes' });
    browser.cookies.delete('sesame');
    expect(isSignedIn(await respond(browser, await start(browser)))).toBe(true);
  });

  test('must enter a code for sensitive changes, even after MFA at the provider', async () => {
    const { browser, page, secret, subject } = await reachSecondFactor();
    stub.behavior = { claims: { sub: subject, acr: 'urn:mfa' } };
    await submitSecondFactor(browser, page, { code: createTotpCode(service, secret), trust: 'yes' });
    browser.cookies.delete('sesame');
    expect(isSignedIn(await respond(browser, await start(browser)))).toBe(true);
    const form = await browser.get('/account/security/app/remove');
    expect(form.body).toContain('name="confirmation_code"');
    const fresh = await browser.get(buildAuthorizeUrl(service, client, { max_age: '600' }));
    expect(fresh.location?.pathname).toBe('/signin/step-up');
  });

  test.each<[what: string, change: (userId: string, subject: string) => Promise<unknown>]>([
    ['the provider is disabled', () => changeProvider({ disabledAt: service.clock.now() })],
    [
      'the identity is unlinked',
      (userId, subject) =>
        service.services.database.transaction((transaction) =>
          unlinkIdentity(transaction, userId, { issuer: stub.issuer, subject }),
        ),
    ],
    [
      'the account is suspended',
      (userId) =>
        sql(service.services.database, 'update users set suspended_at = now() where id = $1', [userId]),
    ],
  ])('gets no session if %s before the code is entered', async (_what, change) => {
    const { browser, page, secret, userId, subject } = await reachSecondFactor();
    await change(userId, subject);
    await submitSecondFactor(browser, page, { code: createTotpCode(service, secret) });
    expect(hasSession(browser)).toBe(false);
  });

  test('is offered another way to sign in if the provider is disabled before the code is entered', async () => {
    const { browser, page, secret } = await reachSecondFactor();
    await changeProvider({ disabledAt: service.clock.now() });
    const refused = await submitSecondFactor(browser, page, { code: createTotpCode(service, secret) });
    expect([refused.status, readHeading(refused.body)]).toEqual([403, 'Stub is no longer available here']);
    expect(refused.body).toContain('href="/signin"><span>Sign in another way</span>');
  });
});

describe('a sign-in through a provider', () => {
  test('is rejected if the provider is disabled', async () => {
    await createLinkedUser();
    await changeProvider({ disabledAt: service.clock.now() });
    const page = await newBrowser().get('/signin/provider/stub');
    expect([page.status, page.body.includes('Stub is no longer available here')]).toEqual([403, true]);
  });

  test('is rejected if the provider is disabled before the user returns', async () => {
    await createLinkedUser();
    const browser = newBrowser();
    const request = await start(browser);
    await changeProvider({ disabledAt: service.clock.now() });
    expect((await respond(browser, request)).status).toBe(403);
    expect(stub.tokenRequests).toHaveLength(0);
  });

  test('is rejected if the provider is disabled during the token request', async () => {
    const { subject } = await createLinkedUser();
    const sign = stub.behavior.sign;
    stub.behavior = {
      claims: { sub: subject },
      sign: async (claims, issuer) => {
        await changeProvider({ disabledAt: service.clock.now() });
        return (sign ?? signWith(issuer.key))(claims, issuer);
      },
    };
    const browser = newBrowser();
    expect((await respond(browser, await start(browser))).status).toBe(403);
    expect(hasSession(browser)).toBe(false);
  });

  test('is rejected if the account is suspended', async () => {
    const { userId } = await createLinkedUser();
    await sql(service.services.database, 'update users set suspended_at = now() where id = $1', [userId]);
    const browser = newBrowser();
    const page = await respond(browser, await start(browser));
    expect([page.status, page.body.includes('Your account is suspended')]).toEqual([403, true]);
    expect(page.body).toContain('href="/signin"><span>Use another account</span>');
    expect(hasSession(browser)).toBe(false);
  });
});

test('a matching email address does not sign a user in to an unlinked account', async () => {
  const { email } = await service.createUser({ emailVerified: true });
  await changeProvider({ trustedEmailDomains: ['example.com'] });
  stub.behavior = { claims: { sub: 'attacker', email, email_verified: true } };
  const browser = newBrowser();
  const page = await respond(browser, await start(browser));
  expect(page.location?.pathname).toBe('/signup/provider');
  expect(hasSession(browser)).toBe(false);
  await changeProvider({ trustedEmailDomains: [] });
});

test('a provider sign-in is logged and updates the linked identity’s last use', async () => {
  const { userId } = await createLinkedUser();
  await signIn();
  const [event] = await sql(
    service.services.database,
    "select detail from events where user_id = $1 and kind = 'signed_in'",
    [userId],
  );
  expect(event?.detail).toMatchObject({ method: 'provider', with: ['idp'], provider: 'stub' });
  const [identity] = await sql(
    service.services.database,
    'select last_used_at, provider_id from external_identities where user_id = $1',
    [userId],
  );
  expect(identity).toMatchObject({ last_used_at: expect.any(Date), provider_id: 'stub' });
});

test('only a browser’s first provider sign-in triggers an email', async () => {
  const { email } = await createLinkedUser();
  const browser = newBrowser();
  await respond(browser, await start(browser));
  await respond(browser, await start(browser));
  expect((await listEmailsTo(service, email)).length).toBe(1);
});

test('a report of unauthorized activity unlinks the identity that started the session', async () => {
  const user = await createLinkedUser();
  service.clock.advance(3600);
  await signIn();
  const [alert] = await listEmailsTo(service, user.email);
  const owner = newBrowser();
  const report = await owner.get(readLink(alert ?? { text: '' }));
  expect(report.body).toContain('Stub (ada@stub.example)');
  await owner.post('/security/report', report.hidden);
  expect((await signIn()).location?.pathname).toBe('/signup/provider');
});

test('a sign-in through a provider does not replace the password for sensitive changes', async () => {
  const { email } = await createLinkedUser();
  const browser = newBrowser();
  await respond(browser, await start(browser));
  const { hidden } = await browser.get('/account/delete');
  const withoutPassword = await browser.post('/account/delete', { ...hidden, email });
  expect(withoutPassword.status).toBe(400);
  expect(withoutPassword.body).toContain('name="current_password"');
  const deleted = await browser.post('/account/delete', { ...hidden, email, current_password: PASSWORD });
  expect([deleted.status, hasSession(browser)]).toEqual([303, false]);
});

test('a sign-in through a provider changes the session ID', async () => {
  const user = await createLinkedUser();
  const browser = await openSignedInBrowser(service, user);
  const before = browser.cookies.get('sesame');
  await respond(browser, await start(browser));
  expect(browser.cookies.get('sesame')).not.toBe(before);
  const page = await browser.get('/account', { cookie: `sesame=${before}` });
  expect(page.location?.pathname).toBe('/signin');
});

describe('an id_token after a provider sign-in', () => {
  test('contains the account’s sub, acr 1 and no amr', async () => {
    const user = await createLinkedUser();
    const claims = await obtainIdToken();
    expect(claims).toMatchObject({ sub: user.userId, acr: '1' });
    expect(claims).not.toHaveProperty('amr');
  });

  test('contains acr 2 if an administrator mapped the provider’s acr', async () => {
    const { subject } = await createLinkedUser();
    stub.behavior = { claims: { sub: subject, acr: 'urn:mfa' } };
    expect(await obtainIdToken()).toMatchObject({ acr: '2', amr: ['mfa'] });
  });

  test.each(['other', '2', '__proto__', 'constructor'])('has acr 1 for the unmapped acr %s', async (acr) => {
    const { subject } = await createLinkedUser();
    stub.behavior = { claims: { sub: subject, acr } };
    expect(await obtainIdToken()).toMatchObject({ acr: '1' });
  });
});

describe('a provider_hint', () => {
  test('for an unknown provider is ignored', async () => {
    const page = await newBrowser().get(buildAuthorizeUrl(service, client, { provider_hint: 'none' }));
    expect(page.location?.pathname).toBe('/signin');
  });

  test.each(['', 'UPPER', '../../etc', 'x'.repeat(41), 'a b'])(
    'with the value %j is ignored',
    async (hint) => {
      const page = await newBrowser().get(buildAuthorizeUrl(service, client, { provider_hint: hint }));
      expect(page.location?.pathname).toBe('/signin');
    },
  );

  test('for a disabled provider is ignored', async () => {
    await changeProvider({ disabledAt: service.clock.now() });
    const page = await newBrowser().get(buildAuthorizeUrl(service, client, { provider_hint: 'stub' }));
    expect(page.location?.pathname).toBe('/signin');
  });

  test('is ignored if the user is already signed in', async () => {
    const browser = await openSignedInBrowser(service, await service.createUser());
    const callback = await authorize(service, client, browser, { provider_hint: 'stub' });
    expect(callback.searchParams.has('code')).toBe(true);
  });

  test('causes no redirect loop if the provider signs in a user other than the hinted one', async () => {
    const expected = await service.createUser();
    const { idToken = '' } = await obtainTokens(
      service,
      client,
      await openSignedInBrowser(service, expected),
    );
    const { subject } = await createLinkedUser();
    const now = Math.floor(service.clock.now().getTime() / 1000);
    stub.behavior = { claims: { sub: subject, auth_time: now - 3 * 3600 } };
    const browser = newBrowser();
    const parameters = { provider_hint: 'stub', id_token_hint: idToken };
    const page = await browser.get(buildAuthorizeUrl(service, client, parameters));
    const { location } = await browser.get(page.location ?? '');
    stub.nonce = location?.searchParams.get('nonce') ?? '';
    const signedIn = await respond(browser, location?.searchParams ?? new URLSearchParams());
    const callback = await browser.get(signedIn.location ?? '');
    expect(callback.location?.searchParams.get('error')).toBe('login_required');
  });

  test('is ignored with prompt=none', async () => {
    const url = buildAuthorizeUrl(service, client, { provider_hint: 'stub', prompt: 'none' });
    const { location } = await newBrowser().get(url);
    expect(location?.searchParams.get('error')).toBe('login_required');
  });
});

describe('with prompt=login or max_age, the service', () => {
  test('does not rely on an old auth_time from the provider', async () => {
    await createLinkedUser();
    const hoursAgo = Math.floor(service.clock.now().getTime() / 1000) - 3 * 3600;
    stub.behavior = { claims: { ...stub.behavior.claims, auth_time: hoursAgo } };
    const browser = newBrowser();
    const { location } = await browser.get(buildAuthorizeUrl(service, client, { prompt: 'login' }));
    expect(location?.pathname).toBe('/signin');
    const pending = location?.searchParams.get('pending') ?? '';
    await respond(browser, await start(browser));
    expect(hasSession(browser)).toBe(true);
    const continued = await browser.get(`/oauth/authorize?pending=${pending}`);
    expect(continued.location?.pathname).toBe('/signin');
  });

  const startWithHint = async (parameters: Record<string, string>) => {
    const browser = newBrowser();
    const page = await browser.get(
      buildAuthorizeUrl(service, client, { provider_hint: 'stub', ...parameters }),
    );
    const { location } = await browser.get(page.location ?? '');
    const request = location?.searchParams ?? new URLSearchParams();
    stub.nonce = request.get('nonce') ?? '';
    return { browser, request };
  };
  const nowInSeconds = () => Math.floor(Date.now() / 1000);

  test('passes both parameters to the provider', async () => {
    const { request } = await startWithHint({ prompt: 'login', max_age: '60' });
    expect([request.get('prompt'), request.get('max_age')]).toEqual(['login', '60']);
    expect((await startWithHint({})).request.has('prompt')).toBe(false);
  });

  test('rejects a stale provider sign-in', async () => {
    const { subject } = await createLinkedUser();
    const { browser, request } = await startWithHint({ max_age: '60' });
    stub.behavior = { claims: { sub: subject, auth_time: nowInSeconds() - 200 } };
    expect((await respond(browser, request)).status).toBe(502);
    const again = await startWithHint({ prompt: 'login' });
    // The service's clock may be ahead of the provider's.
    const offset = Math.round((service.clock.now().getTime() - Date.now()) / 1000);
    stub.behavior = { claims: { sub: subject, auth_time: nowInSeconds() + offset - 200 } };
    expect((await respond(again.browser, again.request)).status).toBe(502);
  });

  test('accepts a recent provider sign-in', async () => {
    const { subject } = await createLinkedUser();
    const { browser, request } = await startWithHint({ max_age: '60' });
    stub.behavior = { claims: { sub: subject, auth_time: nowInSeconds() - 10 } };
    expect((await respond(browser, request)).location?.pathname).toBe('/oauth/authorize');
  });

  test('rejects a provider response without auth_time', async () => {
    await createLinkedUser();
    const { browser, request } = await startWithHint({ max_age: '60' });
    expect((await respond(browser, request)).status).toBe(502);
  });
});

test('the error page after failing to link an identity links to the security page', async () => {
  const browser = await openSignedInBrowser(service, await service.createUser());
  stub.behavior = { claims: { aud: 'other' } };
  const page = await respond(browser, await start(browser, '?purpose=link'));
  expect(page.status).toBe(502);
  expect(page.body).toContain('href="/account/security"');
});

describe('re-authentication', () => {
  const reauthenticate = async (browser: BrowserSession): Promise<Visit> =>
    respond(browser, await start(browser, '?purpose=reauthenticate&next=/account/security/app'));

  async function readLastSignIn(userId: string): Promise<unknown> {
    const [row] = await sql(
      service.services.database,
      'select max(auth_time) as at from sessions where user_id = $1',
      [userId],
    );
    return row?.at;
  }

  test('through a linked identity renews the session', async () => {
    const user = await createLinkedUser();
    const browser = await openSignedInBrowser(service, user);
    const before = await readLastSignIn(user.userId);
    service.clock.advance(1000);
    const page = await reauthenticate(browser);
    expect(`${page.location?.pathname}${page.location?.search}`).toBe('/account/security/app');
    expect(await readLastSignIn(user.userId)).not.toEqual(before);
  });

  test('requests a new sign-in from the provider', async () => {
    const browser = await openSignedInBrowser(service, await createLinkedUser());
    const request = await start(browser, '?purpose=reauthenticate');
    expect(request.get('prompt')).toBe('login');
  });

  test('fails if the identity belongs to another account', async () => {
    const user = await service.createUser();
    await createLinkedUser();
    const browser = await openSignedInBrowser(service, user);
    const before = await readLastSignIn(user.userId);
    service.clock.advance(1000);
    const page = await reauthenticate(browser);
    expect(page.location?.search).toBe('?done=notLinked');
    expect(await readLastSignIn(user.userId)).toEqual(before);
  });

  test('through a provider is not sufficient for an account with MFA', async () => {
    const { user, browser } = await createMfaAccount(service);
    await createLinkedUser(user);
    const before = await readLastSignIn(user.userId);
    service.clock.advance(1000);
    expect((await reauthenticate(browser)).location?.search).toBe('?done=ownMfaRequired');
    expect(await readLastSignIn(user.userId)).toEqual(before);
  });

  test('with MFA at the provider is not sufficient for an account with MFA', async () => {
    const { user, browser } = await createMfaAccount(service);
    const { subject } = await createLinkedUser(user);
    stub.behavior = { claims: { sub: subject, acr: 'urn:mfa' } };
    expect((await reauthenticate(browser)).location?.search).toBe('?done=ownMfaRequired');
  });

  test('with MFA at the provider requires a code if the account has no password', async () => {
    const { user, browser } = await createMfaAccount(service);
    const { subject } = await createLinkedUser(user);
    stub.behavior = { claims: { sub: subject, acr: 'urn:mfa' } };
    await sql(service.services.database, 'update users set password_hash = null where id = $1', [
      user.userId,
    ]);
    const page = await browser.follow(await reauthenticate(browser));
    expect(page.body).toContain('name="code"');
  });

  test('is rejected if the provider is disabled during the token request', async () => {
    const user = await createLinkedUser();
    const browser = await openSignedInBrowser(service, user);
    const before = await readLastSignIn(user.userId);
    service.clock.advance(1000);
    stub.behavior = {
      claims: { sub: user.subject },
      sign: async (claims, issuer) => {
        await changeProvider({ disabledAt: service.clock.now() });
        return signWith(issuer.key)(claims);
      },
    };
    expect((await reauthenticate(browser)).location?.search).toBe('?done=notLinked');
    expect(await readLastSignIn(user.userId)).toEqual(before);
  });

  test('counts as a use of the identity, so a report of unauthorized activity unlinks it', async () => {
    const user = await createLinkedUser();
    const { database } = service.services;
    const since = service.clock.now();
    const browser = await openSignedInBrowser(service, user);

    service.clock.advance(1000);
    await reauthenticate(browser);
    expect(await listAddedItems(database, user.userId, since, service.clock.now())).toMatchObject([
      { kind: 'linked_identity' },
    ]);
  });

  test('requires a session', async () => {
    const page = await newBrowser().get('/signin/provider/stub?purpose=reauthenticate&next=/account');
    expect(page.location?.pathname).toBe('/signin');
  });
});

test('linking an identity leads to a confirmation page that contains the encrypted identity', async () => {
  const browser = await openSignedInBrowser(service, await service.createUser());
  stub.behavior = { claims: { sub: 'new' } };
  const page = await respond(browser, await start(browser, '?purpose=link&next=/account/security'));
  expect(page.location?.pathname).toBe('/account/security/identities/link');
  expect(page.location?.searchParams.get('identity')).toMatch(/^[\w-]{100,}$/);
});

test('only an administrator can test a provider', async () => {
  const browser = await openSignedInBrowser(service, await service.createUser());
  expect((await browser.get('/signin/provider/stub?purpose=test')).status).toBe(404);
});

describe('a provider with a removed provider’s ID', () => {
  /** Adds a provider with the discovery document, keys and tokens of the removed provider. */
  async function replaceProvider(): Promise<void> {
    const { database } = service.services;
    const provider = await findProvider(database, 'stub');
    if (provider === undefined) throw new Error('no provider');
    service.clock.advance(1);
    await database.transaction((transaction) =>
      removeProvider(transaction, 'stub', undefined, { ip: '' }, service.clock.now()),
    );
    await insertProvider(database, { ...provider, name: 'Other', createdAt: service.clock.now() });
  }
  const useNewIdentity = () => {
    subjectCount += 1;
    const claims = { sub: `replaced-${subjectCount}`, email: `replaced${subjectCount}@stub.example` };
    stub.behavior = { claims };
    return claims;
  };

  test('rejects responses to sign-ins that started before the removal', async () => {
    useNewIdentity();
    const browser = newBrowser();
    const request = await start(browser);
    await replaceProvider();
    expect((await respond(browser, request)).status).toBe(400);
    expect(stub.tokenRequests).toHaveLength(0);
  });

  test('cannot link or register identities from the removed provider', async () => {
    useNewIdentity();
    const browser = await openSignedInBrowser(service, await service.createUser({ emailVerified: true }));
    const page = await respond(browser, await start(browser, '?purpose=link'));
    const identity = page.location?.searchParams.get('identity') ?? '';
    expect((await browser.get(`/signup/provider?identity=${identity}`)).status).toBe(200);
    expect((await browser.follow(page)).body).toContain('action="/account/security/identities/link"');
    await replaceProvider();
    for (const path of ['/signup/provider', '/account/security/identities/link'])
      expect((await browser.get(`${path}?identity=${identity}`)).status).toBe(400);
  });

  test('rejects sign-up links emailed for the removed provider', async () => {
    const { email } = useNewIdentity();
    const browser = newBrowser();
    const form = await browser.follow(await respond(browser, await start(browser)));
    await browser.post('/signup/provider', { ...form.hidden, name: 'Ada', email });
    const [mail] = await listEmailsTo(service, email);
    const link = readLink(mail ?? { text: '' });
    expect((await browser.get(link)).status).toBe(200);
    await replaceProvider();
    expect((await browser.get(link)).status).toBe(400);
  });
});
