// Attempts to take over accounts through identity providers, modeled on published vulnerabilities.
// See also presets.test.ts (Microsoft's tenants and email addresses) and import-users.test.ts (imported
// identities).
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { RECENT_SIGN_IN_TTL } from '../../src/oauth/lifetimes.ts';
import { toExternalProfile } from '../../src/providers/profile.ts';
import { EMPTY_FIELDS, toProviderSettings } from '../../src/providers/settings-fields.ts';
import { findUserIdByIdentity, listIdentities, unlinkIdentity } from '../../src/store/external-identities.ts';
import { findProvider } from '../../src/store/identity-providers.ts';
import { findUserByEmail } from '../../src/store/users.ts';
import { type BrowserSession, openBrowserSession, type Visit } from '../support/browser-session.ts';
import { readLink } from '../support/emails.ts';
import { readHeading, readMain } from '../support/markup.ts';
import {
  createMfaAccount,
  createTotpCode,
  enterPassword,
  isSignedIn,
  submitSecondFactor,
} from '../support/mfa-account.ts';
import {
  buildAuthorizeUrl,
  createSignedInUser,
  obtainTokens,
  openSignedInBrowser,
  redeemRefreshToken,
  signIn,
} from '../support/oauth-flow.ts';
import { PASSWORD, type TestUser, useTestService } from '../support/service.ts';
import { startSmtp } from '../support/smtp.ts';
import { sql } from '../support/store-fixtures.ts';
import { type Respond, useStubIssuer } from '../support/stub-issuer.ts';

const SIGN_UP_PATH = '/signup/provider';
const CONFIRM_PATH = `${SIGN_UP_PATH}/confirm`;
const LINK_PATH = '/account/security/identities/link';

const smtp = await startSmtp();
afterAll(() => smtp.close());
const MAIL_SETTINGS = { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'sesame@example.com' };
const service = useTestService(MAIL_SETTINGS);
const TRUSTED_DOMAIN = { trustedEmailDomains: ['trusted.example'] };
const provider = useStubIssuer(service, { ...TRUSTED_DOMAIN, providerId: 'first', name: 'First' });
const otherProvider = useStubIssuer(service, { ...TRUSTED_DOMAIN, providerId: 'second', name: 'Second' });
const google = useStubIssuer(service, {
  trustedEmailDomains: ['trusted.example', 'gmail.com'],
  providerId: 'google',
  preset: 'google',
  name: 'Google',
});
const github = useStubIssuer(service, {
  ...TRUSTED_DOMAIN,
  providerId: 'github',
  preset: 'github',
  name: 'GitHub',
});
const mfaProvider = useStubIssuer(service, {
  providerId: 'mfa',
  name: 'With MFA',
  options: { acrs: { 'urn:mfa': '2' } },
});
type Provider = typeof provider;

const newBrowser = () => openBrowserSession(service.baseUrl);

let counter = 0;
beforeEach(() => {
  counter += 1;
});
const getSubject = () => `subject-${counter}`;
const newEmail = (name = 'victim') => `${name}${counter}@trusted.example`;

/** Signs in at a provider that asserts the given claims. @returns the browser and the last page */
async function signInAtProvider(
  { stub, start, respond }: Provider,
  claims: Record<string, unknown>,
  { browser = newBrowser(), query = '' } = {},
): Promise<{ browser: BrowserSession; page: Visit }> {
  const sub = claims.sub ?? getSubject();
  stub.behavior = { ...stub.behavior, claims: { ...claims, sub }, userinfo: { ...claims, sub } };
  return { browser, page: await browser.follow(await respond(browser, await start(browser, query))) };
}

const submitSignUp = (browser: BrowserSession, page: Visit, email: string) =>
  browser.post(SIGN_UP_PATH, { ...page.hidden, name: 'Mallory', email });

const findOwner = ({ stub }: Provider, sub = getSubject()) =>
  findUserIdByIdentity(service.services.database, { issuer: stub.issuer, subject: sub });

async function readMail(email: string): Promise<{ subject: string | undefined; text: string }> {
  await service.services.mailer.idle();
  const mail = smtp.emails.findLast(({ recipients }) => recipients.includes(email));
  return { subject: mail?.subject, text: mail?.text ?? '' };
}

const readEmailedLink = async (email: string) => readLink(await readMail(email));

