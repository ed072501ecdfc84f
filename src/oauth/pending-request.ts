// The pending authorization request: sealed into the address of each page on the way, bound to one browser (D9).

import { hash } from 'node:crypto';
import { ASKED_NOTHING, askingAgain } from './asked-acr.ts';
import { type AuthorizationRequest, wordsOf } from './authorization-request.ts';
import { PENDING_REQUEST } from './lifetimes.ts';
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
  /** The grant that a yes on that page begins: one form, one grant, however often it is sent. */
  grantId?: string | undefined;
}

/** The id itself stays in its cookie, even for whoever can open what is sealed. */
export const bindingOf = (browserId: string): string => hash('sha256', browserId, 'base64url');

type Sealed = PendingRequest & { binding: string };

/** Seals a pending request for the browser that holds `browserId`. */
export function sealPending(sealer: Sealer, pending: PendingRequest, browserId: string): string {
  const sealed: Sealed = { ...pending, binding: bindingOf(browserId) };
  return sealer.sealJson('pending', sealed);
}

/** What became of a sealed request that a browser brought back. */
export type OpenedPending =
  | { outcome: 'open'; pending: PendingRequest }
  | { outcome: 'expired'; pending: PendingRequest }
  | { outcome: 'otherBrowser'; clientId: string }
  | { outcome: 'unreadable' };

/** Opens a sealed pending request for a browser that presents any of `browserIds`. */
export function openPending(sealer: Sealer, sealed: string, browserIds: string[], now: Date): OpenedPending {
  const opened = sealer.openJson<Sealed>('pending', sealed);
  if (opened === undefined) return { outcome: 'unreadable' };
  const { binding, ...pending } = opened;
  pending.request.acr ??= ASKED_NOTHING; // sealed by a version that knew nothing of it
  pending.request.apis ??= []; // the same
  if (!browserIds.some((id) => bindingOf(id) === binding))
    return { outcome: 'otherBrowser', clientId: pending.request.clientId };
  const isOver = now.getTime() - pending.startedAt > PENDING_REQUEST * 1000;
  return { outcome: isOver ? 'expired' : 'open', pending };
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
