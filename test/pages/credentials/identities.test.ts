// Linked identities, provider buttons, re-authentication through a provider.
import { describe, expect, test } from 'vitest';
import { RECENT_SIGN_IN_TTL } from '../../../src/oauth/lifetimes.ts';
import { findUserIdByIdentity, listIdentities } from '../../../src/store/external-identities.ts';
import { type BrowserSession, openBrowserSession } from '../../support/browser-session.ts';
import { submitForm } from '../../support/console-forms.ts';
import { listEmailsTo, readLink } from '../../support/emails.ts';
import {
  followThroughProvider,
  signInThroughProvider,
  useUpstream,
} from '../../support/identity-provider.ts';
import { addUnreachableProvider, disableProvider } from '../../support/linked-identities.ts';
import { readFormErrors, readHeading } from '../../support/markup.ts';
import {
  buildEssentialAcrClaims,
  createTotpCodeAt,
  readElementText,
  readSetUpFields,
} from '../../support/mfa-account.ts';
import {
  buildAuthorizeUrl,
  completeAuthorization,
  createSignedInUser,
  openSignedInBrowser,
} from '../../support/oauth-flow.ts';
import { NEW_PASSKEY_PATH, registerPasskey } from '../../support/passkey.ts';
import { startTestService, useTestService } from '../../support/service.ts';
import { startSmtp } from '../../support/smtp.ts';
import { sql } from '../../support/store-fixtures.ts';

const LINK_PATH = '/account/security/identities/link';
const SECURITY_PATH = '/account/security';

const service = useTestService();
const upstream = useUpstream(service);

let userCount = 0;
function nextUpstreamUser() {
  userCount += 1;
  upstream.user = {
    sub: `sub-${userCount}`,
    email: `nina${userCount}@upstream.example`,
    email_verified: true,
  };
  return { issuer: upstream.issuer, subject: `sub-${userCount}` };
}
const findOwnerId = (identity: { issuer: string; subject: string }) =>
  findUserIdByIdentity(service.services.database, identity);

/** Returns the confirmation page. */
const openLinkPage = async (browser: BrowserSession) =>
  followThroughProvider(browser, await browser.get('/signin/provider/upstream?purpose=link'));

/** Backdates the sessions instead of advancing the test clock, because the provider uses the real time. */
const backdateSessions = ({ userId }: { userId: string }) =>
  sql(
    service.services.database,
    'update sessions set auth_time = auth_time - make_interval(secs => $2), all_factors_at = null where user_id = $1',
    [userId, RECENT_SIGN_IN_TTL + 1],
  );

/** Creates a user whose account has no password. */
async function createIdentityOnlyUser() {
  const identity = nextUpstreamUser();
  const { user, browser } = await createSignedInUser(service, { emailVerified: true, locale: 'en' });
  const page = await openLinkPage(browser);
  await browser.post(LINK_PATH, page.hidden);
  await sql(
    service.services.database,
    'update users set password_hash = null, password_set_at = null where id = $1',
    [user.userId],
  );
  const own = openBrowserSession(service.baseUrl);
  await signInThroughProvider(own);
  return { user, identity, browser: own };
}

