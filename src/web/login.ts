// Shared behavior of the login pages, and completion of a sign-in.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type SealedFirstFactor, toSealedFirstFactor } from '../credentials/mfa-codes.ts';
import { signInWithPasskey } from '../credentials/passkeys.ts';
import type { RequestContext, StartedSession } from '../credentials/session-start.ts';
import type { AttemptContext, PendingMfaSignIn } from '../credentials/sign-in.ts';
import { getRelyingParty, logPasskeyRejection } from '../credentials/webauthn.ts';
import { withoutSlot } from '../http/overload.ts';
import { readForm, readQuery, readQueryOrForm } from '../http/parameters.ts';
import { clientNetwork } from '../http/rate-limit.ts';
import { isSafeMethod, readHeader } from '../http/request.ts';
import type { Services } from '../http/services.ts';
import { PENDING_MFA_TTL } from '../oauth/lifetimes.ts';
import { allSessionIds, loadSession, otherSessionIds, writeSessionCookies } from './browser.ts';
import { ensureBrowserHolderId, isBoundToBrowser, singleUseFormToken } from './csrf.ts';
import { type Rejection, suspendedError } from './form-errors.ts';
import type { FormPage } from './form-page.ts';
import { knownBrowserEntries, notifyNewSignIn, rememberedDeviceHashes } from './known-browsers.ts';
import { browserHolderIds, OFFER_PASSKEY_PATH } from './passkeys.ts';
import { nextStepOf, pendingUrl } from './pending-requests.ts';
import { loginUrl, parseReturnTo, type ReturnTo, returnUrl } from './return-to.ts';

/** Redirects signed-in users, unless they are adding an account or have a pending request. */
export const loginPage = (services: Services, path: string) =>
  ({
    loadSubject: (request: FastifyRequest, reply: FastifyReply): Promise<ReturnTo> =>
      parseReturnTo(request, reply, services),
    async respondInstead(returnTo: ReturnTo, request: FastifyRequest) {
      if (!isSafeMethod(request) || returnTo.page !== undefined || isAddingAccount(request)) return undefined;
      return (await loadSession(request, services)) && returnUrl(returnTo);
    },
    showsErrorsFirst: true as const,
    pageUrl: (returnTo: ReturnTo): string => loginUrl(path, returnTo),
  }) satisfies Partial<FormPage<ReturnTo, object>>;

export const isAddingAccount = (request: FastifyRequest): boolean =>
  readQuery(request).get('another') !== undefined;

/** Continues as the signed-in account, or opens the account chooser if several are signed in. */
export async function backLink(
  request: FastifyRequest,
  services: Services,
  returnTo: ReturnTo,
): Promise<{ href: string; name: string | undefined } | undefined> {
  const { page, next } = returnTo;
  if (otherSessionIds(request).length > 0) return { href: loginUrl('/accounts', returnTo), name: undefined };
  if (page === undefined) {
    const session = isAddingAccount(request) ? await loadSession(request, services) : undefined;
    return session && { href: next ?? '/account', name: session.name };
  }
  // The client requires a new sign-in (`prompt=login` or `max_age`).
  if (nextStepOf(services, page).next === 'sign-in') return undefined;
  const { session } = page.context;
  return session && { href: pendingUrl('/oauth/authorize', page.sealed), name: session.name };
}

export const signInContext = (request: FastifyRequest): RequestContext => ({
  ip: clientNetwork(request),
  userAgent: readHeader(request, 'user-agent'),
  sessionIds: allSessionIds(request),
});

/** Submitting the same form and code twice yields the same session. */
export const codeSignInContext = (
  request: FastifyRequest,
  services: Services,
  ...attempt: [userOrEmail: string, code: string]
): RequestContext => ({
  ...signInContext(request),
  seed: singleUseFormToken(request, services, ...attempt).seed,
});

export const attemptContext = (request: FastifyRequest, services: Services): AttemptContext => ({
  ip: clientNetwork(request),
  known: knownBrowserEntries(request, services),
  rememberedDevices: rememberedDeviceHashes(request),
  withoutSlot: (wait) => withoutSlot(request, wait),
});

export function finishLogin(
  reply: FastifyReply,
  { id, otherIds }: StartedSession,
  returnTo: ReturnTo,
): FastifyReply {
  writeSessionCookies(reply, id, otherIds);
  return reply.redirect(returnUrl(returnTo), 303);
}

/** First offers to create a passkey if the account has none. */
export function finishPasswordLogin(
  request: FastifyRequest,
  reply: FastifyReply,
  session: StartedSession,
  returnTo: ReturnTo,
): FastifyReply {
  if (!session.lacksPasskey || readForm(request).get('able') === undefined)
    return finishLogin(reply, session, returnTo);
  writeSessionCookies(reply, session.id, session.otherIds);
  return reply.redirect(loginUrl(OFFER_PASSKEY_PATH, returnTo), 303);
}

/** @param userId the account, if an earlier step identified it */
export async function loginWithPasskey(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  returnTo: ReturnTo,
  userId?: string,
): Promise<Rejection | (() => FastifyReply)> {
  const rp = getRelyingParty(services.config);
  const assertion = {
    response: readForm(request).get('passkey'),
    holders: browserHolderIds(request, services),
    userId,
  };
  const session =
    rp === undefined
      ? { refused: 'passkeys require a host name, not an IP address' }
      : await signInWithPasskey(services, { rp, ...assertion }, signInContext(request), services.now());
  if (session === 'suspended') return { status: 403, errors: [suspendedError(services.config)] };
  if (session === 'cloneSuspected')
    return { status: 401, errors: [{ text: ({ passkeys }) => passkeys.behind }] };
  if ('refused' in session) {
    logPasskeyRejection(request.log, session);
    return {
      status: 401,
      errors: [{ text: ({ passkeys }) => passkeys[userId === undefined ? 'refused' : 'refusedHere'] }],
    };
  }
  await notifyNewSignIn(reply, services, session);
  return () => finishLogin(reply, session, returnTo);
}

const SEAL_PURPOSE = 'partial-sign-in';

/** Sealed in the URL until the user presents the second factor. */
interface PartialSignIn {
  holder: string;
  userId: string;
  firstFactor: SealedFirstFactor;
  /** Milliseconds since 1970. */
  at: number;
}

export function secondFactorUrl(
  reply: FastifyReply,
  services: Services,
  { userId, firstFactor }: PendingMfaSignIn,
  returnTo: ReturnTo,
): string {
  const { sealer, now } = services;
  const holder = ensureBrowserHolderId(reply, services);
  const sealed: PartialSignIn = {
    holder,
    userId,
    firstFactor: toSealedFirstFactor(sealer, firstFactor),
    at: now().getTime(),
  };
  return loginUrl('/signin/second-factor', returnTo, {
    partial_sign_in: sealer.sealJson(SEAL_PURPOSE, sealed),
  });
}

/** Returns undefined if the sign-in has expired or belongs to another browser. */
export function openPartialSignIn(
  request: FastifyRequest,
  services: Services,
): { text: string; userId: string; firstFactor: SealedFirstFactor } | undefined {
  const text = readQueryOrForm(request).get('partial_sign_in');
  const sealed = services.sealer.openJson<PartialSignIn>(SEAL_PURPOSE, text);
  if (text === undefined || sealed === undefined) return undefined;
  const { holder, userId, firstFactor, at } = sealed;
  return isBoundToBrowser(request, services, holder) &&
    at + PENDING_MFA_TTL * 1000 >= services.now().getTime()
    ? { text, userId, firstFactor }
    : undefined;
}
