// Access tokens for APIs (RFC 8707, D45 to D48): an API checks them by the published keys alone, and what each is good for.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import type { NewApi } from '../../src/store/apis.ts';
import { expectError } from '../support/expect-error.ts';
import {
  authorizeAddress,
  checkboxesOf,
  decide,
  goThrough,
  postForm,
  redeem,
  renew,
  signedInBrowser,
  userinfo,
} from '../support/flow.ts';
import { sql } from '../support/populate.ts';
import { startTestService, type TestApplication } from '../support/service.ts';

afterAll(async () => {
  resourceServer.close();
  await service.close();
});

/** How somebody might spell the kind of a token besides the token itself. */
const SPELLINGS = [
  'for others: TOKEN',
  'for others:TOKEN',
  'TOKEN for others',
  'foreign TOKEN',
  '["TOKEN"]',
  '3:TOKEN',
  'TOKEN=',
];
const text = (value: unknown) => String(value);
const change = (query: string, values: unknown[]) => sql(service.parts.database, query, values);
const setStandard = (standard: boolean) =>
  change('update clients set standard = $2 where client_id = $1', [application.clientId, standard]);
const allowDevices = (clientId: string) =>
  change('update clients set device_flow = true where client_id = $1', [clientId]);

const address = (scope: string | undefined, resources: string[], app = application) => {
  const url = authorizeAddress(service, app, { scope });
  for (const resource of resources) url.searchParams.append('resource', resource);
  return url;
};
/** The code of an authorization to which the person says yes. */
const codeFor = async (scope: string, resources: string[], app = application) =>
  (await goThrough(browser, address(scope, resources, app))).searchParams.get('code') ?? '';
const tokensFor = async (
  scope: string,
  resources: string[],
  fields: Record<string, string> = {},
  app = application,
) => (await redeem(service, app, await codeFor(scope, resources, app), fields)).body;
/** What the application is told at its callback. */
const refusal = async (scope: string, resources: string[], app = application) => {
  const { location } = await browser.get(address(scope, resources, app));
  return location?.searchParams.get('error');
};
const use = async (token: unknown) =>
  (await fetch(resourceAddress, { headers: { authorization: `Bearer ${token}` } })).status;
const introspect = async (token: unknown, { clientId, clientSecret }: TestApplication = application) =>
  (
    await postForm(service, '/oauth/introspect', {
      token: text(token),
      client_id: clientId,
      client_secret: clientSecret,
    })
  ).body;

const service = await startTestService();
const application = await service.createApplication();
/** Admits every application and has the scopes `read` and, sensitive, `write`. */
const archives = await service.createApi();
/** Another API with a scope of the same name. */
const files = await service.createApi({ identifier: 'https://files.example/', name: 'Files' });
const browser = await signedInBrowser(service, await service.createUser());
// All that it has of this service is the address of its keys.
const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', service.baseUrl));
const resourceServer = createServer(async (request, response) => {
  const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
  const checks = {
    issuer: service.baseUrl,
    audience: archives.identifier,
    typ: 'at+jwt',
    algorithms: ['ES256'],
  };
  const verified = await jwtVerify(token, keys, checks).catch(() => undefined);
  response.writeHead(verified ? 200 : 401).end(verified?.payload.sub);
});
await new Promise<void>((resolve) => resourceServer.listen(0, '127.0.0.1', resolve));
const resourceAddress = `http://127.0.0.1:${(resourceServer.address() as AddressInfo).port}/`;

