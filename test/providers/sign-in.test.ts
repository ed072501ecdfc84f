import { expect, test } from 'vitest';
import { linkIdentity } from '../../src/store/external-identities.ts';
import { openBrowserSession } from '../support/browser-session.ts';
import {
  addProvider,
  followThroughProvider,
  signInThroughProvider,
  UPSTREAM_USER,
  useUpstream,
} from '../support/identity-provider.ts';
import {
  buildAuthorizeUrl,
  completeAuthorization,
  openSignedInBrowser,
  postForm,
  submitDecision,
} from '../support/oauth-flow.ts';
import { startTestService, useTestService } from '../support/service.ts';

const service = useTestService();
const upstream = useUpstream(service);

test('a user with a linked identity is signed in to the linked account', async () => {
  const { userId } = await service.createUser();
  const identity = { issuer: upstream.issuer, subject: UPSTREAM_USER.sub };
  await service.services.database.transaction((transaction) =>
    linkIdentity(transaction, userId, { ...identity, providerId: 'upstream', label: 'ada' }, new Date()),
  );
  const browser = openBrowserSession(service.baseUrl);
  const page = await signInThroughProvider(browser);
  expect(page.status).toBe(200);
  expect(page.body).toContain('Ada Lovelace');
});

test('a user who cancels at the provider returns to the sign-in page', async () => {
  upstream.user = undefined;
  const page = await signInThroughProvider(openBrowserSession(service.baseUrl));
  upstream.user = UPSTREAM_USER;
  expect(page.body).toContain('You canceled the sign-in.');
});

test('a user with an unknown identity is sent to the sign-up page', async () => {
  upstream.user = { sub: 'upstream-2', email: 'other@upstream.example' };
  const browser = openBrowserSession(service.baseUrl);
  const page = await followThroughProvider(browser, await browser.get('/signin/provider/upstream'), {
    until: '/signup/provider',
  });
  upstream.user = UPSTREAM_USER;
  expect(page.location?.searchParams.get('identity')).toMatch(/^[\w-]+$/);
});

test('a user is signed in through the provider that provider_hint names', async () => {
  const client = await service.createClient();
  const browser = openBrowserSession(service.baseUrl);
  const url = buildAuthorizeUrl(service, client, { provider_hint: 'upstream', prompt: 'login' });
  const page = await followThroughProvider(browser, await browser.get(url));
  expect(page.body).toContain('Carnet');
  const done = await submitDecision(browser, page, 'allow');
  expect(done.location?.searchParams.get('code')).toMatch(/^sesame_ac_/);
  expect(upstream.requests.at(-1)?.get('prompt')).toBe('login');
});

test('a pushed authorization request can contain provider_hint', async () => {
  const client = await service.createClient();
  const { body } = await postForm(service, '/oauth/par', {
    ...Object.fromEntries(buildAuthorizeUrl(service, client, { provider_hint: 'upstream' }).searchParams),
    client_secret: client.clientSecret,
  });
  const query = new URLSearchParams({ client_id: client.clientId, request_uri: String(body.request_uri) });
  const { location } = await openBrowserSession(service.baseUrl).get(`/oauth/authorize?${query}`);
  expect(location?.pathname).toBe('/signin/provider/upstream');
});

test('one Sésame instance can be a provider for another', async () => {
  await using other = await startTestService();
  const user = await other.createUser({ emailVerified: true });
  const client = await other.createClient({
    redirectUris: [`${service.baseUrl}/signin/provider/other/callback`],
    standard: true,
  });
  await addProvider(service, { ...client, providerId: 'other', issuer: other.baseUrl });
  const { userId } = await service.createUser();
  const identity = { issuer: other.baseUrl, subject: user.userId };
  await service.services.database.transaction((transaction) =>
    linkIdentity(transaction, userId, { ...identity, providerId: 'other', label: 'ada' }, new Date()),
  );
  const browser = openBrowserSession(service.baseUrl);
  const start = await browser.get('/signin/provider/other');
  const callback = await completeAuthorization(
    await openSignedInBrowser(other, user),
    start.location ?? new URL(other.baseUrl),
  );
  const page = await browser.get(callback);
  expect([page.status, page.location?.pathname]).toEqual([303, '/account']);
});

test.each(['%00', 'a%2Fb', 'UPPER', 'a'.repeat(3000)])('an invalid provider ID gets 404', async (id) => {
  const browser = openBrowserSession(service.baseUrl);
  for (const path of [`/signin/provider/${id}`, `/signin/provider/${id}/callback?state=x`])
    expect((await browser.get(path)).status).toBe(404);
});
