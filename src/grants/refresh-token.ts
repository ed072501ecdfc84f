// grant_type=refresh_token: renewal with rotation, reuse ends the grant (RFC 6749 §6; D15, D16).
import { type ApiGrant, audienceOf, narrowedApi } from '../oauth/api.ts';
import { isStrong } from '../oauth/authentication-methods.ts';
import { invalidGrant, OAuthError } from '../oauth/errors.ts';
import type { Parameters } from '../oauth/parameters.ts';
import { type GrantedScope, narrowedScopes } from '../oauth/scopes.ts';
import type { Sealer } from '../oauth/seal.ts';
import { codeClue, openCode, openRefreshToken, type Ticket, ticketClue } from '../oauth/tickets.ts';
import { advanceGrant } from '../store/grants.ts';
import type { Grant, Run } from './grant.ts';
import { issueTokens } from './issue.ts';

export const refreshToken: Grant = {
  required: ['refresh_token'],

  prepare(form, { sealer }) {
    const text = form.get('refresh_token') ?? '';
    const ticket = openRefreshToken(sealer, text);
    if (ticket === undefined) return unknownToken(text, sealer);
    const asked = askedOf(form, ticket);
    if (asked instanceof OAuthError) return asked.from(undefined, { ticket: ticketClue(ticket) });

    const run: Run = (parts, credentials, now) => {
      const { refreshTokenIdleTtl, refreshTokenMaxTtl, secondFactor } = parts.config;
      const before = (seconds: number) => new Date(now.getTime() - seconds * 1000);
      return issueTokens(
        parts,
        {
          credentials,
          ticket,
          ...asked,
          decide: (token) =>
            advanceGrant(
              parts.database,
              {
                ...ticket,
                now,
                credentials,
                advancedAfter: before(refreshTokenIdleTtl),
                createdAfter: refreshTokenMaxTtl === 0 ? new Date(0) : before(refreshTokenMaxTtl),
                strong: isStrong(ticket.methods),
                demand: secondFactor,
              },
              token,
            ),
          withIdToken: (standard) => standard,
          nonce: undefined,
        },
        now,
      );
    };
    return { run, clue: () => ticketClue(ticket) };
  },

  refusals: {
    expired: [
      'The refresh token has expired; the person has to sign in again.',
      { kind: 'refresh_token_expired' },
    ],
    reused: [
      'The refresh token was already used; everything granted with it has been revoked.',
      { kind: 'refresh_token_used' },
    ],
    tooLittle: [
      'A second factor is demanded by now, and none was shown for this grant; the person has to sign in again.',
      { kind: 'second_factor_demanded' },
    ],
    gone: [
      'The refresh token is unknown, was revoked, or belongs to another application.',
      { kind: 'refresh_token_gone' },
    ],
  },
};

/** What the new access token is to be for: fewer scopes where the request says so, of the one thing that it is for (D15, D47). */
function askedOf(
  form: Parameters,
  ticket: Ticket,
): { scopes: GrantedScope[]; api: ApiGrant | null } | OAuthError {
  const text = form.get('scope');
  const api = audienceOf(form.all('resource'), ticket);
  if (api instanceof OAuthError) return api;
  if (api === null) {
    const scopes = narrowedScopes(text, ticket.scopes);
    return scopes instanceof OAuthError ? scopes : { scopes, api };
  }
  const granted = [...ticket.scopes, ...(ticket.apis ?? []).flatMap(({ scopes }) => scopes)];
  const narrowed = narrowedApi(text, api, granted);
  return narrowed instanceof OAuthError ? narrowed : { scopes: ticket.scopes, api: narrowed };
}

function unknownToken(text: string, sealer: Sealer): OAuthError {
  const code = openCode(sealer, text);
  const kind =
    code !== undefined
      ? 'refresh_token_is_code'
      : text.startsWith('sesame_rt_')
        ? 'refresh_token_altered'
        : 'refresh_token_unreadable';
  return invalidGrant('The refresh token is unknown.', { kind }).from(
    undefined,
    code && { ticket: codeClue(code) },
  );
}