describe('a token for an API', () => {
  test('is accepted there by the published keys, lives as long as its owner says, and is nothing here', async () => {
    const body = await tokensFor('openid profile read', [archives.identifier], {
      resource: archives.identifier,
    });
    expect(body).toMatchObject({ expires_in: 600, scope: 'read' });
    const claims = decodeJwt(text(body.access_token));
    expect(claims).toMatchObject({
      aud: archives.identifier,
      scope: 'read',
      client_id: application.clientId,
    });
    expect(Number(claims.exp) - Number(claims.iat)).toBe(600);
    expect(await use(body.access_token)).toBe(200);
    expect((await userinfo(service, text(body.access_token))).status).toBe(401);
    expect(body.id_token).toBeDefined();
    const plain = await tokensFor('openid profile', []);
    expect(await use(plain.access_token)).toBe(401);
    expect((await userinfo(service, text(plain.access_token))).status).toBe(200);
  });

  test('D21, RFC 6750 §2.1: nothing before it or after it makes it one for the profile here, by header or form', async () => {
    await setStandard(true);
    const body = await tokensFor('openid profile read', [archives.identifier], {
      resource: archives.identifier,
    });
    for (const standard of [true, false]) {
      await setStandard(standard);
      for (const around of SPELLINGS) {
        const token = around.replace('TOKEN', text(body.access_token));
        expectError(await userinfo(service, token), 401, 'invalid_token');
        const byForm = await postForm(service, '/oauth/userinfo', { access_token: token });
        expectError(byForm, 401, 'invalid_token');
      }
    }
  });

  test('D47: one audience a token, chosen anew by each token request; the renewal of one is no key to another', async () => {
    const both = [files.identifier, archives.identifier];
    const first = await tokensFor('openid profile read write', both, { resource: files.identifier });
    expect(decodeJwt(text(first.access_token))).toMatchObject({ aud: files.identifier, scope: 'read write' });
    expect(await use(first.access_token)).toBe(401);
    const second = await renew(service, application, text(first.refresh_token), {
      resource: archives.identifier,
    });
    expect(await use(second.body.access_token)).toBe(200);
    // Without a resource: this service itself, since `openid` and `profile` were granted.
    const third = await renew(service, application, text(second.body.refresh_token));
    expect(third.body).toMatchObject({ scope: 'openid profile', expires_in: 3600 });
    expect((await userinfo(service, text(third.body.access_token))).status).toBe(200);
    const two = `${new URLSearchParams(both.map((one) => ['resource', one]))}`;
    const several = await fetch(new URL('/oauth/token', service.baseUrl), {
      method: 'POST',
      body: new URLSearchParams(
        `${two}&grant_type=refresh_token&refresh_token=${third.body.refresh_token}&client_id=${application.clientId}&client_secret=${application.clientSecret}`,
      ),
    });
    expect(await several.json()).toMatchObject({ error: 'invalid_target' });
  });

  test('D47: without a resource, the only API of a grant that has nothing of this service; of several none', async () => {
    const only = await tokensFor('read', [archives.identifier]);
    expect(decodeJwt(text(only.access_token)).aud).toBe(archives.identifier);
    expect(only.id_token).toBeUndefined();
    const renewed = await renew(service, application, text(only.refresh_token));
    expect(decodeJwt(text(renewed.body.access_token)).aud).toBe(archives.identifier);
    const code = await codeFor('read', [archives.identifier, files.identifier]);
    expectError(await redeem(service, application, code), 400, 'invalid_target');
    expect((await redeem(service, application, code, { resource: files.identifier })).status).toBe(200);
  });
});

describe('D46: the words of a scope', () => {
  test('belong to every named API that has them; what is nobody’s is ignored', async () => {
    const both = [archives.identifier, files.identifier];
    const first = await tokensFor('read nonsense', both, { resource: archives.identifier });
    expect(first.scope).toBe('read');
    const second = await renew(service, application, text(first.refresh_token), {
      resource: files.identifier,
    });
    expect(second.body.scope).toBe('read');
  });

  test('an API of which none is left, and a word of an API that is not named: invalid_scope', async () => {
    expect(await refusal('openid', [archives.identifier])).toBe('invalid_scope');
    expect(await refusal('read', [])).toBe('invalid_scope');
    const reports = await service.createApi({
      scopes: [{ name: 'reports', fr: 'a', en: 'a', sensitive: false, agents: true }],
    });
    expect(await refusal('openid read', [archives.identifier, reports.identifier])).toBe('invalid_scope');
  });

  test('of this service, that the application did not choose: invalid_scope, an API beside them or not', async () => {
    const narrow = await service.createApplication({ scopes: ['openid'] });
    expect(await refusal('openid email read', [archives.identifier], narrow)).toBe('invalid_scope');
  });
});

