// Access to an API on an application's own account (client_credentials): asked by its owner, granted by the API's, ended by either.
import { beforeAll, describe, expect, test } from 'vitest';
import type { NewApi } from '../../src/store/apis.ts';
import { listEvents } from '../../src/store/events.ts';
import { apiWithSecret, exclude, introspect, type TestApi } from '../support/apis.ts';
import { type BrowserSession, openBrowserSession } from '../support/browser-session.ts';
import { accept, at, atApi, fill } from '../support/console.ts';
import { newPerson, postForm, signedInBrowser } from '../support/flow.ts';
import { lastMailTo, mailsTo } from '../support/mail.ts';
import { formErrors, mainOf, textIn } from '../support/markup.ts';
import { sql } from '../support/populate.ts';
import { type TestApplication, type TestUser, useTestService } from '../support/service.ts';

const service = useTestService();
let apiOwner: TestUser;
let granting: BrowserSession;
let asker: TestUser;
let asking: BrowserSession;
beforeAll(async () => {
  apiOwner = await service.createUser({ name: 'Grace Hopper', emailVerified: true });
  asker = await service.createUser({ emailVerified: true });
  granting = await signedInBrowser(service, apiOwner);
  asking = await signedInBrowser(service, asker);
});

const createApi = (fields: Partial<NewApi> = {}) =>
  apiWithSecret(service, { ownerId: apiOwner.userId, ...fields });
const createApplication = () => service.createApplication({ ownerId: asker.userId, name: 'Robot' });
const ask = (
  { clientId }: TestApplication,
  { identifier }: { identifier: string },
  scopes = 'read write',
  browser = asking,
) => fill(browser, at(clientId, '/apis'), { identifier, scopes });
const answerAt = (api: NewApi, { clientId }: TestApplication) =>
  `${atApi(api.apiId, '/requests/answer')}?${new URLSearchParams({ client_id: clientId })}`;
const grant = (api: NewApi, application: TestApplication, scopes = ['read', 'write'], browser = granting) =>
  fill(browser, answerAt(api, application), { decision: 'grant', scopes });
const end = (api: NewApi, application: TestApplication) =>
  fill(granting, answerAt(api, application), { decision: 'end' });
const endAt = ({ clientId }: TestApplication, { apiId }: NewApi) =>
  `${at(clientId, '/apis/end')}?api_id=${apiId}`;
const token = async ({ clientId, clientSecret }: TestApplication, { identifier }: NewApi, scope?: string) =>
  (
    await postForm(service, '/oauth/token', {
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      resource: identifier,
      scope,
    })
  ).body;
const active = async (api: TestApi, text: unknown) =>
  (await introspect(service, api, String(text))).body.active;
const rowsOf = ({ clientId }: TestApplication) =>
  sql(service.parts.database, 'select scopes, granted_at from api_service_access where client_id = $1', [
    clientId,
  ]);
const words = async (browser: BrowserSession, address: string) =>
  textIn(mainOf((await browser.get(address)).body));

async function granted(scopes = ['read', 'write']) {
  const [api, application] = [await createApi(), await createApplication()];
  await ask(application, api);
  await grant(api, application, scopes);
  return { api, application };
}

