// The console's pages of applications and APIs.
import { challengeOf, metadataAddressOf, protectedResource } from '../../src/oauth/protected-resource.ts';
import { API_TEMPLATES, GROUPS } from '../../src/pages/console/snippets/templates.ts';
import { changeThing } from '../../src/store/moderation.ts';
import { writeRefusals } from '../../src/store/refusals.ts';
import { countExampleActivity } from '../../tools/example-activity.ts';
import { json, openAgentHost } from './agents.ts';
import { apiWithSecret, grantServiceAccess, introspect, obtainApiToken } from './apis.ts';
import {
  APIS,
  apiIdOn,
  at,
  atApi,
  credentialsOn,
  fill,
  NEW,
  NEW_API,
  register,
  registerApi,
  SETTINGS,
} from './console.ts';
import { refusalsOf, troubledApplication } from './diagnostics.ts';
import { authorize, authorizeAddress, decide, newPerson } from './flow.ts';
import { HOSTILE, type OpenedPage, PERSON, pageList, WRONG } from './page-list.ts';
import { sql } from './populate.ts';
import type { TestService } from './service.ts';
import { samplePicture, upload } from './upload.ts';

const NAME = `${HOSTILE}'x'`;

export async function openApplicationPages(service: TestService): Promise<OpenedPage[]> {
  const { pages, add, opensIn } = pageList();
  const { user, browser } = await newPerson(service, { name: PERSON });
  const { show, refuse } = opensIn(browser);
  const { database } = service.parts;
  await show('/console/applications');
  await show(NEW);
  const faulty = { name: '', redirect_uris: 'https://"><b>/\n\n/x#<i>', scopes: WRONG, type: '' };
  await refuse(NEW, faulty);
  const address = 'https://notes.example/cb?a=1&b=2';
  const fields = { name: NAME, redirect_uris: address, scopes: ['openid', 'profile'] };
  const { clientId, clientSecret = '' } = credentialsOn(add('registered', await register(browser, fields)));
  const native = { type: 'public', redirect_uris: 'com.example.app:/"\nhttp://127.0.0.1/<b>' };
  const open = credentialsOn(add('registered, public', await register(browser, native))).clientId;
  const own = (path: string) => at(clientId, path);

  await show(own('/edit'));
  const settings = {
    ...SETTINGS,
    ...{ name: NAME, redirect_uris: address, standard: 'on', refresh_grace: '30' },
    home_page: 'https://notes.example/?a=1&b="x',
    privacy_policy: 'https://privacy.example/<b>',
    terms_of_service: 'https://terms.example/',
  };
  await fill(browser, own('/edit'), settings);
  await refuse(own('/edit'), {
    ...settings,
    name: '',
    refresh_grace: '<b>',
    home_page: 'ftp://"><b>',
    scopes: [],
  });
  const { csrf = '' } = (await show(own('/logo'))).hidden;
  add('logo, none chosen', await upload(browser, own('/logo'), { csrf }), 400);
  const logo = { name: 'logo', content: await samplePicture(), fileName: `${WRONG}.png` };
  await upload(browser, own('/logo'), { csrf }, logo);
  const application = { clientId, clientSecret, redirectUri: address };
  await authorize(service, application, browser, { scope: 'openid' });
  await show(own('/activity?until=2020-01-01'));
  await countExampleActivity(service.parts, [clientId]);
  await show(own(`/activity?day=${service.clock.now().toISOString().slice(0, 10)}`));
  const other = await newPerson(service, { name: 'Ada "&" <u>Grace' });
  await fill(browser, own('/transfer'), { email: other.user.email });
  for (const path of [
    '/edit',
    '/logo',
    '?done=changed',
    '/activity',
    '/transfer',
    '/secrets',
    '/secrets/1/end',
  ])
    await show(own(path));
  await show(at(open));
  await show(own('/protocol'));
  await show('/console/applications?done=deleted');
  await refuse(own('/transfer'), { email: WRONG });
  await opensIn(other.browser).show('/console/applications');
  await opensIn(other.browser).show(own('/transfer/accept'));
  await opensIn(other.browser).show(own(''), 404);
  add('new secret', await fill(browser, own('/secrets'), { overlap: '3600' }));
  for (const path of ['/secrets/2', '/secrets?done=ended', '/secrets/1/end', '/delete'])
    await show(own(path));
  await refuse(own('/secrets'), { overlap: WRONG });
  await refuse(own('/delete'), { name: WRONG });
  const asked = { scope: 'openid profile email phone', prompt: 'consent' };
  await show(authorizeAddress(service, application, asked), 200, true);
  await changeThing(database, 'application', 'suspend', open, service.clock.now());
  await show(at(open));

  const logout = {
    ...{ id_token_algorithm: 'ES256', pkce_required: 'on', second_factor_required: 'on', device_flow: 'on' },
    post_logout_redirect_uris: 'https://notes.example/out?a=1&b="x',
    backchannel_logout_uri: 'https://notes.example/backchannel?<b>',
  };
  await show(at(open, '/protocol'));
  await fill(browser, own('/protocol'), logout);
  const later = new Date(service.clock.now().getTime() + 3_600_000);
  for (const delivery of [
    [service.clock.now(), null, null, null],
    [null, later, 'failed', 'alert <b>"'],
    [null, later, 'answered', '500'],
    [null, null, 'timeout', null],
  ])
    await sql(
      database,
      `insert into logout_deliveries (client_id, user_id, sid, created_at, delivered_at, next_attempt_at, last_fault, last_detail, attempts)
        values ($1, $2::uuid, $2::uuid, now(), $3::timestamptz, $4::timestamptz, $5, $6, 3)`,
      [clientId, user.userId, ...delivery],
    );
  await show(own('/protocol?done=changed'));
  await refuse(own('/protocol'), {
    ...{ post_logout_redirect_uris: `${WRONG}\nhttps://notes.example/#<i>`, jwks: '{"keys": "><b>"}' },
    backchannel_logout_uri: 'ftp://"><b>',
  });

  for (const changed of [
    {},
    { type: 'public', redirectUris: ['http://127.0.0.1/<b>', 'com.example.app:/"'] },
    { standard: true, redirectUris: ['https://notes.example/?a=1&b=<i>'] },
    { scopes: ['email'] },
  ] as object[]) {
    const one = await service.createApplication({ ownerId: user.userId, name: NAME, ...changed });
    await show(at(one.clientId, '/integrate'));
  }
  for (const group of GROUPS) await show(own(`/integrate?language=${group}`));
  await show(at(open, '/integrate?library=browser'));
  await show('/button');
  const troubled = await troubledApplication(service, user);
  const [newest] = await refusalsOf(service, troubled);
  await show(own('/diagnostics'));
  for (const query of ['', `?incident=${newest?.incidents[0]}`, '?incident=%22%3E%3Cb%3E'])
    await show(at(troubled.clientId, `/diagnostics${query}`));

  service.clock.advance(16 * 60);
  await show(own('/edit'));
  await refuse(own('/edit'), { ...settings, redirect_uris: 'https://notes.example/other' });
  await refuse(own('/secrets'), { overlap: '0' });
  await refuse(own('/secrets/1/end'));
  await refuse(own('/delete'), { name: NAME });
  await refuse(own('/protocol'), logout);
  await opensIn(other.browser).refuse(own('/transfer/accept'));
  return pages;
}

