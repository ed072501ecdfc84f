// POST /oauth/token/revoke (RFC 7009): revokes a token's whole grant.
import type { FastifyInstance } from 'fastify';
import { registerOAuthEndpoint } from '../http/oauth-endpoint.ts';
import type { Services } from '../http/services.ts';
import { readSignedAccessToken } from '../keys/tokens.ts';
import {
  authenticatedClient,
  clientAuthenticationError,
  type PresentedCredentials,
} from '../oauth/client-authentication.ts';
import { accessTokenDigest, apiAccessTokenDigest, serviceTokenDigest } from '../oauth/digests.ts';
import { invalidRequest } from '../oauth/errors.ts';
import { openRefreshToken, type TokenPayload, toRefreshTokenContext } from '../oauth/token-payload.ts';
import { decodeUnverifiedToken } from '../oauth/unverified-token.ts';
import { revokeGrant } from '../store/grants.ts';
import { NIL_USER_ID } from '../store/nil-user-id.ts';
import { deleteServiceToken } from '../store/service-tokens.ts';

export function revokeRoute(app: FastifyInstance, services: Services): void {
  registerOAuthEndpoint(app, services, '/oauth/token/revoke', {
    diagnostics: 'revoke',
    cors: true,
    required: () => ['token'],
    authentication: 'within',
    handle: async ({ required: { token }, credentials, now }) => {
      const payload = openRefreshToken(services.sealer, token);
      const outcome = await revokeByToken(services, credentials, token, payload, now);
      if (outcome === 'unauthenticated')
        throw clientAuthenticationError(credentials, payload && { token: toRefreshTokenContext(payload) });
      if (outcome === 'foreign')
        throw invalidRequest('The token was issued to another application.', {
          kind: 'token_belongs_to_other_client',
          what: payload === undefined ? 'access_token' : 'refresh_token',
        }).withDiagnostics(authenticatedClient(credentials));
      if (outcome === 'revoked')
        services.diagnostics.recordObservation(credentials.clientId, 'revocation', now);
      return undefined;
    },
  });
}

/**
 * Works without token_type_hint (RFC 7009 §2.1). An expired access token for this service is accepted if its
 * signature is valid. The SQL statement also authenticates the client, so it runs for unknown tokens too.
 */
async function revokeByToken(
  { database, keys }: Services,
  credentials: PresentedCredentials,
  token: string,
  payload: TokenPayload | undefined,
  now: Date,
) {
  if (payload !== undefined)
    return revokeGrant(database, { credentials, now }, { userId: payload.userId, grantId: payload.grantId });
  const { userId = NIL_USER_ID, isServiceToken } = decodeUnverifiedToken(token);
  const hashes = { tokenHash: accessTokenDigest(token), apiTokenHash: apiAccessTokenDigest(token) };
  const outcome = await revokeGrant(database, { credentials, now }, { userId, ...hashes });
  if (outcome !== 'unknown') return outcome;
  if (isServiceToken) await deleteServiceToken(database, serviceTokenDigest(token), credentials.clientId);
  const expired = await readSignedAccessToken(keys, token);
  if (expired === undefined) return outcome;
  if (expired.clientId !== credentials.clientId) return 'foreign';
  if (expired.grantId === undefined) return outcome;
  return revokeGrant(database, { credentials, now }, { userId: expired.userId, grantId: expired.grantId });
}
