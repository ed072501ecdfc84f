// GET and POST /oauth/userinfo (OpenID Connect Core §5.3; D18 to D21).
import type { FastifyInstance } from 'fastify';
import { formOf } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';
import { isTraceless } from '../http/request.ts';
import { presentedBearer } from '../oauth/bearer.ts';
import { userinfoClaims } from '../oauth/claims.ts';
import { named } from '../oauth/client-authentication.ts';
import { accessTokenDigest } from '../oauth/digests.ts';
import { invalidToken, OAuthError, tokenMissing } from '../oauth/errors.ts';
import { parseScope } from '../oauth/scopes.ts';
import { readUnverified } from '../oauth/unverified-token.ts';
import { type AccessTokenHolder, findAccessTokenHolder } from '../store/access-tokens.ts';
import { avatarAddress } from '../web/html/pictures.ts';

export function userinfoRoute(app: FastifyInstance, parts: Parts): void {
  const { config, database, usage } = parts;

  app.route({
    method: ['GET', 'POST'],
    url: '/oauth/userinfo',
    config: { caller: 'bearer', diagnostics: 'userinfo', cors: true },
    handler: async (request, reply) => {
      const { token, fromBody } = presentedBearer(
        request.headers.authorization,
        formOf(request).get('access_token'),
      );
      const now = parts.now();
      const { userId } = readUnverified(token);
      const holder =
        userId === undefined
          ? undefined
          : await findAccessTokenHolder(database, userId, accessTokenDigest(token), now);
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
  const reason = { kind: 'token_gone', what: 'access_token' } as const;
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
