// Codes, tokens and assertions of agents, applications and APIs, each brought by somebody else: nothing comes of it, and
// whoever they are of still has what is theirs.
import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { agentAddress, agentAt, authorizeAgent, openAgentHost } from '../support/agents.ts';
import { authorize, postForm, redeem, renew, revoke, signedInBrowser, userinfo } from '../support/flow.ts';
import { startTestService, type TestApplication } from '../support/service.ts';

const host = await openAgentHost();
const service = await startTestService({ AGENTS: host.origin });
const browser = await signedInBrowser(service, await service.createUser());
afterAll(async () => {
  await service.close();
  host.close();
});

const OFFLINE = { scope: 'openid profile offline_access' };
const publicApplication = (): Promise<TestApplication> =>
  service.createApplication({ type: 'public', redirectUris: ['http://localhost:7777/callback'] });

/** Signs assertions for whoever is named. */
async function signer() {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const sign = (clientId: string) =>
    new SignJWT({ jti: randomUUID() })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer(clientId)
      .setSubject(clientId)
      .setAudience(service.baseUrl)
      .setIssuedAt(service.clock.now())
      .setExpirationTime(new Date(service.clock.now().getTime() + 60_000))
      .sign(privateKey);
  const asserting = async (clientId: string, named = clientId) => ({
    client_id: named,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await sign(clientId),
  });
  return { jwks: { keys: [await exportJWK(publicKey)] }, asserting };
}
const WITH_KEYS = { token_endpoint_auth_method: 'private_key_jwt' };

test('the code and the refresh token of an agent are nothing to an application, nor to another agent', async () => {
  const clientId = host.publish();
  const agent = agentAt(clientId);
  const { code, verifier } = await authorizeAgent(service, clientId, browser, OFFLINE);
  const other = host.publish();
  await authorizeAgent(service, other, browser);
  const strangers = [await publicApplication(), agentAt(other)];
  for (const one of strangers)
    expect((await redeem(service, one, code, { code_verifier: verifier })).body.error).toBe('invalid_grant');
  const tokens = await redeem(service, agent, code, { code_verifier: verifier });
  expect(tokens.status).toBe(200);
  const { refresh_token: refreshToken, access_token: accessToken } = tokens.body;
  for (const one of strangers) {
    expect((await renew(service, one, String(refreshToken))).body.error).toBe('invalid_grant');
    for (const token of [refreshToken, accessToken])
      expect((await revoke(service, one, String(token))).body.error).toBe('invalid_request');
  }
  expect((await userinfo(service, String(accessToken))).status).toBe(200);
  expect((await renew(service, agent, String(refreshToken))).status).toBe(200);
});

test('the code and the refresh token of an application are nothing to an agent', async () => {
  const application = await service.createApplication();
  const agent = agentAt(host.publish(), application.redirectUri);
  await authorizeAgent(service, agent.clientId, browser);
  const code = (await authorize(service, application, browser)).searchParams.get('code') ?? '';
  expect((await redeem(service, agent, code)).body.error).toBe('invalid_grant');
  const { body } = await redeem(service, application, code);
  expect((await renew(service, agent, String(body.refresh_token))).body.error).toBe('invalid_grant');
  expect((await renew(service, application, String(body.refresh_token))).status).toBe(200);
});

describe('keys', () => {
  test('an assertion by an agent’s key is nobody else’s, whoever it names', async () => {
    const { jwks, asserting } = await signer();
    const clientId = host.publish({ ...WITH_KEYS, jwks });
    const { code, verifier } = await authorizeAgent(service, clientId, browser);
    const application = await service.createApplication();
    const api = await service.createApi();
    const fields = { code_verifier: verifier, client_secret: undefined };
    for (const sent of [
      await asserting(clientId, application.clientId),
      await asserting(application.clientId),
      await asserting(clientId, api.apiId),
      await asserting(api.apiId),
      await asserting(host.publish(), clientId),
    ])
      expect((await redeem(service, agentAt(clientId), code, { ...fields, ...sent })).body.error).toBe(
        'invalid_client',
      );
    const own = await redeem(service, agentAt(clientId), code, { ...fields, ...(await asserting(clientId)) });
    expect(own.status).toBe(200);
  });

  test.each([
    ['appear', false],
    ['disappear', true],
  ])('that %s between authorization and exchange end what was given before', async (_, before) => {
    const path = `/keys-${before}/client.json`;
    const { jwks, asserting } = await signer();
    const document = (has: boolean) => (has ? { ...WITH_KEYS, jwks } : {});
    const clientId = host.publish(document(before), { path });
    const { code, verifier } = await authorizeAgent(service, clientId, browser, OFFLINE);
    host.publish(document(!before), { path });
    service.clock.advance(301);
    await browser.get(agentAddress(service, clientId).address);
    const bare = { code_verifier: verifier };
    const proved = { ...bare, client_secret: undefined, ...(await asserting(clientId)) };
    const [right, wrong] = before ? [bare, proved] : [proved, bare];
    expect((await redeem(service, agentAt(clientId), code, wrong)).body.error).toBe('invalid_client');
    expect((await redeem(service, agentAt(clientId), code, right)).body.error).toBe('invalid_grant');
  });
});

test('keys do not stand in for PKCE, which every agent sends (D51)', async () => {
  const { jwks } = await signer();
  const clientId = host.publish({ ...WITH_KEYS, jwks });
  const without = { code_challenge: undefined, code_challenge_method: undefined };
  const { location } = await browser.get(agentAddress(service, clientId, without).address);
  expect(location?.searchParams.get('error')).toBe('invalid_request');
  expect((await authorizeAgent(service, clientId, browser)).code).not.toBe('');
});

test('a refresh token of an agent that is used again after its grace ends its grant, at once', async () => {
  const agent = agentAt(host.publish());
  const { code, verifier } = await authorizeAgent(service, agent.clientId, browser, OFFLINE);
  const { body } = await redeem(service, agent, code, { code_verifier: verifier });
  const renewed = await renew(service, agent, String(body.refresh_token));
  expect(renewed.status).toBe(200);
  service.clock.advance(61);
  expect((await renew(service, agent, String(body.refresh_token))).body.error).toBe('invalid_grant');
  expect((await renew(service, agent, String(renewed.body.refresh_token))).body.error).toBe('invalid_grant');
  expect((await userinfo(service, String(renewed.body.access_token))).status).toBe(401);
});

test('an agent gets nothing on its own account, and lets no device in', async () => {
  const { jwks, asserting } = await signer();
  const clientId = host.publish({ ...WITH_KEYS, jwks, grant_types: ['client_credentials'] });
  await authorizeAgent(service, clientId, browser);
  const api = await service.createApi({ admits: 'agents' });
  const alone = { grant_type: 'client_credentials', resource: api.identifier, scope: 'read' };
  const token = await postForm(service, '/oauth/token', { ...alone, ...(await asserting(clientId)) });
  expect(token.body.error).toBe('unsupported_grant_type');
  const device = { scope: 'openid', ...(await asserting(clientId)) };
  expect((await postForm(service, '/oauth/device_authorization', device)).body.error).toBe(
    'unauthorized_client',
  );
});
