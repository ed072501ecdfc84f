// Creates credentials, tokens and access rules for APIs.

import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { newApiSecret } from '../../src/oauth/secrets.ts';
import type { NewApi } from '../../src/store/apis.ts';
import type { Database } from '../../src/store/database.ts';
import { insertSecret } from '../../src/store/secrets.ts';
import { statement } from '../../src/store/statement.ts';
import type { BrowserSession } from './browser-session.ts';
import { type JsonResponse, obtainTokens, postForm, redeemRefreshToken, type Tokens } from './oauth-flow.ts';
import type { TestClient, TestService } from './service.ts';

export interface TestApi extends NewApi {
  secret: string;
}

export async function createApiWithSecret(
  service: TestService,
  fields: Partial<NewApi> = {},
): Promise<TestApi> {
  const api = await service.createApi(fields);
  const secret = newApiSecret();
  await insertSecret(service.services.database, 'api', api.apiId, secret, service.clock.now());
  return { ...api, secret };
}

/** Undefined fields are omitted. */
export const introspect = (
  service: Pick<TestService, 'baseUrl'>,
  api: TestApi,
  token: string | undefined,
  fields: Record<string, string | undefined> = {},
  headers: Record<string, string> = {},
): Promise<JsonResponse> =>
  postForm(
    service,
    '/oauth/introspect',
    { token, client_id: api.apiId, client_secret: api.secret, ...fields },
    headers,
  );

export async function obtainApiToken(
  service: TestService,
  application: TestClient,
  browser: BrowserSession,
  { identifier: resource }: NewApi,
): Promise<Tokens & { apiToken: string }> {
  const scope = 'openid profile email phone read';
  const tokens = await obtainTokens(service, application, browser, { scope, resource });
  const { body } = await redeemRefreshToken(service, application, tokens.refreshToken, { resource });
  return { ...tokens, refreshToken: String(body.refresh_token), apiToken: String(body.access_token) };
}

export async function obtainServiceToken(
  service: TestService,
  application: TestClient,
  api: NewApi,
): Promise<string> {
  await grantServiceAccess(service.services.database, api, application, ['read'], service.clock.now());
  const { body } = await postForm(service, '/oauth/token', {
    grant_type: 'client_credentials',
    client_id: application.clientId,
    client_secret: application.clientSecret,
    resource: api.identifier,
  });
  return String(body.access_token);
}

const INSERT_EXCLUSION = statement(
  'test_exclude',
  'insert into api_exclusions (api_id, client_id, excluded_at) values ($1::text, $2::text, $3::timestamptz)',
);

export async function insertExclusion(
  service: TestService,
  { apiId }: NewApi,
  { clientId }: Pick<TestClient, 'clientId'>,
): Promise<void> {
  await service.services.database.query(INSERT_EXCLUSION, [apiId, clientId, service.clock.now()]);
}

const SET_API_KEYS = statement('test_set_api_keys', 'update apis set jwks = $2::jsonb where api_id = $1');

/** Registers a public key. Returns a function that signs client assertions. */
export async function createApiKey(
  service: TestService,
  { apiId }: NewApi,
): Promise<(claims?: JWTPayload) => Promise<string>> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwks = { keys: [await exportJWK(publicKey)] };
  await service.services.database.query(SET_API_KEYS, [apiId, jwks]);
  return (claims = {}) => {
    const now = Math.floor(service.clock.now().getTime() / 1000);
    const defaults = {
      iss: apiId,
      sub: apiId,
      aud: service.baseUrl,
      iat: now,
      exp: now + 60,
      jti: randomUUID(),
    };
    return new SignJWT({ ...defaults, ...claims }).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
  };
}

export const toAssertionFields = (client_assertion: string) => ({
  client_secret: undefined,
  client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  client_assertion,
});

const GRANT_ACCESS = statement(
  'test_grant_service_access',
  `insert into api_service_access (api_id, client_id, scopes, requested_at, granted_at)
  values ($1::text, $2::text, $3::text[], $4::timestamptz, $4::timestamptz) on conflict do nothing`,
);

export const grantServiceAccess = async (
  database: Database,
  { apiId }: { apiId: string },
  { clientId }: { clientId: string },
  scopes: readonly string[] = ['read'],
  at = new Date(),
): Promise<void> => {
  await database.query(GRANT_ACCESS, [apiId, clientId, scopes, at]);
};