/** @returns the email address of the account that the browser is signed in to, or undefined */
async function readSignedInEmail(browser: BrowserSession): Promise<string | undefined> {
  const { status, body } = await browser.get('/account/email');
  return status === 200
    ? /[\w.+-]+@[\w-]+\.(?:example|com)/.exec(readMain(body).replaceAll('<wbr>', ''))?.[0]
    : undefined;
}

const signOut = async (browser: BrowserSession) =>
  browser.post('/signout', (await browser.get('/signout')).hidden);

const isSignUpPage = ({ body }: Visit): boolean => readHeading(body).startsWith('First sign-in with');

async function expectUnchanged(victim: TestUser): Promise<void> {
  expect(await listIdentities(service.services.database, victim.userId)).toEqual([]);
  expect(await isSignedIn(await openSignedInBrowser(service, victim))).toBe(true);
}

describe('an identity with an existing account’s email address', () => {
  test.each([true, false, 'true', undefined])(
    'is not linked to the account if email_verified is %j',
    async (email_verified) => {
      const victim = await service.createUser({ email: newEmail(), emailVerified: true });
      const { browser, page } = await signInAtProvider(provider, { email: victim.email, email_verified });
      expect(isSignUpPage(page)).toBe(true);
      const response = await submitSignUp(browser, page, victim.email);
      expect(response.location?.pathname).toBe(`${SIGN_UP_PATH}/sent`);
      expect(await isSignedIn(browser)).toBe(false);
      expect(await findOwner(provider)).toBeUndefined();
      await expectUnchanged(victim);
    },
  );

  test.each([
    ['capital letters', (email: string) => email.toUpperCase()],
    ['a subaddress', (email: string) => email.replace('@', '+x@')],
    ['an additional dot', (email: string) => `v.${email.slice(1)}`],
    ['full-width letters in the domain', (email: string) => email.replace('trusted', 'ｔｒｕｓｔｅｄ')],
    ['an ideographic full stop', (email: string) => email.replace('trusted.', 'trusted。')],
    ['spaces', (email: string) => ` ${email}\t`],
  ])('is not linked to the account if the address contains %s', async (_case, vary) => {
    const victim = await service.createUser({ email: newEmail(), emailVerified: true });
    const claims = { email: vary(victim.email), email_verified: true };
    const { browser, page } = await signInAtProvider(provider, claims);
    expect(isSignUpPage(page)).toBe(true);
    await submitSignUp(browser, page, victim.email);
    expect(await isSignedIn(browser)).toBe(false);
    await expectUnchanged(victim);
  });

  test.each(['preferred_username', 'upn', 'unique_name', 'username', 'emails'])(
    'is not linked to the account if the address is in the claim %s',
    async (claim) => {
      const victim = await service.createUser({ email: newEmail(), emailVerified: true });
      const { page } = await signInAtProvider(provider, {
        email: undefined,
        email_verified: true,
        [claim]: victim.email,
      });
      expect(isSignUpPage(page)).toBe(true);
      expect(page.body).not.toContain(victim.email);
      await expectUnchanged(victim);
    },
  );
});

test.each([
  ['an email address that the provider hasn’t verified', false],
  ['an email address other than the provider’s', true],
])(
  'sign-up with %s runs the same SQL statements whether or not the address is taken',
  async (_case, isVerified) => {
    const taken = await service.createUser({ email: newEmail('taken'), emailVerified: true });
    const usage = service.services.database.usage().statements;
    const recordSignUp = async (email: string) => {
      const asserted = { email: isVerified ? newEmail('own') : email, email_verified: isVerified };
      const { browser, page } = await signInAtProvider(provider, { ...asserted, sub: email });
      await service.services.mailer.idle();
      const before = new Map(usage);
      const { status, location } = await submitSignUp(browser, page, email);
      await service.services.mailer.idle();
      const counts = [...usage].map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const);
      // Ignore polls of the outbox, whose number depends on timing.
      return [
        status,
        location?.pathname,
        counts.filter(([name, count]) => count > 0 && !name.includes('due')).sort(),
      ];
    };
    expect(await recordSignUp(taken.email)).toEqual(await recordSignUp(newEmail('free')));
  },
);

