// Getting in by a passkey, on whichever page by which one enters it was shown.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { logPasskeyRefusal } from '../credentials/passkey-refusal.ts';
import { signInByPasskey } from '../credentials/passkey-use.ts';
import { relyingPartyOf } from '../credentials/relying-party.ts';
import { formOf } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';
import { enter, type Onward, originOf } from './entering.ts';
import type { Refusal } from './faults.ts';
import { suspendedFault } from './faults.ts';
import { noticeSignIn } from './known-browsers.ts';
import { openHolders } from './passkeys.ts';

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
): Promise<Refusal | (() => FastifyReply)> {
  const rp = relyingPartyOf(parts.config);
  const showing = { answer: formOf(request).get('passkey'), holders: openHolders(request, parts) };
  const session =
    rp === undefined
      ? { refused: 'no passkeys at an IP address' }
      : await signInByPasskey(parts, { rp, ...showing }, originOf(request), parts.now());
  if (session === 'suspended') return { status: 403, faults: [suspendedFault(parts.config)] };
  if (session === 'behind') return { status: 401, faults: [{ text: ({ passkeys }) => passkeys.behind }] };
  if ('refused' in session) {
    logPasskeyRefusal(request.log, session);
    return { status: 401, faults: [{ text: ({ passkeys }) => passkeys[refused] }] };
  }
  await noticeSignIn(reply, parts, session);
  return () => enter(reply, session, onward);
}
