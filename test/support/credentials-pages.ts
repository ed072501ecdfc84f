// The pages about address and password, and those that mails lead to, opened in one go: every state, faults, hostile names.
import { askForFactorReset } from '../../src/credentials/second-factor-reset.ts';

import { RECENT_SIGN_IN } from '../../src/oauth/lifetimes.ts';
import { recordGuess } from '../../src/store/password-guesses.ts';
import { suspendUser } from './accounts.ts';
import { codeAt } from './authenticator.ts';
import { type BrowserSession, openBrowserSession, type Visit } from './browser-session.ts';
import { at, credentialsOn, fill, register } from './console.ts';
import { enrol, NEW, showPasskey } from './enrol-passkey.ts';
import { authorizeAddress, browserIn, obtainTokens, signIn } from './flow.ts';
import { lastMailTo, linkIn, mailsTo } from './mail.ts';
import { type OpenedPage, pageList } from './opened-page.ts';
import { signedInOperator } from './operator.ts';
import { newPasskey } from './passkey.ts';
import { setUpFields } from './protected-account.ts';
import { essentialAcr } from './second-factor.ts';
import { PASSWORD, type TestService, type TestUser } from './service.ts';

/** Opens the pages in a language. */
export async function openCredentialsPages(
  service: TestService,
  language: 'fr' | 'en',
): Promise<OpenedPage[]> {
  const { pages, add } = pageList('credentials');
  const user = await service.createUser({ name: 'Zoé "O\'Hara" <i>& Fils', locale: language });
  const taken = await service.createUser();
  const browser = await browserIn(service, language);
  await signIn(browser, user);
  const notMe = linkIn(await lastMailTo(service, user.email));

  const email = add('email', 200, await browser.get('/account/email'));
  const { csrf = '' } = email.hidden;
  const ask = (fields: Record<string, string>) => browser.post('/account/email', { csrf, ...fields });
  add('email with faults', 400, await ask({ new_email: '"><b>' }));
  add('email, taken', 200, await browser.follow(await ask({ new_email: taken.email })));
  const next = `next.${Date.now()}.${language}+"<b>`.replace(/["<>]/g, '');
  const address = `${next}@exemple.fr`;
  add('email, on its way', 200, await browser.follow(await ask({ new_email: address })));
  const change = linkIn(await lastMailTo(service, address));
  const wrong = { csrf, code: '"><b>' };
  add('email, wrong code', 400, await browser.post('/account/email/code', wrong));
  add('verify', 200, await browser.get('/account/verify'));
  const sent = await browser.post('/account/verify/send', { csrf });
  add('verify, on its way', 200, await browser.follow(sent));
  const verify = linkIn(await lastMailTo(service, user.email));
  add('verify, wrong code', 400, await browser.post('/account/verify', wrong));
  add('verify, just signed up', 200, await browser.get('/account/verify?done=welcome&next=%2Faccount'));
  add('password', 200, await browser.get('/account/password'));
  const passwords = { csrf, current_password: PASSWORD, new_password: 'short' };
  add('password with faults', 400, await browser.post('/account/password', passwords));
  add(
    'password, wrong',
    400,
    await browser.post('/account/password', { csrf, current_password: 'x', new_password: 'long enough 1' }),
  );

  await openSecurityPages(service, browser, user, add);
  await openPagesWithoutPassword(service, browser, add);
  const operator = await signedInOperator(service);
  const guest = `guest.${Date.now()}.${language}@exemple.fr`;
  const fields = { name: 'Zoé "O\'Hara" <i>& Fils', email: guest, language };
  await operator.act('/console/operations/accounts/new', fields);
  const invitation = linkIn(await lastMailTo(service, guest));
  const guestBrowser = openBrowserSession(service.baseUrl);
  const opened = add('invitation', 200, await guestBrowser.get(`${invitation}&lang=${language}`));
  add(
    'invitation with faults',
    400,
    await guestBrowser.post('/password/reset', { ...opened.hidden, new_password: 'short' }),
  );
  const besieged = await service.createUser({ name: 'Zoé "O\'Hara" <i>& Fils', locale: language });
  const guessed = { userId: besieged.userId, emptyKey: Buffer.alloc(32), address: '192.0.2.1', wrong: 100 };
  await recordGuess(service.parts.database, guessed, service.clock.now());
  const unknown = await browserIn(service, language);
  const byMail = add('sign-in by mail', 200, await signIn(unknown, besieged));
  add(
    'sign-in by mail, wrong code',
    400,
    await unknown.post('/signin/code', { ...byMail.hidden, code: '"><b>' }),
  );
  const signInLink = linkIn(await lastMailTo(service, besieged.email));
  add('sign-in by mail, the link', 200, await unknown.get(signInLink));
  const elsewhere = await openBrowserSession(service.baseUrl).get(`${signInLink}&lang=${language}`);
  add('sign-in by mail, elsewhere', 200, elsewhere);

  const stranger = await browserIn(service, language);
  const signInPage = add('sign-in, asked for', 200, await stranger.get('/signin?next=%2Faccount%2Fprofile'));
  const suspended = await service.createUser({ locale: language });
  await suspendUser(service.parts.database, suspended.userId, service.clock.now());
  const rightPassword = { ...signInPage.hidden, email: suspended.email, password: suspended.password };
  add('sign-in, suspended', 403, await stranger.post('/signin', rightPassword));
  const late = await browserIn(service, language);
  late.cookies.set('sesame', 'x'.repeat(43));
  add('sign-in, session over', 200, await late.get('/signin?next=%2Faccount%2Fprofile%3Fkept%3Dx'));
  const forgot = add('forgotten', 200, await stranger.get('/password/forgot'));
  add(
    'forgotten with a fault',
    400,
    await stranger.post('/password/forgot', { ...forgot.hidden, email: '"><b>' }),
  );
  const asked = await stranger.post('/password/forgot', { ...forgot.hidden, email: user.email });
  add('forgotten, sent', 200, await stranger.follow(asked));
  const application = await service.createApplication({ name: 'Notes & "Cie" <b>' });
  const onTheWay = await stranger.follow(await stranger.get(authorizeAddress(service, application)));
  const pendingForgot = await stranger.get(`/password/forgot?pending=${onTheWay.hidden.pending}`);
  add('forgotten on the way', 200, pendingForgot, true);
  const askedPending = await stranger.post('/password/forgot', {
    ...pendingForgot.hidden,
    email: 'a@exemple.fr',
  });
  add('forgotten on the way, sent', 200, await stranger.follow(askedPending), true);
  const reset = add('reset', 200, await stranger.get(linkIn(await lastMailTo(service, user.email))));
  add(
    'reset with a fault',
    400,
    await stranger.post('/password/reset', { ...reset.hidden, new_password: 'short' }),
  );
  const notMePage = add('not me', 200, await stranger.get(notMe));
  add('confirm an address', 200, await browser.get(verify));
  add('confirm an address, elsewhere', 200, await stranger.follow(await stranger.get(verify)));
  add('confirm a new address, elsewhere', 200, await stranger.get(change));
  add('forgotten, address unverified', 200, await stranger.get('/password/forgot?done=unverified'));
  const confirm = add('confirm a new address', 200, await browser.get(change));
  await service.createUser({ email: address });
  add('confirm, taken', 409, await browser.post('/security/confirm', confirm.hidden));
  const confirmVerify = await browser.get(verify);
  add('confirmed', 200, await browser.follow(await browser.post('/security/confirm', confirmVerify.hidden)));
  add('dead link', 400, await stranger.get(verify));
  add('verified', 200, await browser.get('/account/email?done=verified'));
  add('verify, verified already', 200, await browser.get('/account/verify'));
  add(
    'not me, stopped',
    200,
    await stranger.follow(await stranger.post('/security/not-me', notMePage.hidden)),
  );
  const robbed = await service.createUser({ emailVerified: true, name: 'Zoé "O\'Hara"', locale: language });
  const intruder = await browserIn(service, language);
  await signIn(intruder, robbed);
  const reporting = linkIn(await lastMailTo(service, robbed.email));
  const planted = await register(intruder, { name: 'Notes & "Cie" <b>' });
  await fill(intruder, at(credentialsOn(planted).clientId, '/secrets'), { overlap: '0' });
  await obtainTokens(service, application, intruder);
  const withChanges = add('not me, with changes', 200, await stranger.get(reporting));
  const stopped = await stranger.post('/security/not-me', withChanges.hidden);
  add('not me, changes removed', 200, await stranger.follow(stopped));
  add('not me, address taken', 200, await stranger.get(`${reporting}&email=taken`));

  add('kept mails', 200, await stranger.get('/dev/mail'));
  const { id } = await lastMailTo(service, user.email);
  add('a kept mail', 200, await stranger.get(`/dev/mail/${id}`));
  return pages;
}

/** Passkeys: making them, and what there is then. */
async function openPasskeyPages(
  service: TestService,
  browser: BrowserSession,
  add: (name: string, status: number, visit: Visit) => Visit,
): Promise<void> {
  add('passkey, offered', 200, await browser.get('/account/security/passkeys/offer?next=%2Faccount'));
  const page = add('passkey, new', 200, await browser.get(NEW));
  add('passkey, not made', 400, await browser.post(NEW, { ...page.hidden, passkey: 'nonsense' }));
  const { passkey, answer } = await enrol(browser, service);
  await enrol(browser, service, { passkey: newPasskey(service.baseUrl, { synced: false }) });
  add('security, with passkeys', 200, await browser.follow(answer));
  const at = (does: string) => `/account/security/passkeys/${does}?passkey=${passkey.id}`;
  const rename = add('passkey, another name', 200, await browser.get(at('rename')));
  const long = { ...rename.hidden, name: 'x'.repeat(61) };
  add('passkey, a name too long', 400, await browser.post('/account/security/passkeys/rename', long));
  add('passkey, removing it', 200, await browser.get(at('remove')));
  service.clock.advance(RECENT_SIGN_IN + 1);
  add('passkey, removing it, to be confirmed', 200, await browser.get(at('remove')));
  const elsewhere = await browserIn(service, /lang="(\w+)"/.exec(page.body)?.[1]);
  const { answer: refused } = await showPasskey(service, newPasskey(service.baseUrl), { browser: elsewhere });
  add('passkey, refused', 401, refused);
}

/** Setting a second factor up, what is shown once, and signing in with it. */
async function openSecurityPages(
  service: TestService,
  browser: BrowserSession,
  { userId, email, password }: TestUser,
  add: (name: string, status: number, visit: Visit, pending?: boolean) => Visit,
): Promise<void> {
  add('security, nothing yet', 200, await browser.get('/account/security'));
  const application = await service.createApplication({ name: 'Coffre & "Cie" <b>' });
  const must = authorizeAddress(service, application, { claims: essentialAcr('2') });
  const demanded = await browser.follow(await browser.get(must));
  add('authenticator app, for an application', 200, demanded, true);
  const noCode = { ...setUpFields(demanded), code: '"><b>' };
  const stillDemanded = await browser.post('/account/security/app', noCode);
  add('authenticator app, for an application, wrong code', 400, stillDemanded, true);
  const ours = '?next=/console/operations';
  add('authenticator app, for a page of our own', 200, await browser.get(`/account/security/app${ours}`));
  const app = add('authenticator app', 200, await browser.get('/account/security/app'));
  const secret = (/id="key"[^>]*>([^<]+)</.exec(app.body)?.[1] ?? '').replaceAll(' ', '');
  const code = (steps: number) => codeAt(secret, service.clock.now(), steps);
  const wrong = await browser.post('/account/security/app', { ...app.hidden, code: '"><b>' });
  add('authenticator app, wrong code', 400, wrong);
  const set = await browser.post('/account/security/app', { ...app.hidden, code: code(0) });
  add('recovery codes', 200, await browser.follow(set));
  add('recovery codes, on the way', 200, await browser.get(`/account/security/codes${ours}`));
  add('recovery codes, shown before', 200, await browser.get('/account/security/codes'));
  add('security', 200, await browser.get('/account/security?done=codes'));
  add('recovery codes, new ones', 200, await browser.get('/account/security/codes/new'));
  await openPasskeyPages(service, browser, add);
  add('authenticator app, removing it', 200, await browser.get('/account/security/app/remove'));
  const elsewhere = await browserIn(service, /lang="(\w+)"/.exec(app.body)?.[1]);
  const page = await elsewhere.get('/signin');
  const half = await elsewhere.follow(await elsewhere.post('/signin', { ...page.hidden, email, password }));
  add('second factor', 200, half);
  add(
    'second factor, wrong',
    401,
    await elsewhere.post('/signin/second-factor', { ...half.hidden, code: '"><b>' }),
  );
  add('second factor, over', 400, await elsewhere.get('/signin/second-factor?half=x'));
  await elsewhere.post('/signin/second-factor', { ...half.hidden, code: code(1), trust: 'yes' });
  elsewhere.cookies.delete('sesame');
  const trusted = await elsewhere.get('/signin');
  await elsewhere.post('/signin', { ...trusted.hidden, email, password });
  const wish = authorizeAddress(service, application, { acr_values: '2' });
  const stepUp = add(
    'second factor, for an application',
    200,
    await elsewhere.follow(await elsewhere.get(wish)),
    true,
  );
  add(
    'second factor, for an application, wrong',
    401,
    await elsewhere.post('/signin/step-up', { ...stepUp.hidden, code: '"><b>' }),
    true,
  );
  const phr = authorizeAddress(service, application, { claims: essentialAcr('phr') });
  const byPasskey = await elsewhere.follow(await elsewhere.get(phr));
  add('second factor, by a passkey', 200, byPasskey, true);
  const noPasskey = { ...byPasskey.hidden, passkey: '"><b>' };
  add('second factor, passkey refused', 401, await elsewhere.post('/signin/step-up', noPasskey), true);
  add('second factor, for a page of our own', 200, await elsewhere.get(`/signin/step-up${ours}`));
  add('security with a trusted browser', 200, await browser.get('/account/security'));
  await askForFactorReset(service.parts, userId, { passkeys: false }, {}, service.clock.now());
  add('security, a reset waits', 200, await browser.get('/account/security'));
  add('overview, a reset waits', 200, await browser.get('/account'));
  const mails = await mailsTo(service, email);
  const stop = linkIn(mails.find(({ text }) => text.includes('stop-reset')) ?? { text: '' });
  const asked = add('stop a reset', 200, await elsewhere.get(stop));
  const stopped = await elsewhere.post('/security/stop-reset', asked.hidden);
  add('reset stopped', 200, await elsewhere.follow(stopped));
  add('stop a reset, over', 400, await elsewhere.get(stop));
  const remove = await browser.get('/account/security/app/remove');
  await browser.post('/account/security/app/remove', remove.hidden);
}

/** Giving the password up, what there is without one, and choosing one again. */
async function openPagesWithoutPassword(
  service: TestService,
  like: BrowserSession,
  add: (name: string, status: number, visit: Visit) => Visit,
): Promise<void> {
  const language = /lang="(\w+)"/.exec((await like.get('/account')).body)?.[1];
  const user = await service.createUser({ name: 'Zoé "O\'Hara" <i>& Fils' });
  const first = await browserIn(service, language);
  await signIn(first, user);
  const { passkey } = await enrol(first, service);
  const browser = await browserIn(service, language);
  await showPasskey(service, passkey, { browser });
  const remove = '/account/security/password/remove';
  const few = add('password, giving it up', 200, await browser.get(remove));
  add('password, not to be given up', 409, await browser.post(remove, few.hidden));
  await enrol(browser, service);
  service.clock.advance(120);
  const page = await browser.get(remove);
  const gone = await browser.post(remove, page.hidden);
  add('security without a password', 200, await browser.follow(gone));
  add('overview without a password', 200, await browser.get('/account'));
  add('password, choosing one again', 200, await browser.get('/account/security/password'));
  const list = await browser.get('/account/security');
  const id = /passkeys\/remove\?passkey=([\w-]+)/.exec(list.body)?.[1];
  const last = `/account/security/passkeys/remove?passkey=${id}`;
  add('passkey, one of the last two ways', 409, await browser.post(last, (await browser.get(last)).hidden));
  const stranger = openBrowserSession(service.baseUrl);
  const recovery = add('recovery code', 200, await stranger.get(`/signin/recovery?lang=${language}`));
  const typed = { ...recovery.hidden, email: user.email, code: '"><b>' };
  add('recovery code, wrong', 401, await stranger.post('/signin/recovery', typed));
}
