// Telling a member by mail of what was just done in their name.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { noticeSecurityChange } from '../credentials/security-notices.ts';
import type { Parts } from '../http/parts.ts';
import { addressOf } from '../http/rate-limit.ts';
import type { SecurityNotice } from '../mail/letter.ts';
import { localeOf } from './browser.ts';
import { memberOf } from './member.ts';

/**
 * Call it once the change is done; it never fails it.
 * @param subject what it was done to: the name of an application, or a mail address
 */
export async function noticeToMember(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Parts,
  kind: SecurityNotice,
  subject?: string,
): Promise<void> {
  const { userId, sid } = memberOf(request);
  const userAgent = request.headers['user-agent'] ?? '';
  const detail = { subject, userAgent, locale: localeOf(request, reply, parts, undefined) };
  const change = { userId, kind, sid, address: addressOf(request), detail };
  await noticeSecurityChange(parts, change, parts.now());
}
