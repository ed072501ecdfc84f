// What signing in and signing up have in common: where one is going, and how one gets in.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Origin } from '../accounts/sign-in.ts';
import { callbackHost } from '../oauth/redirect-uri.ts';
import type { Parts } from '../parts.ts';
import { sessionIdOf } from '../plugins/browser.ts';
import { writeCookie } from '../plugins/cookies.ts';
import { type PendingPage, pendingAddress, pendingPage } from '../plugins/pending.ts';
import { addressOf } from '../plugins/rate-limit.ts';

/** The pending request that a page was opened with, if any. @throws PageFault when it cannot be used */
export async function pendingOf(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Parts,
  text: string | undefined,
): Promise<PendingPage | undefined> {
  return text === undefined ? undefined : pendingPage(request, reply, parts, text);
}

/** The application that the person is on the way to. */
export const destinationOf = ({ facts, pending }: PendingPage): { name: string; host: string } => ({
  name: facts.client.name,
  host: callbackHost(pending.request.redirectUri),
});

/** Where the request comes from, as a session remembers it. */
export const originOf = (request: FastifyRequest, parts: Parts): Origin => ({
  address: addressOf(request),
  userAgent: request.headers['user-agent'] ?? '',
  previousSessionId: sessionIdOf(request, parts),
});

/** Gives the browser its new session and sends it on: to the authorization request, or home. */
export function enter(
  reply: FastifyReply,
  parts: Parts,
  sessionId: string,
  page: PendingPage | undefined,
): FastifyReply {
  writeCookie(reply, 'session', sessionId, { secure: parts.config.secure, maxAge: parts.config.sessionTtl });
  return reply.redirect(page === undefined ? '/' : pendingAddress('/oauth/authorize', page.sealed), 303);
}
