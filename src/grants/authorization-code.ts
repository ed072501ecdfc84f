// grant_type=authorization_code: issues and redeems codes (RFC 6749 §4.1).

import { randomUUID } from 'node:crypto';
import { type ApiGrant, resolveAudience, toConsentScopes } from '../oauth/api.ts';
import { selectAcr } from '../oauth/authentication-methods.ts';
import type { Client } from '../oauth/client.ts';
import { invalidGrant } from '../oauth/errors.ts';
import { checkVerifier, checkVerifierSyntax } from '../oauth/pkce.ts';
import { redactUrl } from '../oauth/redaction.ts';
import { compareUris } from '../oauth/redirect-uri-mismatch.ts';
import type { RefusalReason } from '../oauth/refusal-reason.ts';
import type { RequestedAcr } from '../oauth/requested-acr.ts';
import { type GrantedScope, OFFLINE_ACCESS, removeOfflineAccess } from '../oauth/scopes.ts';
import { openCode, sealCode, toCodeContext } from '../oauth/token-payload.ts';
import { redeemCode } from '../store/grants.ts';
import type { Session } from '../store/sessions.ts';
import {
  type GrantServices,
  type InvalidGrantErrors,
  issueTokens,
  type TokenRequest,
  type TokenResponse,
  unreadableTokenError,
  withDiagnosticContext,
} from './issue-tokens.ts';

export async function exchangeAuthorizationCode(
  services: GrantServices,
  request: TokenRequest,
): Promise<TokenResponse> {
  const { form, credentials, now } = request;
  const { database, sealer, config } = services;
  const verifier = form.get('code_verifier');
  checkVerifierSyntax(verifier);
  const sealedCode = form.get('code') ?? '';
  const code = openCode(sealer, sealedCode);
  if (code === undefined) throw unreadableTokenError('code', sealedCode, sealer);
  const context = toCodeContext(code);
  const api = withDiagnosticContext({ token: context }, () => {
    const redirectUri = form.get('redirect_uri') ?? '';
    if (redirectUri !== code.redirectUri)
      throw invalidGrant(
        'redirect_uri differs from the redirect_uri in the authorization request.',
        describeRedirectUriMismatch(redirectUri, code.redirectUri),
      );
    checkVerifier(verifier, code.codeChallenge);
    return resolveAudience(form.getAll('resource'), code);
  });

  const { apis = [] } = code;
  const redemption = {
    ...code,
    consented: [...removeOfflineAccess(code.scopes), ...toConsentScopes(apis)],
    apiIds: apis.map(({ apiId }) => apiId),
    now,
    credentials,
    originHash: code.sessionHash,
    createdAt: new Date(code.issuedAt),
    createdAfter: new Date(now.getTime() - config.authorizationCodeTtl * 1000),
  };
  return issueTokens(services, request, {
    payload: code,
    scopes: code.scopes,
    api,
    decide: (token) => redeemCode(database, redemption, token),
    includesIdToken: () => true,
    hasRefreshToken: code.hasRefreshToken,
    nonce: code.nonce,
    invalidGrantErrors: INVALID_GRANT_ERRORS,
    context,
  });
}

const INVALID_GRANT_ERRORS: InvalidGrantErrors = {
  expired: ['The code has expired.', { kind: 'code_expired' }],
  reused: ['The code was already used. All tokens issued from it have been revoked.', { kind: 'code_used' }],
  notFound: [
    'The code is unknown, was revoked, or belongs to another application.',
    { kind: 'token_not_found', what: 'code' },
  ],
};

function describeRedirectUriMismatch(redirectUri: string, authorizedUri: string): RefusalReason {
  const sent = redactUrl(redirectUri);
  const nearest = redactUrl(authorizedUri);
  return { kind: 'redirect_uri_mismatch', sent, nearest, differences: compareUris(sent, nearest) };
}

/** Issues a code without a database write. Redeeming the code inserts the grant (ADR 1). */
export function issueCode(
  { sealer }: Pick<GrantServices, 'sealer'>,
  authorization: {
    clientId: string;
    redirectUri: string;
    scopes: GrantedScope[];
    apis: ApiGrant[];
    codeChallenge: string | undefined;
    nonce: string | undefined;
    acr: RequestedAcr;
    session: Session;
    /** Sum of the account, client and consent epochs. */
    epoch: number;
    grantId?: string;
    client: Client;
  },
  issuedAt: Date,
): string {
  const { clientId, session, epoch, scopes, apis, grantId = randomUUID() } = authorization;
  const { redirectUri, codeChallenge, nonce, client, acr } = authorization;
  const { userId, sid } = session;
  return sealCode(sealer, {
    grantId,
    rotation: 0,
    userId,
    sid,
    authTime: Math.floor(session.authTime.getTime() / 1000),
    methods: session.methods,
    acr: selectAcr(session.methods, acr.values),
    scopes,
    apis,
    sessionHash: session.originHash,
    clientId,
    issuedAt: issuedAt.getTime(),
    epoch,
    redirectUri,
    codeChallenge,
    nonce,
    // Registered clients always get a refresh token. Agents need offline_access.
    hasRefreshToken: client.agent !== true || scopes.includes(OFFLINE_ACCESS),
  });
}
