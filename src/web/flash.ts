// Flash cookie: values that a response leaves for the next page, such as a refused form, encrypted and for minutes.
import type { FastifyReply } from 'fastify';
import type { Parts } from '../http/parts.ts';
import { pathOf } from '../http/route-config.ts';
import { FLASH } from '../oauth/lifetimes.ts';
import { browserIdsOf, ensureBrowserId } from './browser.ts';
import { forgetCookie, readCookie, writeCookie } from './cookies.ts';
import { holderOf } from './csrf.ts';

/** nginx takes 4 kB of response headers unless it is configured otherwise. */
const MAX_LENGTH = 3000;

interface Entry {
  path: string;
  /** The account that may read it; null for anonymous users. */
  userId: string | null;
  /** Milliseconds since 1970. */
  until: number;
  value: unknown;
}

/**
 * Leaves a value for the page at `path`, in this browser and for this account. Values for other pages stay while they fit.
 * @param userId the signed-in user when absent
 * @returns false if the value is too large for a cookie
 */
export function writeFlash(
  reply: FastifyReply,
  parts: Parts,
  path: string,
  value: object,
  userId = reply.request.member?.userId ?? null,
): boolean {
  const until = parts.now().getTime() + FLASH * 1000;
  const others = entriesOf(reply, parts).filter((entry) => entry.path !== path);
  const entries = [{ path, userId, until, value }, ...others];
  for (; entries.length > 0; entries.pop()) {
    const sealed = sealEntries(reply, parts, entries);
    if (sealed.length > MAX_LENGTH) continue;
    writeCookie(reply, 'flash', sealed);
    return true;
  }
  return false;
}

/** The value left for the requested page, which is deleted with that. */
export function readFlash<Value>(reply: FastifyReply, parts: Parts): Value | undefined {
  const { request } = reply;
  const entries = entriesOf(reply, parts);
  const own = entries.find(
    ({ path, userId }) => path === pathOf(request) && userId === (request.member?.userId ?? null),
  );
  if (own === undefined) return undefined;
  const others = entries.filter((entry) => entry !== own);
  if (others.length === 0) forgetCookie(reply, 'flash');
  else writeCookie(reply, 'flash', sealEntries(reply, parts, others));
  return own.value as Value;
}

const sealEntries = (reply: FastifyReply, { sealer }: Parts, entries: Entry[]): string =>
  sealer.sealJson('flash', [holderOf(sealer, ensureBrowserId(reply)), entries]);

function entriesOf({ request }: FastifyReply, { sealer, now }: Parts): Entry[] {
  const [holder, entries = []] =
    sealer.openJson<[string, Entry[]]>('flash', readCookie(request, 'flash')) ?? [];
  const isOwn = browserIdsOf(request).some((id) => holderOf(sealer, id) === holder);
  return isOwn ? entries.filter(({ until }) => until > now().getTime()) : [];
}
