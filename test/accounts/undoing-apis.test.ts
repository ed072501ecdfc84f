// What a disowned session did to APIs: nothing of it is left, or the API is held (D61).
import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listEvents } from '../../src/store/events.ts';
import { findOwnApi } from '../../src/store/own-apis.ts';
import { apiIdOn, atApi, registerApi } from '../support/api-console.ts';
import { apiWithSecret, introspect, obtainApiToken, type TestApi } from '../support/apis.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { fill } from '../support/console.ts';
import { postForm, signedInBrowser } from '../support/flow.ts';
import { lastMailTo, linkIn } from '../support/mail.ts';
import { signedInOperator } from '../support/operator.ts';
import { startTestService, type TestApplication, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ MAIL_PER_MAILBOX_PER_HOUR: '100' });
});
afterAll(() => service.close());

const SETTINGS = { words_fr: 'Vos documents.', words_en: 'Your documents.', lifetime: '3600' };
const key = async (kid: string) => ({
  ...(await exportJWK((await generateKeyPair('ES256')).publicKey)),
  kid,
});

/** An account with an API, its owner's own browser, and an intruder who has just signed in. */
async function intrusion() {
  const user = await service.createUser({ emailVerified: true });
  const api = await apiWithSecret(service, { ownerId: user.userId, tokenLifetime: 3600 });
  const own = await signedInBrowser(service, user);
  await fill(own, atApi(api.apiId, '/keys'), { jwks: JSON.stringify(await key('own')) });
  const intruder = await signedInBrowser(service, user);
  const link = linkIn(await lastMailTo(service, user.email));
  const at = (below: string) => atApi(api.apiId, below);
  const find = (apiId = api.apiId) => findOwnApi(service.parts.database, user.userId, apiId);
  return { user, api, own, intruder, link, at, find };
}

/** Opens a mail's link in a fresh browser, and sends its form. */
async function press(link: string) {
  const browser = openBrowserSession(service.baseUrl);
  const page = await browser.get(link);
  const done = await browser.follow(await browser.post('/security/not-me', page.hidden));
  return { page: page.body, done: done.body };
}

test('settings, scopes, keys and secrets are as they were before it; what its owner did meanwhile stays', async () => {
  const { user, api, own, intruder, link, at, find } = await intrusion();
  const scope = { scope: 'evil', words_fr: 'x', words_en: 'x', traits: ['agents'] };
  await fill(intruder, at('/edit'), { ...SETTINGS, name: 'Evil', admits: 'agents' });
  await fill(intruder, at('/scopes/new'), scope);
  await fill(intruder, at('/scopes/edit-write'), { words_fr: 'Rien', words_en: 'Nothing much' });
  await fill(intruder, at('/scopes/remove-read'));
  await fill(intruder, at('/keys'), { jwks: JSON.stringify({ keys: [await key('evil')] }) });
  await fill(intruder, at('/secrets'), { overlap: '604800' });
  await fill(own, at('/scopes/new'), { ...scope, scope: 'mine' });
  const { page, done } = await press(link);
  for (const body of [page, done])
    for (const text of ['its settings', 'its scopes', 'its public keys', 'the creation of a secret'])
      expect(body).toContain(text);
  const after = await find();
  expect(after).toMatchObject({ name: api.name, admits: 'applications', suspended: false });
  expect(after?.jwks?.keys.map(({ kid }) => kid)).toEqual(['own']);
  const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);
  const mine = { name: 'mine', fr: 'x', en: 'x', sensitive: false, agents: true };
  expect(after?.scopes.toSorted(byName)).toEqual([...api.scopes, mine].toSorted(byName));
  expect((await introspect(service, api, 'x')).status, 'the own secret').toBe(200);
  const made = (await own.get(at('/secrets'))).body;
  expect([made.includes('Secret no. 1'), made.includes('Secret no. 2')]).toEqual([true, false]);
  const events = await listEvents(service.parts.database, { apiId: api.apiId }, { limit: 20 });
  const undone = events.filter(({ kind }) => kind === 'change_undone');
  expect(new Set(undone.map(({ detail }) => detail.change))).toEqual(
    new Set(['api_settings', 'api_scopes', 'api_keys', 'api_secret']),
  );
  expect(undone.every(({ userId }) => userId === user.userId)).toBe(true);
});

test('a scope that its owner has changed since stays as they made it, once', async () => {
  const { own, intruder, link, at, find } = await intrusion();
  await fill(intruder, at('/scopes/edit-read'), { words_fr: 'Evil', words_en: 'Evil' });
  await fill(own, at('/scopes/edit-read'), { words_fr: 'Lire', words_en: 'Read' });
  await press(link);
  expect((await find())?.scopes.filter(({ name }) => name === 'read').map(({ en }) => en)).toEqual(['Read']);
});

