// Flash cookies: encrypted, short-lived values for the next page, such as form errors.
import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { Services } from '../http/services.ts';
import { FLASH_TTL } from '../oauth/lifetimes.ts';
import { clearCookie, readCookies, writeCookie } from './cookies.ts';
import { ensureBrowserHolderId, isBoundToBrowser } from './csrf.ts';

/** Maximum length of a flash cookie plus the redirect URL. nginx limits response headers to 4 kB by default. */
const MAX_LENGTH = 3000;
/** Maximum total length of all flash cookies. nginx limits request headers to 8 kB by default. */
const MAX_TOTAL_LENGTH = 5000;

interface Flash {
  page: string;
  holder: string;
  /** null for anonymous users */
  userId: string | null;
  /** Milliseconds since 1970. */
  until: number;
  value: unknown;
}

function pageOf(url: string): string {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const identity = ['pending', 'client_id', 'token'].map((name) => searchParams.get(name));
  return `-${hash('sha256', `${pathname} ${identity}`, 'base64url').slice(0, 16)}`;
}

/**
 * Stores a value that only this browser and account can read. Deletes the oldest values of other pages if the cookies
 * are too large.
 * @param userId defaults to the signed-in user
 * @returns false if the value is too large for a cookie
 */
export function writeFlash(
  reply: FastifyReply,
  services: Services,
  url: string,
  value: object,
  userId = reply.request.user?.userId ?? null,
): boolean {
  const { sealer, now } = services;
  const page = pageOf(url);
  const holder = ensureBrowserHolderId(reply, services);
  const until = now().getTime() + FLASH_TTL * 1000;
  const sealed = sealer.sealJson('flash', { page, holder, userId, until, value } satisfies Flash);
  if (sealed.length + url.length > MAX_LENGTH) return false;
  let remaining = MAX_TOTAL_LENGTH - sealed.length;
  for (const [suffix, { length }] of readCookies(reply.request, 'flash').toReversed()) {
    if (suffix === page) continue;
    remaining -= length;
    if (remaining < 0) clearCookie(reply, 'flash', suffix);
  }
  writeCookie(reply, 'flash', sealed, { suffix: page });
  return true;
}

export function readFlash<Value>(reply: FastifyReply, services: Services): Value | undefined {
  const { sealer, now } = services;
  const { request } = reply;
  const page = pageOf(request.url);
  const flash = sealer.openJson<Flash>('flash', new Map(readCookies(request, 'flash')).get(page));
  const isReadable =
    flash?.page === page &&
    flash.userId === (request.user?.userId ?? null) &&
    flash.until > now().getTime() &&
    isBoundToBrowser(request, services, flash.holder);
  if (!isReadable) return undefined;
  clearCookie(reply, 'flash', page);
  return flash.value as Value;
}
