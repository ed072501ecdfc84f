// Reads and writes cookies, and defines their names, lifetimes and attributes.
import { type Cookies, parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FLASH_TTL, REMEMBERED_DEVICE_TTL } from '../oauth/lifetimes.ts';

/**
 * - `session`: the active session's id.
 * - `others`: the ids of the browser's other sessions (ADR 12).
 * - `browser`: a random id that forms and pending requests are bound to. The cookie's name has a random suffix so that
 *   tabs that load in parallel don't overwrite each other's ids.
 * - `arrival`: a temporary browser id. Browsers send no Lax cookies with POST requests from other sites.
 * - `language`: the language that the user selected.
 * - `flash`: encrypted values for the next page, in one cookie per page (web/flash.ts).
 * - `trusted`: remembered-device tokens, one per account. With a token, a sign-in requires no second factor.
 * - `known`: the accounts that have been used in this browser. Sign-ins to other accounts cause an alert.
 * - `logout-hint`: an id_token for signing out at an identity provider (web/provider-logout.ts).
 */
export type CookieName =
  | 'session'
  | 'others'
  | 'browser'
  | 'arrival'
  | 'language'
  | 'known'
  | 'flash'
  | 'trusted'
  | 'logout-hint';

const nameOf = (name: CookieName, { config }: FastifyInstance): string =>
  name === 'session' ? config.cookiePrefix : `${config.cookiePrefix}-${name}`;

const MAX_COOKIES = 50;

/** Other services on the same host may also set cookies. */
function readServiceCookies({ headers: { cookie = '' } }: FastifyRequest): Cookies {
  const own = cookie.split(';').filter((pair) => /^ *(?:__Host-)?sesame/.test(pair));
  return parseCookie(own.slice(0, MAX_COOKIES).join(';'));
}

export function readCookie(request: FastifyRequest, name: CookieName): string | undefined {
  return readServiceCookies(request)[nameOf(name, request.server)] || undefined;
}

/** Returns the name suffix and value of each cookie whose name begins with `name`, oldest first. */
export function readCookies(request: FastifyRequest, name: CookieName): [suffix: string, value: string][] {
  const prefix = nameOf(name, request.server);
  return Object.entries(readServiceCookies(request)).flatMap(([cookieName, value = '']) =>
    cookieName.startsWith(prefix) ? [[cookieName.slice(prefix.length), value]] : [],
  );
}

const YEAR = 365 * 24 * 3600;
/**
 * Seconds by which the session cookie outlives the session, so that form values survive a new sign-in
 * (web/session-guard.ts).
 */
const GRACE_PERIOD = 7 * 24 * 3600;

/** Returns seconds, or undefined for a cookie that lasts until the browser closes. */
const lifetimeOf = (name: CookieName, { config }: FastifyInstance): number | undefined =>
  ({
    session: config.sessionTtl + GRACE_PERIOD,
    others: config.sessionTtl,
    browser: undefined,
    arrival: 600,
    language: YEAR,
    known: YEAR,
    flash: FLASH_TTL,
    trusted: REMEMBERED_DEVICE_TTL,
    'logout-hint': config.sessionTtl,
  })[name];

/**
 * @param options.suffix appended to the cookie's name
 * @param options.maxAge lifetime in seconds
 */
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

export const clearCookie = (reply: FastifyReply, name: CookieName, suffix = ''): void =>
  writeCookie(reply, name, '', { suffix, maxAge: 0 });
