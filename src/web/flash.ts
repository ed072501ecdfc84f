// Flash cookies: values that a response leaves for the next page, such as a refused form, encrypted and for minutes.
import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { Parts } from '../http/parts.ts';
import { FLASH } from '../oauth/lifetimes.ts';
import { browserIdsOf, ensureBrowserId } from './browser.ts';
import { forgetCookie, readCookies, writeCookie } from './cookies.ts';
import { holderOf } from './csrf.ts';

/** Of a cookie and the URL that it redirects to: nginx takes 4 kB of response headers unless it is configured otherwise. */
const MAX_LENGTH = 3000;
/** Of all flash cookies together: nginx takes 8 kB of cookies. */
const MAX_TOTAL = 5000;

interface Flash {
  /** The suffix of the cookie's name. */
  page: string;
  holder: string;
  /** The account that may read it; null for anonymous users. */
  userId: string | null;
  /** Milliseconds since 1970. */
  until: number;
  value: unknown;
}

/** The suffix of the cookie for a page: its path, and the parameters that name what it is about. */
function pageOf(url: string): string {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const about = ['pending', 'client_id', 'token'].map((name) => searchParams.get(name));
  return `-${hash('sha256', `${pathname} ${about}`, 'base64url').slice(0, 16)}`;
}

/**
 * Leaves a value for the page at `url`, in this browser and for this account. The oldest values for other pages are deleted
 * if there are too many.
 * @param userId the signed-in user when absent
 * @returns false if the value is too large for a cookie
 */
export function writeFlash(
  reply: FastifyReply,
  { sealer, now }: Parts,
  url: string,
  value: object,
  userId = reply.request.member?.userId ?? null,
): boolean {
  const page = pageOf(url);
  const holder = holderOf(sealer, ensureBrowserId(reply));
  const until = now().getTime() + FLASH * 1000;
  const sealed = sealer.sealJson('flash', { page, holder, userId, until, value } satisfies Flash);
  if (sealed.length + url.length > MAX_LENGTH) return false;
  let room = MAX_TOTAL - sealed.length;
  for (const [suffix, { length }] of readCookies(reply.request, 'flash').toReversed()) {
    if (suffix === page) continue;
    room -= length;
    if (room < 0) forgetCookie(reply, 'flash', suffix);
  }
  writeCookie(reply, 'flash', sealed, { suffix: page });
  return true;
}

/** The value left for the requested page, which is deleted with that. */
export function readFlash<Value>(reply: FastifyReply, { sealer, now }: Parts): Value | undefined {
  const { request } = reply;
  const page = pageOf(request.url);
  const flash = sealer.openJson<Flash>('flash', new Map(readCookies(request, 'flash')).get(page));
  const isOwn =
    flash?.page === page &&
    flash.userId === (request.member?.userId ?? null) &&
    flash.until > now().getTime() &&
    browserIdsOf(request).some((id) => holderOf(sealer, id) === flash.holder);
  if (!isOwn) return undefined;
  forgetCookie(reply, 'flash', page);
  return flash.value as Value;
}
