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
import type { Parameters } from '../oauth/parameters.ts';
import { otherSessionIdsOf, sessionOf } from './browser.ts';

/** Maximum length of a request that waits in a URL until the user has signed in. */
const MAX_WAITING = 8000;

/** URL at which a request is sent again. @throws OAuthError if it is too long for one */
export function authorizeUrlOf(sent: Parameters): string {
  const query = new URLSearchParams([...sent.entries]).toString();
  if (query.length > MAX_WAITING)
    throw invalidRequest('The authorization request is too long.', { kind: 'request_unreadable' });
  return `/oauth/authorize?${query}`;
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
  sent: Parameters,
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
  const page = otherSessionIdsOf(request).length > 0 ? '/accounts' : '/signin';
  reply.redirect(`${page}?next=${encodeURIComponent(authorizeUrlOf(sent))}`, 303);
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
