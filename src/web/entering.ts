// What signing in and signing up have in common: where one is going, and how one gets in.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Origin, StartedSession } from '../credentials/session-start.ts';
import type { Attempting } from '../credentials/sign-in.ts';
import { PageFault } from '../http/failures.ts';
import { headerOf } from '../http/headers.ts';
import { withoutSlot } from '../http/overload.ts';
import { formOf, parametersOf, queryOf } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';
import { addressOf } from '../http/rate-limit.ts';
import { isSafe } from '../http/safe-methods.ts';
import type { Locale } from '../i18n/index.ts';
import { calledOnPages } from '../oauth/agent-document.ts';
import { OAuthError } from '../oauth/errors.ts';
import type { Parameters } from '../oauth/parameters.ts';
import { callbackHost } from '../oauth/redirect-uri.ts';
import type { TokenDetail } from '../store/one-time-tokens.ts';
import { keepSessions, otherSessionIdsOf, sessionIdsOf, sessionOf } from './browser.ts';
import { knownEntries } from './known-browsers.ts';
import { isMemberAddress } from './member.ts';
import { type PendingPage, pendingAddress, pendingPage, stepOf } from './pending.ts';
import { trustedHashes } from './trusted-browser.ts';

/** Where entering leads: to an authorization request, to a page of our own behind the door, or to the account. */
export interface Onward {
  page: PendingPage | undefined;
  next: string | undefined;
}

export const NOWHERE: Onward = { page: undefined, next: undefined };

/** Whether somebody is on the way to something. */
export const isOnTheWay = ({ page, next }: Onward): boolean => page !== undefined || next !== undefined;

/**
 * What a page was opened with, or its form sent on: `pending` or `next`.
 * @throws PageFault when the pending request cannot be used
 */
async function onwardOf(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Parts,
  parameters: Pick<Parameters, 'get'>,
): Promise<Onward> {
  const text = parameters.get('pending');
  const next = parameters.get('next');
  return {
    page: text === undefined ? undefined : await pendingPage(request, reply, parts, text),
    next: next !== undefined && isMemberAddress(next) ? next : undefined,
  };
}

/** Where the page or form of a request leads on to. @throws PageFault when the pending request cannot be used */
export const onwardHere = (request: FastifyRequest, reply: FastifyReply, parts: Parts): Promise<Onward> =>
  onwardOf(request, reply, parts, parametersOf(request));

/** What a page on the way carries along: the request itself for its language, its links and its form. */
export const onTheWay = ({ page, next }: Onward) => ({
  pending: page && { sealed: page.sealed, uiLocales: page.pending.request.uiLocales },
  next,
});

/** The same for a page of whoever is signed in: on the way it is as narrow as those of strangers, and leads nowhere else. */
export const onTheWayOfMember = (onward: Onward, { locale }: { locale: Locale | null }) =>
  isOnTheWay(onward) ? { ...onTheWay(onward), wide: false, account: undefined, accountLocale: locale } : {};

/** The same for its form. */
export const onTheWayOfForm = ({ page, next }: Onward) => ({ pending: page?.sealed, next });

/** What pages by which one enters have in common: whoever is in already, and on the way nowhere, is led on. */
export const entrance = (parts: Parts, path: EntrancePath) => ({
  about: (request: FastifyRequest, reply: FastifyReply): Promise<Onward> => onwardHere(request, reply, parts),
  async elsewhere(onward: Onward, request: FastifyRequest, reply: FastifyReply) {
    if (!isSafe(request) || onward.page !== undefined || isForAnother(request)) return undefined;
    return (await sessionOf(request, parts)) && (() => sendOn(reply, onward));
  },
  address: (onward: Onward): string => entranceAddress(path, onward),
});

/** Opened by somebody who is signed in, to sign in with another account beside it. */
export const isForAnother = (request: FastifyRequest): boolean =>
  queryOf(request).get('another') !== undefined;

/** Where to sign in with another account beside those that are signed in. */
export const anotherAddress = (path: EntrancePath, onward: Onward): string => {
  const address = entranceAddress(path, onward);
  return onward.page === undefined ? withParameter(address, 'another', '1') : address;
};

/** Where another account takes the place of the one that is signed in, and goes on instead. */
export const switchAddress = (request: FastifyRequest, onward: Onward): string =>
  otherSessionIdsOf(request).length > 0
    ? entranceAddress('/accounts', onward)
    : anotherAddress('/signin', onward);

