// POST /oauth/introspect (RFC 7662): a confidential application asks about a token of its own, an API about one for it (D56).
import type { FastifyInstance } from 'fastify';
import { noteSuspendedApi } from '../http/diagnostics.ts';
import { oauthEndpoint, requireClient } from '../http/oauth-endpoint.ts';
import type { Parts } from '../http/parts.ts';
import { accepted, notAccepted, type PresentedCredentials } from '../oauth/client-authentication.ts';
import { accessTokenDigest, foreignAccessTokenDigest, serviceTokenDigest } from '../oauth/digests.ts';
import { unauthorizedClient } from '../oauth/errors.ts';
import { isApiIdShaped } from '../oauth/secrets.ts';
import { openRefreshToken } from '../oauth/tickets.ts';
import { payloadOf, readUnverified } from '../oauth/unverified-token.ts';
import { findLiveRefreshToken, introspectForApi, isAccessTokenLive } from '../store/introspection.ts';
import { NO_USER } from '../store/no-user.ts';
import { isServiceTokenLive } from '../store/service-tokens.ts';

/** All that is said of a token that is unknown, over, or somebody else's (§2.2): the three cannot be told apart. */
const INACTIVE = { active: false };

export function introspectRoute(app: FastifyInstance, parts: Parts): void {
  oauthEndpoint(app, parts, '/oauth/introspect', {
    diagnostics: 'introspect',
    required: () => ['token'],
    authentication: 'within',
    apis: true,
    answer: async ({ request, required: { token }, credentials, now }) => {
      if (isApiIdShaped(credentials.clientId)) {
        const { live, suspended } = await introspectApi(parts, credentials, token, now);
        if (suspended) noteSuspendedApi(request, credentials.clientId, parts);
        return live ? described(token) : INACTIVE;
      }
      await requireClient(parts.database, credentials, now);
      const { clientId } = credentials;
      if (!accepted(credentials).authenticated)
        throw unauthorizedClient('Only confidential applications may ask about their tokens.', {
          kind: 'confidential_only',
        });
      return introspect(parts, clientId, token, now);
    },
  });
}

/** Only tokens for this API are looked up; every other text is inactive. */
async function introspectApi(
  { database }: Parts,
  credentials: PresentedCredentials,
  token: string,
  now: Date,
) {
  const { userId = NO_USER, isService, scopes } = readUnverified(token);
  const lookup = isService
    ? { hash: serviceTokenDigest(token), scopes }
    : { hash: foreignAccessTokenDigest(token), userId };
  const found = await introspectForApi(database, credentials, lookup, now);
  if (!found.authenticated) throw notAccepted(credentials);
  return found;
}

/** The database knows the token, so its payload needs no other proof. */
const described = (token: string) => ({ active: true, token_type: 'Bearer', ...payloadOf(token) });

async function isLive({ database }: Parts, clientId: string, token: string, now: Date): Promise<boolean> {
  const { userId, isService, scopes } = readUnverified(token);
  if (isService)
    return isServiceTokenLive(database, { hash: serviceTokenDigest(token), clientId, scopes, now });
  if (userId === undefined) return false;
  const hashes = { tokenHash: accessTokenDigest(token), apiTokenHash: foreignAccessTokenDigest(token) };
  return isAccessTokenLive(database, { userId, ...hashes, clientId, now });
}

async function introspect(parts: Parts, clientId: string, token: string, now: Date) {
  const { config, database, sealer } = parts;
  const ticket = openRefreshToken(sealer, token);
  if (ticket === undefined) return (await isLive(parts, clientId, token, now)) ? described(token) : INACTIVE;
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);
  const { refreshTokenIdleTtl: idle, refreshTokenMaxTtl: max } = config;
  const live = await findLiveRefreshToken(database, {
    ...ticket,
    clientId,
    advancedAfter: ago(idle),
    createdAfter: max === 0 ? new Date(0) : ago(max),
  });
  if (live === undefined) return INACTIVE;
  const ends = [live.issuedAt.getTime() + idle * 1000];
  if (max > 0) ends.push(live.createdAt.getTime() + max * 1000);
  return {
    active: true,
    scope: ticket.scopes.join(' '),
    client_id: clientId,
    iss: config.baseUrl,
    sub: ticket.userId,
    iat: Math.floor(live.issuedAt.getTime() / 1000),
    exp: Math.floor(Math.min(...ends) / 1000),
  };
}