export async function openApiPages(service: TestService): Promise<OpenedPage[]> {
  const { pages, add, opensIn } = pageList();
  const { database } = service.parts;
  const { user: owner, browser } = await newPerson(service);
  const { show, refuse } = opensIn(browser);
  await show(APIS);
  await show(NEW_API);
  const faulty = { name: '', identifier: 'HTTPS://"><b>', words_fr: '', admits: 'x' };
  await refuse(NEW_API, { ...faulty, token_lifetime: WRONG });
  const identifier = `https://api-${Date.now()}.example/v1`;
  const apiId = apiIdOn(await registerApi(browser, { name: NAME, identifier, words_en: NAME }));
  const below = (path: string) => atApi(apiId, path);
  for (const path of ['/scopes', '/secrets', '/requests', '/access', '/diagnostics', '/integrate'])
    await show(below(path));
  const words = { words_fr: `Lire "<b>" ${'mot'.repeat(60)}`, words_en: `Read '<i>' & ${'more'.repeat(40)}` };
  await fill(browser, below('/scopes/new'), { scope: "a/<'&>", ...words, traits: ['sensitive', 'agents'] });
  await fill(browser, below('/scopes/new'), { scope: 'read', ...words });
  add('new secret', await fill(browser, below('/secrets'), { overlap: '0' }));
  const other = await newPerson(service, { name: 'Ada "&" <u>Grace' });
  await fill(browser, below('/transfer'), { email: other.user.email });
  for (const path of [
    '?done=created',
    '/edit',
    '/scopes/new',
    '/scopes?done=added',
    '/scopes/edit-read',
    '/keys',
  ])
    await show(below(path));
  for (const path of ['/scopes/remove-read', '/secrets', '/secrets/1/end', '/transfer', '/delete', '/test'])
    await show(below(path));
  for (const { id } of API_TEMPLATES) await show(below(`/integrate?library=${id}`));
  await show(APIS);
  await refuse(below('/edit'), { name: '', token_lifetime: WRONG });
  await refuse(below('/scopes/new'), { scope: WRONG });
  await refuse(below('/keys'), { jwks: WRONG });
  await refuse(below('/test'), { address: WRONG });
  await opensIn(other.browser).show(APIS);
  await opensIn(other.browser).show(below('/transfer/accept'));

  const api = await apiWithSecret(service, { ownerId: owner.userId, name: NAME });
  const asking = await newPerson(service, { name: NAME });
  const { clientId } = await service.createApplication({ ownerId: asking.user.userId, name: NAME });
  const { show: showAsking, refuse: refuseAsking } = opensIn(asking.browser);
  await showAsking(at(clientId, '/apis'));
  await refuseAsking(at(clientId, '/apis'), { identifier: WRONG, scopes: WRONG });
  const wish = { identifier: api.identifier, scopes: 'read write' };
  add('asked', await asking.browser.follow(await fill(asking.browser, at(clientId, '/apis'), wish)));
  const answer = atApi(api.apiId, `/requests/answer?client_id=${clientId}`);
  await show(atApi(api.apiId, '/requests'));
  await show(answer);
  await refuse(answer, { decision: 'grant' });
  add('granted', await browser.follow(await fill(browser, answer, { decision: 'grant', scopes: ['read'] })));
  await show(answer);
  await showAsking(at(clientId, `/apis/end?api_id=${api.apiId}`));

  const application = await service.createApplication({ name: NAME });
  await introspect(service, api, 'x', { client_secret: WRONG });
  await writeRefusals(
    database,
    ['resource_closed', 'scope_not_of_api', 'scope_not_of_api'].map((kind) => ({
      ...{ clientId: application.clientId, apiId: api.apiId, authenticated: false, held: false, kind },
      ...{ endpoint: 'authorize', error: 'invalid_target', facts: { sent: WRONG }, address: '192.0.2.1' },
      ...{ incident: 'ABCDEFGHJK', at: service.clock.now() },
    })),
  );
  await show(atApi(api.apiId, '/diagnostics'));
  await show(atApi(api.apiId, '/diagnostics?incident=%22%3E%3Cb%3E'));
  const agent = `https://assistant-${Date.now()}.example/client.json`;
  const future = await service.createApplication({ name: NAME, type: 'public' });
  const become = 'update clients set client_id = $2, owner_id = null where client_id = $1';
  await sql(database, become, [future.clientId, agent]);
  await grantServiceAccess(database, api, { clientId: agent });
  await obtainApiToken(service, application, browser, api);
  const access = (does: string) => atApi(api.apiId, `/access/${does}?client_id=${encodeURIComponent(agent)}`);
  await show(atApi(api.apiId, '/access'));
  await show(access('cut'));
  add('cut off', await browser.follow(await fill(browser, access('cut'))));
  await show(access('readmit'));
  await changeThing(database, 'api', 'suspend', apiId, service.clock.now());
  await show(below(''));
  pages.push(...(await openApiTests(service)));
  return pages;
}

