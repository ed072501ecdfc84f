// grant_type=authorization_code: a code, once, within its minute (RFC 6749 §4.1.3; D13, D14).

import { audienceOf, consentElements } from '../oauth/api.ts';
import { differencesOf } from '../oauth/callback-difference.ts';
import { invalidGrant, OAuthError } from '../oauth/errors.ts';
import { verifierFault, verifierRefusal } from '../oauth/pkce.ts';
import type { Reason } from '../oauth/reason.ts';
import { dataScopes } from '../oauth/scopes.ts';
import type { Sealer } from '../oauth/seal.ts';
import { withoutCredentials } from '../oauth/shown.ts';
import { codeClue, openCode, openRefreshToken, ticketClue } from '../oauth/tickets.ts';
import { redeemCode } from '../store/grants.ts';
import type { Grant, Run } from './grant.ts';
import { issueTokens } from './issue.ts';

export const authorizationCode: Grant = {
  required: ['code', 'redirect_uri'],

  prepare(form, { sealer }) {
    const verifier = form.get('code_verifier');
    const fault = verifierFault(verifier);
    if (fault !== undefined) return fault;
    const text = form.get('code') ?? '';
    const code = openCode(sealer, text);
    if (code === undefined) return unknownCode(text, sealer);
    const redirectUri = form.get('redirect_uri') ?? '';
    if (redirectUri !== code.redirectUri)
      return invalidGrant(
        'redirect_uri is not the one of the authorization request.',
        otherCallback(redirectUri, code.redirectUri),
      ).from(undefined, { ticket: codeClue(code) });
    const refusal = verifierRefusal(verifier, code.codeChallenge);
    if (refusal !== undefined) return refusal.from(undefined, { ticket: codeClue(code) });
    const api = audienceOf(form.all('resource'), code);
    if (api instanceof OAuthError) return api.from(undefined, { ticket: codeClue(code) });
    const { apis = [] } = code;

    const run: Run = (parts, credentials, now) =>
      issueTokens(
        parts,
        {
          credentials,
          ticket: code,
          scopes: code.scopes,
          api,
          decide: (token) =>
            redeemCode(
              parts.database,
              {
                ...code,
                consented: [...dataScopes(code.scopes), ...consentElements(apis)],
                apiIds: apis.map(({ apiId }) => apiId),
                now,
                credentials,
                originHash: code.sessionHash,
                createdAt: new Date(code.issuedAt),
                createdAfter: new Date(now.getTime() - parts.config.authorizationCodeTtl * 1000),
              },
              token,
            ),
          withIdToken: () => true,
          renewable: code.renewable,
          nonce: code.nonce,
        },
        now,
      );
    return { run, clue: () => codeClue(code) };
  },

  refusals: {
    expired: ['The code has expired; codes live for a short time only.', { kind: 'code_expired' }],
    reused: ['The code was already used; everything issued from it has been revoked.', { kind: 'code_used' }],
    gone: ['The code is unknown, was revoked, or belongs to another application.', { kind: 'code_gone' }],
  },
};

function unknownCode(text: string, sealer: Sealer): OAuthError {
  const refresh = openRefreshToken(sealer, text);
  const kind =
    refresh !== undefined
      ? 'code_is_refresh_token'
      : text.startsWith('sesame_ac_')
        ? 'code_altered'
        : 'code_unreadable';
  return invalidGrant('The code is unknown.', { kind }).from(
    undefined,
    refresh && { ticket: ticketClue(refresh) },
  );
}

function otherCallback(callback: string, authorized: string): Reason {
  const sent = withoutCredentials(callback);
  const nearest = withoutCredentials(authorized);
  return { kind: 'exchange_callback', sent, nearest, differences: differencesOf(sent, nearest) };
}
