// Seals the recipient of a sent email, and computes when a page may send the email again.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readQuery } from '../http/parameters.ts';
import type { Services } from '../http/services.ts';
import { EMAIL_LINK_TTL, RESEND_DELAY } from '../oauth/lifetimes.ts';
import { ensureBrowserHolderId, isBoundToBrowser } from './csrf.ts';

const SEAL_PURPOSE = 'sent-email';

interface SentEmail {
  holder: string;
  email: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** Seals the email address for the page's `token` parameter. Only this browser can open the token. */
export function sealSentEmail(reply: FastifyReply, services: Services, email: string): string {
  const holder = ensureBrowserHolderId(reply, services);
  return services.sealer.sealJson(SEAL_PURPOSE, {
    holder,
    email,
    at: services.now().getTime(),
  } satisfies SentEmail);
}

/** Returns undefined if the token has expired, is malformed, or belongs to another browser. */
export function openSentEmail(
  request: FastifyRequest,
  services: Services,
): { email: string; sentAt: Date } | undefined {
  const sent = services.sealer.openJson<SentEmail>(SEAL_PURPOSE, readQuery(request).get('token'));
  if (sent === undefined || !isBoundToBrowser(request, services, sent.holder)) return undefined;
  const { email, at } = sent;
  const isExpired = at + EMAIL_LINK_TTL.identity_sign_up * 1000 < services.now().getTime();
  return isExpired ? undefined : { email, sentAt: new Date(at) };
}

export const secondsUntilResend = (sentAt: Date, { now }: Pick<Services, 'now'>): number =>
  Math.max(0, Math.ceil((sentAt.getTime() - now().getTime()) / 1000) + RESEND_DELAY);
