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
    await newAccount.show(`/account${path}`);

  const user = await service.createUser({ name: HOSTILE_USER_NAME, phone: '+33612345678' });
  const browser = await openSignedInBrowser(service, user);
  const reportUrl = readLink(await findLastEmailTo(service, user.email));
  const { show, refuse } = withBrowser(browser);
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

  await show('/account/picture');
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
    await show(`/account${path}`);
  await refuse('/account/profile', { name: ' ', phone: HOSTILE_INPUT });

  await show('/account/email');
  await refuse('/account/email', { new_email: HOSTILE_INPUT });
  const newEmail = `next.${Date.now()}@exemple.fr`;
  for (const new_email of [(await service.createUser()).email, newEmail])
    add('email, requested', await browser.follow(await submitForm(browser, '/account/email', { new_email })));
  const changeUrl = readLink(await findLastEmailTo(service, newEmail));
  const wrongCode = { csrf, code: HOSTILE_INPUT };
  add('email, wrong code', await browser.post('/account/email/code', wrongCode), 400);
  await show('/account/verify?done=welcome&next=%2Faccount');
  add('verify, sent', await browser.follow(await browser.post('/account/verify/send', { csrf })));
  const verificationUrl = readLink(await findLastEmailTo(service, user.email));
  add('verify, wrong code', await browser.post('/account/verify', wrongCode), 400);
  await show('/account/password');
  await refuse('/account/password', { current_password: PASSWORD, new_password: 'short' });
  await refuse('/account/password', { current_password: 'x', new_password: 'long enough 1' });

  const anonymous = openBrowserSession(service.baseUrl);
  const { show: showAnonymous, refuse: refuseAnonymous } = withBrowser(anonymous);
  await showAnonymous('/signin?next=%2Faccount%2Fprofile');
  await showAnonymous('/password/forgot');
  await showAnonymous('/password/forgot?done=unverified');
  await refuseAnonymous('/password/forgot', { email: HOSTILE_INPUT });
  const requested = await submitForm(anonymous, '/password/forgot', { email: user.email });
  add('forgotten password, sent', await anonymous.follow(requested));
  const signInPage = await anonymous.follow(await anonymous.get(buildAuthorizeUrl(service, application)));
  const forgotUrl = `/password/forgot?pending=${signInPage.hidden.pending}`;
  await showAnonymous(forgotUrl, 200, true);
  add(
    'forgotten password during an authorization',
    await anonymous.follow(await submitForm(anonymous, forgotUrl, { email: 'a@b.fr' })),
    200,
    true,
  );
  const resetUrl = readLink(await findLastEmailTo(service, user.email));
  await showAnonymous(resetUrl);
  await refuseAnonymous(resetUrl, { new_password: 'short' });
  await showAnonymous(verificationUrl);
  await showAnonymous(changeUrl);
  await show(verificationUrl);
  await show(changeUrl);
  await service.createUser({ email: newEmail });
  await refuse(changeUrl, {}, 409);
  add('confirmed', await browser.follow(await submitForm(browser, verificationUrl)));
  await showAnonymous(verificationUrl, 400);
  await show('/account/email?done=verified');
  await show('/account/verify');

  const suspended = await service.createUser();
  await suspendUser(service.services.database, suspended.userId, service.clock.now());
  await refuseAnonymous('/signin', { email: suspended.email, password: suspended.password }, 403);
  const expiredBrowser = openBrowserSession(service.baseUrl);
  expiredBrowser.cookies.set('sesame', 'x'.repeat(43));
  await withBrowser(expiredBrowser).show('/signin?next=%2Faccount%2Fprofile');
  const invitedEmail = `guest.${Date.now()}@exemple.fr`;
  const invitedUser = { name: HOSTILE_USER_NAME, email: invitedEmail, language: 'fr' };
  await (await createSignedInAdmin(service)).submit('/console/operations/accounts/new', invitedUser);
  const invitationUrl = readLink(await findLastEmailTo(service, invitedEmail));
  await showAnonymous(invitationUrl);
  await refuseAnonymous(invitationUrl, { new_password: 'short' });

  await showAnonymous(reportUrl);
  add('unauthorized activity, reported', await anonymous.follow(await submitForm(anonymous, reportUrl)));
  const victim = await service.createUser({ emailVerified: true, name: HOSTILE_USER_NAME });
  const intruder = await openSignedInBrowser(service, victim);
  const victimReportUrl = readLink(await findLastEmailTo(service, victim.email));
  const registered = await registerClient(intruder, { name: HOSTILE_NAME });
  await submitForm(intruder, clientPath(readCredentials(registered).clientId, '/secrets'), { overlap: '0' });
  await obtainTokens(service, application, intruder);
  await showAnonymous(victimReportUrl);
  add(
    'unauthorized activity, changes reverted',
    await anonymous.follow(await submitForm(anonymous, victimReportUrl)),
  );
  await showAnonymous(`${victimReportUrl}&email=taken`);

  const guessedUser = await service.createUser({ name: HOSTILE_USER_NAME });
  const wrongPasswords = { userId: guessedUser.userId, unknownEmailKey: '', ip: '192.0.2.1', wrong: 100 };
  await recordPasswordAttempt(service.services.database, wrongPasswords, service.clock.now());
  const unknownBrowser = openBrowserSession(service.baseUrl);
  withBrowser(unknownBrowser);
  const codePage = add('sign-in by email code', await signIn(unknownBrowser, guessedUser));
  const rejection = await unknownBrowser.post('/signin/code', { ...codePage.hidden, code: HOSTILE_INPUT });
  add('sign-in by email code, wrong code', rejection, 400);
  await showAnonymous(`/dev/mail/${(await findLastEmailTo(service, user.email)).id}`);

  const idleBrowser = await openSignedInBrowser(
    service,
    await service.createUser({ name: HOSTILE_USER_NAME }),
  );
  service.clock.advance(16 * 60);
  const { show: showIdle, refuse: refuseIdle } = withBrowser(idleBrowser);
  await showIdle('/account/data');
  await refuseIdle('/account/data');
  await refuseIdle('/account/delete', { email: HOSTILE_INPUT, current_password: 'wrong' });
  return pages;
}
