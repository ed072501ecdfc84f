// The service's cookies: names, attributes, reading and writing.
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * - `session`: the id of a signed-in session
 * - `browser`: a random id that binds forms and pending requests to this browser, signed in or not
 * - `arrival`: the same for a request that came by POST from another site, with which Lax cookies do not come
 * - `language`: the language that the person chose
 */
export type CookieName = 'session' | 'browser' | 'arrival' | 'language';

const NAMES: Record<CookieName, string> = {
  session: 'sesame',
  browser: 'sesame-browser',
  arrival: 'sesame-arrival',
  language: 'sesame-language',
};

/** `__Host-` ties a cookie to this very host and to HTTPS; browsers refuse it over plain http. */
const nameOf = (name: CookieName, secure: boolean) => (secure ? `__Host-${NAMES[name]}` : NAMES[name]);

/** The value of a cookie of the request. */
export function readCookie(request: FastifyRequest, name: CookieName, secure: boolean): string | undefined {
  const header = request.headers.cookie;
  return header === undefined ? undefined : parseCookie(header)[nameOf(name, secure)] || undefined;
}

/** Sets a cookie; without `maxAge` (seconds) it ends with the browser's session, with 0 it is deleted. */
export function writeCookie(
  reply: FastifyReply,
  name: CookieName,
  value: string,
  { secure, maxAge }: { secure: boolean; maxAge?: number },
): void {
  reply.header(
    'set-cookie',
    stringifySetCookie({
      name: nameOf(name, secure),
      value,
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure,
      ...(maxAge !== undefined && { maxAge }),
    }),
  );
}
