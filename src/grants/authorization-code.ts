// grant_type=authorization_code: a code, once, within its minute (RFC 6749 §4.1.3).

import { randomUUID } from 'node:crypto';
import { type ApiGrant, audienceOf, consentElements } from '../oauth/api.ts';
import type { AskedAcr } from '../oauth/asked-acr.ts';
import { acrOf } from '../oauth/authentication-methods.ts';
import { differencesOf } from '../oauth/callback-difference.ts';
import type { Client } from '../oauth/client.ts';
import { invalidGrant } from '../oauth/errors.ts';
import { checkVerifier, checkVerifierForm } from '../oauth/pkce.ts';
import type { Reason } from '../oauth/reason.ts';
import { dataScopes, type GrantedScope, OFFLINE_ACCESS } from '../oauth/scopes.ts';
import { withoutCredentials } from '../oauth/shown.ts';
import { codeClue, openCode, sealCode } from '../oauth/tickets.ts';
import { redeemCode } from '../store/grants.ts';
import type { Session } from '../store/sessions.ts';
import {
  checkedWith,
  type GrantServices,
  issueTokens,
  type Refusals,
  type TokenRequest,
  type TokenResponse,
  unreadable,
} from './issue.ts';

/** Redeems an authorization code. @throws OAuthError for every refusal */
export async function redeemAuthorizationCode(
  services: GrantServices,
  request: TokenRequest,
): Promise<TokenResponse> {
  const { form, credentials, now } = request;
  const { database, sealer, config } = services;
  const verifier = form.get('code_verifier');
  checkVerifierForm(verifier);
  const text = form.get('code') ?? '';
  const code = openCode(sealer, text);
  if (code === undefined) throw unreadable('code', text, sealer);
  const clue = codeClue(code);
  const api = checkedWith({ ticket: clue }, () => {
    const redirectUri = form.get('redirect_uri') ?? '';
    if (redirectUri !== code.redirectUri)
      throw invalidGrant(
        'redirect_uri is not the one of the authorization request.',
        otherCallback(redirectUri, code.redirectUri),
      );
    checkVerifier(verifier, code.codeChallenge);
    return audienceOf(form.all('resource'), code);
  });

  const { apis = [] } = code;
  const redemption = {
    ...code,
    consented: [...dataScopes(code.scopes), ...consentElements(apis)],
    apiIds: apis.map(({ apiId }) => apiId),
    now,
    credentials,
    originHash: code.sessionHash,
    createdAt: new Date(code.issuedAt),
    createdAfter: new Date(now.getTime() - config.authorizationCodeTtl * 1000),
  };
  return issueTokens(services, request, {
    ticket: code,
    scopes: code.scopes,
    api,
    decide: (token) => redeemCode(database, redemption, token),
    withIdToken: () => true,
    renewable: code.renewable,
    nonce: code.nonce,
    refusals: REFUSALS,
    clue,
  });
}

const REFUSALS: Refusals = {
  expired: ['The code has expired; codes live for a short time only.', { kind: 'code_expired' }],
  reused: ['The code was already used; everything issued from it has been revoked.', { kind: 'code_used' }],
  gone: [
    'The code is unknown, was revoked, or belongs to another application.',
    { kind: 'token_gone', what: 'code' },
  ],
};

function otherCallback(callback: string, authorized: string): Reason {
  const sent = withoutCredentials(callback);
  const nearest = withoutCredentials(authorized);
  return { kind: 'exchange_callback', sent, nearest, differences: differencesOf(sent, nearest) };
}

/** Issues an authorization code. Nothing is written: the grant is inserted when the code is redeemed. */
export function issueCode(
  { sealer }: Pick<GrantServices, 'sealer'>,
  authorization: {
    clientId: string;
    redirectUri: string;
    scopes: GrantedScope[];
    apis: ApiGrant[];
    codeChallenge: string | undefined;
    nonce: string | undefined;
    acr: AskedAcr;
    session: Session;
    /** Sum of the epochs of account, client and consent. */
    epoch: number;
    /** Id of the grant that the code becomes; random if absent. */
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
    generation: 0,
    userId,
    sid,
    authTime: Math.floor(session.authTime.getTime() / 1000),
    methods: session.methods,
    acr: acrOf(session.methods, acr.values),
    scopes,
    apis,
    sessionHash: session.originHash,
    clientId,
    issuedAt: issuedAt.getTime(),
    epoch,
    redirectUri,
    codeChallenge,
    nonce,
    // Registered clients always get a refresh token, agents if they asked for offline_access.
    renewable: client.agent !== true || scopes.includes(OFFLINE_ACCESS),
  });
}