/** The way back to who is signed in, from where another account would sign in; undefined where there is none. */
export async function wayBack(
  request: FastifyRequest,
  parts: Parts,
  onward: Onward,
): Promise<{ href: string; name: string | undefined } | undefined> {
  const { page, next } = onward;
  if (otherSessionIdsOf(request).length > 0)
    return { href: entranceAddress('/accounts', onward), name: undefined };
  if (page === undefined) {
    const session = isForAnother(request) ? await sessionOf(request, parts) : undefined;
    return session && { href: next ?? '/account', name: session.name };
  }
  // The application wants the sign-in itself: there is nothing to go back to.
  if (stepOf(parts, page).next === 'sign-in') return undefined;
  const { session } = page.facts;
  return session && { href: pendingAddress('/oauth/authorize', page.sealed), name: session.name };
}

/** What a mail remembers of the way, for whoever opens its link. */
export const onwardToKeep = ({ page, next }: Onward) => ({
  ...(page && { pending: page.sealed }),
  ...(next !== undefined && { next }),
});

/** Where the person was going when a mail was asked for, if this browser still can; else to a page of our own. */
export async function keptOnward(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Parts,
  { pending, next }: TokenDetail,
  otherwise: string,
): Promise<Onward> {
  const home = { page: undefined, next: otherwise };
  try {
    const kept = new Map(Object.entries({ pending, next }));
    const onward = await onwardOf(request, reply, parts, { get: (name) => kept.get(name) });
    return onward.page === undefined && onward.next === undefined ? home : onward;
  } catch (error) {
    // The mail was opened in another browser, or an hour later: signed in they are all the same.
    if (error instanceof PageFault || error instanceof OAuthError) return home;
    throw error;
  }
}

/** Where a passkey is made, also on the way. */
export const NEW_PASSKEY = '/account/security/passkeys/new';
/** Where one is offered on the way. */
export const OFFER = '/account/security/passkeys/offer';

type EntrancePath =
  | '/accounts'
  | '/signin'
  | '/signin/code'
  | '/signin/second-factor'
  | '/signin/step-up'
  | '/signin/recovery'
  | '/account/security/app'
  | '/account/security/codes'
  | '/signup'
  | typeof NEW_PASSKEY
  | typeof OFFER
  | '/password/forgot';

/** The other page by which one can enter, on the same way. */
export function entranceAddress(path: EntrancePath, { page, next }: Onward): string {
  if (page !== undefined) return pendingAddress(path, page.sealed);
  return next === undefined ? path : `${path}?next=${encodeURIComponent(next)}`;
}

/** An address with one parameter more; its value needs no encoding. */
export const withParameter = (address: string, name: string, value: string): string =>
  `${address}${address.includes('?') ? '&' : '?'}${name}=${value}`;

/** The application that the person is on the way to. */
export const destinationOf = ({ facts, pending }: PendingPage): { name: string; host: string } => ({
  name: calledOnPages(facts.client, [pending.request.redirectUri]),
  host: callbackHost(pending.request.redirectUri),
});

/** Where the request comes from, as a session remembers it. */
export const originOf = (request: FastifyRequest): Origin => ({
  address: addressOf(request),
  userAgent: headerOf(request, 'user-agent'),
  sessionIds: sessionIdsOf(request),
});

/** The browser in which somebody tries to sign in. */
export const attemptingOf = (request: FastifyRequest, parts: Parts): Attempting => ({
  address: addressOf(request),
  known: knownEntries(request, parts),
  trusted: trustedHashes(request),
  aside: (wait) => withoutSlot(request, wait),
});

/** Gives the browser its new session and sends it on. */
export function enter(reply: FastifyReply, { id, otherIds }: StartedSession, onward: Onward): FastifyReply {
  keepSessions(reply, id, otherIds);
  return sendOn(reply, onward);
}

/**
 * The same after a password, or a code that goes with it; where the browser said in its form that it can hold a passkey, and the account has none, one is
 * offered on the way.
 */
export function enterWithPassword(
  request: FastifyRequest,
  reply: FastifyReply,
  session: StartedSession,
  onward: Onward,
): FastifyReply {
  if (!session.lacksPasskey || formOf(request).get('able') === undefined)
    return enter(reply, session, onward);
  keepSessions(reply, session.id, session.otherIds);
  return reply.redirect(entranceAddress(OFFER, onward), 303);
}

/** Sends on whoever has entered. */
export const sendOn = (reply: FastifyReply, onward: Onward): FastifyReply =>
  reply.redirect(onwardAddress(onward, '/account'), 303);

/** Where the way leads on. @param otherwise where it leads nowhere */
export const onwardAddress = ({ page, next }: Onward, otherwise: string): string =>
  page === undefined ? (next ?? otherwise) : pendingAddress('/oauth/authorize', page.sealed);
