// grant_type=refresh_token: rotation, and reuse ends the grant (RFC 6749 §6).
import { type ApiGrant, audienceOf, narrowedApi } from '../oauth/api.ts';
import { isStrong } from '../oauth/authentication-methods.ts';
import type { Parameters } from '../oauth/parameters.ts';
import { type GrantedScope, narrowedScopes } from '../oauth/scopes.ts';
import { openRefreshToken, type Ticket, ticketClue } from '../oauth/tickets.ts';
import { advanceGrant } from '../store/grants.ts';
import {
  checkedWith,
  type GrantServices,
  issueTokens,
  type Refusals,
  type TokenRequest,
  type TokenResponse,
  unreadable,
} from './issue.ts';

/** Exchanges a refresh token for the next access and refresh token. @throws OAuthError for every refusal */
export async function refreshTokens(services: GrantServices, request: TokenRequest): Promise<TokenResponse> {
  const { form, credentials, now } = request;
  const { refreshTokenIdleTtl, refreshTokenMaxTtl, secondFactor } = services.config;
  const text = form.get('refresh_token') ?? '';
  const ticket = openRefreshToken(services.sealer, text);
  if (ticket === undefined) throw unreadable('refresh_token', text, services.sealer);
  const clue = ticketClue(ticket);
  const target = checkedWith({ ticket: clue }, () => targetOf(form, ticket));

  const before = (seconds: number) => new Date(now.getTime() - seconds * 1000);
  return issueTokens(services, request, {
    ticket,
    ...target,
    decide: (token) =>
      advanceGrant(
        services.database,
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
    refusals: REFUSALS,
    clue,
  });
}

const REFUSALS: Refusals = {
  expired: [
    'The refresh token has expired; the person has to sign in again.',
    { kind: 'refresh_token_expired' },
  ],
  reused: [
    'The refresh token was already used; everything granted with it has been revoked.',
    { kind: 'refresh_token_used' },
  ],
  tooLittle: [
    'Multi-factor authentication is now required. The person has to sign in again.',
    { kind: 'second_factor_demanded' },
  ],
  gone: [
    'The refresh token is unknown, was revoked, or belongs to another application.',
    { kind: 'token_gone', what: 'refresh_token' },
  ],
};

/** What the new access token is for: its one audience, and fewer scopes if the request says so. */
function targetOf(form: Parameters, ticket: Ticket): { scopes: GrantedScope[]; api: ApiGrant | null } {
  const text = form.get('scope');
  const api = audienceOf(form.all('resource'), ticket);
  if (api === null) return { scopes: narrowedScopes(text, ticket.scopes), api };
  const granted = [...ticket.scopes, ...(ticket.apis ?? []).flatMap(({ scopes }) => scopes)];
  return { scopes: ticket.scopes, api: narrowedApi(text, api, granted) };
}