describe('email verification after sign-up through a provider', () => {
  const createsAccountFor = async (from: Provider, claims: Record<string, unknown>): Promise<boolean> => {
    const email = newEmail('new');
    const { browser, page } = await signInAtProvider(from, { email, ...claims });
    await submitSignUp(browser, page, email);
    return (await findUserByEmail(service.services.database, email)) !== undefined;
  };

  test('is skipped if email_verified is true and the administrator trusts the provider for the domain', async () => {
    expect(await createsAccountFor(provider, { email_verified: true })).toBe(true);
  });

  test.each(['true', 1, false, null, [true], undefined])(
    'is required if email_verified is %j',
    async (email_verified) => {
      expect(await createsAccountFor(provider, { email_verified })).toBe(false);
    },
  );

  test.each(['trusted.example.attacker.example', 'sub.trusted.example', 'xtrusted.example'])(
    'is required for the domain %s, which only resembles a trusted domain',
    async (domain) => {
      const email = `person${counter}@${domain}`;
      const { browser, page } = await signInAtProvider(provider, { email, email_verified: true });
      await submitSignUp(browser, page, email);
      expect(await findUserByEmail(service.services.database, email)).toBeUndefined();
    },
  );

  test('is required if the user enters a different email address at the same domain', async () => {
    const { browser, page } = await signInAtProvider(provider, {
      email: newEmail('own'),
      email_verified: true,
    });
    const other = newEmail('other');
    await submitSignUp(browser, page, other);
    expect(await findUserByEmail(service.services.database, other)).toBeUndefined();
  });
});

