// An agent's authorization request before anything of it is looked into: its document is read for whoever is signed in, so
// everybody else is led to sign in first (D49).
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AgentUnreadable } from '../agents/documents.ts';
import { PageFault } from '../http/failures.ts';
import { withoutSlot } from '../http/overload.ts';
import type { Parts } from '../http/parts.ts';
import { addressOf } from '../http/rate-limit.ts';
import { isPrefetch, isTraceless } from '../http/request.ts';
import { invalidRequest, OAuthError } from '../oauth/errors.ts';
import { type Parameters, parseParameters } from '../oauth/parameters.ts';
import { MAX_UNREAD, openUnread, sealUnread, type UnreadRequest } from '../oauth/pending-request.ts';
import { browserIdsOf, ensureBrowserId, otherSessionIdsOf, sessionOf } from './browser.ts';
import { otherBrowser, unreadablePending } from './pending.ts';

export interface Arrival {
  sent: Parameters;
  /** When it was sent first, in milliseconds since 1970. */
  startedAt: number;
}

/** The request that was sealed before somebody signed in. @throws PageFault where it cannot be used */
export function openArrival(request: FastifyRequest, { sealer, now }: Parts, sealed: string): Arrival {
  const opened = openUnread(sealer, sealed, browserIdsOf(request), now());
  switch (opened.outcome) {
    case 'open':
      return { sent: parseParameters(opened.request.text), startedAt: opened.request.startedAt };
    case 'expired':
      throw new PageFault(
        'requestExpired',
        invalidRequest('The authorization request has expired.', { kind: 'request_expired' }),
        { startAgain: `/oauth/authorize?${opened.request.text}` },
      );
    case 'otherBrowser':
      throw otherBrowser(opened.request.clientId);
    case 'unreadable':
      throw unreadablePending();
  }
}

/** Where a request of an agent goes on, sealed for the browser that holds `browserId`. */
export function arrivalAddress(
  { sealer }: Parts,
  clientId: string,
  { sent, startedAt }: Arrival,
  browserId: string,
) {
  const unread: UnreadRequest = { clientId, text: textOf(sent), startedAt };
  if (unread.text.length > MAX_UNREAD)
    throw invalidRequest('The authorization request is too long.', { kind: 'request_unreadable' });
  return `/oauth/authorize?agent=${sealUnread(sealer, unread, browserId)}`;
}

/** All of it, form-encoded again: what came twice is still there twice, and what cannot be read is still there. */
function textOf(sent: Parameters): string {
  const marred = [...sent.malformed].map((name) => `${encodeURIComponent(name)}=%FF`);
  return [new URLSearchParams([...sent.entries]).toString(), ...marred].join('&');
}

/**
 * Sees to it that an agent is known. Nothing is read for a stranger, nor for a program that only looks, nor before the page is opened.
 * @returns false where the person has been led to sign in first
 * @throws PageFault where there is no going on
 */
export async function isAgentKnown(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Parts,
  clientId: string,
  arrival: Arrival,
): Promise<boolean> {
  try {
    if (await parts.agents.isKnown(clientId)) return true;
    const session = isTraceless(request) ? undefined : await sessionOf(request, parts);
    if (session !== undefined) {
      if (isPrefetch(request)) throw new AgentUnreadable('later', 'Nobody has opened this page yet.');
      await withoutSlot(request, (offSlot) => parts.agents.read(clientId, addressOf(request), offSlot));
      return true;
    }
  } catch (error) {
    if (!(error instanceof AgentUnreadable)) throw error;
    // Never a redirect: nothing is known of where it would lead.
    throw new PageFault(PAGES[error.kind], refusalOf(error), { forDevelopers: error.kind !== 'later' });
  }
  const next = arrivalAddress(parts, clientId, arrival, ensureBrowserId(reply));
  const door = otherSessionIdsOf(request).length > 0 ? '/accounts' : '/signin';
  reply.redirect(`${door}?next=${encodeURIComponent(next)}`, 303);
  return false;
}

const UNREADABLE = { kind: 'agent_unreadable' } as const;
/** Seconds after which there may be room again. */
const LATER = 60;

const PAGES = { later: 'agentLater', blocked: 'agentBlocked', faulty: 'agentUnreadable' } as const;

const refusalOf = ({ kind, message }: AgentUnreadable): OAuthError =>
  kind === 'later'
    ? new OAuthError(503, 'temporarily_unavailable', message, UNREADABLE, {
        headers: { 'retry-after': String(LATER) },
      })
    : new OAuthError(401, 'invalid_client', message, UNREADABLE);

/** The same for a request that the agent itself pushes (RFC 9126). */
export async function readPushingAgent(
  request: FastifyRequest,
  parts: Parts,
  clientId: string,
): Promise<void> {
  try {
    if (await parts.agents.isKnown(clientId)) return;
    await withoutSlot(request, (offSlot) => parts.agents.read(clientId, addressOf(request), offSlot));
  } catch (error) {
    throw error instanceof AgentUnreadable ? refusalOf(error) : error;
  }
}
