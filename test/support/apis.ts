// What stands around an API in tests: its secrets and keys, tokens for it, whom it cuts off.
import { randomUUID } from 'node:crypto';
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { signAccessToken, signServiceToken } from '../../src/keys/tokens.ts';
import { foreignAccessTokenDigest, serviceTokenDigest } from '../../src/oauth/digests.ts';
import { newApiSecret } from '../../src/oauth/secrets.ts';
import { insertApiSecret } from '../../src/store/api-secrets.ts';
import type { NewApi } from '../../src/store/apis.ts';
import { statement } from '../../src/store/statement.ts';
import type { BrowserSession } from './browser-session.ts';
import { type JsonAnswer, obtainTokens, postForm, type Tokens } from './flow.ts';
import type { TestApplication, TestService } from './service.ts';

/** An API that authenticates by a secret. */
export interface TestApi extends NewApi {
  secret: string;
}

/** Registers an API and gives it a secret. */
export async function apiWithSecret(service: TestService, fields: Partial<NewApi> = {}): Promise<TestApi> {
  const api = await service.createApi(fields);
  const secret = newApiSecret();
  await insertApiSecret(service.parts.database, api.apiId, secret, service.clock.now());
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

const OF_API = statement(
  'test_token_of_api',
  `with of_grant as (update grants set apis = array[$5::text] where id = $2::uuid returning id)
  insert into access_tokens (hash, grant_id, scope, expires_at, api_id)
  select $1::bytea, id, $3::text, $4::timestamptz, $5::text from of_grant`,
);

/** Tokens that an application got for a person, and beside them an access token for the API. */
export async function obtainApiToken(
  service: TestService,
  application: TestApplication,
  browser: BrowserSession,
  api: NewApi,
): Promise<Tokens & { apiToken: string }> {
  const tokens = await obtainTokens(service, application, browser);
  const { sub = '', jti = '' } = decodeJwt(tokens.accessToken);
  const grantId = jti.slice(0, 36);
  const issuedAt = Math.floor(service.clock.now().getTime() / 1000);
  const apiToken = signAccessToken(service.parts.keys, {
    issuer: service.baseUrl,
    userId: sub,
    clientId: application.clientId,
    scopes: ['read'] as never,
    audience: [api.identifier],
    grantId,
    issuedAt,
    lifetime: api.tokenLifetime,
  });
  const hash = foreignAccessTokenDigest(apiToken);
  const expiresAt = new Date((issuedAt + api.tokenLifetime) * 1000);
  await service.parts.database.query(OF_API, [hash, grantId, 'read', expiresAt, api.apiId]);
  return { ...tokens, apiToken };
}

const ACCESS = statement(
  'test_service_access',
  `insert into api_service_access (api_id, client_id, scopes, asked_at, granted_at)
  values ($1::text, $2::text, '{read}', $3::timestamptz, $3::timestamptz) on conflict do nothing`,
);
const SERVICE_TOKEN = statement(
  'test_service_token_of_api',
  `insert into service_tokens (hash, client_id, epoch, expires_at, api_id)
  select $1::bytea, c.client_id, c.epoch, $3::timestamptz, $4::text from clients c where c.client_id = $2::text`,
);

/** A token for an API that an application got on its own account, which the API's owner has granted. */
export async function obtainServiceToken(
  service: TestService,
  { clientId }: TestApplication,
  api: NewApi,
): Promise<string> {
  const { database, keys } = service.parts;
  const issuedAt = Math.floor(service.clock.now().getTime() / 1000);
  const token = signServiceToken(keys, {
    issuer: service.baseUrl,
    clientId,
    scopes: ['read'],
    audience: [api.identifier],
    issuedAt,
    lifetime: api.tokenLifetime,
  });
  await database.query(ACCESS, [api.apiId, clientId, service.clock.now()]);
  const expiresAt = new Date((issuedAt + api.tokenLifetime) * 1000);
  await database.query(SERVICE_TOKEN, [serviceTokenDigest(token), clientId, expiresAt, api.apiId]);
  return token;
}

const EXCLUDE = statement(
  'test_exclude',
  'insert into api_exclusions (api_id, client_id, excluded_at) values ($1::text, $2::text, $3::timestamptz)',
);

/** Cuts an application off. */
export async function exclude(
  service: TestService,
  { apiId }: NewApi,
  { clientId }: TestApplication,
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
