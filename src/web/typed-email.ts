// The address that somebody has typed, on its way between the pages by which one enters: sealed for this browser, so that it
// stands in no log, and no link fills in somebody else's.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { queryOf } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';
import { EMAIL_MAX_LENGTH } from '../oauth/email.ts';
import { openFormHolder } from './asking.ts';
import { browserIdsOf } from './browser.ts';
import { holderOf } from './csrf.ts';
import { withParameter } from './entering.ts';

const PURPOSE = 'typed-email';

/** An address of ours that knows what was typed: what is not yet a mail address, too. */
export function withTyped(reply: FastifyReply, parts: Parts, address: string, email: string): string {
  if (email === '' || email.length > EMAIL_MAX_LENGTH) return address;
  const typed = parts.sealer.sealJson(PURPOSE, [openFormHolder(reply, parts), email]);
  return withParameter(address, 'typed', typed);
}

/** What was typed on the page before, in this browser. */
export function typedEmail(request: FastifyRequest, { sealer }: Parts): string | undefined {
  const [holder, email] = sealer.openJson<[string, string]>(PURPOSE, queryOf(request).get('typed')) ?? [];
  return browserIdsOf(request).some((id) => holderOf(sealer, id) === holder) ? email : undefined;
}
