// grant_type=refresh_token: renewal with rotation, reuse ends the grant (RFC 6749 §6; D15, D16).
import { invalidGrant, OAuthError } from '../oauth/errors.ts';
import { narrowedResources, narrowedScopes } from '../oauth/scopes.ts';
import { openRefreshToken } from '../oauth/tickets.ts';
import { advanceGrant } from '../store/grants.ts';
import type { Grant } from './index.ts';
import { issueTokens } from './issue.ts';

export const refreshToken: Grant = {
  required: ['refresh_token'],

  prepare(form, { sealer }) {
    const ticket = openRefreshToken(sealer, form.get('refresh_token') ?? '');
    if (ticket === undefined) return invalidGrant('The refresh token is unknown.');
    const scopes = narrowedScopes(form.get('scope'), ticket.scopes);
    if (scopes instanceof OAuthError) return scopes;
    const audience = narrowedResources(form.all('resource'), ticket.resources ?? []);
    if (audience instanceof OAuthError) return audience;

    return (parts, credentials, now) => {
      const { refreshTokenIdle, refreshTokenMax } = parts.lifetimes;
      const before = (seconds: number) => new Date(now.getTime() - seconds * 1000);
      return issueTokens(
        parts,
        {
          credentials,
          ticket,
          scopes,
          audience,
          decide: (token) =>
            advanceGrant(
              parts.database,
              {
                ...ticket,
                now,
                credentials,
                advancedAfter: before(refreshTokenIdle),
                createdAfter: refreshTokenMax === 0 ? new Date(0) : before(refreshTokenMax),
              },
              token,
            ),
          withIdToken: (standard) => standard,
          nonce: undefined,
        },
        now,
      );
    };
  },

  refusals: {
    expired: 'The refresh token has expired; the person has to sign in again.',
    reused: 'The refresh token was already used; everything granted with it has been revoked.',
    gone: 'The refresh token is unknown, was revoked, or belongs to another application.',
  },
};
