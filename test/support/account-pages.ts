// Opens the account, email verification and password reset pages.

import { recordPasswordAttempt } from '../../src/store/password-failures.ts';
import { createSignedInAdmin } from './admin.ts';
import { openBrowserSession } from './browser-session.ts';
import { clientPath, readCredentials, registerClient, submitForm } from './console-forms.ts';
import { findLastEmailTo, readLink } from './emails.ts';
import { buildAuthorizeUrl, fetchUserinfo, obtainTokens, openSignedInBrowser, signIn } from './oauth-flow.ts';
import {
  createPageList,
  HOSTILE_INPUT,
  HOSTILE_NAME,
  HOSTILE_USER_NAME,
  type Language,
  type OpenedPage,
} from './page-list.ts';
import { PASSWORD, type TestService } from './service.ts';
import { suspendUser } from './store-fixtures.ts';
import { createPicture, upload } from './upload.ts';

export async function openAccountPages(service: TestService, language: Language): Promise<OpenedPage[]> {
  const { pages, add, withBrowser } = createPageList(language);
  const newAccount = withBrowser(
    await openSignedInBrowser(service, await service.createUser({ name: HOSTILE_USER_NAME })),
  );
  for (const path of ['', '/applications', '/sessions', '/activity', '/delete'])
    await newAccount.openPage(`/account${path}`);

  const user = await service.createUser({ name: HOSTILE_USER_NAME, phone: '+33612345678' });
  const browser = await openSignedInBrowser(service, user);
  const reportUrl = readLink(await findLastEmailTo(service, user.email));
  const { openPage, submitInvalid } = withBrowser(browser);
  const secondBrowser = openBrowserSession(service.baseUrl);
  await signIn(secondBrowser, user, await secondBrowser.get('/signin', { 'user-agent': '<b>"&' }));
  const application = await service.createClient({ name: HOSTILE_NAME });
  const formerClient = await service.createClient({ name: 'Vieux <carnet>' });
  await service.createClient({ name: 'À moi <b>', ownerId: user.userId });
  for (const client of [application, formerClient])
    await fetchUserinfo(service, (await obtainTokens(service, client, browser)).accessToken);
  const { csrf = '' } = (await browser.get('/account')).hidden;
  await browser.post('/account/applications/withdraw', { csrf, client_id: formerClient.clientId });
  await service.services.usage.flush();

  await openPage('/account/picture');
  for (const content of [Buffer.alloc(0), Buffer.from('no picture')]) {
    const file = { name: 'picture', content, fileName: `${HOSTILE_INPUT}.png` };
    add('invalid picture', await upload(browser, '/account/picture', { csrf }, file), 400);
  }
  const picture = { name: 'picture', content: await createPicture(), fileName: 'me.png' };
  await upload(browser, '/account/picture', { csrf }, picture);
  for (const path of [
    '',
    '/profile?done=saved',
    '/picture',
    '/sessions',
    '/applications',
    '/activity',
    '/activity?before=9.1',
    '/data',
    '/delete',
  ])
    await openPage(`/account${path}`);
  await submitInvalid('/account/profile', { name: ' ', phone: HOSTILE_INPUT });

  await openPage('/account/email');
  await submitInvalid('/account/email', { new_email: HOSTILE_INPUT });
  const newEmail = `next.${Date.now()}@exemple.fr`;
  for (const new_email of [(await service.createUser()).email, newEmail])
    add('email, requested', await browser.follow(await submitForm(browser, '/account/email', { new_email })));
  const changeUrl = readLink(await findLastEmailTo(service, newEmail));
  const wrongCode = { csrf, code: HOSTILE_INPUT };
  add('email, wrong code', await browser.post('/account/email/code', wrongCode), 400);
  await openPage('/account/verify?done=welcome&next=%2Faccount');
  add('verify, sent', await browser.follow(await browser.post('/account/verify/send', { csrf })));
  const verificationUrl = readLink(await findLastEmailTo(service, user.email));
  add('verify, wrong code', await browser.post('/account/verify', wrongCode), 400);
  await openPage('/account/password');
  await submitInvalid('/account/password', { current_password: PASSWORD, new_password: 'short' });
  await submitInvalid('/account/password', { current_password: 'x', new_password: 'long enough 1' });

  const anonymous = openBrowserSession(service.baseUrl);
  const { openPage: openAsAnonymous, submitInvalid: submitInvalidAsAnonymous } = withBrowser(anonymous);
  await openAsAnonymous('/signin?next=%2Faccount%2Fprofile');
  await openAsAnonymous('/password/forgot');
  await openAsAnonymous('/password/forgot?done=unverified');
  await submitInvalidAsAnonymous('/password/forgot', { email: HOSTILE_INPUT });
  const requested = await submitForm(anonymous, '/password/forgot', { email: user.email });
  add('forgotten password, sent', await anonymous.follow(requested));
  const signInPage = await anonymous.follow(await anonymous.get(buildAuthorizeUrl(service, application)));
  const forgotUrl = `/password/forgot?pending=${signInPage.hidden.pending}`;
  await openAsAnonymous(forgotUrl, 200, true);
  add(
    'forgotten password during an authorization',
    await anonymous.follow(await submitForm(anonymous, forgotUrl, { email: 'a@b.fr' })),
    200,
    true,
  );
  const resetUrl = readLink(await findLastEmailTo(service, user.email));
  await openAsAnonymous(resetUrl);
  await submitInvalidAsAnonymous(resetUrl, { new_password: 'short' });
  await openAsAnonymous(verificationUrl);
  await openAsAnonymous(changeUrl);
  await openPage(verificationUrl);
  await openPage(changeUrl);
  await service.createUser({ email: newEmail });
  await submitInvalid(changeUrl, {}, 409);
  add('confirmed', await browser.follow(await submitForm(browser, verificationUrl)));
  await openAsAnonymous(verificationUrl, 400);
  await openPage('/account/email?done=verified');
  await openPage('/account/verify');

  const suspended = await service.createUser();
  await suspendUser(service.services.database, suspended.userId, service.clock.now());
  await submitInvalidAsAnonymous('/signin', { email: suspended.email, password: suspended.password }, 403);
  const expiredBrowser = openBrowserSession(service.baseUrl);
  expiredBrowser.cookies.set('sesame', 'x'.repeat(43));
  await withBrowser(expiredBrowser).openPage('/signin?next=%2Faccount%2Fprofile');
  const invitedEmail = `guest.${Date.now()}@exemple.fr`;
  const invitedUser = { name: HOSTILE_USER_NAME, email: invitedEmail, language: 'fr' };
  await (await createSignedInAdmin(service)).submit('/console/operations/accounts/new', invitedUser);
  const invitationUrl = readLink(await findLastEmailTo(service, invitedEmail));
  await openAsAnonymous(invitationUrl);
  await submitInvalidAsAnonymous(invitationUrl, { new_password: 'short' });

  await openAsAnonymous(reportUrl);
  add('unauthorized activity, reported', await anonymous.follow(await submitForm(anonymous, reportUrl)));
  const victim = await service.createUser({ emailVerified: true, name: HOSTILE_USER_NAME });
  const intruder = await openSignedInBrowser(service, victim);
  const victimReportUrl = readLink(await findLastEmailTo(service, victim.email));
  const registered = await registerClient(intruder, { name: HOSTILE_NAME });
  await submitForm(intruder, clientPath(readCredentials(registered).clientId, '/secrets'), { overlap: '0' });
  await obtainTokens(service, application, intruder);
  await openAsAnonymous(victimReportUrl);
  add(
    'unauthorized activity, changes reverted',
    await anonymous.follow(await submitForm(anonymous, victimReportUrl)),
  );
  await openAsAnonymous(`${victimReportUrl}&email=taken`);

  const guessedUser = await service.createUser({ name: HOSTILE_USER_NAME });
  const wrongPasswords = { userId: guessedUser.userId, unknownEmailKey: '', ip: '192.0.2.1', wrong: 100 };
  await recordPasswordAttempt(service.services.database, wrongPasswords, service.clock.now());
  const unknownBrowser = openBrowserSession(service.baseUrl);
  withBrowser(unknownBrowser);
  const codePage = add('sign-in by email code', await signIn(unknownBrowser, guessedUser));
  const rejection = await unknownBrowser.post('/signin/code', { ...codePage.hidden, code: HOSTILE_INPUT });
  add('sign-in by email code, wrong code', rejection, 400);
  await openAsAnonymous(`/dev/mail/${(await findLastEmailTo(service, user.email)).id}`);

  const idleBrowser = await openSignedInBrowser(
    service,
    await service.createUser({ name: HOSTILE_USER_NAME }),
  );
  service.clock.advance(16 * 60);
  const { openPage: openAsIdleUser, submitInvalid: submitInvalidAsIdleUser } = withBrowser(idleBrowser);
  await openAsIdleUser('/account/data');
  await submitInvalidAsIdleUser('/account/data');
  await submitInvalidAsIdleUser('/account/delete', { email: HOSTILE_INPUT, current_password: 'wrong' });
  return pages;
}
