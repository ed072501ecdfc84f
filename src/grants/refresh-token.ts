// grant_type=refresh_token: rotation with reuse detection (RFC 6749 §6, RFC 9700 §4.14.2).
import { type ApiGrant, narrowApiScopes, resolveAudience } from '../oauth/api.ts';
import { isMultiFactor } from '../oauth/authentication-methods.ts';
import type { Parameters } from '../oauth/parameters.ts';
import { type GrantedScope, narrowScopes } from '../oauth/scopes.ts';
import { openRefreshToken, type TokenPayload, toRefreshTokenContext } from '../oauth/token-payload.ts';
import { rotateGrant } from '../store/grants.ts';
import {
  type GrantServices,
  type InvalidGrantErrors,
  issueTokens,
  type TokenRequest,
  type TokenResponse,
  unreadableTokenError,
  withDiagnosticContext,
} from './issue-tokens.ts';

export async function exchangeRefreshToken(
  services: GrantServices,
  request: TokenRequest,
): Promise<TokenResponse> {
  const { form, credentials, now } = request;
  const { refreshTokenIdleTtl, refreshTokenMaxTtl, mfaPolicy } = services.config;
  const refreshToken = form.get('refresh_token') ?? '';
  const payload = openRefreshToken(services.sealer, refreshToken);
  if (payload === undefined) throw unreadableTokenError('refresh_token', refreshToken, services.sealer);
  const context = toRefreshTokenContext(payload);
  const target = withDiagnosticContext({ token: context }, () => resolveAudienceAndScopes(form, payload));

  const secondsAgo = (seconds: number) => new Date(now.getTime() - seconds * 1000);
  return issueTokens(services, request, {
    payload,
    ...target,
    decide: (token) =>
      rotateGrant(
        services.database,
        {
          ...payload,
          now,
          credentials,
          rotatedAfter: secondsAgo(refreshTokenIdleTtl),
          createdAfter: refreshTokenMaxTtl === 0 ? new Date(0) : secondsAgo(refreshTokenMaxTtl),
          hasMfa: isMultiFactor(payload.methods),
          mfaPolicy,
        },
        token,
      ),
    includesIdToken: (standard) => standard,
    nonce: undefined,
    invalidGrantErrors: INVALID_GRANT_ERRORS,
    context,
  });
}

const INVALID_GRANT_ERRORS: InvalidGrantErrors = {
  expired: ['The refresh token has expired. The user must sign in again.', { kind: 'refresh_token_expired' }],
  reused: [
    "The refresh token was already used. Its grant and all of the grant's tokens have been revoked.",
    { kind: 'refresh_token_used' },
  ],
  mfaMissing: [
    'Multi-factor authentication is now required. The user must sign in again.',
    { kind: 'mfa_required' },
  ],
  notFound: [
    'The refresh token is unknown, was revoked, or belongs to another application.',
    { kind: 'token_not_found', what: 'refresh_token' },
  ],
};

function resolveAudienceAndScopes(
  form: Parameters,
  payload: TokenPayload,
): { scopes: GrantedScope[]; api: ApiGrant | null } {
  const scopeParameter = form.get('scope');
  const api = resolveAudience(form.getAll('resource'), payload);
  if (api === null) return { scopes: narrowScopes(scopeParameter, payload.scopes), api };
  const granted = [...payload.scopes, ...(payload.apis ?? []).flatMap(({ scopes }) => scopes)];
  return { scopes: payload.scopes, api: narrowApiScopes(scopeParameter, api, granted) };
}
