// The browser behind a request: its ids, its session, its language.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { queryOf } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';
import { addressOf } from '../http/rate-limit.ts';
import { headerOf, isTraceless } from '../http/request.ts';
import { isLocale, type Locale } from '../i18n/index.ts';
import { pickLocale } from '../i18n/pick-locale.ts';
import { accountOfSecret, randomSecret } from '../oauth/secrets.ts';
import {
  BROWSER_SESSIONS,
  findSession,
  type Session,
  type SessionKey,
  sessionKeyOf,
} from '../store/sessions.ts';
import { forgetCookie, readCookie, readCookies, writeCookie } from './cookies.ts';

const BROWSER_ID = /^[A-Za-z0-9_-]{43}$/;

const isSessionId = (text: string): boolean => accountOfSecret(text) !== undefined;

/** The session id of the cookie, live or not. */
export function sessionIdOf(request: FastifyRequest): string | undefined {
  const id = readCookie(request, 'session');
  return id !== undefined && isSessionId(id) ? id : undefined;
}

/** Between the ids in the cookie of the other sessions: nothing that an id may hold. */
const SEPARATOR = '.';

/** The ids of the browser's other sessions, live or not, of accounts that are signed in, too. */
export function otherSessionIdsOf(request: FastifyRequest): string[] {
  const active = sessionIdOf(request);
  const ids = readCookie(request, 'others')?.split(SEPARATOR) ?? [];
  const own = new Set(ids.filter((id) => isSessionId(id) && id !== active));
  return [...own].slice(0, BROWSER_SESSIONS - 1);
}

/** The ids of all sessions of the browser, live or not, the active one first. */
export function sessionIdsOf(request: FastifyRequest): string[] {
  const active = sessionIdOf(request);
  return [...(active === undefined ? [] : [active]), ...otherSessionIdsOf(request)];
}

/** Gives the browser its sessions: the active one, if any, and the others. */
export function keepSessions(
  reply: FastifyReply,
  active: string | undefined,
  others: readonly string[],
): void {
  const before = readCookie(reply.request, 'others');
  if (active !== undefined) writeCookie(reply, 'session', active);
  else forgetCookie(reply, 'session');
  if (others.length > 0) writeCookie(reply, 'others', others.join(SEPARATOR));
  else if (before !== undefined) forgetCookie(reply, 'others');
}

/** The key of the session that a request brings, if it brings one, live or not. */
export function presentedSession(request: FastifyRequest): SessionKey | undefined {
  const id = sessionIdOf(request);
  return id === undefined ? undefined : sessionKeyOf(id);
}

export async function sessionOf(request: FastifyRequest, parts: Parts): Promise<Session | undefined> {
  const key = presentedSession(request);
  if (key === undefined) return undefined;
  const session = await findSession(parts.database, key, parts.now());
  if (session !== undefined) noteSession(request, parts, session);
  return session;
}

/** Takes a note of a request with a live session, for its owner to see when and where it was last active. */
export function noteSession(request: FastifyRequest, parts: Parts, session: Session): void {
  if (isTraceless(request)) return;
  parts.usage.sessionSeen(session, addressOf(request), parts.now());
}

/** Every id by which this browser can be known, to open what was sealed for it. */
export function browserIdsOf(request: FastifyRequest): string[] {
  const arrival = readCookie(request, 'arrival');
  return [...ownIdsOf(request), ...(arrival !== undefined && BROWSER_ID.test(arrival) ? [arrival] : [])];
}

/** The ids that were given to this browser by its own requests: one, or one for each tab it opened at once. */
const ownIdsOf = (request: FastifyRequest): string[] =>
  readCookies(request, 'browser').flatMap(([, value]) => (BROWSER_ID.test(value) ? [value] : []));

/** The id of this browser, given to it now if it has none; once, however often it is asked for. */
export function ensureBrowserId(reply: FastifyReply): string {
  const present = ownIdsOf(reply.request)[0] ?? reply.browserId;
  if (present !== undefined) return present;
  const id = randomSecret();
  reply.browserId = id;
  writeCookie(reply, 'browser', id, { suffix: `-${randomSecret().slice(0, 8)}` });
  return id;
}

/**
 * An id for a request that arrives by POST: from another site the browser keeps its Lax cookies back, and giving it a
 * new browser id would orphan what it has open in other tabs.
 */
export function arrivalId(reply: FastifyReply): string {
  const [present] = ownIdsOf(reply.request);
  if (present !== undefined) return present;
  const id = randomSecret();
  writeCookie(reply, 'arrival', id);
  return id;
}

/** The language just chosen by a link or a button of the page's footer (`?lang=`), if any. */
export function chosenLanguage(request: FastifyRequest): Locale | undefined {
  const lang = queryOf(request).get('lang');
  return isLocale(lang) ? lang : undefined;
}

/**
 * The language of the answer (D31).
 * @param account what the person chose for the account, for browsers in which they chose nothing
 */
export const localeOf = (request: FastifyRequest, uiLocales?: string, account?: Locale | null): Locale =>
  chosenLanguage(request) ??
  pickLocale({
    uiLocales,
    chosen: readCookie(request, 'language') ?? account ?? undefined,
    acceptLanguage: request.headers['accept-language'],
  });

/** Has this browser remember a language, or (null) ask with each request again. */
export function rememberLanguage(reply: FastifyReply, locale: Locale | null): void {
  if (locale === null) forgetCookie(reply, 'language');
  else writeCookie(reply, 'language', locale);
}

/** Where a request comes from, and the language of its page. */
export const fromOf = (request: FastifyRequest) => ({
  address: addressOf(request),
  userAgent: headerOf(request, 'user-agent'),
  locale: localeOf(request),
});
