// GET and POST /oauth/userinfo (OpenID Connect Core §5.3; D18 to D21).
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { avatarAddress } from '../html/avatar-address.ts';
import { bearerToken, isBearerToken } from '../oauth/bearer.ts';
import { userinfoClaims } from '../oauth/claims.ts';
import { accessTokenDigest } from '../oauth/digests.ts';
import { invalidRequest, invalidToken } from '../oauth/errors.ts';
import { parseScope } from '../oauth/scopes.ts';
import type { Parts } from '../parts.ts';
import { formOf } from '../plugins/parameters.ts';
import { findAccessTokenHolder } from '../store/access-tokens.ts';

export function userinfoRoute(app: FastifyInstance, parts: Parts): void {
  const { config, database, usage } = parts;

  app.route({
    method: ['GET', 'POST'],
    url: '/oauth/userinfo',
    handler: async (request, reply) => {
      const { token, fromBody } = tokenOf(request);
      const now = parts.now();
      const holder = isBearerToken(token)
        ? await findAccessTokenHolder(database, accessTokenDigest(token), now)
        : undefined;
      // Only standard mode takes the token from the body (D21); elsewhere none has been sent.
      if (holder === undefined || (fromBody && !holder.standard)) throw invalidToken(!fromBody);
      const avatar = avatarAddress(config.baseUrl, holder);
      const claims = userinfoClaims(holder, parseScope(holder.scope), holder.standard, avatar);
      parts.diagnostics.observed(holder.clientId, 'userinfo', now);
      usage.disclosed(holder.userId, holder.clientId, Object.keys(claims).join(' '), now);
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(claims));
    },
  });
}

function tokenOf(request: FastifyRequest): { token: string; fromBody: boolean } {
  const fromHeader = bearerToken(request.headers.authorization);
  const fromBody = formOf(request).get('access_token');
  if (fromHeader !== null && fromBody !== undefined)
    throw invalidRequest('Send the access token in the Authorization header or in the form, not both.');
  if (fromHeader !== null) return { token: fromHeader, fromBody: false };
  if (fromBody !== undefined) return { token: fromBody, fromBody: true };
  throw invalidToken(false);
}
