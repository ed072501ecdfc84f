// What is asked before anything is done to somebody's account or application: a reason, and that it is really them.
import type { FastifyRequest } from 'fastify';
import { cleanName } from '../../accounts/account-fields.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import type { Fault } from '../../web/faults.ts';
import { confirmation } from '../../web/member.ts';

const REASON_MAX = 200;

/** What was given as the reason, fit to be shown in the log. */
export const reasonOf = (request: FastifyRequest): string | undefined =>
  cleanName(formOf(request).get('reason') ?? '') || undefined;

/** The faults of what every such form asks for. */
export async function confirmationFaults(request: FastifyRequest, parts: Parts): Promise<Fault[]> {
  const faults: Fault[] = [];
  if ([...(reasonOf(request) ?? '')].length > REASON_MAX)
    faults.push({ field: 'reason', text: ({ operations }) => operations.reasonTooLong });
  const confirmed = await confirmation(request, parts);
  if (confirmed !== 'confirmed')
    faults.push({ field: 'current_password', text: ({ operations }) => operations[confirmed] });
  return faults;
}
