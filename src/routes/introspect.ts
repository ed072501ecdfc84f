// POST /oauth/introspect (RFC 7662), for APIs and for confidential clients.
import type { FastifyInstance } from 'fastify';
import { recordSuspendedApi } from '../http/diagnostics.ts';
import { registerOAuthEndpoint, requireClient } from '../http/oauth-endpoint.ts';
import type { Services } from '../http/services.ts';
import {
  authenticatedClient,
  clientAuthenticationError,
  type PresentedCredentials,
} from '../oauth/client-authentication.ts';
import { accessTokenDigest, apiAccessTokenDigest, serviceTokenDigest } from '../oauth/digests.ts';
import { unauthorizedClient } from '../oauth/errors.ts';
import { isWellFormedApiId } from '../oauth/secrets.ts';
import { openRefreshToken } from '../oauth/token-payload.ts';
import { decodeTokenPayload, decodeUnverifiedToken } from '../oauth/unverified-token.ts';
import { findLiveRefreshToken, introspectForApi, isAccessTokenLive } from '../store/introspection.ts';
import { NIL_USER_ID } from '../store/nil-user-id.ts';
import { isServiceTokenLive } from '../store/service-tokens.ts';

/** Returned for unknown and expired tokens, and for tokens of other clients (RFC 7662 §2.2). */
const INACTIVE_RESPONSE = { active: false };

export function introspectRoute(app: FastifyInstance, services: Services): void {
  registerOAuthEndpoint(app, services, '/oauth/introspect', {
    diagnostics: 'introspect',
    required: () => ['token'],
    authentication: 'within',
    allowsApis: true,
    handle: async ({ request, required: { token }, credentials, now }) => {
      if (isWellFormedApiId(credentials.clientId)) {
        const { live, suspended } = await introspectAsApi(services, credentials, token, now);
        if (suspended) recordSuspendedApi(request, credentials.clientId, services);
        return live ? describeToken(token) : INACTIVE_RESPONSE;
      }
      await requireClient(services.database, credentials, now);
      const { clientId } = credentials;
      if (!authenticatedClient(credentials).authenticated)
        throw unauthorizedClient('Only confidential applications may introspect tokens.', {
          kind: 'confidential_client_required',
        });
      return introspectAsClient(services, clientId, token, now);
    },
  });
}

async function introspectAsApi(
  { database }: Services,
  credentials: PresentedCredentials,
  token: string,
  now: Date,
) {
  const { userId = NIL_USER_ID, isServiceToken, scopes } = decodeUnverifiedToken(token);
  const lookup = isServiceToken
    ? { hash: serviceTokenDigest(token), scopes }
    : { hash: apiAccessTokenDigest(token), userId };
  const found = await introspectForApi(database, credentials, lookup, now);
  if (!found.authenticated) throw clientAuthenticationError(credentials);
  return found;
}

/** The token's hash is in the database, so the signature needn't be verified. */
const describeToken = (token: string) => ({
  active: true,
  token_type: 'Bearer',
  ...decodeTokenPayload(token),
});

async function isTokenLive(
  { database }: Services,
  clientId: string,
  token: string,
  now: Date,
): Promise<boolean> {
  const { userId, isServiceToken, scopes } = decodeUnverifiedToken(token);
  if (isServiceToken)
    return isServiceTokenLive(database, { hash: serviceTokenDigest(token), clientId, scopes, now });
  if (userId === undefined) return false;
  const hashes = { tokenHash: accessTokenDigest(token), apiTokenHash: apiAccessTokenDigest(token) };
  return isAccessTokenLive(database, { userId, ...hashes, clientId, now });
}

async function introspectAsClient(services: Services, clientId: string, token: string, now: Date) {
  const { config, database, sealer } = services;
  const payload = openRefreshToken(sealer, token);
  if (payload === undefined)
    return (await isTokenLive(services, clientId, token, now)) ? describeToken(token) : INACTIVE_RESPONSE;
  const secondsAgo = (seconds: number) => new Date(now.getTime() - seconds * 1000);
  const { refreshTokenIdleTtl: idleTtl, refreshTokenMaxTtl: maxTtl } = config;
  const live = await findLiveRefreshToken(database, {
    ...payload,
    clientId,
    rotatedAfter: secondsAgo(idleTtl),
    createdAfter: maxTtl === 0 ? new Date(0) : secondsAgo(maxTtl),
  });
  if (live === undefined) return INACTIVE_RESPONSE;
  const expiries = [live.issuedAt.getTime() + idleTtl * 1000];
  if (maxTtl > 0) expiries.push(live.createdAt.getTime() + maxTtl * 1000);
  return {
    active: true,
    scope: payload.scopes.join(' '),
    client_id: clientId,
    iss: config.baseUrl,
    sub: payload.userId,
    iat: Math.floor(live.issuedAt.getTime() / 1000),
    exp: Math.floor(Math.min(...expiries) / 1000),
  };
}
