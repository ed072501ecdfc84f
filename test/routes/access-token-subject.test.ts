// Access tokens with a forged subject, which the service reads before verifying the signature.
import { afterAll, expect, test } from 'vitest';
import { createApiWithSecret, introspect, obtainApiToken, obtainServiceToken } from '../support/apis.ts';
import { expectError } from '../support/expect-error.ts';
import { fetchUserinfo, openSignedInBrowser, postForm, revokeToken } from '../support/oauth-flow.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
afterAll(() => service.close());
const client = await service.createClient();
const api = await createApiWithSecret(service);
const users = [await service.createUser(), await service.createUser()] as const;
const [ownTokens, otherTokens] = await Promise.all(
  users.map(async (user) =>
    obtainApiToken(service, client, await openSignedInBrowser(service, user), api),
  ) as [ReturnType<typeof obtainApiToken>, ReturnType<typeof obtainApiToken>],
);
const serviceToken = await obtainServiceToken(service, client, api);

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decodePayload = (token: string): object =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
const replacePayload = (token: string, payload: unknown) =>
  token.replace(/\.[^.]+\./, `.${encode(payload)}.`);
const replaceSubject = (token: string, sub: unknown) =>
  replacePayload(token, { ...decodePayload(token), sub });

const introspectToken = (token: string) => introspect(service, api, token);
const introspectAsClient = (token: string) =>
  postForm(service, '/oauth/introspect', {
    token,
    client_id: client.clientId,
    client_secret: client.clientSecret,
  });

async function expectAllLive(): Promise<void> {
  for (const { accessToken, apiToken } of [ownTokens, otherTokens]) {
    expect((await fetchUserinfo(service, accessToken)).status).toBe(200);
    expect((await introspectToken(apiToken)).body.active).toBe(true);
  }
  expect((await introspectToken(serviceToken)).body.active).toBe(true);
}

const { userId: ownId } = users[0];
const { userId: otherId } = users[1];
const FORGED_TOKENS: [string, string][] = [
  ['a different account as subject', replaceSubject(ownTokens.accessToken, otherId)],
  ['a different account as subject of an API token', replaceSubject(ownTokens.apiToken, otherId)],
  ['an account instead of a client as subject', replaceSubject(serviceToken, ownId)],
  ['a client instead of an account as subject', replaceSubject(ownTokens.apiToken, client.clientId)],
  ['an uppercase account ID as subject', replaceSubject(ownTokens.accessToken, ownId.toUpperCase())],
  ['the nil UUID as subject', replaceSubject(ownTokens.accessToken, '00000000-0000-0000-0000-000000000000')],
  ['an invalid UUID as subject', replaceSubject(ownTokens.accessToken, `${ownId}'--`)],
  ['a list as subject', replaceSubject(ownTokens.accessToken, [ownId])],
  ['an object as subject', replaceSubject(ownTokens.accessToken, { toString: ownId })],
  ['null as subject', replaceSubject(ownTokens.accessToken, null)],
  ['a null payload', replacePayload(ownTokens.accessToken, null)],
  ['a string payload', replacePayload(ownTokens.accessToken, ownId)],
  ['an empty payload', ownTokens.accessToken.replace(/\.[^.]+\./, '.e30x.')],
  ['no payload', ownTokens.accessToken.replace(/\.[^.]+\./, '..')],
  ['a single part', `${'a'.repeat(200)}`],
  [
    'a deeply nested payload',
    ownTokens.accessToken.replace(/\.[^.]+\./, `.${Buffer.alloc(3000, '[').toString('base64url')}.`),
  ],
];

test.each(FORGED_TOKENS)('a token with %s is inactive at all endpoints', async (_, token) => {
  expectError(await fetchUserinfo(service, token), 401, 'invalid_token');
  for (const response of [await introspectToken(token), await introspectAsClient(token)])
    expect([response.status, response.body]).toEqual([200, { active: false }]);
  expect((await revokeToken(service, client, token)).status).toBe(200);
  await expectAllLive();
});

test('introspection and revocation return invalid_client if the secret is wrong', async () => {
  for (const token of [ownTokens.accessToken, FORGED_TOKENS[0]?.[1] ?? '', 'nonsense']) {
    const wrongSecret = { client_secret: 'wrong' };
    expectError(await introspect(service, api, token, wrongSecret), 401, 'invalid_client');
    expectError(await revokeToken(service, client, token, wrongSecret), 401, 'invalid_client');
  }
  await expectAllLive();
});