/** The connection tester: nobody listens, and a server that fails at last. */
async function openApiTests(service: TestService): Promise<OpenedPage[]> {
  const { pages, add, opensIn } = pageList();
  const { user, browser } = await newPerson(service);
  const tested = async (identifier: string) => {
    const api = await service.createApi({ ownerId: user.userId, admits: 'agents', identifier });
    const path = atApi(api.apiId, '/test');
    return { path, answer: await fill(browser, path, { address: identifier }) };
  };
  const { answer } = await tested('http://localhost:9/');
  await opensIn(browser).show(answer.location as URL);
  const host = await openAgentHost();
  const mcp = host.answer(({ headers }, response) => {
    const named = `Bearer ${challengeOf(mcp, ['read'])}`;
    if (headers.authorization === undefined) response.writeHead(401, { 'www-authenticate': named }).end();
    else response.writeHead(200).end(`"><b>${'x'.repeat(1000)}`);
  }, '/mcp');
  const metadata = json(protectedResource(mcp, service.baseUrl, ['read']));
  host.answer(metadata, new URL(metadataAddressOf(mcp)).pathname);
  const { path, answer: begun } = await tested(mcp);
  const { csrf = '', report = '' } = add('test, to be allowed', await browser.follow(begun)).hidden;
  const consent = await browser.follow(await browser.post(path, { csrf, report }));
  add('test, failed at last', await browser.follow(await decide(browser, consent, 'allow')));
  host.close();
  return pages;
}