describe('a linked identity', () => {
  /** Creates an account that is linked to an identity of the first provider. */
  async function createLinkedUser(): Promise<TestUser> {
    const user = await service.createUser({ email: newEmail(), emailVerified: true });
    await provider.link(user.userId, getSubject());
    return user;
  }

  test('leads to the same account if the provider asserts a different user’s email address', async () => {
    const user = await createLinkedUser();
    const other = await service.createUser({ email: newEmail('other'), emailVerified: true });
    const { browser } = await signInAtProvider(provider, { email: other.email, email_verified: true });
    expect(await readSignedInEmail(browser)).toBe(user.email);
    expect(await listIdentities(service.services.database, other.userId)).toEqual([]);
  });

  test('does not match a different subject with the same email address', async () => {
    const user = await createLinkedUser();
    const claims = { sub: `${getSubject()}-new`, email: user.email, email_verified: true };
    const { browser, page } = await signInAtProvider(provider, claims);
    expect(isSignUpPage(page)).toBe(true);
    await submitSignUp(browser, page, user.email);
    expect(await isSignedIn(browser)).toBe(false);
    expect(await findOwner(provider, `${getSubject()}-new`)).toBeUndefined();
  });

  test.each([
    ['in uppercase', (sub: string) => sub.toUpperCase()],
    ['followed by a space', (sub: string) => `${sub} `],
    ['with a full-width letter', (sub: string) => sub.replace('s', 'ｓ')],
  ])('does not match its subject %s', async (_case, vary) => {
    await createLinkedUser();
    const { browser, page } = await signInAtProvider(provider, { sub: vary(getSubject()) });
    expect(isSignUpPage(page)).toBe(true);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('does not match the same subject at a different provider', async () => {
    await createLinkedUser();
    const { browser, page } = await signInAtProvider(otherProvider, {});
    expect(isSignUpPage(page)).toBe(true);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('does not restore its account after the account has been deleted', async () => {
    const user = await createLinkedUser();
    const browser = await openSignedInBrowser(service, user);
    const page = await browser.get('/account/delete');
    await browser.post('/account/delete', { ...page.hidden, email: user.email, password: user.password });
    expect(await findUserByEmail(service.services.database, user.email)).toBeUndefined();
    const again = await signInAtProvider(provider, { email: user.email, email_verified: true });
    expect(isSignUpPage(again.page)).toBe(true);
    await submitSignUp(again.browser, again.page, user.email);
    const account = await findUserByEmail(service.services.database, user.email);
    expect(account?.userId).toBeDefined();
    expect(account?.userId).not.toBe(user.userId);
  });
});

test('MFA at a provider counts only if the id_token contains an acr that an administrator has mapped', async () => {
  const createSession = async (claims: object, userinfo: object) => {
    const user = await service.createUser({ emailVerified: true });
    await mfaProvider.link(user.userId, user.email);
    const { stub, start, respond } = mfaProvider;
    stub.behavior = {
      claims: { sub: user.email, email: undefined, ...claims },
      userinfo: { sub: user.email, ...userinfo },
    };
    const browser = newBrowser();
    await respond(browser, await start(browser));
    const [session] = await sql(
      service.services.database,
      'select methods from sessions where user_id = $1',
      [user.userId],
    );
    return session?.methods;
  };
  expect(await createSession({ acr: 'urn:mfa' }, {})).toEqual(['idp', 'mfa']);
  expect(await createSession({}, { acr: 'urn:mfa', amr: ['mfa'] })).toEqual(['idp']);
  for (const acr of ['2', 'phr', 'URN:MFA', 'toString', '__proto__', ['urn:mfa']])
    expect(await createSession({ acr, amr: ['mfa', 'otp', 'hwk'] }, {})).toEqual(['idp']);
});

const respondWithJson =
  (content: unknown): Respond =>
  (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(content));

test.each([
  ['unverified', [{ email: 'victim@trusted.example', primary: true, verified: false }]],
  ['not primary', [{ email: 'victim@trusted.example', primary: false, verified: true }]],
  ['only in the public profile', []],
])('the GitHub preset ignores an email address that is %s', async (_case, emails) => {
  github.stub.behavior = {
    respond: {
      '/login/oauth/access_token': respondWithJson({ access_token: 'gho_1', token_type: 'bearer' }),
      '/api/v3/user': respondWithJson({ id: counter, login: 'mallory', email: 'victim@trusted.example' }),
      '/api/v3/user/emails': respondWithJson(emails),
    },
  };
  const { page } = await signInAtProvider(github, {});
  expect(isSignUpPage(page)).toBe(true);
  expect(page.body).not.toContain('victim@trusted.example');
});

test.each(['microsoft', 'proconnect'] as const)('the %s preset trusts no email domains', (preset) => {
  const fields = { ...EMPTY_FIELDS, emailDomains: ['trusted.example'] };
  expect(toProviderSettings(preset, fields).trustedEmailDomains).toEqual([]);
});

test.each<[boolean, string, Record<string, unknown>]>([
  [true, 'trusted.example', { hd: 'trusted.example' }],
  [false, 'trusted.example', {}],
  [false, 'trusted.example', { hd: '' }],
  [false, 'trusted.example', { hd: true }],
  [true, 'gmail.com', {}],
  [false, 'other.example', { hd: 'other.example' }],
])(
  'the Google preset sets emailVerified to %s for an address at %s with the claims %j',
  async (isVerified, domain, claims) => {
    google.stub.behavior = { claims: { email: `ada@${domain}`, email_verified: true, ...claims } };
    expect(await google.redeem()).toMatchObject({ emailVerified: isVerified });
  },
);

test('Google’s issuer is trusted for an email domain only with an hd claim, even without the preset', async () => {
  const found = await findProvider(service.services.database, 'first');
  if (found === undefined) throw new Error('no provider');
  const identity = { issuer: 'https://accounts.google.com', subject: '1' };
  const claims = { email: 'ada@trusted.example', email_verified: true };
  const isEmailVerified = (issuer: string, hd?: string) =>
    toExternalProfile({ ...found, issuer }, identity, { ...claims, hd }).emailVerified;
  expect(isEmailVerified(identity.issuer)).toBe(false);
  expect(isEmailVerified(identity.issuer, 'trusted.example')).toBe(true);
  expect(isEmailVerified('https://other.example')).toBe(true);
});

test('the GitHub preset does not match a login or node_id with a linked user ID', async () => {
  const victim = await service.createUser({ email: newEmail(), emailVerified: true });
  await github.link(victim.userId, '583231');
  github.stub.behavior = {
    respond: {
      '/login/oauth/access_token': respondWithJson({ access_token: 'gho_1', token_type: 'bearer' }),
      '/api/v3/user': respondWithJson({ id: 700_000, login: '583231', node_id: '583231' }),
      '/api/v3/user/emails': respondWithJson([]),
    },
  };
  const { browser, page } = await signInAtProvider(github, {});
  expect(isSignUpPage(page)).toBe(true);
  expect(await isSignedIn(browser)).toBe(false);
});

describe('an attacker who signs up in the victim’s name', () => {
  const attackerPassword = 'mallory-battery-staple-42';

  /** Tries to sign in with the attacker's password. @returns whether it is accepted */
  async function canAttackerSignIn(email: string): Promise<boolean> {
    const browser = newBrowser();
    await signIn(browser, { userId: '', name: '', email, password: attackerPassword });
    return isSignedIn(browser);
  }

  test('loses the account when the victim signs in through a trusted provider', async () => {
    const email = newEmail();
    const attacker = await service.createUser({ email, password: attackerPassword });
    const attackersBrowser = await openSignedInBrowser(service, attacker);
    expect(await isSignedIn(attackersBrowser)).toBe(true);
    const { browser, page } = await signInAtProvider(provider, { email, email_verified: true });
    await submitSignUp(browser, page, email);
    expect(await readSignedInEmail(browser)).toBe(email);
    expect(await findOwner(provider)).not.toBe(attacker.userId);
    expect(await isSignedIn(attackersBrowser)).toBe(false);
    expect(await canAttackerSignIn(email)).toBe(false);
  });

  test('loses all sessions and tokens when the victim resets the password', async () => {
    const email = newEmail();
    const attacker = await service.createUser({ email, password: attackerPassword });
    const attackersBrowser = await openSignedInBrowser(service, attacker);
    const client = await service.createClient();
    const tokens = await obtainTokens(service, client, attackersBrowser);
    const { browser, page } = await signInAtProvider(provider, { email, email_verified: true });
    await submitSignUp(browser, page, email);
    // The victim's identity isn't linked to the attacker's account.
    expect(await findOwner(provider)).toBeUndefined();
    const confirm = await browser.get(await readEmailedLink(email));
    await browser.post(CONFIRM_PATH, confirm.hidden);
    expect(await findOwner(provider)).toBeUndefined();
    const reset = await browser.get(await readEmailedLink(email));
    await browser.post('/password/reset', { ...reset.hidden, new_password: PASSWORD });
    expect(await isSignedIn(attackersBrowser)).toBe(false);
    expect(await canAttackerSignIn(email)).toBe(false);
    expect((await redeemRefreshToken(service, client, tokens.refreshToken)).status).toBe(400);
  });

  test('loses a linked identity when the victim resets the password', async () => {
    const email = newEmail();
    // Without a mail server, an attacker can create an account with the victim's email address.
    const attacker = await service.createUser({ email });
    await provider.link(attacker.userId, getSubject());
    expect(await readSignedInEmail((await signInAtProvider(provider, { email })).browser)).toBe(email);
    const victim = newBrowser();
    const forgot = await victim.get('/password/forgot');
    await victim.post('/password/forgot', { ...forgot.hidden, email });
    const reset = await victim.get(await readEmailedLink(email));
    await victim.post('/password/reset', { ...reset.hidden, new_password: PASSWORD });
    expect(await findOwner(provider)).toBeUndefined();
    const { page } = await signInAtProvider(provider, { email, email_verified: false });
    expect(isSignUpPage(page)).toBe(true);
  });

  test('gets no account if the victim opens the emailed link', async () => {
    const email = newEmail();
    const attack = await signInAtProvider(otherProvider, { email, email_verified: false });
    await submitSignUp(attack.browser, attack.page, email);
    const link = await readEmailedLink(email);
    const victim = newBrowser();
    const page = await victim.get(link);
    expect(page.body).not.toContain('<form');
    const token = new URL(link, service.baseUrl).searchParams.get('token') ?? '';
    await victim.post(CONFIRM_PATH, { ...(await victim.get('/signup')).hidden, token });
    expect(await findOwner(otherProvider)).toBeUndefined();
    expect(await findUserByEmail(service.services.database, email)).toBeUndefined();
  });
});

describe('an email confirmation', () => {
  test('is valid only for the identity that requested it', async () => {
    const email = newEmail();
    const browser = newBrowser();
    const first = await signInAtProvider(provider, { email, email_verified: false }, { browser });
    await submitSignUp(browser, first.page, email);
    const link = await readEmailedLink(email);
    // Another identity at the same provider requests an account with the same address.
    const attack = await signInAtProvider(provider, {
      sub: `${getSubject()}-b`,
      email,
      email_verified: false,
    });
    await submitSignUp(attack.browser, attack.page, email);
    const confirm = await browser.get(link);
    await browser.post(CONFIRM_PATH, confirm.hidden);
    const account = await findUserByEmail(service.services.database, email);
    expect(await findOwner(provider)).toBe(account?.userId);
    expect(await findOwner(provider, `${getSubject()}-b`)).toBeUndefined();
    await submitSignUp(attack.browser, attack.page, email);
    expect(await isSignedIn(attack.browser)).toBe(false);
    expect(await findOwner(provider, `${getSubject()}-b`)).toBeUndefined();
  });

  test('submitted again after the identity has been unlinked does not start a session', async () => {
    const email = newEmail();
    const { browser, page } = await signInAtProvider(provider, { email, email_verified: false });
    await submitSignUp(browser, page, email);
    const link = await readEmailedLink(email);
    const [first, second] = [await browser.get(link), await browser.get(link)];
    await browser.post(CONFIRM_PATH, first.hidden);
    const { userId = '' } = (await findUserByEmail(service.services.database, email)) ?? {};
    const [identity] = await listIdentities(service.services.database, userId);
    if (identity === undefined) throw new Error('no identity');
    await service.services.database.transaction((transaction) =>
      unlinkIdentity(transaction, userId, identity),
    );
    await signOut(browser);
    for (const { hidden } of [first, second]) await browser.post(CONFIRM_PATH, hidden);
    expect(await isSignedIn(browser)).toBe(false);
    expect(await findOwner(provider)).toBeUndefined();
  });
});

test('a sign-up form submitted again after sign-out does not start a session', async () => {
  const email = newEmail();
  const { browser, page } = await signInAtProvider(provider, { email, email_verified: true });
  await submitSignUp(browser, page, email);
  expect(await isSignedIn(browser)).toBe(true);
  await signOut(browser);
  expect(await isSignedIn(browser)).toBe(false);
  await submitSignUp(browser, page, email);
  expect(await isSignedIn(browser)).toBe(false);
});

describe('linking an identity', () => {
  /** Opens the page on which the signed-in user must confirm that the identity should be linked. */
  const openConfirmation = (browser: BrowserSession) =>
    signInAtProvider(provider, {}, { browser, query: '?purpose=link' });

  test('requires a session, even if the account’s email address is known', async () => {
    const victim = await service.createUser({ email: newEmail(), emailVerified: true });
    const { browser, page } = await signInAtProvider(provider, { email: victim.email });
    const started = await browser.get('/signin/provider/first?purpose=link');
    expect(started.location?.pathname).toBe('/signin');
    const signInPage = await browser.get(`/signin?login_hint=${victim.email}`);
    const { csrf = '' } = signInPage.hidden;
    const posted = await browser.post(LINK_PATH, { csrf, identity: page.hidden.identity ?? '' });
    expect(posted.location?.pathname).toBe('/signin');
    expect(await findOwner(provider)).toBeUndefined();
    await expectUnchanged(victim);
  });

  test('requires a completed sign-in if the account has MFA', async () => {
    const { user } = await createMfaAccount(service, { emailVerified: true });
    const { browser } = await enterPassword(service, user);
    const { page } = await signInAtProvider(provider, { email: user.email }, { browser });
    expect(isSignUpPage(page)).toBe(true);
    const { csrf = '', identity = '' } = page.hidden;
    const opened = await browser.get(`${LINK_PATH}?identity=${identity}`);
    expect(opened.location?.pathname).toBe('/signin');
    expect((await browser.post(LINK_PATH, { csrf, identity })).location?.pathname).toBe('/signin');
    expect(await findOwner(provider)).toBeUndefined();
  });

  test('requires a recent MFA code and does not replace MFA at sign-in', async () => {
    const { user, secret, browser } = await createMfaAccount(service, { emailVerified: true });
    service.clock.advance(RECENT_SIGN_IN_TTL + 1);
    const { page } = await openConfirmation(browser);
    await browser.post(LINK_PATH, { ...page.hidden, current_password: user.password });
    expect(await findOwner(provider)).toBeUndefined();
    await browser.post(LINK_PATH, {
      ...page.hidden,
      current_password: user.password,
      confirmation_code: createTotpCode(service, secret),
    });
    expect(await findOwner(provider)).toBe(user.userId);
    service.clock.advance(30);
    const again = await signInAtProvider(provider, {});
    expect(await isSignedIn(again.browser)).toBe(false);
    await submitSecondFactor(again.browser, again.page, { code: createTotpCode(service, secret) });
    expect(await readSignedInEmail(again.browser)).toBe(user.email);
  });

  test('cannot be confirmed through a link or by a form on a different site', async () => {
    const { user, browser } = await createSignedInUser(service, { emailVerified: true });
    const { page } = await openConfirmation(browser);
    expect(page.body).toContain(user.email);
    expect(await findOwner(provider)).toBeUndefined();
    const crossSite = { 'sec-fetch-site': 'cross-site', origin: 'https://attacker.example' };
    expect((await browser.post(LINK_PATH, page.hidden, crossSite)).status).toBe(403);
    const { identity = '' } = page.hidden;
    expect((await browser.post(LINK_PATH, { identity, csrf: 'x' })).status).toBe(403);
    await browser.get(`${LINK_PATH}?identity=${identity}`);
    expect(await findOwner(provider)).toBeUndefined();
    const frame = page.headers.get('content-security-policy');
    expect(frame).toContain("frame-ancestors 'none'");
  });

  test('rejects an encrypted identity from a different user’s session', async () => {
    const attack = await createSignedInUser(service, { emailVerified: true });
    const { page } = await openConfirmation(attack.browser);
    const { identity = '' } = page.hidden;
    const { user, browser } = await createSignedInUser(service, { emailVerified: true });
    expect((await browser.get(`${LINK_PATH}?identity=${identity}`)).status).toBe(400);
    expect((await browser.get(`${SIGN_UP_PATH}?identity=${identity}`)).status).toBe(400);
    const { csrf = '' } = (await browser.get('/account/profile')).hidden;
    expect((await browser.post(LINK_PATH, { csrf, identity })).status).toBe(400);
    expect(await listIdentities(service.services.database, user.userId)).toEqual([]);
  });

  test('is rejected if the browser is now signed in to a different account', async () => {
    const { user: first, browser } = await createSignedInUser(service, { emailVerified: true });
    const { page } = await openConfirmation(browser);
    expect(page.body).toContain(first.email);
    const second = await service.createUser({ emailVerified: true });
    await signIn(browser, second, await browser.get('/signin?another=1'));
    expect(await readSignedInEmail(browser)).toBe(second.email);
    expect((await browser.post(LINK_PATH, page.hidden)).status).toBe(403);
    expect(await findOwner(provider)).toBeUndefined();
  });

  test('does not change the session ID, but signing in with the identity does', async () => {
    const { user, browser } = await createSignedInUser(service, { emailVerified: true });
    const { page } = await openConfirmation(browser);
    const before = browser.cookies.get('sesame');
    await browser.post(LINK_PATH, page.hidden);
    expect(browser.cookies.get('sesame')).toBe(before);
    const attacker = await createSignedInUser(service);
    const victim = newBrowser();
    const planted = attacker.browser.cookies.get('sesame') ?? '';
    victim.cookies.set('sesame', planted);
    await signInAtProvider(provider, {}, { browser: victim });
    expect(await readSignedInEmail(victim)).toBe(user.email);
    expect(victim.cookies.get('sesame')).not.toBe(planted);
  });
});

test.each(['link', 'reauthenticate', 'test'])(
  'a provider flow with purpose=%s cannot be started from a different origin',
  async (purpose) => {
    const { browser } = await createSignedInUser(service, { emailVerified: true });
    const url = `/signin/provider/first?purpose=${purpose}`;
    for (const site of ['cross-site', 'same-site'])
      expect((await browser.get(url, { 'sec-fetch-site': site })).location?.pathname).toBe(
        '/account/security',
      );
    const signInUrl = await browser.get('/signin/provider/first', { 'sec-fetch-site': 'cross-site' });
    expect(signInUrl.location?.origin).toBe(provider.stub.issuer);
  },
);

test.each([
  '../admin',
  'first/callback',
  'FIRST',
  'first ',
  "first' or '1'='1",
  '//attacker.example',
  'first?purpose=link',
])('the provider_hint %j is ignored', async (provider_hint) => {
  const client = await service.createClient();
  const { location } = await newBrowser().get(buildAuthorizeUrl(service, client, { provider_hint }));
  expect([location?.origin, location?.pathname]).toEqual([service.baseUrl, '/signin']);
});
