// The service's cookies: names, lifetimes, attributes, reading and writing.
import { type Cookies, parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FLASH, TRUSTED_BROWSER } from '../oauth/lifetimes.ts';

/**
 * - `session`: the id of a signed-in session
 * - `others`: the ids of the browser's other sessions, of accounts that are signed in, too (ADR 12)
 * - `browser`: a random id that binds forms and pending requests to this browser, signed in or not; each has a name of
 *   its own, so that two tabs opened at once by a browser without one do not overwrite each other's (D9)
 * - `arrival`: the same for a request that came by POST from another site, with which Lax cookies do not come
 * - `language`: the language that the person chose
 * - `flash`: what a response leaves for the next page, encrypted; one for each page (web/flash.ts)
 * - `trusted`: by accounts, which ask for their password alone here (D44)
 * - `known`: the accounts that have signed in here, sealed, so that only sign-ins elsewhere are worth a mail
 */
export type CookieName =
  | 'session'
  | 'others'
  | 'browser'
  | 'arrival'
  | 'language'
  | 'known'
  | 'flash'
  | 'trusted';

const nameOf = (name: CookieName, { config }: FastifyInstance): string =>
  name === 'session' ? config.cookiePrefix : `${config.cookiePrefix}-${name}`;

/** Cookies of this service that are read of one request; a browser has a handful. */
const MAX_COOKIES = 50;

/** The cookies of the request that this service may have set: other services on the same host set theirs, too. */
function ownCookies({ headers: { cookie = '' } }: FastifyRequest): Cookies {
  const own = cookie.split(';').filter((pair) => /^ *(?:__Host-)?sesame/.test(pair));
  return parseCookie(own.slice(0, MAX_COOKIES).join(';'));
}

export function readCookie(request: FastifyRequest, name: CookieName): string | undefined {
  return ownCookies(request)[nameOf(name, request.server)] || undefined;
}

/** The cookies of the request that are named `name` or `name` with a suffix: each suffix with its value, oldest first. */
export function readCookies(request: FastifyRequest, name: CookieName): [suffix: string, value: string][] {
  const prefix = nameOf(name, request.server);
  return Object.entries(ownCookies(request)).flatMap(([own, value = '']) =>
    own.startsWith(prefix) ? [[own.slice(prefix.length), value]] : [],
  );
}

const YEAR = 365 * 24 * 3600;
/** The cookie outlives its session, so that a late form is recognized and kept (web/member.ts). */
const AFTERWARDS = 7 * 24 * 3600;

/** Seconds; a cookie without ends with the browser's session. */
const lifetimeOf = (name: CookieName, { config }: FastifyInstance): number | undefined =>
  ({
    session: config.sessionTtl + AFTERWARDS,
    others: config.sessionTtl,
    browser: undefined,
    arrival: 600,
    language: YEAR,
    known: YEAR,
    flash: FLASH,
    trusted: TRUSTED_BROWSER,
  })[name];

/** @param suffix added to the name */
export function writeCookie(
  reply: FastifyReply,
  name: CookieName,
  value: string,
  { suffix = '', maxAge = lifetimeOf(name, reply.server) } = {},
): void {
  const { server } = reply;
  reply.header(
    'set-cookie',
    stringifySetCookie({
      name: nameOf(name, server) + suffix,
      value,
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure: server.config.secure,
      ...(maxAge !== undefined && { maxAge }),
    }),
  );
}

export const forgetCookie = (reply: FastifyReply, name: CookieName, suffix = ''): void =>
  writeCookie(reply, name, '', { suffix, maxAge: 0 });
