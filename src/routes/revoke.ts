// POST /oauth/token/revoke (RFC 7009, D22): any token of a grant ends the whole grant.
import type { FastifyInstance } from 'fastify';
import { oauthEndpoint } from '../http/oauth-endpoint.ts';
import type { Parts } from '../http/parts.ts';
import { openAccessToken } from '../keys/tokens.ts';
import { accepted, notAccepted, type PresentedCredentials } from '../oauth/client-authentication.ts';
import { accessTokenDigest, foreignAccessTokenDigest, serviceTokenDigest } from '../oauth/digests.ts';
import { invalidRequest } from '../oauth/errors.ts';
import { openRefreshToken, type Ticket, ticketClue } from '../oauth/tickets.ts';
import { readUnverified } from '../oauth/unverified-token.ts';
import { revokeGrant } from '../store/grants.ts';
import { NO_USER } from '../store/no-user.ts';
import { deleteServiceToken } from '../store/service-tokens.ts';

export function revokeRoute(app: FastifyInstance, parts: Parts): void {
  oauthEndpoint(app, parts, '/oauth/token/revoke', {
    diagnostics: 'revoke',
    cors: true,
    required: () => ['token'],
    authentication: 'within',
    answer: async ({ required: { token }, credentials, now }) => {
      const ticket = openRefreshToken(parts.sealer, token);
      const outcome = await revoke(parts, credentials, token, ticket, now);
      if (outcome === 'unauthenticated')
        throw notAccepted(credentials, ticket && { ticket: ticketClue(ticket) });
      if (outcome === 'foreign')
        throw invalidRequest('The token was issued to another application.', {
          kind: 'token_of_other',
          what: ticket === undefined ? 'access_token' : 'refresh_token',
        }).from(accepted(credentials));
      if (outcome === 'revoked') parts.diagnostics.observed(credentials.clientId, 'revocation', now);
      return undefined;
    },
  });
}

/**
 * Finds out from the token itself which grant it belongs to; token_type_hint is not needed (RFC 7009 §2.1). A refresh
 * token names its grant, a stored access token is found by its hash in the same statement, and one that is no longer
 * stored names its grant if we signed it for this service itself. An expired token for an API names none. The statement
 * authenticates the client, too, so it runs for every other text as well.
 */
async function revoke(
  { database, keys }: Parts,
  credentials: PresentedCredentials,
  token: string,
  ticket: Ticket | undefined,
  now: Date,
) {
  if (ticket !== undefined)
    return revokeGrant(database, { credentials, now }, { userId: ticket.userId, grantId: ticket.grantId });
  const { userId = NO_USER, isService } = readUnverified(token);
  const hashes = { tokenHash: accessTokenDigest(token), apiTokenHash: foreignAccessTokenDigest(token) };
  const outcome = await revokeGrant(database, { credentials, now }, { userId, ...hashes });
  if (outcome !== 'unknown') return outcome;
  if (isService) await deleteServiceToken(database, serviceTokenDigest(token), credentials.clientId);
  const expired = await openAccessToken(keys, token);
  if (expired === undefined) return outcome;
  if (expired.clientId !== credentials.clientId) return 'foreign';
  if (expired.grantId === undefined) return outcome;
  return revokeGrant(database, { credentials, now }, { userId: expired.userId, grantId: expired.grantId });
}
