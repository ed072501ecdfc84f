// The login flow: what its pages share, and how it ends.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { signInByPasskey } from '../credentials/passkeys.ts';
import { passwordMark } from '../credentials/second-factor.ts';
import type { Origin, StartedSession } from '../credentials/session-start.ts';
import type { Attempting, HalfSignedIn } from '../credentials/sign-in.ts';
import { logPasskeyRefusal, relyingPartyOf } from '../credentials/webauthn.ts';
import { withoutSlot } from '../http/overload.ts';
import { formOf, parametersOf, queryOf } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';
import { addressOf } from '../http/rate-limit.ts';
import { headerOf, isSafe } from '../http/request.ts';
import { HALF_SIGNED_IN } from '../oauth/lifetimes.ts';
import { browserIdsOf, keepSessions, otherSessionIdsOf, sessionIdsOf, sessionOf } from './browser.ts';
import { holderOf, oneUse, openFormHolder } from './csrf.ts';
import { type Refusal, suspendedFault } from './faults.ts';
import { knownEntries, noticeSignIn, trustedHashes } from './known-browsers.ts';
import { OFFER_PASSKEY, openHolders } from './passkeys.ts';
import { pendingAddress, stepOf } from './pending.ts';
import { loginUrl, parseReturnTo, type ReturnTo, returnUrl } from './return-to.ts';

/** What the pages of sign-in and sign-up share: a signed-in user without a pending request is redirected. */
export const loginPage = (parts: Parts, path: string) => ({
  about: (request: FastifyRequest, reply: FastifyReply): Promise<ReturnTo> =>
    parseReturnTo(request, reply, parts),
  async elsewhere(returnTo: ReturnTo, request: FastifyRequest) {
    if (!isSafe(request) || returnTo.page !== undefined || addsAccount(request)) return undefined;
    return (await sessionOf(request, parts)) && returnUrl(returnTo);
  },
  keepsRefused: true as const,
  address: (returnTo: ReturnTo): string => loginUrl(path, returnTo),
});

/** Whether the page was opened to sign in with another account beside the one that is signed in. */
export const addsAccount = (request: FastifyRequest): boolean =>
  queryOf(request).get('another') !== undefined;

/** The link from the sign-in page back to the signed-in account, or to the choice among several. */
export async function backLink(
  request: FastifyRequest,
  parts: Parts,
  returnTo: ReturnTo,
): Promise<{ href: string; name: string | undefined } | undefined> {
  const { page, next } = returnTo;
  if (otherSessionIdsOf(request).length > 0)
    return { href: loginUrl('/accounts', returnTo), name: undefined };
  if (page === undefined) {
    const session = addsAccount(request) ? await sessionOf(request, parts) : undefined;
    return session && { href: next ?? '/account', name: session.name };
  }
  // The client requires a new sign-in.
  if (stepOf(parts, page).next === 'sign-in') return undefined;
  const { session } = page.facts;
  return session && { href: pendingAddress('/oauth/authorize', page.sealed), name: session.name };
}

export const originOf = (request: FastifyRequest): Origin => ({
  address: addressOf(request),
  userAgent: headerOf(request, 'user-agent'),
  sessionIds: sessionIdsOf(request),
});

/** The same for a form with a one-use code: sent twice with the same code, it leads to the same session. */
export const originOfCode = (
  request: FastifyRequest,
  parts: Parts,
  ...attempt: [userOrEmail: string, code: string]
): Origin => ({
  ...originOf(request),
  seed: oneUse(request, parts, ...attempt).seed,
});

export const attemptingOf = (request: FastifyRequest, parts: Parts): Attempting => ({
  address: addressOf(request),
  known: knownEntries(request, parts),
  trusted: trustedHashes(request),
  aside: (wait) => withoutSlot(request, wait),
});

/** Ends the login flow: sets the session cookies and redirects. */
export function finishLogin(
  reply: FastifyReply,
  { id, otherIds }: StartedSession,
  returnTo: ReturnTo,
): FastifyReply {
  keepSessions(reply, id, otherIds);
  return reply.redirect(returnUrl(returnTo), 303);
}

/** The same after a password. Offers a passkey first if the browser can hold one and the account has none. */
export function finishPasswordLogin(
  request: FastifyRequest,
  reply: FastifyReply,
  session: StartedSession,
  returnTo: ReturnTo,
): FastifyReply {
  if (!session.lacksPasskey || formOf(request).get('able') === undefined)
    return finishLogin(reply, session, returnTo);
  keepSessions(reply, session.id, session.otherIds);
  return reply.redirect(loginUrl(OFFER_PASSKEY, returnTo), 303);
}

/**
 * Signs in by the passkey in the form's field `passkey`.
 * @param userId the account, if it is known already
 */
export async function loginByPasskey(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Parts,
  returnTo: ReturnTo,
  userId?: string,
): Promise<Refusal | (() => FastifyReply)> {
  const rp = relyingPartyOf(parts.config);
  const showing = { answer: formOf(request).get('passkey'), holders: openHolders(request, parts), userId };
  const session =
    rp === undefined
      ? { refused: 'no passkeys at an IP address' }
      : await signInByPasskey(parts, { rp, ...showing }, originOf(request), parts.now());
  if (session === 'suspended') return { status: 403, faults: [suspendedFault(parts.config)] };
  if (session === 'behind') return { status: 401, faults: [{ text: ({ passkeys }) => passkeys.behind }] };
  if ('refused' in session) {
    logPasskeyRefusal(request.log, session);
    return {
      status: 401,
      faults: [{ text: ({ passkeys }) => passkeys[userId === undefined ? 'refused' : 'refusedHere'] }],
    };
  }
  await noticeSignIn(reply, parts, session);
  return () => finishLogin(reply, session, returnTo);
}

const HALF = 'half-signed-in';

/** A sign-in between password and second factor, sealed into the URL for this browser and ten minutes. It is no session. */
interface SealedHalf {
  holder: string;
  userId: string;
  /** Digest of the accepted password's hash. */
  mark: string;
  /** Milliseconds since 1970. */
  at: number;
}

export function secondFactorUrl(
  reply: FastifyReply,
  parts: Parts,
  { userId, passwordHash }: HalfSignedIn,
  returnTo: ReturnTo,
): string {
  const { sealer, now } = parts;
  const holder = openFormHolder(reply, parts);
  const mark = passwordMark(sealer, passwordHash);
  const sealed: SealedHalf = { holder, userId, mark, at: now().getTime() };
  return loginUrl('/signin/second-factor', returnTo, { half: sealer.sealJson(HALF, sealed) });
}

/** The sign-in between password and second factor in this browser, unless it has expired. */
export function halfSignedIn(
  request: FastifyRequest,
  { sealer, now }: Parts,
): { text: string; userId: string; mark: string } | undefined {
  const text = parametersOf(request).get('half');
  const sealed = sealer.openJson<SealedHalf>(HALF, text);
  if (text === undefined || sealed === undefined) return undefined;
  const { holder, userId, mark, at } = sealed;
  const isHere = browserIdsOf(request).some((id) => holderOf(sealer, id) === holder);
  return isHere && at + HALF_SIGNED_IN * 1000 >= now().getTime() ? { text, userId, mark } : undefined;
}
