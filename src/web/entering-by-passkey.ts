// Getting in by a passkey, on whichever page by which one enters it was shown.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { signInByPasskey } from '../credentials/passkey-use.ts';
import { readAssertion, relyingPartyOf } from '../credentials/relying-party.ts';
import { formOf } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';
import { enter, type Onward, originOf } from './entering.ts';
import { type Fault, suspendedFault } from './faults.ts';
import { noticeSignIn } from './known-browsers.ts';
import { openHolders } from './passkeys.ts';

/** Why somebody was not let in. */
interface NotIn {
  status: number;
  faults: readonly Fault[];
  /** The id of the passkey, where there is none such here: whatever keeps it should forget it. */
  unknown?: string | undefined;
}

/**
 * Enters by the passkey that the form of a request brings in its field `passkey`.
 * @param refused what is said of one that opens nothing: on the sign-in page, or where the account is known already
 */
export async function enterByPasskey(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Parts,
  onward: Onward,
  refused: 'refused' | 'refusedHere' = 'refused',
): Promise<NotIn | (() => FastifyReply)> {
  const rp = relyingPartyOf(parts.config);
  const answer = formOf(request).get('passkey');
  const showing = { answer, holders: openHolders(request, parts) };
  const session =
    rp === undefined
      ? 'refused'
      : await signInByPasskey(parts, { rp, ...showing }, originOf(request), parts.now());
  if (session === 'suspended') return { status: 403, faults: [suspendedFault(parts.config)] };
  if (typeof session === 'string') {
    const which = session === 'behind' ? 'behind' : refused;
    return {
      status: 401,
      faults: [{ text: ({ passkeys }) => passkeys[which] }],
      unknown: session === 'unknown' ? readAssertion(answer)?.id : undefined,
    };
  }
  await noticeSignIn(reply, parts, session);
  return () => enter(reply, session, onward);
}
