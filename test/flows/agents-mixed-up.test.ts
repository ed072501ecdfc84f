// One client's codes, tokens and keys can't be used by a different client.
import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import {
  authorizeMetadataClient,
  buildMetadataClientRequest,
  createMetadataClient,
  openMetadataHost,
} from '../support/metadata-clients.ts';
import {
  authorize,
  fetchUserinfo,
  openSignedInBrowser,
  postForm,
  redeemCode,
  redeemRefreshToken,
  revokeToken,
} from '../support/oauth-flow.ts';
import { startTestService, type TestClient } from '../support/service.ts';

const host = await openMetadataHost();
const service = await startTestService({ AGENTS: host.origin });
const browser = await openSignedInBrowser(service, await service.createUser());
afterAll(async () => {
  await service.close();
  host.close();
});

const OFFLINE_PARAMETERS = { scope: 'openid profile offline_access' };
const createPublicClient = (): Promise<TestClient> =>
  service.createClient({ type: 'public', redirectUris: ['http://localhost:7777/callback'] });

/** Signs client assertions for any client ID. */
async function createAssertionSigner() {
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
  const createAssertion = async (clientId: string, sentClientId = clientId) => ({
    client_id: sentClientId,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await sign(clientId),
  });
  return { jwks: { keys: [await exportJWK(publicKey)] }, createAssertion };
}
const KEY_AUTHENTICATION = { token_endpoint_auth_method: 'private_key_jwt' };

test("an agent's codes and tokens cannot be used by other clients", async () => {
  const clientId = host.publish();
  const agent = createMetadataClient(clientId);
  const { code, verifier } = await authorizeMetadataClient(service, clientId, browser, OFFLINE_PARAMETERS);
  const otherAgentId = host.publish();
  await authorizeMetadataClient(service, otherAgentId, browser);
  const otherClients = [await createPublicClient(), createMetadataClient(otherAgentId)];
  for (const otherClient of otherClients)
    expect((await redeemCode(service, otherClient, code, { code_verifier: verifier })).body.error).toBe(
      'invalid_grant',
    );
  const tokens = await redeemCode(service, agent, code, { code_verifier: verifier });
  expect(tokens.status).toBe(200);
  const { refresh_token: refreshToken, access_token: accessToken } = tokens.body;
  for (const otherClient of otherClients) {
    expect((await redeemRefreshToken(service, otherClient, String(refreshToken))).body.error).toBe(
      'invalid_grant',
    );
    for (const token of [refreshToken, accessToken])
      expect((await revokeToken(service, otherClient, String(token))).body.error).toBe('invalid_request');
  }
  expect((await fetchUserinfo(service, String(accessToken))).status).toBe(200);
  expect((await redeemRefreshToken(service, agent, String(refreshToken))).status).toBe(200);
});

test("a registered client's codes and refresh tokens cannot be used by an agent", async () => {
  const registeredClient = await service.createClient();
  const agent = createMetadataClient(host.publish(), registeredClient.redirectUri);
  await authorizeMetadataClient(service, agent.clientId, browser);
  const code = (await authorize(service, registeredClient, browser)).searchParams.get('code') ?? '';
  expect((await redeemCode(service, agent, code)).body.error).toBe('invalid_grant');
  const { body } = await redeemCode(service, registeredClient, code);
  expect((await redeemRefreshToken(service, agent, String(body.refresh_token))).body.error).toBe(
    'invalid_grant',
  );
  expect((await redeemRefreshToken(service, registeredClient, String(body.refresh_token))).status).toBe(200);
});

