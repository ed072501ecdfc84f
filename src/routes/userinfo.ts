// GET and POST /oauth/userinfo (OpenID Connect Core §5.3; D18 to D21).
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { formOf } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';
import { isTraceless } from '../http/safe-methods.ts';
import { bearerToken, isBearerToken } from '../oauth/bearer.ts';
import { userinfoClaims } from '../oauth/claims.ts';
import { named } from '../oauth/client-authentication.ts';
import { accessTokenDigest } from '../oauth/digests.ts';
import { invalidRequest, invalidToken, OAuthError, tokenMissing } from '../oauth/errors.ts';
import { parseScope } from '../oauth/scopes.ts';
import { type AccessTokenHolder, findAccessTokenHolder } from '../store/access-tokens.ts';
import { avatarAddress } from '../web/html/picture-address.ts';

export function userinfoRoute(app: FastifyInstance, parts: Parts): void {
  const { config, database, usage } = parts;

  app.route({
    method: ['GET', 'POST'],
    url: '/oauth/userinfo',
    config: { caller: 'bearer', diagnostics: 'userinfo', cors: true },
    handler: async (request, reply) => {
      const { token, fromBody } = tokenOf(request);
      const now = parts.now();
      const holder = isBearerToken(token)
        ? await findAccessTokenHolder(database, accessTokenDigest(token), now)
        : undefined;
      // Only standard mode takes the token from the body (D21); elsewhere none has been sent.
      if (holder === undefined) throw unknownToken(token, fromBody);
      if (fromBody && !holder.standard)
        throw tokenMissing({ kind: 'access_token_in_form' }).from(named(holder.clientId), { bearer: token });
      const avatar = avatarAddress(config.baseUrl, holder);
      const claims = claimsOf(holder, avatar, token);
      const answer = () => reply.type('application/json; charset=utf-8').send(JSON.stringify(claims));
      if (isTraceless(request)) return answer(); // nothing is disclosed
      parts.diagnostics.observed(holder.clientId, 'userinfo', now);
      usage.disclosed(holder.userId, holder.clientId, Object.keys(claims).join(' '), now);
      return answer();
    },
  });
}

function unknownToken(bearer: string, fromBody: boolean): OAuthError {
  const reason = { kind: 'access_token_gone' } as const;
  const refusal = fromBody ? tokenMissing(reason) : invalidToken(reason);
  return refusal.from(undefined, { bearer, unsettled: true });
}

function claimsOf(holder: AccessTokenHolder, avatar: string, bearer: string): Record<string, unknown> {
  try {
    return userinfoClaims(holder, parseScope(holder.scope), holder.standard, avatar);
  } catch (error) {
    throw error instanceof OAuthError ? error.from(named(holder.clientId), { bearer }) : error;
  }
}

function tokenOf(request: FastifyRequest): { token: string; fromBody: boolean } {
  const fromHeader = bearerToken(request.headers.authorization);
  const fromBody = formOf(request).get('access_token');
  if (fromHeader !== null && fromBody !== undefined)
    throw invalidRequest('Send the access token in the Authorization header or in the form, not both.', {
      kind: 'access_token_sent_twice',
    }).from(undefined, { bearer: fromHeader });
  if (fromHeader !== null) return { token: fromHeader, fromBody: false };
  if (fromBody !== undefined) return { token: fromBody, fromBody: true };
  throw tokenMissing();
}
