// Seals pending and pushed authorization requests (RFC 9126) instead of storing them.
import { hash, randomUUID } from 'node:crypto';
import { type AuthorizationRequest, listRequestedScopes } from './authorization-request.ts';
import { PENDING_REQUEST_TTL, PUSHED_REQUEST_TTL } from './lifetimes.ts';
import { type Parameters, parseParameters } from './parameters.ts';
import { toAcrParameters } from './requested-acr.ts';
import type { Sealer } from './seal.ts';

export interface PendingRequest {
  request: AuthorizationRequest;
  /** In milliseconds since the Unix epoch. prompt=login requires a sign-in after this time. */
  startedAt: number;
  selectedUserId?: string | undefined;
  skipsVoluntaryAcr?: true;
  /** Only this account may submit the consent page. */
  consentUserId: string | undefined;
  /** Digest of the agent and the APIs on the consent page. If either changes, the decision is rejected. */
  consentDigest?: string | undefined;
  isTestSignIn?: true;
}

const hashBrowserId = (browserId: string): string => hash('sha256', browserId, 'base64url');

export const sealPendingRequest = (sealer: Sealer, pending: PendingRequest, browserId: string): string =>
  sealer.sealJson('pending', { ...pending, binding: hashBrowserId(browserId) });

type OpenedRequest =
  | { outcome: 'open' | 'expired' | 'otherBrowser'; request: PendingRequest }
  | { outcome: 'unreadable' };

export function openPendingRequest(
  sealer: Sealer,
  sealed: string,
  browserIds: readonly string[],
  now: Date,
): OpenedRequest {
  const opened = sealer.openJson<PendingRequest & { binding: string }>('pending', sealed);
  if (opened === undefined) return { outcome: 'unreadable' };
  const { binding, ...request } = opened;
  if (!browserIds.some((id) => hashBrowserId(id) === binding)) return { outcome: 'otherBrowser', request };
  const isExpired = now.getTime() - request.startedAt > PENDING_REQUEST_TTL * 1000;
  return { outcome: isExpired ? 'expired' : 'open', request };
}

export function toAuthorizationQuery(request: AuthorizationRequest): string {
  const query = new URLSearchParams({
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    response_type: 'code',
    ...(!request.userSelectsScopes && { scope: listRequestedScopes(request).join(' ') }),
  });
  const optional = {
    state: request.state,
    nonce: request.nonce,
    code_challenge: request.codeChallenge,
    code_challenge_method: request.codeChallenge && 'S256',
    prompt: request.prompts.join(' ') || undefined,
    max_age: request.maxAge?.toString(),
    ...toAcrParameters(request.acr, request.idTokenHint === undefined ? request.hintedUserId : undefined),
    ui_locales: request.uiLocales,
    login_hint: request.loginHint,
    provider_hint: request.providerHint,
    id_token_hint: request.idTokenHint,
    response_mode: request.responseMode === 'query' ? undefined : request.responseMode,
  };
  for (const [name, value] of Object.entries(optional)) if (value !== undefined) query.set(name, value);
  for (const { identifier } of request.apis) query.append('resource', identifier);
  return query.toString();
}

const REQUEST_URI_PREFIX = 'urn:ietf:params:oauth:request_uri:';

/** Other request URIs are rejected and never fetched. */
export const isPushedRequestUri = (requestUri: string): boolean => requestUri.startsWith(REQUEST_URI_PREFIX);

export function sealPushedRequest(sealer: Sealer, request: AuthorizationRequest, now: Date): string {
  const expiresAt = now.getTime() + PUSHED_REQUEST_TTL * 1000;
  const content = [request.clientId, expiresAt, toAuthorizationQuery(request), randomUUID()];
  return REQUEST_URI_PREFIX + sealer.sealJson('pushed-request', content);
}

export function openPushedRequest(
  sealer: Sealer,
  requestUri: string,
  clientId: string,
  now: Date,
): Parameters | 'unknown' | 'expired' {
  const sealed = requestUri.slice(REQUEST_URI_PREFIX.length);
  const opened = sealer.openJson<[string, number, string]>('pushed-request', sealed);
  if (opened === undefined) return 'unknown';
  const [pushedBy, expiresAt, query] = opened;
  if (pushedBy !== clientId) return 'unknown';
  return expiresAt <= now.getTime() ? 'expired' : parseParameters(query);
}
