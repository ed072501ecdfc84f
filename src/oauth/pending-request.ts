// Authorization requests sealed for later: pending or pushed.
import { hash, randomUUID } from 'node:crypto';
import { askingAgain } from './asked-acr.ts';
import { type AuthorizationRequest, wordsOf } from './authorization-request.ts';
import { PENDING_REQUEST, PUSHED_REQUEST } from './lifetimes.ts';
import { type Parameters, parseParameters } from './parameters.ts';
import type { Sealer } from './seal.ts';

/** An authorization request on its way through the pages. */
export interface PendingRequest {
  request: AuthorizationRequest;
  /** When it arrived, in milliseconds since 1970: a sign-in after that satisfies prompt=login. */
  startedAt: number;
  /** The account that was chosen among those signed in in the browser, on the way of this very request. */
  chosen?: string | undefined;
  /** The person has answered what the application only wishes for of their sign-in: by what they have shown, or by going on without. */
  wishAnswered?: true;
  /** The account for which the consent page was shown; nobody else may decide on that page (D9). */
  shownTo: string | undefined;
  /** What that page said of agent and APIs (`lookOf`): where that has changed, nobody has agreed to it. */
  shownAs?: string | undefined;
}

/** The digest of a browser's id: the id itself stays in its cookie. */
const bindingOf = (browserId: string): string => hash('sha256', browserId, 'base64url');

export const sealPending = (sealer: Sealer, pending: PendingRequest, browserId: string): string =>
  sealer.sealJson('pending', { ...pending, binding: bindingOf(browserId) });

/** A request that a browser brought back; `otherBrowser` if it was sealed for another one. */
type Opened =
  | { outcome: 'open' | 'expired' | 'otherBrowser'; request: PendingRequest }
  | { outcome: 'unreadable' };

/** Opens a pending request for a browser that presents these ids. */
export function openPending(
  sealer: Sealer,
  sealed: string,
  browserIds: readonly string[],
  now: Date,
): Opened {
  const opened = sealer.openJson<PendingRequest & { binding: string }>('pending', sealed);
  if (opened === undefined) return { outcome: 'unreadable' };
  const { binding, ...request } = opened;
  if (!browserIds.some((id) => bindingOf(id) === binding)) return { outcome: 'otherBrowser', request };
  const isOver = now.getTime() - request.startedAt > PENDING_REQUEST * 1000;
  return { outcome: isOver ? 'expired' : 'open', request };
}

/** The query of an authorization request, to start an expired one again with all that was kept of it. */
export function requestQuery(request: AuthorizationRequest): string {
  const query = new URLSearchParams({
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    response_type: 'code',
    ...(!request.picks && { scope: wordsOf(request).join(' ') }),
  });
  const optional = {
    state: request.state,
    nonce: request.nonce,
    code_challenge: request.codeChallenge,
    code_challenge_method: request.codeChallenge && 'S256',
    prompt: request.prompts.join(' ') || undefined,
    max_age: request.maxAge?.toString(),
    ...askingAgain(request.acr, request.idTokenHint === undefined ? request.hintedUserId : undefined),
    ui_locales: request.uiLocales,
    login_hint: request.loginHint,
    id_token_hint: request.idTokenHint,
    response_mode: request.responseMode === 'query' ? undefined : request.responseMode,
  };
  for (const [name, value] of Object.entries(optional)) if (value !== undefined) query.set(name, value);
  for (const { identifier } of request.apis) query.append('resource', identifier);
  return query.toString();
}

const PREFIX = 'urn:ietf:params:oauth:request_uri:';

/** Whether a request_uri is of the kind that this service gives out; any other is never fetched. */
export const isPushed = (requestUri: string): boolean => requestUri.startsWith(PREFIX);

/** Names a request that its application has pushed: what was understood of it, so that the name fits into an address. */
export function sealPushed(sealer: Sealer, request: AuthorizationRequest, now: Date): string {
  const expiresAt = now.getTime() + PUSHED_REQUEST * 1000;
  const content = [request.clientId, expiresAt, requestQuery(request), randomUUID()];
  return PREFIX + sealer.sealJson('pushed-request', content);
}

/** The parameters of a pushed request, or what is wrong with its name for this application at this time. */
export function openPushed(
  sealer: Sealer,
  requestUri: string,
  clientId: string,
  now: Date,
): Parameters | 'unknown' | 'expired' {
  const name = requestUri.slice(PREFIX.length);
  const opened = sealer.openJson<[string, number, string]>('pushed-request', name);
  if (opened === undefined) return 'unknown';
  const [owner, expiresAt, query] = opened;
  if (owner !== clientId) return 'unknown';
  return expiresAt <= now.getTime() ? 'expired' : parseParameters(query);
}
