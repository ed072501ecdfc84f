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

/** The session may have expired. */
export function activeSessionId(request: FastifyRequest): string | undefined {
  const id = readCookie(request, 'session');
  return id !== undefined && isSessionId(id) ? id : undefined;
}

const SEPARATOR = '.';

export function otherSessionIds(request: FastifyRequest): string[] {
  const active = activeSessionId(request);
  const ids = readCookie(request, 'others')?.split(SEPARATOR) ?? [];
  const others = new Set(ids.filter((id) => isSessionId(id) && id !== active));
  return [...others].slice(0, MAX_SESSIONS_PER_BROWSER - 1);
}

/** The active session is first. The sessions may have expired. */
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

/** The session may have expired. */
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

export function recordSessionUse(request: FastifyRequest, services: Services, session: Session): void {
  if (isHeadRequest(request)) return;
  services.usage.recordSessionUse(session, clientNetwork(request), services.now());
}

/** A payload sealed for any of these ids belongs to this browser. */
export function browserIdsOf(request: FastifyRequest): string[] {
  const arrival = readCookie(request, 'arrival');
  return [
    ...permanentBrowserIds(request),
    ...(arrival !== undefined && BROWSER_ID.test(arrival) ? [arrival] : []),
  ];
}

/** Tabs that loaded in parallel may have set several ids. */
const permanentBrowserIds = (request: FastifyRequest): string[] =>
  readCookies(request, 'browser').flatMap(([, value]) => (BROWSER_ID.test(value) ? [value] : []));

/** Sets a cookie if the browser has no id. */
export function ensureBrowserId(reply: FastifyReply): string {
  const existing = permanentBrowserIds(reply.request)[0] ?? reply.browserId;
  if (existing !== undefined) return existing;
  const id = randomSecret();
  reply.browserId = id;
  writeCookie(reply, 'browser', id, { suffix: `-${randomSecret().slice(0, 8)}` });
  return id;
}

/**
 * Returns a temporary browser id for a POST from another site. Browsers omit Lax cookies from such requests. A new
 * permanent id would invalidate forms in other tabs.
 */
export function ensureCrossSiteId(reply: FastifyReply): string {
  const [existing] = permanentBrowserIds(reply.request);
  if (existing !== undefined) return existing;
  const id = randomSecret();
  writeCookie(reply, 'arrival', id);
  return id;
}

export function requestedLocale(request: FastifyRequest): Locale | undefined {
  const lang = readQuery(request).get('lang');
  return isLocale(lang) ? lang : undefined;
}

/** Precedence: `?lang=`, `ui_locales`, the language cookie, the account's language, `Accept-Language`. */
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

/** @param locale null deletes the cookie */
export function saveLocale(reply: FastifyReply, locale: Locale | null): void {
  if (locale === null) clearCookie(reply, 'language');
  else writeCookie(reply, 'language', locale);
}

export const requestContext = (request: FastifyRequest) => ({
  ip: clientNetwork(request),
  userAgent: readHeader(request, 'user-agent'),
  locale: localeOf(request),
});
