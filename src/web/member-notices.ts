// Telling a member by mail of what was just done in their name.
import type { FastifyRequest } from 'fastify';
import { noticeSecurityChange } from '../credentials/security-notices.ts';
import type { Parts } from '../http/parts.ts';
import type { SecurityNotice } from '../mail/letter.ts';
import { fromOf } from './browser.ts';
import { memberOf } from './member.ts';

/**
 * Call it once the change is done; it never fails it.
 * @param subject what it was done to: the name of an application, or a mail address
 */
export async function noticeToMember(
  request: FastifyRequest,
  parts: Parts,
  kind: SecurityNotice,
  subject?: string,
): Promise<void> {
  const { userId, startedAt: since } = memberOf(request);
  const { address, ...from } = fromOf(request);
  const change = { userId, kind, since, address, detail: { ...from, subject } };
  await noticeSecurityChange(parts, change, parts.now());
}