describe('asking', () => {
  test('gives nothing before the API’s owner has granted it; they see who asks and for what', async () => {
    const [api, application] = [await createApi(), await createApplication()];
    const asked = await ask(application, api);
    expect(asked.headers.get('location')).toContain('?done=asked');
    expect((await token(application, api)).error).toBe('unsupported_grant_type');
    expect(await words(asking, at(application.clientId, '/apis'))).toContain('waiting');
    const page = await words(granting, atApi(api.apiId, '/requests'));
    for (const text of ['Robot', 'client.example', 'Ada Lovelace', 'read write'])
      expect(page).toContain(text);
    // Named as on every page of the API.
    expect((await granting.get(atApi(api.apiId, '/requests'))).body).toContain(
      '<code class="tag">read</code> <code class="tag">write</code>',
    );
    const done = await grant(api, application, ['read']);
    expect(done.headers.get('location')).toContain('?done=granted');
    const body = await token(application, api);
    expect(body.scope).toBe('read');
    expect(await active(api, body.access_token)).toBe(true);
    expect((await token(application, api, 'write')).error).toBe('invalid_scope');
    expect(await words(asking, at(application.clientId, '/apis'))).toContain('Granted on');
  });

  test('where both are one owner’s, it is granted at once', async () => {
    const application = await createApplication();
    const api = await createApi({ ownerId: asker.userId, admits: 'own' });
    expect((await ask(application, api)).headers.get('location')).toContain('?done=granted');
    expect((await token(application, api)).scope).toBe('read write');
  });

  test('an API that is not there, one that does not admit it, is suspended or has cut it off: the same answer', async () => {
    const application = await createApplication();
    const closed = await createApi({ admits: 'own' });
    const [suspended, cut] = [await createApi(), await createApi()];
    await sql(service.parts.database, 'update apis set suspended_at = now() where api_id = $1', [
      suspended.apiId,
    ]);
    await exclude(service, cut, application);
    const answers: unknown[] = [];
    for (const api of [{ identifier: 'https://nobody.example/' }, closed, suspended, cut]) {
      const visit = await ask(application, api);
      answers.push([visit.status, formErrors(visit.body)]);
    }
    expect(answers[0]).toEqual([400, [expect.stringContaining('No API that is open to this application')]]);
    expect(answers).toEqual(answers.map(() => answers[0]));
    expect(await rowsOf(application)).toEqual([]);
  });

  test('scopes that the API has not, none, twice', async () => {
    const [api, application] = [await createApi(), await createApplication()];
    const summary = async (scopes: string) => formErrors((await ask(application, api, scopes)).body);
    expect(await summary('read admin')).toEqual([expect.stringContaining('does not have all')]);
    expect(await summary('')).toEqual([expect.stringContaining('at least one scope')]);
    await ask(application, api, 'read');
    expect(await summary('write')).toEqual([expect.stringContaining('already')]);
    expect(await rowsOf(application)).toMatchObject([{ scopes: ['read'], granted_at: null }]);
  });

  test('is not for public applications, nor for other people’s', async () => {
    const open = await service.createApplication({ ownerId: asker.userId, type: 'public' });
    const theirs = await service.createApplication();
    for (const { clientId } of [open, theirs])
      expect((await asking.get(at(clientId, '/apis'))).status).toBe(404);
  });

  test('fifty requests wait at most for one API; twenty an hour are an account’s', async () => {
    const api = await createApi();
    await sql(
      service.parts.database,
      `with made as (insert into clients (client_id, owner_id, name, type, redirect_uris, scopes, standard, refresh_grace, created_at)
        select 'app_wait_' || n, $2, 'x', 'confidential', '{}', '{}', false, 0, now() from generate_series(1, 50) n returning client_id)
      insert into api_service_access (api_id, client_id, scopes, asked_at) select $1, client_id, '{read}', now() from made`,
      [api.apiId, asker.userId],
    );
    const { user: busy, browser } = await newPerson(service);
    const application = await service.createApplication({ ownerId: busy.userId });
    const summary = async () => formErrors((await ask(application, api, 'read', browser)).body);
    expect(await summary()).toEqual([expect.stringContaining('Too many requests wait')]);
    for (let times = 1; times < 20; times++) await summary();
    expect(await summary()).toEqual([expect.stringContaining('many requests within the hour')]);
    expect(await rowsOf(application)).toEqual([]);
  });
});

describe('answering', () => {
  test('is the API’s owner’s alone, and of what was asked', async () => {
    const [api, application] = [await createApi(), await createApplication()];
    expect((await granting.get(answerAt(api, application))).status).toBe(404);
    await ask(application, api, 'read');
    expect((await asking.get(answerAt(api, application))).status).toBe(404);
    expect((await asking.get(atApi(api.apiId, '/requests'))).status).toBe(404);
    const beyond = await grant(api, application, ['read', 'write']);
    expect(beyond.status).toBe(409);
    const none = await grant(api, application, []);
    expect(formErrors(none.body)).toEqual([expect.stringContaining('at least one scope')]);
    expect(await rowsOf(application)).toMatchObject([{ granted_at: null }]);
  });

  test('refused on the page from which it was granted just before: it ends', async () => {
    const [api, application] = [await createApi(), await createApplication()];
    await ask(application, api);
    const form = { ...(await granting.get(answerAt(api, application))).hidden, scopes: 'read' };
    const press = async (decision: string) =>
      (await granting.post(answerAt(api, application), { ...form, decision })).location?.search;
    expect([await press('grant'), await press('end')]).toEqual(['?done=granted', '?done=ended']);
    expect(await rowsOf(application)).toEqual([]);
  });

  test('needs a recent sign-in, as what it asks for does', async () => {
    const browser = openBrowserSession(service.baseUrl);
    const [api, application] = [await createApi(), await createApplication()];
    await ask(application, api);
    const later = await signedInBrowser(service, apiOwner);
    service.clock.advance(3601);
    const visit = await grant(api, application, ['read'], later);
    expect(visit.status).toBe(400);
    expect((await ask(application, await createApi())).status).toBe(400);
    expect((await fill(asking, endAt(application, api))).status).toBe(400);
    expect(await rowsOf(application)).toMatchObject([{ granted_at: null }]);
    expect((await browser.get(answerAt(api, application))).location?.pathname).toBe('/signin');
    granting = await signedInBrowser(service, apiOwner);
    asking = await signedInBrowser(service, asker);
  });
});

