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
import { findLiveRefreshToken, introspectForApi, isAccessTokenLive } from '../store/introspection.ts';
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

/** Refresh tokens, tokens for this service and for other APIs are as unknown here as what never was one. */
async function introspectApi(
  { database }: Parts,
  credentials: PresentedCredentials,
  token: string,
  now: Date,
) {
  const foreignHash = foreignAccessTokenDigest(token);
  const asked = { foreignHash, serviceHash: serviceTokenDigest(token), scopes: scopesIn(token) };
  const found = await introspectForApi(database, credentials, asked, now);
  if (!found.authenticated) throw notAccepted(credentials);
  return found;
}

/** It is one that this service stored, so its content needs no other proof. */
const described = (token: string) => ({ active: true, token_type: 'Bearer', ...payloadOf(token) });

async function introspect({ config, database, sealer }: Parts, clientId: string, token: string, now: Date) {
  const ticket = openRefreshToken(sealer, token);
  if (ticket === undefined) {
    const known = { clientId, now };
    const live =
      (await isAccessTokenLive(database, { ...known, hash: accessTokenDigest(token) })) ||
      (await isAccessTokenLive(database, { ...known, hash: foreignAccessTokenDigest(token) })) ||
      (await isServiceTokenLive(database, {
        ...known,
        hash: serviceTokenDigest(token),
        scopes: scopesIn(token),
      }));
    return live ? described(token) : INACTIVE;
  }
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

const payloadOf = (token: string): object =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));

/** The scopes in a token that may be anything: of nothing that reads like ours, none. */
function scopesIn(token: string): string[] {
  try {
    const { scope } = payloadOf(token) as { scope?: unknown };
    return typeof scope === 'string' && /^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(scope) ? scope.split(' ') : [];
  } catch {
    return [];
  }
}
