// Opens the pages for sign-in through identity providers and for linked identities.
import { UnsecuredJWT } from 'jose';
import type { ExternalIdentity } from '../../src/oauth/identity-provider.ts';
import { RECENT_SIGN_IN_TTL } from '../../src/oauth/lifetimes.ts';
import { identityId, listIdentities } from '../../src/store/external-identities.ts';
import { openBrowserSession, type Visit } from './browser-session.ts';
import { findLastEmailTo, readLink } from './emails.ts';
import {
  addProvider,
  followThroughProvider,
  signInThroughProvider,
  startUpstream,
} from './identity-provider.ts';
import { addUnreachableProvider, disableProvider } from './linked-identities.ts';
import { buildAuthorizeUrl, openSignedInBrowser } from './oauth-flow.ts';
import {
  createPageList,
  HOSTILE_INPUT,
  HOSTILE_NAME,
  HOSTILE_USER_NAME,
  type Language,
  type OpenedPage,
} from './page-list.ts';
import type { TestService } from './service.ts';
import { sql } from './store-fixtures.ts';

const SECURITY_PATH = '/account/security';
const IDENTITIES_PATH = `${SECURITY_PATH}/identities`;

export async function openIdentityPages(service: TestService, language: Language): Promise<OpenedPage[]> {
  const { pages, add, withBrowser } = createPageList(language);
  const { database } = service.services;
  const upstream = await startUpstream(service.baseUrl);
  await addProvider(service, { ...upstream, name: HOSTILE_NAME });
  for (const id of ['two', 'three', 'four', 'five'])
    await addUnreachableProvider(service, id, `${id} ${HOSTILE_NAME}`);
  const application = await service.createClient({ name: HOSTILE_NAME });
  const signUp = { sub: 'nina', name: HOSTILE_USER_NAME, picture: 'https://pictures.example/nina.png' };

  const browser = openBrowserSession(service.baseUrl);
  const { openPage, submitInvalid } = withBrowser(browser);
  for (const path of ['/signin', '/signup', '/signin?done=providerCanceled']) await openPage(path);
  const signInPage = await browser.follow(await browser.get(buildAuthorizeUrl(service, application)));
  upstream.user = { ...signUp, email: 'nina@upstream.example' };
  const query = `?pending=${signInPage.hidden.pending}`;
  const unknown = await signInThroughProvider(browser, { query });
  const signUpUrl = `/signup/provider?identity=${unknown.hidden.identity}`;
  await openPage(signUpUrl, 200, true);
  await submitInvalid(signUpUrl, { name: '', email: HOSTILE_INPUT }, 400, true);
  const sent = await browser.post('/signup/provider', {
    ...unknown.hidden,
    name: HOSTILE_USER_NAME,
    email: 'nina@upstream.example',
  });
  await openPage(sent.location ?? '');
  const link = readLink(await findLastEmailTo(service, 'nina@upstream.example'));
  await openPage(link, 200, true);
  await withBrowser(openBrowserSession(service.baseUrl)).openPage(link);
  await openPage('/signup/provider?identity=x', 400);
  await openPage('/signup/provider/confirm?token=x', 400);

  const user = await service.createUser({ name: HOSTILE_USER_NAME, emailVerified: true });
  const owner = await openSignedInBrowser(service, user);
  const { openPage: openAsOwner } = withBrowser(owner);
  await openAsOwner(SECURITY_PATH);
  await openAsOwner(`${IDENTITIES_PATH}/new`);
  upstream.user = { ...signUp, sub: HOSTILE_INPUT };
  const linkPage = await followThroughProvider(
    owner,
    await owner.get('/signin/provider/upstream?purpose=link'),
  );
  const linkUrl = `${IDENTITIES_PATH}/link?identity=${linkPage.hidden.identity}`;
  await openAsOwner(linkUrl);
  add('identity linked', await owner.follow(await owner.post(`${IDENTITIES_PATH}/link`, linkPage.hidden)));
  const [identity] = await listIdentities(database, user.userId);
  if (identity === undefined) throw new Error('the identity was not linked');
  add('logout at the provider', await signOutAtProvider(service, user, identity, language));
  const removeUrl = `${IDENTITIES_PATH}/remove?identity=${identityId(identity)}`;
  await openAsOwner(removeUrl);

  const other = await openSignedInBrowser(service, await service.createUser({ emailVerified: true }));
  withBrowser(other);
  const taken = await followThroughProvider(other, await other.get('/signin/provider/upstream?purpose=link'));
  add('identity of another account', taken, 409);

  await sql(database, 'update users set password_hash = null where id = $1', [user.userId]);
  await openAsOwner(removeUrl);
  const { hidden } = await owner.get(removeUrl);
  const refused = await owner.post(`${IDENTITIES_PATH}/remove`, {
    ...hidden,
    identity: identityId(identity),
  });
  add('last ways to sign in', refused, 409);
  service.clock.advance(RECENT_SIGN_IN_TTL + 1);
  await openAsOwner(removeUrl);
  await openAsOwner(`${SECURITY_PATH}/password?done=notLinked`);
  await disableProvider(service, 'upstream');
  await openAsOwner(SECURITY_PATH);
  await openPage('/signin/provider/upstream', 403);
  await upstream.close();
  return pages;
}

/** Logout needs the cookie that sign-in through ProConnect sets. */
async function signOutAtProvider(
  service: TestService,
  user: Parameters<typeof openSignedInBrowser>[1],
  { issuer, subject }: ExternalIdentity,
  language: Language,
): Promise<Visit> {
  const browser = await openSignedInBrowser(service, user);
  const idToken = new UnsecuredJWT({ iss: issuer, sub: subject }).encode();
  const hint = service.services.sealer.sealJson('provider-logout-hint', { providerId: 'upstream', idToken });
  browser.cookies.set('sesame-logout-hint', hint);
  browser.cookies.set('sesame-language', language);
  return browser.follow(await browser.post('/signout', (await browser.get('/signout')).hidden));
}