describe('linking an identity', () => {
  test('requires confirmation and sends an email', async () => {
    const identity = nextUpstreamUser();
    const { user, browser } = await createSignedInUser(service, { emailVerified: true, locale: 'en' });
    expect((await browser.get(`${SECURITY_PATH}/identities/new`)).body).toContain(
      'Link your Upstream account',
    );
    const page = await openLinkPage(browser);
    expect(readHeading(page.body)).toBe('Link this Upstream account?');
    expect(page.body).toContain(`nina${userCount}@upstream.example`);
    expect(page.body).toContain(user.email);
    expect(await findOwnerId(identity)).toBeUndefined();
    const linked = await browser.follow(await browser.post(LINK_PATH, page.hidden));
    expect(linked.body).toContain('The account is linked.');
    expect(await findOwnerId(identity)).toBe(user.userId);
    const [email] = await listEmailsTo(service, user.email);
    expect(email?.subject).toBe('An external account was linked to your Sésame account');
    expect(readLink(email ?? { text: '' })).toContain('/security/report');
    expect((await browser.get('/account/activity')).body).toContain('External account linked');
  });

  test('requires re-authentication', async () => {
    const identity = nextUpstreamUser();
    const { user, browser } = await createSignedInUser(service, { emailVerified: true });
    await backdateSessions(user);
    const page = await openLinkPage(browser);
    expect(page.body).toContain('name="current_password"');
    expect(readFormErrors((await browser.post(LINK_PATH, page.hidden)).body)).toHaveLength(1);
    expect(await findOwnerId(identity)).toBeUndefined();
  });

  test('does not reveal who linked the identity', async () => {
    const { user: owner, identity } = await createIdentityOnlyUser();
    const { browser } = await createSignedInUser(service, { emailVerified: true });
    const page = await openLinkPage(browser);
    expect([page.status, readHeading(page.body)]).toEqual([409, 'This account is already linked']);
    expect(page.body).not.toContain(owner.email);
    expect(page.body).not.toContain('<form class="form" method="post" action="/account/security/identities');
    expect(await findOwnerId(identity)).toBe(owner.userId);
  });

  test('succeeds for one of two concurrent accounts', async () => {
    const identity = nextUpstreamUser();
    const accounts = await Promise.all(
      [1, 2].map(() => createSignedInUser(service, { emailVerified: true })),
    );
    const pages = await Promise.all(accounts.map(({ browser }) => openLinkPage(browser)));
    const responses = await Promise.all(
      accounts.map(({ browser }, index) => browser.post(LINK_PATH, pages[index]?.hidden ?? {})),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([303, 409]);
    expect(accounts.map(({ user }) => user.userId)).toContain(await findOwnerId(identity));
  });

  test('is rejected in a different browser', async () => {
    const identity = nextUpstreamUser();
    const attacker = await createSignedInUser(service, { emailVerified: true });
    const page = await openLinkPage(attacker.browser);
    const victim = await createSignedInUser(service, { emailVerified: true });
    const opened = await victim.browser.get(`${LINK_PATH}?identity=${page.hidden.identity}`);
    expect(opened.status).toBe(400);
    const { csrf = '' } = (await victim.browser.get('/account/profile')).hidden;
    const posted = await victim.browser.post(LINK_PATH, { csrf, identity: page.hidden.identity ?? '' });
    expect(posted.status).toBe(400);
    expect(await findOwnerId(identity)).toBeUndefined();
  });

  test('is rejected if the provider is disabled', async () => {
    const identity = nextUpstreamUser();
    const { browser } = await createSignedInUser(service, { emailVerified: true });
    const page = await openLinkPage(browser);
    await disableProvider(service, 'upstream');
    const refused = await browser.post(LINK_PATH, page.hidden);
    await disableProvider(service, 'upstream', null);
    expect(refused.status).toBe(403);
    expect(await findOwnerId(identity)).toBeUndefined();
  });

  test('requires a verified email address', async () => {
    const smtp = await startSmtp();
    const strict = await startTestService(
      { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'sesame@example.com' },
      { databaseUrl: service.databaseUrl },
    );
    try {
      const user = await strict.createUser({ email: `unproven${userCount}@example.org` });
      const browser = await openSignedInBrowser(strict, user);
      for (const path of ['new', 'link?identity=x']) {
        const page = await browser.get(`${SECURITY_PATH}/identities/${path}`);
        expect(readHeading(page.body)).toBe('Verify your email address first');
      }
    } finally {
      await strict.close();
      await smtp.close();
    }
  });

  test('changes nothing if the user cancels at the provider', async () => {
    const { user, browser } = await createSignedInUser(service, { emailVerified: true, locale: 'en' });
    upstream.user = undefined;
    const page = await openLinkPage(browser);
    expect(page.body).toContain('You canceled the sign-in with the other service.');
    expect(await listIdentities(service.services.database, user.userId)).toEqual([]);
  });
});

describe('the sign-in page', () => {
  test('collapses all but the first four providers', async () => {
    const many = await startTestService();
    try {
      const browser = openBrowserSession(many.baseUrl);
      const before = (await browser.get('/signin')).body;
      expect(before).not.toContain('provider');
      for (const name of ['Un', 'Deux', 'Trois', 'Quatre', '<b>Cinq'])
        await addUnreachableProvider(many, name.replace(/\W/g, '').toLowerCase(), name);
      await disableProvider(many, 'deux');
      await addUnreachableProvider(many, 'six', 'Six');
      for (const path of ['/signin', '/signup']) {
        const { body } = await browser.get(`${path}?next=/account/profile`);
        const [visible = '', folded = ''] = body.split('<details class="disclosure">');
        const listNames = (html: string) =>
          [...html.matchAll(/Continue with ([^<]+)</g)].map(([, name]) => name);
        expect(listNames(visible)).toEqual(['Un', 'Trois', 'Quatre', '&lt;b&gt;Cinq']);
        expect(listNames(folded)).toEqual(['Six']);
        expect(body).toContain('href="/signin/provider/un?next=%2Faccount%2Fprofile"');
      }
    } finally {
      await many.close();
    }
  });

  test('is shown again if the user cancels at the provider', async () => {
    upstream.user = undefined;
    const page = await signInThroughProvider(openBrowserSession(service.baseUrl));
    expect(readHeading(page.body)).toBe('Sign in');
    expect(page.body).toContain('You canceled the sign-in.');
  });
});

describe('re-authentication without a password', () => {
  const readConfirmationUrl = (body: string) =>
    /href="(\/signin\/provider\/upstream[^"]*)"[^>]*>.*?Confirm with Upstream/
      .exec(body)?.[1]
      ?.replaceAll('&amp;', '&') ?? '';

  test('redirects to the provider and then back to the form', async () => {
    const { user, browser } = await createIdentityOnlyUser();
    const form = await browser.get(`${SECURITY_PATH}/password`);
    expect(form.body).not.toContain('Confirm with');
    await backdateSessions(user);
    const stale = await browser.get(`${SECURITY_PATH}/password`);
    const refused = await browser.post(`${SECURITY_PATH}/password`, {
      ...form.hidden,
      new_password: 'quite another battery staple',
    });
    expect(readFormErrors(refused.body)).toHaveLength(1);
    const back = await followThroughProvider(browser, await browser.get(readConfirmationUrl(stale.body)));
    expect(readHeading(back.body)).toBe('Choose a password');
    expect(back.body).not.toContain('Confirm with');
    expect(upstream.requests.at(-1)?.get('prompt')).toBe('login');
    const done = await browser.post(`${SECURITY_PATH}/password`, {
      ...back.hidden,
      new_password: 'quite another battery staple',
    });
    expect(done.location?.search).toBe('?done=password-added');
  });

  test('keeps the values of a submitted form', async () => {
    const { user, browser } = await createIdentityOnlyUser();
    await backdateSessions(user);
    const email = `new${userCount}@example.org`;
    const refused = await submitForm(browser, '/account/email', { new_email: email });
    expect(refused.body).toContain('first confirm that it’s you');
    const back = await followThroughProvider(browser, await browser.get(readConfirmationUrl(refused.body)));
    expect(back.body).toContain(`value="${email}"`);
    expect(back.body).not.toContain('Confirm with');
    const sent = await browser.post('/account/email', { ...back.hidden, new_email: email });
    expect(sent.location?.search).toBe('?done=sent');
  });

  test('is rejected with another account’s identity', async () => {
    const { user, browser } = await createIdentityOnlyUser();
    await createIdentityOnlyUser();
    // If the provider's session cookies were kept, it would ask the user to sign out first.
    for (const name of browser.cookies.keys()) if (name.startsWith('_')) browser.cookies.delete(name);
    await backdateSessions(user);
    const stale = await browser.get(NEW_PASSKEY_PATH);
    const back = await followThroughProvider(browser, await browser.get(readConfirmationUrl(stale.body)));
    expect(back.body).toContain('That account is not linked to your account here');
    expect(back.body).toContain('Confirm with Upstream');
  });

  test('also requires a TOTP code if MFA is on', async () => {
    const { user, browser } = await createIdentityOnlyUser();
    const app = await browser.get(`${SECURITY_PATH}/app`);
    const secret = readElementText(app, 'key').replaceAll(' ', '');
    const createCode = (steps: number) => createTotpCodeAt(secret, service.clock.now(), steps);
    await browser.post(`${SECURITY_PATH}/app`, { ...app.hidden, code: createCode(0) });
    await backdateSessions(user);
    const stale = await browser.get(`${SECURITY_PATH}/password`);
    const stepUp = await followThroughProvider(browser, await browser.get(readConfirmationUrl(stale.body)));
    expect(stepUp.body).toContain('name="code"');
    expect((await browser.get(`${SECURITY_PATH}/password`)).body).toContain('Confirm with Upstream');
    const back = await browser.follow(
      await browser.post('/signin/step-up', { ...stepUp.hidden, code: createCode(1) }),
    );
    expect(readHeading(back.body)).toBe('Choose a password');
    expect(back.body).not.toContain('Confirm with');
  });

  test('offers no provider if the account has a passkey', async () => {
    const { user, browser } = await createIdentityOnlyUser();
    await registerPasskey(browser, service);
    await backdateSessions(user);
    const { body } = await browser.get(`${SECURITY_PATH}/password`);
    expect(body).not.toContain('Confirm with');
    const back = await followThroughProvider(
      browser,
      await browser.get(`/signin/provider/upstream?purpose=reauthenticate&next=${SECURITY_PATH}/password`),
    );
    expect(back.body).toContain('A linked account is not enough to confirm');
  });
});

test('a user without a password can set one by email', async () => {
  const { user } = await createIdentityOnlyUser();
  const browser = openBrowserSession(service.baseUrl);
  await submitForm(browser, '/password/forgot', { email: user.email });
  const [email] = await listEmailsTo(service, user.email);
  expect(readLink(email ?? { text: '' })).toContain('/password/reset');
});

test('a user without a password can set up an authenticator app', async () => {
  const { browser } = await createIdentityOnlyUser();
  const client = await service.createClient();
  const claims = buildEssentialAcrClaims('2');
  const setUp = await browser.follow(await browser.get(buildAuthorizeUrl(service, client, { claims })));
  expect(readHeading(setUp.body)).toBe('Add a second factor');
  const secret = readElementText(setUp, 'key').replaceAll(' ', '');
  const code = createTotpCodeAt(secret, service.clock.now(), 0);
  const codes = await browser.follow(
    await browser.post(`${SECURITY_PATH}/app`, { ...readSetUpFields(setUp), code }),
  );
  expect(readHeading(codes.body)).toBe('Your recovery codes');
  const redirect = await completeAuthorization(browser, buildAuthorizeUrl(service, client, { claims }));
  expect(redirect.searchParams.get('code')).toBeTruthy();
});
