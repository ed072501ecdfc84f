// The pending request that a page belongs to: opened for this browser, looked up, its faults turned into pages (D8, D9).
import type { FastifyReply, FastifyRequest } from 'fastify';
import { nextStep, type Step } from '../oauth/next-step.ts';
import {
  type OpenedPending,
  openPending,
  type PendingRequest,
  requestQuery,
  sealPending,
} from '../oauth/pending-request.ts';
import { matchesRedirectUri } from '../oauth/redirect-uri.ts';
import type { Parts } from '../parts.ts';
import { type AuthorizationFacts, findAuthorizationFacts } from '../store/authorizations.ts';
import { browserIdsOf, chosenLanguage, ensureBrowserId, sessionHashOf } from './browser.ts';
import { PageFault } from './failures.ts';

/** A pending request with what it is decided on, and its sealed form for the next page. */
export interface PendingPage {
  pending: PendingRequest;
  facts: AuthorizationFacts;
  sealed: string;
}

/** The address at which a pending request goes on. */
export const pendingAddress = (
  path: '/oauth/authorize' | '/signin' | '/signup' | '/consent' | '/password/forgot',
  sealed: string,
) => `${path}?pending=${sealed}`;

/**
 * Opens what the browser brought back and looks the application up again.
 * @throws PageFault when it expired, belongs to another browser, or the application can no longer be answered
 */
export async function pendingPage(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Parts,
  text: string,
): Promise<PendingPage> {
  const opened = openPending(parts.sealer, text, browserIdsOf(request, parts), parts.now());
  const pending = orFault(opened);
  const wish = chosenLanguage(request);
  if (wish !== undefined) pending.request.uiLocales = wish; // the person's own choice outlives the application's wish
  const facts = await findAuthorizationFacts(
    parts.database,
    pending.request.clientId,
    sessionHashOf(request, parts),
    parts.now(),
  );
  if (facts === undefined)
    throw new PageFault('applicationGone', 403, 'access_denied', 'The application is no longer registered.');
  const { client } = facts;
  if (!matchesRedirectUri(pending.request.redirectUri, client.redirectUris, client.type))
    throw unregisteredCallback();
  return { pending, facts, sealed: seal(request, reply, parts, pending) };
}

/** The next step of a pending request, as things stand now. */
export const stepOf = (pending: PendingRequest, facts: AuthorizationFacts, now: Date): Step =>
  nextStep({
    request: pending.request,
    startedAt: pending.startedAt,
    client: facts.client,
    signedInAt: facts.session?.authTime.getTime(),
    userId: facts.session?.userId,
    consentedScopes: facts.consentedScopes,
    now: now.getTime(),
  });

/** Seals a pending request for this browser. */
export const seal = (
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Parts,
  pending: PendingRequest,
): string => sealPending(parts.sealer, pending, ensureBrowserId(request, reply, parts));

/** 400: the callback is none of the application's; never redirected to (D1). */
export const unregisteredCallback = (): PageFault =>
  new PageFault(
    'invalidCallback',
    400,
    'invalid_request',
    'redirect_uri is not one of the callback URLs registered for this application; they are compared character by character.',
  );

function orFault(opened: OpenedPending): PendingRequest {
  switch (opened.outcome) {
    case 'open':
      return opened.pending;
    case 'expired':
      throw new PageFault(
        'requestExpired',
        400,
        'invalid_request',
        'The authorization request has expired.',
        {
          startAgain: `/oauth/authorize?${requestQuery(opened.pending.request)}`,
        },
      );
    case 'otherBrowser':
      throw new PageFault(
        'otherBrowser',
        400,
        'invalid_request',
        'The authorization request began in another browser.',
      );
    case 'unreadable':
      throw new PageFault('badRequest', 400, 'invalid_request', 'The pending request cannot be read.');
  }
}
