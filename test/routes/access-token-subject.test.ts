// The subject of an access token says where to look for it, before its signature is checked: it finds, reveals and ends nothing.
import { afterAll, expect, test } from 'vitest';
import { apiWithSecret, introspect, obtainApiToken, obtainServiceToken } from '../support/apis.ts';
import { expectError } from '../support/expect-error.ts';
import { postForm, revoke, signedInBrowser, userinfo } from '../support/flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());
const application = await service.createApplication();
const api = await apiWithSecret(service);
const users = [await service.createUser(), await service.createUser()] as const;
const [own, other] = await Promise.all(
  users.map(async (user) =>
    obtainApiToken(service, application, await signedInBrowser(service, user), api),
  ) as [ReturnType<typeof obtainApiToken>, ReturnType<typeof obtainApiToken>],
);
const serviceToken = await obtainServiceToken(service, application, api);

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const payloadOf = (token: string): object =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
const withPayload = (token: string, payload: unknown) => token.replace(/\.[^.]+\./, `.${encoded(payload)}.`);
const withSubject = (token: string, sub: unknown) => withPayload(token, { ...payloadOf(token), sub });

const ask = (token: string) => introspect(service, api, token);
const askAsClient = (token: string) =>
  postForm(service, '/oauth/introspect', {
    token,
    client_id: application.clientId,
    client_secret: application.clientSecret,
  });

/** Everything that must be as before. */
async function expectAllLive(): Promise<void> {
  for (const { accessToken, apiToken } of [own, other]) {
    expect((await userinfo(service, accessToken)).status).toBe(200);
    expect((await ask(apiToken)).body.active).toBe(true);
  }
  expect((await ask(serviceToken)).body.active).toBe(true);
}

const { userId: ownId } = users[0];
const { userId: otherId } = users[1];
const UNKNOWN: [string, string][] = [
  ['another account', withSubject(own.accessToken, otherId)],
  ['another account, for an API', withSubject(own.apiToken, otherId)],
  ['an account instead of a client', withSubject(serviceToken, ownId)],
  ['a client instead of an account', withSubject(own.apiToken, application.clientId)],
  ['an account in another spelling', withSubject(own.accessToken, ownId.toUpperCase())],
  ['the nil UUID', withSubject(own.accessToken, '00000000-0000-0000-0000-000000000000')],
  ['nothing that is a UUID', withSubject(own.accessToken, `${ownId}'--`)],
  ['a list', withSubject(own.accessToken, [ownId])],
  ['an object', withSubject(own.accessToken, { toString: ownId })],
  ['null', withSubject(own.accessToken, null)],
  ['no object', withPayload(own.accessToken, null)],
  ['a text', withPayload(own.accessToken, ownId)],
  ['no JSON', own.accessToken.replace(/\.[^.]+\./, '.e30x.')],
  ['no payload', own.accessToken.replace(/\.[^.]+\./, '..')],
  ['one part', `${'a'.repeat(200)}`],
  [
    'deeply nested',
    own.accessToken.replace(/\.[^.]+\./, `.${Buffer.alloc(3000, '[').toString('base64url')}.`),
  ],
];

test.each(UNKNOWN)('a token that names %s is unknown everywhere', async (_, token) => {
  expectError(await userinfo(service, token), 401, 'invalid_token');
  for (const answer of [await ask(token), await askAsClient(token)])
    expect([answer.status, answer.body]).toEqual([200, { active: false }]);
  expect((await revoke(service, application, token)).status).toBe(200);
  await expectAllLive();
});

test('whom a token names is looked up only for a client that is authenticated', async () => {
  for (const token of [own.accessToken, UNKNOWN[0]?.[1] ?? '', 'nonsense']) {
    const refused = { client_secret: 'wrong' };
    expectError(await introspect(service, api, token, refused), 401, 'invalid_client');
    expectError(await revoke(service, application, token, refused), 401, 'invalid_client');
  }
  await expectAllLive();
});
