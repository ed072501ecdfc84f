// What is asked before anything is done to somebody's account or application: a reason, and that it is really them.
import type { FastifyRequest } from 'fastify';
import { cleanName } from '../../accounts/account-fields.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import type { Messages } from '../../i18n/index.ts';
import type { FormError } from '../../web/html/form.ts';
import { confirmation } from '../../web/member.ts';

const REASON_MAX = 200;

/** A fault of the form, in words once the language is known. */
export type Fault = { field?: string; words: (messages: Messages) => string };

/** What was given as the reason, fit to be shown in the log. */
export const reasonOf = (request: FastifyRequest): string | undefined =>
  cleanName(formOf(request).get('reason') ?? '') || undefined;

/** The faults of what every such form asks for. */
export async function confirmationFaults(request: FastifyRequest, parts: Parts): Promise<Fault[]> {
  const faults: Fault[] = [];
  if ([...(reasonOf(request) ?? '')].length > REASON_MAX)
    faults.push({ field: 'reason', words: ({ operations }) => operations.reasonTooLong });
  const confirmed = await confirmation(request, parts);
  if (confirmed !== 'confirmed')
    faults.push({ field: 'current_password', words: ({ operations }) => operations[confirmed] });
  return faults;
}

export const inWords = (faults: readonly Fault[], messages: Messages): FormError[] =>
  faults.map(({ field, words }) => ({ field, text: words(messages) }));
