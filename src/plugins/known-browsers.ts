// Which accounts have signed in with this browser: kept by the browser, sealed, so that a sign-in elsewhere is told of.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { noticeSecurityChange } from '../accounts/security-notices.ts';
import type { StartedSession } from '../accounts/sign-in.ts';
import type { Parts } from '../parts.ts';
import { localeOf } from './browser.ts';
import { readCookie, writeCookie } from './cookies.ts';
import { addressOf } from './rate-limit.ts';

const MAX_AGE = 365 * 24 * 3600;
/** Accounts remembered at a time, the latest first. */
const REMEMBERED = 8;

/** An account as it is sealed: 16 bytes of its id, and four of the number that ends all browsers at once. */
const ENTRY = 20;
const entryOf = (userId: string, epoch: number): Buffer => {
  const entry = Buffer.alloc(ENTRY);
  entry.write(userId.replaceAll('-', ''), 'hex');
  entry.writeUInt32BE(epoch, ENTRY - 4);
  return entry;
};
const sameAccount = (one: Buffer, other: Buffer): boolean =>
  one.subarray(0, 16).equals(other.subarray(0, 16));

/** The accounts that are at home in the browser behind a request, as it says and this service has sealed. */
export function knownEntries(request: FastifyRequest, parts: Parts): Buffer[] {
  const sealed = readCookie(request, 'known', parts.config.secure);
  const bytes = sealed === undefined ? undefined : parts.sealer.open('known-browser', sealed);
  if (bytes === undefined || bytes.length % ENTRY !== 0) return [];
  return Array.from({ length: bytes.length / ENTRY }, (_, at) =>
    bytes.subarray(at * ENTRY, (at + 1) * ENTRY),
  );
}

/**
 * Remembers that the account of a new session is at home in this browser.
 * @returns whether it was already
 */
export function rememberBrowser(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Parts,
  { userId, browserEpoch }: StartedSession,
): boolean {
  const own = entryOf(userId, browserEpoch);
  const known = knownEntries(request, parts);
  const others = known.filter((other) => !sameAccount(own, other));
  const sealed = parts.sealer.seal('known-browser', Buffer.concat([own, ...others].slice(0, REMEMBERED)));
  writeCookie(reply, 'known', sealed, { secure: parts.config.secure, maxAge: MAX_AGE });
  return known.some((entry) => entry.equals(own));
}

/** After a sign-in: tells the account's owner of it, unless it has signed in with this browser before. */
export async function noticeSignIn(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Parts,
  session: StartedSession,
): Promise<void> {
  if (!parts.mailer.available) return;
  if (rememberBrowser(request, reply, parts, session)) return;
  const { userId, sid } = session;
  const userAgent = request.headers['user-agent'] ?? '';
  const locale = localeOf(request, reply, parts, undefined);
  const detail = { userAgent, locale };
  const change = { userId, kind: 'new_sign_in', sid, address: addressOf(request), detail } as const;
  await noticeSecurityChange(parts, change, parts.now());
}