describe('whom it cut off, and whom it let in again', () => {
  const token = async (api: TestApi, application: TestApplication) =>
    (
      await obtainApiToken(
        service,
        application,
        await signedInBrowser(service, await service.createUser()),
        api,
      )
    ).apiToken;
  const active = async (api: TestApi, one: string) => (await introspect(service, api, one)).body.active;
  const decide = (browser: BrowserSession, at: (below: string) => string, does: string, clientId: string) =>
    fill(browser, `${at(`/access/${does}`)}?client_id=${clientId}`);

  test('is as it was before: what it cut off goes on, what it let in is out, with all that it got meanwhile', async () => {
    const { api, own, intruder, link, at } = await intrusion();
    const [cut, out] = [await service.createApplication(), await service.createApplication()];
    const kept = await token(api, cut);
    await decide(own, at, 'cut', out.clientId);
    service.clock.advance(1);
    await decide(intruder, at, 'cut', cut.clientId);
    await decide(intruder, at, 'readmit', out.clientId);
    service.clock.advance(1);
    const got = await token(api, out);
    expect([await active(api, kept), await active(api, got)]).toEqual([false, true]);
    const { page } = await press(link);
    expect(page).toContain('access that was cut off, or let in again');
    expect([await active(api, kept), await active(api, got)]).toEqual([true, false]);
    const { body } = await own.get(at('/access'));
    const excluded = body.slice(body.indexOf('<h2>Cut off</h2>'));
    expect([excluded.includes(out.clientId), excluded.includes(cut.clientId)]).toEqual([true, false]);
  });

  test('stays as its owner has decided since', async () => {
    const { api, own, intruder, link, at } = await intrusion();
    const application = await service.createApplication();
    await decide(own, at, 'cut', application.clientId);
    await decide(intruder, at, 'readmit', application.clientId);
    service.clock.advance(1);
    await decide(own, at, 'cut', application.clientId);
    service.clock.advance(1);
    await decide(own, at, 'readmit', application.clientId);
    service.clock.advance(1);
    const got = await token(api, application);
    await press(link);
    expect(await active(api, got)).toBe(true);
  });
});

test('an application that it granted access on its own account has none, and nothing that it got by it', async () => {
  const { user, api, own, intruder, link, at } = await intrusion();
  const evil = await service.createUser({ emailVerified: true });
  const theirs = await signedInBrowser(service, evil);
  const robot = await service.createApplication({ ownerId: evil.userId, name: 'Robot' });
  const mine = await service.createApplication({ ownerId: user.userId });
  const wish = { identifier: api.identifier, scopes: 'read' };
  const token = async ({ clientId, clientSecret }: TestApplication) => {
    const fields = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    return (await postForm(service, '/oauth/token', { ...fields, resource: api.identifier })).body;
  };
  const active = async (text: unknown) => (await introspect(service, api, String(text))).body.active;
  const answer = `${at('/requests/answer')}?client_id=${robot.clientId}`;
  await fill(theirs, `/console/applications/${robot.clientId}/apis`, wish);
  await fill(intruder, answer, { decision: 'grant', scopes: ['read'] });
  await fill(intruder, `/console/applications/${mine.clientId}/apis`, wish);
  const got = [(await token(robot)).access_token, (await token(mine)).access_token];
  expect(await Promise.all(got.map(active))).toEqual([true, true]);
  const { page } = await press(link);
  expect(page).toContain('access that an application was granted on its own behalf');
  expect(await Promise.all(got.map(active))).toEqual([false, false]);
  for (const application of [robot, mine])
    expect((await token(application)).error).toBe('unsupported_grant_type');
  // Granted again by the owner, it revives none of those tokens.
  await fill(theirs, `/console/applications/${robot.clientId}/apis`, wish);
  await fill(own, answer, { decision: 'grant', scopes: ['read'] });
  expect([await active(got[0]), await active((await token(robot)).access_token)]).toEqual([false, true]);
});

describe('what cannot be put back', () => {
  test('an API that it registered is held; its owner looks at it and lifts that', async () => {
    const { user, own, intruder, link, find } = await intrusion();
    const registered = await registerApi(intruder, { identifier: `https://${user.userId}.example/` });
    const apiId = apiIdOn(registered);
    const { page } = await press(link);
    expect(page).toContain('its registration (by suspending it)');
    expect(await find(apiId)).toMatchObject({ suspended: true, held: 'own' });
    const { body } = await own.get(atApi(apiId));
    expect(body).toContain('has been suspended since you told us');
    const answer = await fill(own, atApi(apiId, '/release'));
    expect(answer.location?.search).toBe('?done=released');
    expect(await find(apiId)).toMatchObject({ suspended: false, held: null });
    expect((await own.get(atApi(apiId, '/release'))).location?.pathname).toBe(atApi(apiId));
  });

  test('one that it gave away is held at the new owner’s, who cannot lift that; operators can', async () => {
    const { api, intruder, link, at } = await intrusion();
    const taker = await service.createUser({ emailVerified: true });
    const browser = await signedInBrowser(service, taker);
    await fill(intruder, at('/transfer'), { email: taker.email });
    await fill(browser, at('/transfer/accept'), { overlap: '0' });
    await press(link);
    const found = () => findOwnApi(service.parts.database, taker.userId, api.apiId);
    expect(await found()).toMatchObject({ suspended: true, held: 'former' });
    expect((await browser.get(at('/release'))).location?.pathname).toBe(atApi(api.apiId));
    const operator = await signedInOperator(service);
    await operator.act(`/console/operations/apis/${api.apiId}/unsuspend`);
    expect(await found()).toMatchObject({ suspended: false });
  });

  test('one that it has on offer is on offer no more', async () => {
    const { intruder, link, at } = await intrusion();
    const taker = await service.createUser();
    const browser = await signedInBrowser(service, taker);
    await fill(intruder, at('/transfer'), { email: taker.email });
    expect((await browser.get(at('/transfer/accept'))).status).toBe(200);
    await press(link);
    expect((await browser.get(at('/transfer/accept'))).status).toBe(404);
  });
});