describe('D48: consent', () => {
  test('is asked for an API beside what was agreed to, then remembered; and again with another scope of it', async () => {
    const person = await signedInBrowser(service, await service.createUser());
    const asked = async (scope: string, resources: string[]) => {
      const visit = await person.follow(await person.get(address(scope, resources)));
      if (visit.location !== undefined) return false;
      await decide(person, visit, 'allow', checkboxesOf(visit));
      return true;
    };
    expect(await asked('openid', [])).toBe(true);
    expect(await asked('openid read', [archives.identifier])).toBe(true);
    expect(await asked('openid read', [archives.identifier])).toBe(false);
    // The same word of another API is another scope.
    expect(await asked('openid read', [files.identifier])).toBe(true);
    expect(await asked('openid read', [files.identifier])).toBe(false);
    // What its owner calls sensitive is asked for each time.
    expect(await asked('openid write', [archives.identifier])).toBe(true);
    expect(await asked('openid write', [archives.identifier])).toBe(true);
  });

  test('with prompt=none, what has to be asked for is consent_required', async () => {
    const url = address('openid write', [archives.identifier]);
    url.searchParams.set('prompt', 'none');
    expect((await browser.get(url)).location?.searchParams.get('error')).toBe('consent_required');
  });
});

describe('invalid_target', () => {
  test('a resource that nobody owns, whoever asks: at the callback, pushed, for a device, for a token', async () => {
    const nobodys = 'https://nobody.example/';
    const { clientId: client_id, clientSecret: client_secret } = application;
    expect(await refusal('openid', [nobodys])).toBe('invalid_target');
    const fields = Object.fromEntries(address('openid', [nobodys]).searchParams);
    expectError(await postForm(service, '/oauth/par', { ...fields, client_secret }), 400, 'invalid_target');
    const code = await codeFor('openid', []);
    expectError(await redeem(service, application, code, { resource: nobodys }), 400, 'invalid_target');
    const { body } = await redeem(service, application, code);
    const refresh = text(body.refresh_token);
    expectError(await renew(service, application, refresh, { resource: nobodys }), 400, 'invalid_target');
    expect((await renew(service, application, refresh)).status).toBe(200);
    await allowDevices(client_id);
    const ask = { client_id, client_secret, scope: 'openid' };
    const refused = await postForm(service, '/oauth/device_authorization', { ...ask, resource: nobodys });
    expectError(refused, 400, 'invalid_target');
    const wrong = { ...ask, client_secret: 'wrong', resource: nobodys };
    expectError(await postForm(service, '/oauth/device_authorization', wrong), 401, 'invalid_client');
  });

  test('D45: another spelling of an identifier, but for a slash right after the origin', async () => {
    const api = await service.createApi({ identifier: 'https://spelled.example/' });
    for (const same of ['https://spelled.example/', 'https://spelled.example']) {
      const body = await tokensFor('read', [same], { resource: same });
      expect(decodeJwt(text(body.access_token)).aud).toBe(api.identifier);
    }
    for (const other of [
      'https://SPELLED.example',
      'https://spelled.example:443/',
      'https://spelled.example//',
    ])
      expect(await refusal('read', [other])).toBe('invalid_target');
    const code = await codeFor('openid read', [archives.identifier]);
    const spelled = [`${archives.identifier}/`, archives.identifier.replace('https', 'HTTPS')];
    for (const resource of spelled)
      expectError(await redeem(service, application, code, { resource }), 400, 'invalid_target');
    const { body } = await redeem(service, application, code, { resource: archives.identifier });
    for (const resource of spelled)
      expectError(
        await renew(service, application, text(body.refresh_token), { resource }),
        400,
        'invalid_target',
      );
    for (const other of [`${archives.identifier}/`, archives.identifier.replace('https', 'http')])
      expect(await refusal('read', [other])).toBe('invalid_target');
  });

  test('an API that admits its owner’s applications alone, or that is suspended, or whose owner has cut the application off', async () => {
    const owner = await service.createUser();
    const own = await service.createApi({ ownerId: owner.userId, admits: 'own' });
    expect(await refusal('read', [own.identifier])).toBe('invalid_target');
    const theirs = await service.createApplication({ ownerId: owner.userId });
    expect((await tokensFor('read', [own.identifier], {}, theirs)).scope).toBe('read');
    await change('update apis set suspended_at = now() where api_id = $1', [own.apiId]);
    expect(await refusal('read', [own.identifier], theirs)).toBe('invalid_target');
    await change('insert into api_exclusions (api_id, client_id, excluded_at) values ($1, $2, now())', [
      files.apiId,
      theirs.clientId,
    ]);
    expect(await refusal('read', [files.identifier], theirs)).toBe('invalid_target');
  });

  test('§2.2: one that the authorization did not name: nothing is consumed', async () => {
    const code = await codeFor('openid read', [archives.identifier]);
    const wrong = { resource: files.identifier };
    expectError(await redeem(service, application, code, wrong), 400, 'invalid_target');
    const { status, body } = await redeem(service, application, code, { resource: archives.identifier });
    expect(status).toBe(200);
    expectError(await renew(service, application, text(body.refresh_token), wrong), 400, 'invalid_target');
    expect((await renew(service, application, text(body.refresh_token))).status).toBe(200);
  });

  test('a device, which has no way to name one: neither when it asks nor when it is let in', async () => {
    const { clientId: client_id, clientSecret: client_secret } = application;
    await allowDevices(client_id);
    const ask = { client_id, client_secret, scope: 'openid' };
    const resource = archives.identifier;
    const named = await postForm(service, '/oauth/device_authorization', { ...ask, resource });
    expectError(named, 400, 'invalid_target');
    const { body } = await postForm(service, '/oauth/device_authorization', ask);
    const poll = {
      client_id,
      client_secret,
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: text(body.device_code),
    };
    expectError(await postForm(service, '/oauth/token', { ...poll, resource }), 400, 'invalid_target');
    expectError(await postForm(service, '/oauth/token', poll), 400, 'authorization_pending');
  });

  test('one that cannot be read, before or after one that can: nothing is given for the rest of them', async () => {
    const api = encodeURIComponent(archives.identifier);
    for (const resources of [`resource=${api}&resource=%FF`, `resource=%FF&resource=${api}`]) {
      const { location } = await browser.get(`${authorizeAddress(service, application)}&${resources}`);
      expect(location?.searchParams.get('error')).toBe('invalid_request');
    }
  });

  test('more APIs than a request can name; one that is named over and over is one', async () => {
    const again = [...Array(25).fill(archives.identifier), files.identifier];
    expect((await tokensFor('read', again, { resource: files.identifier })).access_token).toBeDefined();
    const many = Array.from({ length: 6 }, (_, number) => `https://api-${number}.example/`);
    expect(await refusal('openid', many)).toBe('invalid_target');
  });
});

