// grant_type=authorization_code: a code, once, within its minute (RFC 6749 §4.1.3; D13, D14).
import { invalidGrant, OAuthError } from '../oauth/errors.ts';
import { verifierFault, verifierRefusal } from '../oauth/pkce.ts';
import { narrowedResources } from '../oauth/scopes.ts';
import { openCode } from '../oauth/tickets.ts';
import { redeemCode } from '../store/grants.ts';
import type { Grant } from './index.ts';
import { issueTokens } from './issue.ts';

export const authorizationCode: Grant = {
  required: ['code', 'redirect_uri'],

  prepare(form, { sealer }) {
    const verifier = form.get('code_verifier');
    const fault = verifierFault(verifier);
    if (fault !== undefined) return fault;
    const code = openCode(sealer, form.get('code') ?? '');
    if (code === undefined) return invalidGrant('The code is unknown.');
    if (form.get('redirect_uri') !== code.redirectUri)
      return invalidGrant('redirect_uri is not the one of the authorization request.');
    const refusal = verifierRefusal(verifier, code.codeChallenge);
    if (refusal !== undefined) return refusal;
    const audience = narrowedResources(form.all('resource'), code.resources ?? []);
    if (audience instanceof OAuthError) return audience;

    return (parts, credentials, now) =>
      issueTokens(
        parts,
        {
          credentials,
          ticket: code,
          scopes: code.scopes,
          audience,
          decide: (token) =>
            redeemCode(
              parts.database,
              {
                ...code,
                now,
                credentials,
                originHash: code.sessionHash,
                createdAt: new Date(code.issuedAt),
                createdAfter: new Date(now.getTime() - parts.lifetimes.authorizationCode * 1000),
              },
              token,
            ),
          withIdToken: () => true,
          nonce: code.nonce,
        },
        now,
      );
  },

  refusals: {
    expired: 'The code has expired; codes live for a short time only.',
    reused: 'The code was already used; everything issued from it has been revoked.',
    gone: 'The code is unknown, was revoked, or belongs to another application.',
  },
};