describe('ending', () => {
  test('is nobody else’s', async () => {
    const { api, application } = await granted();
    const stranger = await signedInBrowser(service, await service.createUser());
    expect((await stranger.get(endAt(application, api))).status).toBe(404);
    expect((await stranger.get(answerAt(api, application))).status).toBe(404);
  });

  test('a token asked for while it ends dies with it', async () => {
    for (let round = 0; round < 2; round++) {
      const { api, application } = await granted();
      const [body] = await Promise.all([token(application, api), end(api, application)]);
      if (body.access_token !== undefined) expect(await active(api, body.access_token)).toBe(false);
    }
  });

  test.each(['the API’s owner', 'the application’s owner'])(
    'by %s: its tokens die, and a later grant revives none',
    async (who) => {
      const { api, application } = await granted();
      const { access_token: old } = await token(application, api);
      expect(await active(api, old)).toBe(true);
      if (who === 'the API’s owner') await end(api, application);
      else await fill(asking, endAt(application, api));
      expect(await active(api, old)).toBe(false);
      expect((await token(application, api)).error).toBe('unsupported_grant_type');
      await ask(application, api);
      await grant(api, application);
      expect(await active(api, old)).toBe(false);
      expect(await active(api, (await token(application, api)).access_token)).toBe(true);
    },
  );
});

test('what is granted is what was seen: not what the next owner of the application has asked for since', async () => {
  const [api, application] = [await createApi(), await createApplication()];
  await ask(application, api);
  const { hidden } = await granting.get(answerAt(api, application));
  const { user: next, browser: theirs } = await newPerson(service, { name: 'Mallory' });
  await fill(asking, at(application.clientId, '/transfer'), { email: next.email });
  await accept(theirs, application.clientId);
  await ask(application, api, 'read write', theirs);
  const answer = { ...hidden, decision: 'grant', scopes: 'read' };
  const late = await granting.follow(await granting.post(answerAt(api, application), answer));
  expect([late.status, await rowsOf(application)]).toMatchObject([409, [{ granted_at: null }]]);
  expect(textIn(mainOf(late.body))).toContain('Mallory');
  expect((await grant(api, application)).location?.search).toBe('?done=granted');
});

describe('the other side is told by mail', () => {
  const told = async (user: TestUser) => (await lastMailTo(service, user.email)).text;

  test('that an application asks, what became of it, that it ended', async () => {
    const [before, owner] = [granting, await service.createUser({ emailVerified: true })];
    granting = await signedInBrowser(service, owner);
    const [api, application] = [await createApi({ ownerId: owner.userId }), await createApplication()];
    await ask(application, api);
    expect(await told(owner)).toContain('tant que vous n’avez pas répondu');
    await end(api, application);
    expect(await told(asker)).toContain('Accès à une API refusé');
    await ask(application, api);
    await grant(api, application);
    expect(await told(asker)).toContain('Accès à une API accordé');
    await fill(asking, endAt(application, api));
    expect(await told(owner)).toContain('Fin d’un accès à une API');
    granting = before;
  });

  test('unless their address is not verified: names in it are others’ to choose', async () => {
    const [silent, application] = [await service.createUser(), await createApplication()];
    const api = await createApi({ ownerId: silent.userId });
    expect((await ask(application, api)).headers.get('location')).toContain('?done=asked');
    expect(await mailsTo(service, silent.email)).toEqual([]);
  });
});

test('in the data that each takes away, what the other one did is no operator’s', async () => {
  const { api, application } = await granted();
  await fill(asking, endAt(application, api));
  for (const browser of [asking, granting]) {
    const { csrf = '' } = (await browser.get('/account')).hidden;
    const { events } = JSON.parse((await browser.post('/account/data', { csrf })).body);
    const ours = events.filter(({ kind }: { kind: string }) => kind.startsWith('service_access_'));
    const actors = new Set(ours.map(({ actor }: { actor: string }) => actor));
    expect([...actors].sort()).toEqual(['other_owner', 'you']);
  }
});

test('each step is in the audit log, with the other side', async () => {
  const { api, application } = await granted();
  await end(api, application);
  const events = await listEvents(service.parts.database, { clientId: application.clientId }, { limit: 10 });
  const ours = JSON.stringify(events);
  for (const kind of ['service_access_asked', 'service_access_granted', 'service_access_ended'])
    expect(ours).toContain(kind);
});
