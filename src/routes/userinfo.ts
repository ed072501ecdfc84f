// GET and POST /oauth/userinfo (OpenID Connect Core §5.3).
import type { FastifyInstance } from 'fastify';
import { readForm } from '../http/parameters.ts';
import { isHeadRequest } from '../http/request.ts';
import type { Services } from '../http/services.ts';
import { readAccessToken } from '../oauth/bearer.ts';
import { buildUserinfoClaims } from '../oauth/claims.ts';
import { unauthenticatedClient } from '../oauth/client-authentication.ts';
import { accessTokenDigest } from '../oauth/digests.ts';
import { invalidToken, OAuthError, tokenMissing } from '../oauth/errors.ts';
import { parseScope } from '../oauth/scopes.ts';
import { decodeUnverifiedToken } from '../oauth/unverified-token.ts';
import { type AccessTokenUser, findAccessTokenUser } from '../store/access-tokens.ts';
import { avatarUrl } from '../web/html/pictures.ts';

export function userinfoRoute(app: FastifyInstance, services: Services): void {
  const { config, database, usage } = services;

  app.route({
    method: ['GET', 'POST'],
    url: '/oauth/userinfo',
    config: { caller: 'bearer', diagnostics: 'userinfo', cors: true },
    handler: async (request, reply) => {
      const { token, fromBody } = readAccessToken(
        request.headers.authorization,
        readForm(request).get('access_token'),
      );
      const now = services.now();
      const { userId } = decodeUnverifiedToken(token);
      const holder =
        userId === undefined
          ? undefined
          : await findAccessTokenUser(database, userId, accessTokenDigest(token), now);
      if (holder === undefined) throw unknownTokenError(token, fromBody);
      // Only clients in standard OpenID Connect mode may send the token in the body.
      if (fromBody && !holder.standard)
        throw tokenMissing({ kind: 'access_token_in_form' }).withDiagnostics(
          unauthenticatedClient(holder.clientId),
          { bearer: token },
        );
      const avatar = avatarUrl(config.baseUrl, holder);
      const claims = selectClaims(holder, avatar, token);
      const respond = () => reply.type('application/json; charset=utf-8').send(JSON.stringify(claims));
      if (isHeadRequest(request)) return respond();
      services.diagnostics.recordObservation(holder.clientId, 'userinfo', now);
      usage.recordDisclosure(holder.userId, holder.clientId, Object.keys(claims).join(' '), now);
      return respond();
    },
  });
}

function unknownTokenError(bearer: string, fromBody: boolean): OAuthError {
  const reason = { kind: 'token_not_found', what: 'access_token' } as const;
  const refusal = fromBody ? tokenMissing(reason) : invalidToken(reason);
  return refusal.withDiagnostics(undefined, { bearer, isAmbiguous: true });
}

function selectClaims(holder: AccessTokenUser, avatar: string, bearer: string): Record<string, unknown> {
  try {
    return buildUserinfoClaims(holder, parseScope(holder.scope), holder.standard, avatar);
  } catch (error) {
    throw error instanceof OAuthError
      ? error.withDiagnostics(unauthenticatedClient(holder.clientId), { bearer })
      : error;
  }
}
