// Opens the pages for MFA and passkeys.
import { requestMfaReset } from '../../src/credentials/mfa-reset.ts';
import { RECENT_SIGN_IN_TTL } from '../../src/oauth/lifetimes.ts';
import { openBrowserSession } from './browser-session.ts';
import { submitForm } from './console-forms.ts';
import { listEmailsTo, readLink } from './emails.ts';
import {
  buildEssentialAcrClaims,
  createTotpCodeAt,
  readElementText,
  readSetUpFields,
} from './mfa-account.ts';
import { buildAuthorizeUrl, openSignedInBrowser } from './oauth-flow.ts';
import {
  createPageList,
  HOSTILE_INPUT,
  HOSTILE_NAME,
  HOSTILE_USER_NAME,
  type Language,
  type OpenedPage,
} from './page-list.ts';
import { createPasskey, NEW_PASSKEY_PATH, registerPasskey, signInWithPasskey } from './passkey.ts';
import type { TestService } from './service.ts';

const SECURITY_PATH = '/account/security';
const APP_PATH = `${SECURITY_PATH}/app`;
const RETURN_TARGET = '?next=/console/operations';

export async function openSecurityPages(service: TestService, language: Language): Promise<OpenedPage[]> {
  const { pages, add, withBrowser } = createPageList(language);
  const user = await service.createUser({ name: HOSTILE_USER_NAME });
  const browser = await openSignedInBrowser(service, user);
  const { openPage, submitInvalid } = withBrowser(browser);
  await openPage(SECURITY_PATH);
  const application = await service.createClient({ name: HOSTILE_NAME });
  const setUpPage = await openPage(
    buildAuthorizeUrl(service, application, { claims: buildEssentialAcrClaims('2') }),
    200,
    true,
  );
  const wrongSetupCode = await browser.post(APP_PATH, { ...readSetUpFields(setUpPage), code: HOSTILE_INPUT });
  add('app setup during an authorization, wrong code', wrongSetupCode, 400, true);
  await openPage(`${APP_PATH}${RETURN_TARGET}`);
  const app = await openPage(APP_PATH);
  await submitInvalid(APP_PATH, { code: HOSTILE_INPUT });
  const secret = readElementText(app, 'key').replaceAll(' ', '');
  const createCode = (steps: number) => createTotpCodeAt(secret, service.clock.now(), steps);
  add(
    'recovery codes',
    await browser.follow(await browser.post(APP_PATH, { ...app.hidden, code: createCode(0) })),
  );
  for (const path of [`/codes${RETURN_TARGET}`, '/codes', '?done=codes', '/codes/new', '/app/remove'])
    await openPage(`${SECURITY_PATH}${path}`);

  await openPage(`${SECURITY_PATH}/passkeys/offer?next=%2Faccount`);
  await openPage(NEW_PASSKEY_PATH);
  await submitInvalid(NEW_PASSKEY_PATH, { passkey: 'nonsense' });
  const { passkey, response } = await registerPasskey(browser, service);
  await registerPasskey(browser, service, { passkey: createPasskey(service.baseUrl, { synced: false }) });
  add('security, with passkeys', await browser.follow(response));
  const buildPasskeyUrl = (action: string) => `${SECURITY_PATH}/passkeys/${action}?passkey=${passkey.id}`;
  await openPage(buildPasskeyUrl('rename'));
  await submitInvalid(buildPasskeyUrl('rename'), { name: 'x'.repeat(61) });
  await openPage(buildPasskeyUrl('remove'));
  service.clock.advance(RECENT_SIGN_IN_TTL + 1);
  await openPage(buildPasskeyUrl('remove'));

  const secondBrowser = openBrowserSession(service.baseUrl);
  const { openPage: openInSecondBrowser } = withBrowser(secondBrowser);
  const unknown = await signInWithPasskey(service, createPasskey(service.baseUrl), {
    browser: secondBrowser,
  });
  add('passkey, refused', unknown.response, 401);
  const { email, password } = user;
  const mfaPage = add(
    'second factor',
    await secondBrowser.follow(await submitForm(secondBrowser, '/signin', { email, password })),
  );
  const wrongCode = await secondBrowser.post('/signin/second-factor', {
    ...mfaPage.hidden,
    code: HOSTILE_INPUT,
  });
  add('second factor, wrong', wrongCode, 401);
  await openInSecondBrowser('/signin/second-factor?partial_sign_in=x', 400);
  await secondBrowser.post('/signin/second-factor', { ...mfaPage.hidden, code: createCode(1), trust: 'yes' });
  secondBrowser.cookies.delete('sesame');
  await submitForm(secondBrowser, '/signin', { email, password });
  for (const [parameters, factor] of [
    [{ acr_values: '2' }, { code: HOSTILE_INPUT }],
    [{ claims: buildEssentialAcrClaims('phr') }, { passkey: HOSTILE_INPUT }],
  ] as const) {
    const stepUpPage = await openInSecondBrowser(
      buildAuthorizeUrl(service, application, parameters),
      200,
      true,
    );
    const rejection = await secondBrowser.post('/signin/step-up', { ...stepUpPage.hidden, ...factor });
    add('step-up, refused', rejection, 401, true);
  }
  await openInSecondBrowser(`/signin/step-up${RETURN_TARGET}`);
  await openPage(SECURITY_PATH);
  await requestMfaReset(service.services, user.userId, { passkeys: false }, {}, service.clock.now());
  await openPage(SECURITY_PATH);
  await openPage('/account');
  const resetEmail = (await listEmailsTo(service, email)).find(({ text }) => text.includes('cancel-reset'));
  const cancelUrl = readLink(resetEmail ?? { text: '' });
  await openInSecondBrowser(cancelUrl);
  add('reset stopped', await secondBrowser.follow(await submitForm(secondBrowser, cancelUrl)));
  await openInSecondBrowser(cancelUrl, 400);
  pages.push(...(await openPagesWithoutPassword(service, language)));
  return pages;
}

async function openPagesWithoutPassword(service: TestService, language: Language): Promise<OpenedPage[]> {
  const { pages, add, withBrowser } = createPageList(language);
  const user = await service.createUser({ name: HOSTILE_USER_NAME });
  const { passkey } = await registerPasskey(await openSignedInBrowser(service, user), service);
  const { browser } = await signInWithPasskey(service, passkey);
  const { openPage, submitInvalid } = withBrowser(browser);
  const removePath = `${SECURITY_PATH}/password/remove`;
  await openPage(removePath);
  await submitInvalid(removePath, {}, 409);
  await registerPasskey(browser, service);
  service.clock.advance(120);
  add('security without a password', await browser.follow(await submitForm(browser, removePath)));
  await openPage('/account');
  await openPage(`${SECURITY_PATH}/password`);
  const securityPage = await browser.get(SECURITY_PATH);
  const id = /passkeys\/remove\?passkey=([\w-]+)/.exec(securityPage.body)?.[1];
  await submitInvalid(`${SECURITY_PATH}/passkeys/remove?passkey=${id}`, {}, 409);
  const anonymous = withBrowser(openBrowserSession(service.baseUrl));
  await anonymous.openPage('/signin/recovery');
  await anonymous.submitInvalid('/signin/recovery', { email: user.email, code: HOSTILE_INPUT }, 401);
  return pages;
}
