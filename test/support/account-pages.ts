// The pages of the account, and those about its email address and password.

import { recordGuess } from '../../src/store/password-guesses.ts';
import { openBrowserSession } from './browser-session.ts';
import { at, credentialsOn, fill, register } from './console.ts';
import { authorizeAddress, obtainTokens, signedInBrowser, signIn, userinfo } from './flow.ts';
import { lastMailTo, linkIn } from './mail.ts';
import { signedInOperator } from './operator.ts';
import { HOSTILE, type OpenedPage, PERSON, pageList, WRONG } from './page-list.ts';
import { suspendUser } from './populate.ts';
import { PASSWORD, type TestService } from './service.ts';
import { samplePicture, upload } from './upload.ts';

export async function openAccountPages(service: TestService): Promise<OpenedPage[]> {
  const { pages, add, opensIn } = pageList();
  const empty = opensIn(await signedInBrowser(service, await service.createUser({ name: PERSON })));
  for (const path of ['', '/applications', '/sessions', '/delete']) await empty.show(`/account${path}`);

  const user = await service.createUser({ name: PERSON, phone: '+33612345678' });
  const browser = await signedInBrowser(service, user);
  const notMe = linkIn(await lastMailTo(service, user.email));
  const { show, refuse } = opensIn(browser);
  const elsewhere = openBrowserSession(service.baseUrl);
  await signIn(elsewhere, user, await elsewhere.get('/signin', { 'user-agent': '<b>"&' }));
  const application = await service.createApplication({ name: HOSTILE });
  const former = await service.createApplication({ name: 'Vieux <carnet>' });
  await service.createApplication({ name: 'À moi <b>', ownerId: user.userId });
  for (const one of [application, former])
    await userinfo(service, (await obtainTokens(service, one, browser)).accessToken);
  const { csrf = '' } = (await browser.get('/account')).hidden;
  await browser.post('/account/applications/withdraw', { csrf, client_id: former.clientId });
  await service.parts.usage.flush();

  await show('/account/picture');
  for (const content of [Buffer.alloc(0), Buffer.from('no picture')]) {
    const file = { name: 'picture', content, fileName: `${WRONG}.png` };
    add('picture with faults', await upload(browser, '/account/picture', { csrf }, file), 400);
  }
  const picture = { name: 'picture', content: await samplePicture(), fileName: 'me.png' };
  await upload(browser, '/account/picture', { csrf }, picture);
  for (const path of [
    '',
    '/profile?done=saved',
    '/picture',
    '/sessions',
    '/applications',
    '/data',
    '/delete',
  ])
    await show(`/account${path}`);
  await refuse('/account/profile', { name: ' ', phone: WRONG });

  await show('/account/email');
  await refuse('/account/email', { new_email: WRONG });
  const next = `next.${Date.now()}@exemple.fr`;
  for (const new_email of [(await service.createUser()).email, next])
    add('email, asked for', await browser.follow(await fill(browser, '/account/email', { new_email })));
  const change = linkIn(await lastMailTo(service, next));
  const wrong = { csrf, code: WRONG };
  add('email, wrong code', await browser.post('/account/email/code', wrong), 400);
  await show('/account/verify?done=welcome&next=%2Faccount');
  add('verify, sent', await browser.follow(await browser.post('/account/verify/send', { csrf })));
  const verify = linkIn(await lastMailTo(service, user.email));
  add('verify, wrong code', await browser.post('/account/verify', wrong), 400);
  await show('/account/password');
  await refuse('/account/password', { current_password: PASSWORD, new_password: 'short' });
  await refuse('/account/password', { current_password: 'x', new_password: 'long enough 1' });

  const stranger = openBrowserSession(service.baseUrl);
  const { show: showStranger, refuse: refuseStranger } = opensIn(stranger);
  await showStranger('/signin?next=%2Faccount%2Fprofile');
  await showStranger('/password/forgot');
  await showStranger('/password/forgot?done=unverified');
  await refuseStranger('/password/forgot', { email: WRONG });
  const forgotten = await fill(stranger, '/password/forgot', { email: user.email });
  add('forgotten, sent', await stranger.follow(forgotten));
  const onTheWay = await stranger.follow(await stranger.get(authorizeAddress(service, application)));
  const forgot = `/password/forgot?pending=${onTheWay.hidden.pending}`;
  await showStranger(forgot, 200, true);
  add(
    'forgotten on the way',
    await stranger.follow(await fill(stranger, forgot, { email: 'a@b.fr' })),
    200,
    true,
  );
  const reset = linkIn(await lastMailTo(service, user.email));
  await showStranger(reset);
  await refuseStranger(reset, { new_password: 'short' });
  await showStranger(verify);
  await showStranger(change);
  await show(verify);
  await show(change);
  await service.createUser({ email: next });
  await refuse(change, {}, 409);
  add('confirmed', await browser.follow(await fill(browser, verify)));
  await showStranger(verify, 400);
  await show('/account/email?done=verified');
  await show('/account/verify');

  const suspended = await service.createUser();
  await suspendUser(service.parts.database, suspended.userId, service.clock.now());
  await refuseStranger('/signin', { email: suspended.email, password: suspended.password }, 403);
  const late = openBrowserSession(service.baseUrl);
  late.cookies.set('sesame', 'x'.repeat(43));
  await opensIn(late).show('/signin?next=%2Faccount%2Fprofile');
  const guest = `guest.${Date.now()}@exemple.fr`;
  const invited = { name: PERSON, email: guest, language: 'fr' };
  await (await signedInOperator(service)).act('/console/operations/accounts/new', invited);
  const invitation = linkIn(await lastMailTo(service, guest));
  await showStranger(invitation);
  await refuseStranger(invitation, { new_password: 'short' });

  await showStranger(notMe);
  add('not me, stopped', await stranger.follow(await fill(stranger, notMe)));
  const robbed = await service.createUser({ emailVerified: true, name: PERSON });
  const intruder = await signedInBrowser(service, robbed);
  const reporting = linkIn(await lastMailTo(service, robbed.email));
  const planted = await register(intruder, { name: HOSTILE });
  await fill(intruder, at(credentialsOn(planted).clientId, '/secrets'), { overlap: '0' });
  await obtainTokens(service, application, intruder);
  await showStranger(reporting);
  add('not me, changes removed', await stranger.follow(await fill(stranger, reporting)));
  await showStranger(`${reporting}&email=taken`);

  const besieged = await service.createUser({ name: PERSON });
  const guessed = { userId: besieged.userId, emptyKey: '', address: '192.0.2.1', wrong: 100 };
  await recordGuess(service.parts.database, guessed, service.clock.now());
  const unknown = openBrowserSession(service.baseUrl);
  const byMail = add('sign-in by mail', await signIn(unknown, besieged));
  const code = await unknown.post('/signin/code', { ...byMail.hidden, code: WRONG });
  add('sign-in by mail, wrong code', code, 400);
  await showStranger(`/dev/mail/${(await lastMailTo(service, user.email)).id}`);

  const waiting = await signedInBrowser(service, await service.createUser({ name: PERSON }));
  service.clock.advance(16 * 60);
  const { show: showLate, refuse: refuseLate } = opensIn(waiting);
  await showLate('/account/data');
  await refuseLate('/account/data');
  await refuseLate('/account/delete', { email: WRONG, current_password: 'wrong' });
  return pages;
}
