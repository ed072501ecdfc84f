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

const SIGN_UP = '/signup/provider';
const CONFIRM = `${SIGN_UP}/confirm`;
const LINK = '/account/security/identities/link';

const smtp = await startSmtp();
afterAll(() => smtp.close());
const MAIL = { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'sesame@example.com' };
const service = useTestService(MAIL);
const TRUSTED = { trustedEmailDomains: ['trusted.example'] };
const provider = useStubIssuer(service, { ...TRUSTED, providerId: 'first', name: 'First' });
const otherProvider = useStubIssuer(service, { ...TRUSTED, providerId: 'second', name: 'Second' });
const google = useStubIssuer(service, {
  trustedEmailDomains: ['trusted.example', 'gmail.com'],
  providerId: 'google',
  preset: 'google',
  name: 'Google',
});
const github = useStubIssuer(service, {
  ...TRUSTED,
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
const subject = () => `subject-${counter}`;
const newEmail = (name = 'victim') => `${name}${counter}@trusted.example`;

/** Signs in at a provider that asserts the given claims. @returns the last page */
async function arrive(
  { stub, start, respond }: Provider,
  claims: Record<string, unknown>,
  { browser = newBrowser(), query = '' } = {},
): Promise<{ browser: BrowserSession; page: Visit }> {
  const sub = claims.sub ?? subject();
  stub.behavior = { ...stub.behavior, claims: { ...claims, sub }, userinfo: { ...claims, sub } };
  return { browser, page: await browser.follow(await respond(browser, await start(browser, query))) };
}

const submitSignUp = (browser: BrowserSession, page: Visit, email: string) =>
  browser.post(SIGN_UP, { ...page.hidden, name: 'Mallory', email });

const ownerOf = ({ stub }: Provider, sub = subject()) =>
  findUserIdByIdentity(service.services.database, { issuer: stub.issuer, subject: sub });

async function readMail(email: string): Promise<{ subject: string | undefined; text: string }> {
  await service.services.mailer.idle();
  const mail = smtp.emails.findLast(({ recipients }) => recipients.includes(email));
  return { subject: mail?.subject, text: mail?.text ?? '' };
}

const readEmailedLink = async (email: string) => readLink(await readMail(email));

/** @returns the email address of the account that the browser is signed in to, or undefined */
async function readAccountOf(browser: BrowserSession): Promise<string | undefined> {
  const { status, body } = await browser.get('/account/email');
  return status === 200
    ? /[\w.+-]+@[\w-]+\.(?:example|com)/.exec(readMain(body).replaceAll('<wbr>', ''))?.[0]
    : undefined;
}

const signOut = async (browser: BrowserSession) =>
  browser.post('/signout', (await browser.get('/signout')).hidden);

const isUnknown = ({ body }: Visit): boolean => readHeading(body).startsWith('First sign-in with');

async function expectUntouched(victim: TestUser): Promise<void> {
  expect(await listIdentities(service.services.database, victim.userId)).toEqual([]);
  expect(await isSignedIn(await openSignedInBrowser(service, victim))).toBe(true);
}

describe('a provider that asserts the email address of an account', () => {
  test.each<[string, Record<string, unknown>]>([
    ['verified', { email_verified: true }],
    ['unverified', { email_verified: false }],
    ['verified as text', { email_verified: 'true' }],
    ['without email_verified', { email_verified: undefined }],
  ])('%s neither signs in to the account nor links to it', async (_case, claims) => {
    const victim = await service.createUser({ email: newEmail(), emailVerified: true });
    const { browser, page } = await arrive(provider, { email: victim.email, ...claims });
    expect(isUnknown(page)).toBe(true);
    const response = await submitSignUp(browser, page, victim.email);
    expect(response.location?.pathname).toBe(`${SIGN_UP}/sent`);
    expect(await isSignedIn(browser)).toBe(false);
    expect(await ownerOf(provider)).toBeUndefined();
    await expectUntouched(victim);
  });

  test.each([
    ['in capital letters', (email: string) => email.toUpperCase()],
    ['with a subaddress', (email: string) => email.replace('@', '+x@')],
    ['with a dot', (email: string) => `v.${email.slice(1)}`],
    ['with full-width letters in the domain', (email: string) => email.replace('trusted', 'ｔｒｕｓｔｅｄ')],
    ['with an ideographic full stop', (email: string) => email.replace('trusted.', 'trusted。')],
    ['with spaces', (email: string) => ` ${email}\t`],
  ])('%s finds no account', async (_case, vary) => {
    const victim = await service.createUser({ email: newEmail(), emailVerified: true });
    const claims = { email: vary(victim.email), email_verified: true };
    const { browser, page } = await arrive(provider, claims);
    expect(isUnknown(page)).toBe(true);
    await submitSignUp(browser, page, victim.email);
    expect(await isSignedIn(browser)).toBe(false);
    await expectUntouched(victim);
  });

  test.each(['preferred_username', 'upn', 'unique_name', 'username', 'emails'])(
    'in %s is ignored',
    async (claim) => {
      const victim = await service.createUser({ email: newEmail(), emailVerified: true });
      const { page } = await arrive(provider, {
        email: undefined,
        email_verified: true,
        [claim]: victim.email,
      });
      expect(isUnknown(page)).toBe(true);
      expect(page.body).not.toContain(victim.email);
      await expectUntouched(victim);
    },
  );
});

test.each([
  ['an address that the provider hasn’t verified', false],
  ['somebody else’s address instead of the provider’s', true],
])(
  'a sign-up with %s takes the same statements whether or not an account has it',
  async (_case, isVerified) => {
    const taken = await service.createUser({ email: newEmail('taken'), emailVerified: true });
    const usage = service.services.database.usage().statements;
    const observe = async (email: string) => {
      const asserted = { email: isVerified ? newEmail('own') : email, email_verified: isVerified };
      const { browser, page } = await arrive(provider, { ...asserted, sub: email });
      await service.services.mailer.idle();
      const before = new Map(usage);
      const { status, location } = await submitSignUp(browser, page, email);
      await service.services.mailer.idle();
      const counts = [...usage].map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const);
      // Ignores polls of the outbox, whose number depends on timing.
      return [
        status,
        location?.pathname,
        counts.filter(([name, count]) => count > 0 && !name.includes('due')).sort(),
      ];
    };
    expect(await observe(taken.email)).toEqual(await observe(newEmail('free')));
  },
);

describe('an address counts as verified without an email', () => {
  const createsAccount = async (from: Provider, claims: Record<string, unknown>): Promise<boolean> => {
    const email = newEmail('new');
    const { browser, page } = await arrive(from, { email, ...claims });
    await submitSignUp(browser, page, email);
    return (await findUserByEmail(service.services.database, email)) !== undefined;
  };

  test('if email_verified is true and the administrator trusts the provider for the domain', async () => {
    expect(await createsAccount(provider, { email_verified: true })).toBe(true);
  });

  test.each(['true', 1, false, null, [true], undefined])(
    'not if email_verified is %j',
    async (email_verified) => {
      expect(await createsAccount(provider, { email_verified })).toBe(false);
    },
  );

  test.each(['trusted.example.attacker.example', 'sub.trusted.example', 'xtrusted.example'])(
    'not if only its domain looks like a trusted one: %s',
    async (domain) => {
      const email = `person${counter}@${domain}`;
      const { browser, page } = await arrive(provider, { email, email_verified: true });
      await submitSignUp(browser, page, email);
      expect(await findUserByEmail(service.services.database, email)).toBeUndefined();
    },
  );

  test('not if the user replaces it by somebody else’s at the same domain', async () => {
    const { browser, page } = await arrive(provider, { email: newEmail('own'), email_verified: true });
    const other = newEmail('other');
    await submitSignUp(browser, page, other);
    expect(await findUserByEmail(service.services.database, other)).toBeUndefined();
  });
});

describe('an identity is its issuer and subject', () => {
  /** Creates an account that is linked to an identity of the first provider. */
  async function createLinkedUser(): Promise<TestUser> {
    const user = await service.createUser({ email: newEmail(), emailVerified: true });
    await provider.link(user.userId, subject());
    return user;
  }

  test('so another email address at the provider changes neither the account nor its address', async () => {
    const user = await createLinkedUser();
    const other = await service.createUser({ email: newEmail('other'), emailVerified: true });
    const { browser } = await arrive(provider, { email: other.email, email_verified: true });
    expect(await readAccountOf(browser)).toBe(user.email);
    expect(await listIdentities(service.services.database, other.userId)).toEqual([]);
  });

  test('so the next owner of a recycled address, or a re-created account there, is unknown', async () => {
    const user = await createLinkedUser();
    const claims = { sub: `${subject()}-new`, email: user.email, email_verified: true };
    const { browser, page } = await arrive(provider, claims);
    expect(isUnknown(page)).toBe(true);
    await submitSignUp(browser, page, user.email);
    expect(await isSignedIn(browser)).toBe(false);
    expect(await ownerOf(provider, `${subject()}-new`)).toBeUndefined();
  });

  test.each([
    ['in other letter case', (sub: string) => sub.toUpperCase()],
    ['with a space', (sub: string) => `${sub} `],
    ['with full-width letters', (sub: string) => sub.replace('s', 'ｓ')],
  ])('so the same subject %s is another identity', async (_case, vary) => {
    await createLinkedUser();
    const { browser, page } = await arrive(provider, { sub: vary(subject()) });
    expect(isUnknown(page)).toBe(true);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('so the same subject at another provider is another identity', async () => {
    await createLinkedUser();
    const { browser, page } = await arrive(otherProvider, {});
    expect(isUnknown(page)).toBe(true);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('so a deleted account is not restored, and its identity is unknown', async () => {
    const user = await createLinkedUser();
    const browser = await openSignedInBrowser(service, user);
    const page = await browser.get('/account/delete');
    await browser.post('/account/delete', { ...page.hidden, email: user.email, password: user.password });
    expect(await findUserByEmail(service.services.database, user.email)).toBeUndefined();
    const again = await arrive(provider, { email: user.email, email_verified: true });
    expect(isUnknown(again.page)).toBe(true);
    await submitSignUp(again.browser, again.page, user.email);
    const account = await findUserByEmail(service.services.database, user.email);
    expect(account?.userId).toBeDefined();
    expect(account?.userId).not.toBe(user.userId);
  });
});

test('only the id_token’s acr counts as MFA, and only a value that an administrator has mapped', async () => {
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

describe('a preset', () => {
  const json =
    (content: unknown): Respond =>
    (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(content));

  test.each([
    ['unverified', [{ email: 'victim@trusted.example', primary: true, verified: false }]],
    ['not primary', [{ email: 'victim@trusted.example', primary: false, verified: true }]],
    ['only in the public profile', []],
  ])('GitHub: an address that is %s is ignored', async (_case, emails) => {
    github.stub.behavior = {
      respond: {
        '/login/oauth/access_token': json({ access_token: 'gho_1', token_type: 'bearer' }),
        '/api/v3/user': json({ id: counter, login: 'mallory', email: 'victim@trusted.example' }),
        '/api/v3/user/emails': json(emails),
      },
    };
    const { page } = await arrive(github, {});
    expect(isUnknown(page)).toBe(true);
    expect(page.body).not.toContain('victim@trusted.example');
  });

  test.each(['microsoft', 'proconnect'] as const)(
    '%s is never trusted for a domain, because it doesn’t verify addresses',
    (preset) => {
      const fields = { ...EMPTY_FIELDS, emailDomains: ['trusted.example'] };
      expect(toProviderSettings(preset, fields).trustedEmailDomains).toEqual([]);
    },
  );

  test.each<[boolean, string, Record<string, unknown>]>([
    [true, 'trusted.example', { hd: 'trusted.example' }],
    [false, 'trusted.example', {}],
    [false, 'trusted.example', { hd: '' }],
    [false, 'trusted.example', { hd: true }],
    [true, 'gmail.com', {}],
    [false, 'other.example', { hd: 'other.example' }],
  ])('Google: trusted is %s for an address at %s with %j', async (isVerified, domain, claims) => {
    google.stub.behavior = { claims: { email: `ada@${domain}`, email_verified: true, ...claims } };
    expect(await google.redeem()).toMatchObject({ emailVerified: isVerified });
  });

  test('Google: an address isn’t trusted either if Google was added as any other provider', async () => {
    const found = await findProvider(service.services.database, 'first');
    if (found === undefined) throw new Error('no provider');
    const identity = { issuer: 'https://accounts.google.com', subject: '1' };
    const claims = { email: 'ada@trusted.example', email_verified: true };
    const asserted = (issuer: string, hd?: string) =>
      toExternalProfile({ ...found, issuer }, identity, { ...claims, hd }).emailVerified;
    expect(asserted(identity.issuer)).toBe(false);
    expect(asserted(identity.issuer, 'trusted.example')).toBe(true);
    expect(asserted('https://other.example')).toBe(true);
  });

  test('GitHub: the login of a renamed or deleted user finds no account', async () => {
    const victim = await service.createUser({ email: newEmail(), emailVerified: true });
    await github.link(victim.userId, '583231');
    github.stub.behavior = {
      respond: {
        '/login/oauth/access_token': json({ access_token: 'gho_1', token_type: 'bearer' }),
        '/api/v3/user': json({ id: 700_000, login: '583231', node_id: '583231' }),
        '/api/v3/user/emails': json([]),
      },
    };
    const { browser, page } = await arrive(github, {});
    expect(isUnknown(page)).toBe(true);
    expect(await isSignedIn(browser)).toBe(false);
  });
});

describe('an attacker who registers the victim’s address first', () => {
  const attackerPassword = 'mallory-battery-staple-42';

  /** Tries to sign in with the attacker's password. @returns whether it is accepted */
  async function attackerSignsIn(email: string): Promise<boolean> {
    const browser = newBrowser();
    await signIn(browser, { userId: '', name: '', email, password: attackerPassword });
    return isSignedIn(browser);
  }

  test('with a password gets nothing when the victim signs in through a trusted provider', async () => {
    const email = newEmail();
    const attacker = await service.createUser({ email, password: attackerPassword });
    const attackersBrowser = await openSignedInBrowser(service, attacker);
    expect(await isSignedIn(attackersBrowser)).toBe(true);
    const { browser, page } = await arrive(provider, { email, email_verified: true });
    await submitSignUp(browser, page, email);
    expect(await readAccountOf(browser)).toBe(email);
    expect(await ownerOf(provider)).not.toBe(attacker.userId);
    expect(await isSignedIn(attackersBrowser)).toBe(false);
    expect(await attackerSignsIn(email)).toBe(false);
  });

  test('and uses the account keeps no access after the victim claims it', async () => {
    const email = newEmail();
    const attacker = await service.createUser({ email, password: attackerPassword });
    const attackersBrowser = await openSignedInBrowser(service, attacker);
    const client = await service.createClient();
    const tokens = await obtainTokens(service, client, attackersBrowser);
    const { browser, page } = await arrive(provider, { email, email_verified: true });
    await submitSignUp(browser, page, email);
    expect(await ownerOf(provider)).toBeUndefined(); // the victim isn't linked to the attacker's account
    const confirm = await browser.get(await readEmailedLink(email));
    await browser.post(CONFIRM, confirm.hidden);
    expect(await ownerOf(provider)).toBeUndefined();
    const reset = await browser.get(await readEmailedLink(email));
    await browser.post('/password/reset', { ...reset.hidden, new_password: PASSWORD });
    expect(await isSignedIn(attackersBrowser)).toBe(false);
    expect(await attackerSignsIn(email)).toBe(false);
    expect((await redeemRefreshToken(service, client, tokens.refreshToken)).status).toBe(400);
  });

  test('through a provider is unlinked when the victim verifies the address', async () => {
    const email = newEmail();
    // Without a mail server, an attacker can create an account with the victim's email address.
    const attacker = await service.createUser({ email });
    await provider.link(attacker.userId, subject());
    expect(await readAccountOf((await arrive(provider, { email })).browser)).toBe(email);
    const victim = newBrowser();
    const forgot = await victim.get('/password/forgot');
    await victim.post('/password/forgot', { ...forgot.hidden, email });
    const reset = await victim.get(await readEmailedLink(email));
    await victim.post('/password/reset', { ...reset.hidden, new_password: PASSWORD });
    expect(await ownerOf(provider)).toBeUndefined();
    const { page } = await arrive(provider, { email, email_verified: false });
    expect(isUnknown(page)).toBe(true);
  });

  test('through a provider needs a link that works only in the attacker’s browser', async () => {
    const email = newEmail();
    const attack = await arrive(otherProvider, { email, email_verified: false });
    await submitSignUp(attack.browser, attack.page, email);
    const link = await readEmailedLink(email);
    const victim = newBrowser();
    const page = await victim.get(link);
    expect(page.body).not.toContain('<form');
    const token = new URL(link, service.baseUrl).searchParams.get('token') ?? '';
    await victim.post(CONFIRM, { ...(await victim.get('/signup')).hidden, token });
    expect(await ownerOf(otherProvider)).toBeUndefined();
    expect(await findUserByEmail(service.services.database, email)).toBeUndefined();
  });
});

describe('a confirmation', () => {
  test('by email is valid only for the identity that requested it', async () => {
    const email = newEmail();
    const browser = newBrowser();
    const first = await arrive(provider, { email, email_verified: false }, { browser });
    await submitSignUp(browser, first.page, email);
    const link = await readEmailedLink(email);
    // Another identity at the same provider requests an account with the same address.
    const attack = await arrive(provider, { sub: `${subject()}-b`, email, email_verified: false });
    await submitSignUp(attack.browser, attack.page, email);
    const confirm = await browser.get(link);
    await browser.post(CONFIRM, confirm.hidden);
    const account = await findUserByEmail(service.services.database, email);
    expect(await ownerOf(provider)).toBe(account?.userId);
    expect(await ownerOf(provider, `${subject()}-b`)).toBeUndefined();
    await submitSignUp(attack.browser, attack.page, email);
    expect(await isSignedIn(attack.browser)).toBe(false);
    expect(await ownerOf(provider, `${subject()}-b`)).toBeUndefined();
  });

  test('by email starts no session again after the identity was unlinked', async () => {
    const email = newEmail();
    const { browser, page } = await arrive(provider, { email, email_verified: false });
    await submitSignUp(browser, page, email);
    const link = await readEmailedLink(email);
    const [first, second] = [await browser.get(link), await browser.get(link)];
    await browser.post(CONFIRM, first.hidden);
    const { userId = '' } = (await findUserByEmail(service.services.database, email)) ?? {};
    const [identity] = await listIdentities(service.services.database, userId);
    if (identity === undefined) throw new Error('no identity');
    await service.services.database.transaction((transaction) =>
      unlinkIdentity(transaction, userId, identity),
    );
    await signOut(browser);
    for (const { hidden } of [first, second]) await browser.post(CONFIRM, hidden);
    expect(await isSignedIn(browser)).toBe(false);
    expect(await ownerOf(provider)).toBeUndefined();
  });

  test('of a sign-up that is sent again after the sign-out starts no session', async () => {
    const email = newEmail();
    const { browser, page } = await arrive(provider, { email, email_verified: true });
    await submitSignUp(browser, page, email);
    expect(await isSignedIn(browser)).toBe(true);
    await signOut(browser);
    expect(await isSignedIn(browser)).toBe(false);
    await submitSignUp(browser, page, email);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('that another account opened in the same browser is refused', async () => {
    const { user: first, browser } = await createSignedInUser(service, { emailVerified: true });
    const { page } = await arrive(provider, {}, { browser, query: '?purpose=link' });
    expect(page.body).toContain(first.email);
    const second = await service.createUser({ emailVerified: true });
    await signIn(browser, second, await browser.get('/signin?another=1'));
    expect(await readAccountOf(browser)).toBe(second.email);
    expect((await browser.post(LINK, page.hidden)).status).toBe(403);
    expect(await ownerOf(provider)).toBeUndefined();
  });
});

describe('linking', () => {
  /** Opens the page on which the signed-in user must confirm that the identity should be linked. */
  const openConfirmation = (browser: BrowserSession) =>
    arrive(provider, {}, { browser, query: '?purpose=link' });

  test('needs a session: a known address or login name is not enough', async () => {
    const victim = await service.createUser({ email: newEmail(), emailVerified: true });
    const { browser, page } = await arrive(provider, { email: victim.email });
    const started = await browser.get('/signin/provider/first?purpose=link');
    expect(started.location?.pathname).toBe('/signin');
    const signInPage = await browser.get(`/signin?login_hint=${victim.email}`);
    const { csrf = '' } = signInPage.hidden;
    const posted = await browser.post(LINK, { csrf, identity: page.hidden.identity ?? '' });
    expect(posted.location?.pathname).toBe('/signin');
    expect(await ownerOf(provider)).toBeUndefined();
    await expectUntouched(victim);
  });

  test('needs a session: the password alone is not enough for an account with MFA', async () => {
    const { user } = await createMfaAccount(service, { emailVerified: true });
    const { browser } = await enterPassword(service, user);
    const { page } = await arrive(provider, { email: user.email }, { browser });
    expect(isUnknown(page)).toBe(true);
    const { csrf = '', identity = '' } = page.hidden;
    const opened = await browser.get(`${LINK}?identity=${identity}`);
    expect(opened.location?.pathname).toBe('/signin');
    expect((await browser.post(LINK, { csrf, identity })).location?.pathname).toBe('/signin');
    expect(await ownerOf(provider)).toBeUndefined();
  });

  test('needs a recent code for an account with MFA, and a linked identity doesn’t replace MFA', async () => {
    const { user, secret, browser } = await createMfaAccount(service, { emailVerified: true });
    service.clock.advance(RECENT_SIGN_IN_TTL + 1);
    const { page } = await openConfirmation(browser);
    await browser.post(LINK, { ...page.hidden, current_password: user.password });
    expect(await ownerOf(provider)).toBeUndefined();
    await browser.post(LINK, {
      ...page.hidden,
      current_password: user.password,
      confirmation_code: createTotpCode(service, secret),
    });
    expect(await ownerOf(provider)).toBe(user.userId);
    service.clock.advance(30);
    const again = await arrive(provider, {});
    expect(await isSignedIn(again.browser)).toBe(false);
    await submitSecondFactor(again.browser, again.page, { code: createTotpCode(service, secret) });
    expect(await readAccountOf(again.browser)).toBe(user.email);
  });

  test('is confirmed by the user: neither a link nor a form of another site is enough', async () => {
    const { user, browser } = await createSignedInUser(service, { emailVerified: true });
    const { page } = await openConfirmation(browser);
    expect(page.body).toContain(user.email);
    expect(await ownerOf(provider)).toBeUndefined();
    const crossSite = { 'sec-fetch-site': 'cross-site', origin: 'https://attacker.example' };
    expect((await browser.post(LINK, page.hidden, crossSite)).status).toBe(403);
    const { identity = '' } = page.hidden;
    expect((await browser.post(LINK, { identity, csrf: 'x' })).status).toBe(403);
    await browser.get(`${LINK}?identity=${identity}`);
    expect(await ownerOf(provider)).toBeUndefined();
    const frame = page.headers.get('content-security-policy');
    expect(frame).toContain("frame-ancestors 'none'");
  });

  test.each(['link', 'reauthenticate', 'test'])(
    'isn’t started by another site, nor is anything else in a session: %s',
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

  test('with the attacker’s identity is refused in the victim’s browser', async () => {
    const attack = await createSignedInUser(service, { emailVerified: true });
    const { page } = await openConfirmation(attack.browser);
    const { identity = '' } = page.hidden;
    const { user, browser } = await createSignedInUser(service, { emailVerified: true });
    expect((await browser.get(`${LINK}?identity=${identity}`)).status).toBe(400);
    expect((await browser.get(`${SIGN_UP}?identity=${identity}`)).status).toBe(400);
    const { csrf = '' } = (await browser.get('/account/profile')).hidden;
    expect((await browser.post(LINK, { csrf, identity })).status).toBe(400);
    expect(await listIdentities(service.services.database, user.userId)).toEqual([]);
  });

  test('starts no session, and a sign-in through the identity replaces a planted session id', async () => {
    const { user, browser } = await createSignedInUser(service, { emailVerified: true });
    const { page } = await openConfirmation(browser);
    const before = browser.cookies.get('sesame');
    await browser.post(LINK, page.hidden);
    expect(browser.cookies.get('sesame')).toBe(before);
    const attacker = await createSignedInUser(service);
    const victim = newBrowser();
    const planted = attacker.browser.cookies.get('sesame') ?? '';
    victim.cookies.set('sesame', planted);
    await arrive(provider, {}, { browser: victim });
    expect(await readAccountOf(victim)).toBe(user.email);
    expect(victim.cookies.get('sesame')).not.toBe(planted);
  });
});

test.each([
  '../admin',
  'first/callback',
  'FIRST',
  'first ',
  "first' or '1'='1",
  '//attacker.example',
  'first?purpose=link',
])('the provider_hint %j selects no provider', async (provider_hint) => {
  const client = await service.createClient();
  const { location } = await newBrowser().get(buildAuthorizeUrl(service, client, { provider_hint }));
  expect([location?.origin, location?.pathname]).toEqual([service.baseUrl, '/signin']);
});
