// The pages of the second factor and of passkeys: setting up, signing in, resetting.
import { askForFactorReset } from '../../src/credentials/second-factor-reset.ts';
import { RECENT_SIGN_IN } from '../../src/oauth/lifetimes.ts';
import { openBrowserSession } from './browser-session.ts';
import { fill } from './console.ts';
import { authorizeAddress, signedInBrowser } from './flow.ts';
import { linkIn, mailsTo } from './mail.ts';
import { HOSTILE, type OpenedPage, PERSON, pageList, WRONG } from './page-list.ts';
import { enrol, NEW, newPasskey, showPasskey } from './passkey.ts';
import { codeAt, essentialAcr, setUpFields, wordsIn } from './protected-account.ts';
import type { TestService } from './service.ts';

const SECURITY = '/account/security';
const APP = `${SECURITY}/app`;
/** On the way to a page of this service. */
const OURS = '?next=/console/operations';

export async function openSecurityPages(service: TestService): Promise<OpenedPage[]> {
  const { pages, add, opensIn } = pageList();
  const user = await service.createUser({ name: PERSON });
  const browser = await signedInBrowser(service, user);
  const { show, refuse } = opensIn(browser);
  await show(SECURITY);
  const application = await service.createApplication({ name: HOSTILE });
  const demanded = await show(
    authorizeAddress(service, application, { claims: essentialAcr('2') }),
    200,
    true,
  );
  const noCode = await browser.post(APP, { ...setUpFields(demanded), code: WRONG });
  add('app, for an application, wrong code', noCode, 400, true);
  await show(`${APP}${OURS}`);
  const app = await show(APP);
  await refuse(APP, { code: WRONG });
  const secret = wordsIn(app, 'key').replaceAll(' ', '');
  const code = (steps: number) => codeAt(secret, service.clock.now(), steps);
  add('recovery codes', await browser.follow(await browser.post(APP, { ...app.hidden, code: code(0) })));
  for (const path of [`/codes${OURS}`, '/codes', '?done=codes', '/codes/new', '/app/remove'])
    await show(`${SECURITY}${path}`);

  await show(`${SECURITY}/passkeys/offer?next=%2Faccount`);
  await show(NEW);
  await refuse(NEW, { passkey: 'nonsense' });
  const { passkey, answer } = await enrol(browser, service);
  await enrol(browser, service, { passkey: newPasskey(service.baseUrl, { synced: false }) });
  add('security, with passkeys', await browser.follow(answer));
  const at = (does: string) => `${SECURITY}/passkeys/${does}?passkey=${passkey.id}`;
  await show(at('rename'));
  await refuse(at('rename'), { name: 'x'.repeat(61) });
  await show(at('remove'));
  service.clock.advance(RECENT_SIGN_IN + 1);
  await show(at('remove'));

  const elsewhere = openBrowserSession(service.baseUrl);
  const { show: showElsewhere } = opensIn(elsewhere);
  const unknown = await showPasskey(service, newPasskey(service.baseUrl), { browser: elsewhere });
  add('passkey, refused', unknown.answer, 401);
  const { email, password } = user;
  const half = add(
    'second factor',
    await elsewhere.follow(await fill(elsewhere, '/signin', { email, password })),
  );
  const wrong = await elsewhere.post('/signin/second-factor', { ...half.hidden, code: WRONG });
  add('second factor, wrong', wrong, 401);
  await showElsewhere('/signin/second-factor?half=x', 400);
  await elsewhere.post('/signin/second-factor', { ...half.hidden, code: code(1), trust: 'yes' });
  elsewhere.cookies.delete('sesame');
  await fill(elsewhere, '/signin', { email, password });
  for (const [asked, proof] of [
    [{ acr_values: '2' }, { code: WRONG }],
    [{ claims: essentialAcr('phr') }, { passkey: WRONG }],
  ] as const) {
    const stepUp = await showElsewhere(authorizeAddress(service, application, asked), 200, true);
    const refused = await elsewhere.post('/signin/step-up', { ...stepUp.hidden, ...proof });
    add('step-up, refused', refused, 401, true);
  }
  await showElsewhere(`/signin/step-up${OURS}`);
  await show(SECURITY);
  await askForFactorReset(service.parts, user.userId, { passkeys: false }, {}, service.clock.now());
  await show(SECURITY);
  await show('/account');
  const stop = (await mailsTo(service, email)).find(({ text }) => text.includes('stop-reset'));
  const link = linkIn(stop ?? { text: '' });
  await showElsewhere(link);
  add('reset stopped', await elsewhere.follow(await fill(elsewhere, link)));
  await showElsewhere(link, 400);
  pages.push(...(await openPagesWithoutPassword(service)));
  return pages;
}

/** Giving the password up, what there is without one, and choosing one again. */
async function openPagesWithoutPassword(service: TestService): Promise<OpenedPage[]> {
  const { pages, add, opensIn } = pageList();
  const user = await service.createUser({ name: PERSON });
  const { passkey } = await enrol(await signedInBrowser(service, user), service);
  const { browser } = await showPasskey(service, passkey);
  const { show, refuse } = opensIn(browser);
  const remove = `${SECURITY}/password/remove`;
  await show(remove);
  await refuse(remove, {}, 409);
  await enrol(browser, service);
  service.clock.advance(120);
  add('security without a password', await browser.follow(await fill(browser, remove)));
  await show('/account');
  await show(`${SECURITY}/password`);
  const list = await browser.get(SECURITY);
  const id = /passkeys\/remove\?passkey=([\w-]+)/.exec(list.body)?.[1];
  await refuse(`${SECURITY}/passkeys/remove?passkey=${id}`, {}, 409);
  const stranger = opensIn(openBrowserSession(service.baseUrl));
  await stranger.show('/signin/recovery');
  await stranger.refuse('/signin/recovery', { email: user.email, code: WRONG }, 401);
  return pages;
}
