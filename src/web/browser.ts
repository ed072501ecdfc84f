// Reads and writes the browser's cookies for sessions, the browser id and the language.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readQuery } from '../http/parameters.ts';
import { clientNetwork } from '../http/rate-limit.ts';
import { isHeadRequest, readHeader } from '../http/request.ts';
import type { Services } from '../http/services.ts';
import { isLocale, type Locale } from '../i18n/index.ts';
import { pickLocale } from '../i18n/pick-locale.ts';
import { parseSecretUserId, randomSecret } from '../oauth/secrets.ts';
import {
  findSession,
  MAX_SESSIONS_PER_BROWSER,
  parseSessionId,
  type Session,
  type SessionKey,
} from '../store/sessions.ts';
import { clearCookie, readCookie, readCookies, writeCookie } from './cookies.ts';

const BROWSER_ID = /^[A-Za-z0-9_-]{43}$/;

const isSessionId = (value: string): boolean => parseSecretUserId(value) !== undefined;

/** Returns the session id in the session cookie. The session may have expired. */
export function activeSessionId(request: FastifyRequest): string | undefined {
  const id = readCookie(request, 'session');
  return id !== undefined && isSessionId(id) ? id : undefined;
}

const SEPARATOR = '.';

/** Returns the ids of the browser's sessions other than the active one. Some may have expired. */
export function otherSessionIds(request: FastifyRequest): string[] {
  const active = activeSessionId(request);
  const ids = readCookie(request, 'others')?.split(SEPARATOR) ?? [];
  const others = new Set(ids.filter((id) => isSessionId(id) && id !== active));
  return [...others].slice(0, MAX_SESSIONS_PER_BROWSER - 1);
}

/** Returns the ids of all sessions in the browser's cookies, with the active session first. Some may have expired. */
export function allSessionIds(request: FastifyRequest): string[] {
  const active = activeSessionId(request);
  return [...(active === undefined ? [] : [active]), ...otherSessionIds(request)];
}

export function writeSessionCookies(
  reply: FastifyReply,
  active: string | undefined,
  others: readonly string[],
): void {
  const previousOthers = readCookie(reply.request, 'others');
  if (active !== undefined) writeCookie(reply, 'session', active);
  else clearCookie(reply, 'session');
  if (others.length > 0) writeCookie(reply, 'others', others.join(SEPARATOR));
  else if (previousOthers !== undefined) clearCookie(reply, 'others');
}

/** Returns the key of the session in the session cookie. The session may have expired. */
export function presentedSessionKey(request: FastifyRequest): SessionKey | undefined {
  const id = activeSessionId(request);
  return id === undefined ? undefined : parseSessionId(id);
}

export async function loadSession(request: FastifyRequest, services: Services): Promise<Session | undefined> {
  const key = presentedSessionKey(request);
  if (key === undefined) return undefined;
  const session = await findSession(services.database, key, services.now());
  if (session !== undefined) recordSessionUse(request, services, session);
  return session;
}

/** Records the request's time and IP address in the session, for the user's list of sessions. */
export function recordSessionUse(request: FastifyRequest, services: Services, session: Session): void {
  if (isHeadRequest(request)) return;
  services.usage.recordSessionUse(session, clientNetwork(request), services.now());
}

/** Returns all browser ids in the cookies. A payload sealed for any of them belongs to this browser. */
export function browserIdsOf(request: FastifyRequest): string[] {
  const arrival = readCookie(request, 'arrival');
  return [...ownBrowserIds(request), ...(arrival !== undefined && BROWSER_ID.test(arrival) ? [arrival] : [])];
}

/** Returns the browser's id, or several ids if tabs loaded in parallel before the browser had one. */
const ownBrowserIds = (request: FastifyRequest): string[] =>
  readCookies(request, 'browser').flatMap(([, value]) => (BROWSER_ID.test(value) ? [value] : []));

/** Returns the browser's id. Generates one and sets the cookie if the browser has none. */
export function ensureBrowserId(reply: FastifyReply): string {
  const existing = ownBrowserIds(reply.request)[0] ?? reply.browserId;
  if (existing !== undefined) return existing;
  const id = randomSecret();
  reply.browserId = id;
  writeCookie(reply, 'browser', id, { suffix: `-${randomSecret().slice(0, 8)}` });
  return id;
}

/**
 * Returns a browser id for a POST request from another site. The id is temporary because browsers omit Lax cookies from
 * such requests, and replacing the browser id would invalidate the forms in other tabs.
 */
export function ensureCrossSiteId(reply: FastifyReply): string {
  const [existing] = ownBrowserIds(reply.request);
  if (existing !== undefined) return existing;
  const id = randomSecret();
  writeCookie(reply, 'arrival', id);
  return id;
}

/** Returns the language selected with a footer link (`?lang=`), if any. */
export function requestedLocale(request: FastifyRequest): Locale | undefined {
  const lang = readQuery(request).get('lang');
  return isLocale(lang) ? lang : undefined;
}

/**
 * Returns the language for the response. Sources in order of precedence: `?lang=`, `ui_locales`, the language cookie,
 * the account's language, `Accept-Language`.
 */
export const localeOf = (
  request: FastifyRequest,
  uiLocales?: string,
  accountLocale?: Locale | null,
): Locale =>
  requestedLocale(request) ??
  pickLocale({
    uiLocales,
    chosen: readCookie(request, 'language') ?? accountLocale ?? undefined,
    acceptLanguage: request.headers['accept-language'],
  });

/** Saves the language in a cookie, or deletes the cookie if the language is null. */
export function saveLocale(reply: FastifyReply, locale: Locale | null): void {
  if (locale === null) clearCookie(reply, 'language');
  else writeCookie(reply, 'language', locale);
}

/** Returns the request data recorded in notifications and audit events. */
export const requestContext = (request: FastifyRequest) => ({
  ip: clientNetwork(request),
  userAgent: readHeader(request, 'user-agent'),
  locale: localeOf(request),
});
