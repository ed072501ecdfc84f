// The browser behind a request: its ids, its session, its language.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Locale, pickLocale } from '../i18n/index.ts';
import { randomSecret, sha256 } from '../oauth/secrets.ts';
import type { Parts } from '../parts.ts';
import { findSession, type Session } from '../store/sessions.ts';
import { readCookie, writeCookie } from './cookies.ts';
import { queryOf } from './parameters.ts';

const ID = /^[A-Za-z0-9_-]{43}$/;
const LANGUAGE_MAX_AGE = 365 * 24 * 3600;

/** Cookies are Secure, with the `__Host-` prefix, wherever the public address is https. */
export const isSecure = (parts: Pick<Parts, 'config'>): boolean =>
  parts.config.baseUrl.startsWith('https://');

const idCookie = (request: FastifyRequest, name: 'session' | 'browser' | 'arrival', secure: boolean) => {
  const value = readCookie(request, name, secure);
  return value !== undefined && ID.test(value) ? value : undefined;
};

/** The session id of the cookie, live or not. */
export const sessionIdOf = (request: FastifyRequest, parts: Parts): string | undefined =>
  idCookie(request, 'session', isSecure(parts));

/** The hash under which the database knows the session of this request, if it brings one. */
export function sessionHashOf(request: FastifyRequest, parts: Parts): Buffer | null {
  const id = sessionIdOf(request, parts);
  return id === undefined ? null : sha256(id);
}

/** The live session of this request. */
export async function sessionOf(request: FastifyRequest, parts: Parts): Promise<Session | undefined> {
  const hash = sessionHashOf(request, parts);
  return hash === null ? undefined : findSession(parts.database, hash, parts.now());
}

/** Every id by which this browser can be known, to open what was sealed for it. */
export function browserIdsOf(request: FastifyRequest, parts: Parts): string[] {
  const secure = isSecure(parts);
  const ids = [idCookie(request, 'browser', secure), idCookie(request, 'arrival', secure)];
  return ids.filter((id) => id !== undefined);
}

/** The id of this browser, given to it now if it has none. */
export function ensureBrowserId(request: FastifyRequest, reply: FastifyReply, parts: Parts): string {
  const secure = isSecure(parts);
  const present = idCookie(request, 'browser', secure);
  if (present !== undefined) return present;
  const id = randomSecret();
  writeCookie(reply, 'browser', id, { secure });
  return id;
}

/**
 * An id for a request that arrives by POST: from another site the browser keeps its Lax cookies back, and giving it a
 * new browser id would orphan what it has open in other tabs.
 */
export function arrivalId(request: FastifyRequest, reply: FastifyReply, parts: Parts): string {
  const secure = isSecure(parts);
  const present = idCookie(request, 'browser', secure);
  if (present !== undefined) return present;
  const id = randomSecret();
  writeCookie(reply, 'arrival', id, { secure, maxAge: 600 });
  return id;
}

/** The language just chosen by a link of the page's footer (`?lang=`), if any. */
export function chosenLanguage(request: FastifyRequest): Locale | undefined {
  const lang = queryOf(request).get('lang');
  return lang === 'fr' || lang === 'en' ? lang : undefined;
}

/** The language of the answer (D31); a choice just made is remembered by cookie. */
export function localeOf(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Pick<Parts, 'config'>,
  uiLocales: string | undefined,
): Locale {
  const secure = isSecure(parts);
  const chosen = chosenLanguage(request);
  if (chosen !== undefined) {
    writeCookie(reply, 'language', chosen, { secure, maxAge: LANGUAGE_MAX_AGE });
    return chosen;
  }
  return pickLocale({
    uiLocales,
    chosen: readCookie(request, 'language', secure),
    acceptLanguage: request.headers['accept-language'],
  });
}