describe("an agent's key", () => {
  test('cannot authenticate a different client', async () => {
    const { jwks, createAssertion } = await createAssertionSigner();
    const clientId = host.publish({ ...KEY_AUTHENTICATION, jwks });
    const { code, verifier } = await authorizeMetadataClient(service, clientId, browser);
    const registeredClient = await service.createClient();
    const api = await service.createApi();
    const fields = { code_verifier: verifier, client_secret: undefined };
    for (const assertion of [
      await createAssertion(clientId, registeredClient.clientId),
      await createAssertion(registeredClient.clientId),
      await createAssertion(clientId, api.apiId),
      await createAssertion(api.apiId),
      await createAssertion(host.publish(), clientId),
    ])
      expect(
        (await redeemCode(service, createMetadataClient(clientId), code, { ...fields, ...assertion })).body
          .error,
      ).toBe('invalid_client');
    const accepted = await redeemCode(service, createMetadataClient(clientId), code, {
      ...fields,
      ...(await createAssertion(clientId)),
    });
    expect(accepted.status).toBe(200);
  });

  test.each([
    ['added', false],
    ['removed', true],
  ])('invalidates unredeemed codes when it is %s', async (_, hadKeys) => {
    const path = `/keys-${hadKeys}/client.json`;
    const { jwks, createAssertion } = await createAssertionSigner();
    const createDocument = (hasKeys: boolean) => (hasKeys ? { ...KEY_AUTHENTICATION, jwks } : {});
    const clientId = host.publish(createDocument(hadKeys), { path });
    const { code, verifier } = await authorizeMetadataClient(service, clientId, browser, OFFLINE_PARAMETERS);
    host.publish(createDocument(!hadKeys), { path });
    service.clock.advance(301);
    await browser.get(buildMetadataClientRequest(service, clientId).url);
    const withoutAssertion = { code_verifier: verifier };
    const withAssertion = {
      ...withoutAssertion,
      client_secret: undefined,
      ...(await createAssertion(clientId)),
    };
    const [currentMethod, formerMethod] = hadKeys
      ? [withoutAssertion, withAssertion]
      : [withAssertion, withoutAssertion];
    expect((await redeemCode(service, createMetadataClient(clientId), code, formerMethod)).body.error).toBe(
      'invalid_client',
    );
    expect((await redeemCode(service, createMetadataClient(clientId), code, currentMethod)).body.error).toBe(
      'invalid_grant',
    );
  });
});

test('agents with private_key_jwt must use PKCE', async () => {
  const { jwks } = await createAssertionSigner();
  const clientId = host.publish({ ...KEY_AUTHENTICATION, jwks });
  const withoutPkce = { code_challenge: undefined, code_challenge_method: undefined };
  const { location } = await browser.get(buildMetadataClientRequest(service, clientId, withoutPkce).url);
  expect(location?.searchParams.get('error')).toBe('invalid_request');
  expect((await authorizeMetadataClient(service, clientId, browser)).code).not.toBe('');
});

test("reuse of an agent's refresh token revokes the grant after the grace period", async () => {
  const agent = createMetadataClient(host.publish());
  const { code, verifier } = await authorizeMetadataClient(
    service,
    agent.clientId,
    browser,
    OFFLINE_PARAMETERS,
  );
  const { body } = await redeemCode(service, agent, code, { code_verifier: verifier });
  const refreshed = await redeemRefreshToken(service, agent, String(body.refresh_token));
  expect(refreshed.status).toBe(200);
  service.clock.advance(61);
  expect((await redeemRefreshToken(service, agent, String(body.refresh_token))).body.error).toBe(
    'invalid_grant',
  );
  expect((await redeemRefreshToken(service, agent, String(refreshed.body.refresh_token))).body.error).toBe(
    'invalid_grant',
  );
  expect((await fetchUserinfo(service, String(refreshed.body.access_token))).status).toBe(401);
});

test('agents cannot use client_credentials or the device flow', async () => {
  const { jwks, createAssertion } = await createAssertionSigner();
  const clientId = host.publish({ ...KEY_AUTHENTICATION, jwks, grant_types: ['client_credentials'] });
  await authorizeMetadataClient(service, clientId, browser);
  const api = await service.createApi({ allowedClients: 'agents' });
  const request = { grant_type: 'client_credentials', resource: api.identifier, scope: 'read' };
  const token = await postForm(service, '/oauth/token', { ...request, ...(await createAssertion(clientId)) });
  expect(token.body.error).toBe('unsupported_grant_type');
  const deviceRequest = { scope: 'openid', ...(await createAssertion(clientId)) };
  expect((await postForm(service, '/oauth/device_authorization', deviceRequest)).body.error).toBe(
    'unauthorized_client',
  );
});
