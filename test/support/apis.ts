// What stands around an API in tests: its secrets and keys, tokens for it, whom it cuts off.

import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { newApiSecret } from '../../src/oauth/secrets.ts';
import type { NewApi } from '../../src/store/apis.ts';
import type { Database } from '../../src/store/database.ts';
import { insertSecret } from '../../src/store/secrets.ts';
import { statement } from '../../src/store/statement.ts';
import type { BrowserSession } from './browser-session.ts';
import { type JsonAnswer, obtainTokens, postForm, renew, type Tokens } from './flow.ts';
import type { TestApplication, TestService } from './service.ts';

/** An API that authenticates by a secret. */
export interface TestApi extends NewApi {
  secret: string;
}

/** Registers an API and gives it a secret. */
export async function apiWithSecret(service: TestService, fields: Partial<NewApi> = {}): Promise<TestApi> {
  const api = await service.createApi(fields);
  const secret = newApiSecret();
  await insertSecret(service.parts.database, 'api', api.apiId, secret, service.clock.now());
  return { ...api, secret };
}

/** Asks about a token as an API; `fields` overrides or (as undefined) leaves out what is sent. */
export const introspect = (
  service: Pick<TestService, 'baseUrl'>,
  api: TestApi,
  token: string | undefined,
  fields: Record<string, string | undefined> = {},
  headers: Record<string, string> = {},
): Promise<JsonAnswer> =>
  postForm(
    service,
    '/oauth/introspect',
    { token, client_id: api.apiId, client_secret: api.secret, ...fields },
    headers,
  );

/** Tokens that an application got for a person, and beside them an access token for the API. */
export async function obtainApiToken(
  service: TestService,
  application: TestApplication,
  browser: BrowserSession,
  { identifier: resource }: NewApi,
): Promise<Tokens & { apiToken: string }> {
  const scope = 'openid profile email phone read';
  const tokens = await obtainTokens(service, application, browser, { scope, resource });
  const { body } = await renew(service, application, tokens.refreshToken, { resource });
  return { ...tokens, refreshToken: String(body.refresh_token), apiToken: String(body.access_token) };
}

/** A token for an API that an application got on its own account, which the API's owner has granted. */
export async function obtainServiceToken(
  service: TestService,
  application: TestApplication,
  api: NewApi,
): Promise<string> {
  await grantServiceAccess(service.parts.database, api, application, ['read'], service.clock.now());
  const { body } = await postForm(service, '/oauth/token', {
    grant_type: 'client_credentials',
    client_id: application.clientId,
    client_secret: application.clientSecret,
    resource: api.identifier,
  });
  return String(body.access_token);
}

const EXCLUDE = statement(
  'test_exclude',
  'insert into api_exclusions (api_id, client_id, excluded_at) values ($1::text, $2::text, $3::timestamptz)',
);

/** Cuts an application off. */
export async function exclude(
  service: TestService,
  { apiId }: NewApi,
  { clientId }: Pick<TestApplication, 'clientId'>,
): Promise<void> {
  await service.parts.database.query(EXCLUDE, [apiId, clientId, service.clock.now()]);
}

const SET_KEYS = statement('test_set_api_keys', 'update apis set jwks = $2::jsonb where api_id = $1');

/** Gives an API a key. @returns what signs an assertion with it; claims given as undefined are left out */
export async function keyOf(
  service: TestService,
  { apiId }: NewApi,
): Promise<(claims?: JWTPayload) => Promise<string>> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwks = { keys: [await exportJWK(publicKey)] };
  await service.parts.database.query(SET_KEYS, [apiId, jwks]);
  return (claims = {}) => {
    const now = Math.floor(service.clock.now().getTime() / 1000);
    const all = { iss: apiId, sub: apiId, aud: service.baseUrl, iat: now, exp: now + 60, jti: randomUUID() };
    return new SignJWT({ ...all, ...claims }).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
  };
}

/** What is sent with an assertion instead of a secret. */
export const asserted = (client_assertion: string) => ({
  client_secret: undefined,
  client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  client_assertion,
});

const GRANT = statement(
  'test_grant_service_access',
  `insert into api_service_access (api_id, client_id, scopes, asked_at, granted_at)
  values ($1::text, $2::text, $3::text[], $4::timestamptz, $4::timestamptz) on conflict do nothing`,
);

/** Grants scopes of an API to an application, as its owner does. */
export const grantServiceAccess = async (
  database: Database,
  { apiId }: { apiId: string },
  { clientId }: { clientId: string },
  scopes: readonly string[] = ['read'],
  at = new Date(),
): Promise<void> => {
  await database.query(GRANT, [apiId, clientId, scopes, at]);
};