describe('what the owner of an API decides counts at once', () => {
  const begin = async (fields: Partial<NewApi> = {}) => {
    const api = await service.createApi(fields);
    const body = await tokensFor('openid profile read write', [api.identifier], { resource: api.identifier });
    const again = (token = text(body.refresh_token)) =>
      renew(service, application, token, { resource: api.identifier });
    return { api, body, again };
  };
  const active = async (token: unknown) => (await introspect(token)).active;

  test('cutting an application off ends its tokens for the API, for good, and leaves the rest of the grant', async () => {
    const { api, body, again } = await begin();
    await change('insert into api_exclusions (api_id, client_id, excluded_at) values ($1, $2, $3)', [
      api.apiId,
      application.clientId,
      service.clock.now(),
    ]);
    expect(await active(body.access_token)).toBe(false);
    expectError(await again(), 400, 'invalid_target');
    service.clock.advance(1);
    await change('update api_exclusions set lifted_at = $2 where api_id = $1', [
      api.apiId,
      service.clock.now(),
    ]);
    expect(await active(body.access_token)).toBe(false);
    expectError(await again(), 400, 'invalid_grant');
    const renewed = await renew(service, application, text(body.refresh_token));
    expect((await userinfo(service, text(renewed.body.access_token))).status).toBe(200);
    // What is granted from now on counts.
    const next = await tokensFor('read', [api.identifier]);
    expect(await active(next.access_token)).toBe(true);
  });

  test('closing an API to other people’s applications, suspending it, deleting it', async () => {
    const { api, body, again } = await begin();
    await change("update apis set admits = 'own' where api_id = $1", [api.apiId]);
    expect(await active(body.access_token)).toBe(false);
    expectError(await again(), 400, 'invalid_target');
    await change("update apis set admits = 'applications', suspended_at = now() where api_id = $1", [
      api.apiId,
    ]);
    expect(await active(body.access_token)).toBe(false);
    expectError(await again(), 400, 'invalid_target');
    await change('update apis set suspended_at = null where api_id = $1', [api.apiId]);
    expect(await active(body.access_token)).toBe(true);
    await change('delete from apis where api_id = $1', [api.apiId]);
    expect(await active(body.access_token)).toBe(false);
    expectError(await again(), 400, 'invalid_target');
    // Whoever registers the identifier next has nothing of it.
    await service.createApi({ identifier: api.identifier });
    expect(await active(body.access_token)).toBe(false);
    expectError(await again(), 400, 'invalid_target');
  });

  test('another lifetime, and a scope that is gone: the next token has them, the grant goes on', async () => {
    const { api, body, again } = await begin();
    await change('update apis set token_lifetime = 120, scopes = scopes - 1 where api_id = $1', [api.apiId]);
    const renewed = await again();
    expect(renewed.body).toMatchObject({ expires_in: 120, scope: 'read' });
    const claims = decodeJwt(text(renewed.body.access_token));
    expect(Number(claims.exp) - Number(claims.iat)).toBe(120);
    expect((await again(text(renewed.body.refresh_token))).status).toBe(200);
    expectError(await again(), 400, 'invalid_grant'); // reuse is reuse
    expect(body.scope).toBe('read write');
  });

  test('a code from before: on the terms that hold when it is exchanged', async () => {
    const api = await service.createApi();
    const code = await codeFor('read write', [api.identifier]);
    await change("update apis set token_lifetime = 90, scopes = '[]' where api_id = $1", [api.apiId]);
    expectError(await redeem(service, application, code), 400, 'invalid_scope');
    await change('update apis set scopes = $2 where api_id = $1', [api.apiId, JSON.stringify(api.scopes)]);
    const { body } = await redeem(service, application, code);
    expect(body).toMatchObject({ expires_in: 90, scope: 'read write' });
    expectError(await redeem(service, application, code), 400, 'invalid_grant');
    expectError(await renew(service, application, text(body.refresh_token)), 400, 'invalid_grant');
  });

  test('an API that closes while the person reads: told at the callback, no code', async () => {
    const api = await service.createApi();
    const visit = await browser.follow(await browser.get(address('read', [api.identifier])));
    expect(visit.status).toBe(200);
    await change("update apis set admits = 'own' where api_id = $1", [api.apiId]);
    const decided = await browser.post('/consent', { ...visit.hidden, decision: 'allow' });
    const answer = await browser.follow(decided);
    expect(answer.location?.searchParams.get('error')).toBe('invalid_target');
    expect(answer.location?.searchParams.has('code')).toBe(false);
  });
});
