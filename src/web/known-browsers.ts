// Browsers that accounts know or trust, by cookies.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notify } from '../accounts/notifications.ts';
import type { StartedSession } from '../credentials/session-start.ts';
import type { Parts } from '../http/parts.ts';
import { trustedBrowserDigest } from '../oauth/digests.ts';
import { accountOfSecret } from '../oauth/secrets.ts';
import { findBrowserEpoch } from '../store/users.ts';
import { fromOf } from './browser.ts';
import { readCookie, writeCookie } from './cookies.ts';

/** Accounts remembered at a time, the latest first. */
const MAX_KNOWN = 8;

/**
 * An account as it is sealed: 16 bytes of its id, four of the number that ends all browsers at once, and since when it has
 * been at home here, in seconds.
 */
const ENTRY = 24;
const HEAD = 20;
const headOf = (userId: string, epoch: number): Buffer => {
  const head = Buffer.alloc(HEAD);
  head.write(userId.replaceAll('-', ''), 'hex');
  head.writeUInt32BE(epoch, HEAD - 4);
  return head;
};
const sameAccount = (one: Buffer, other: Buffer): boolean =>
  one.subarray(0, 16).equals(other.subarray(0, 16));

/** The accounts that are at home in the browser behind a request, each as it is kept at its sign-in. */
export const knownEntries = (request: FastifyRequest, parts: Parts): Buffer[] =>
  sealedEntries(request, parts).map((entry) => entry.subarray(0, HEAD));

/** The same with the time, as the browser says and this service has sealed. */
function sealedEntries(request: FastifyRequest, parts: Parts): Buffer[] {
  const sealed = readCookie(request, 'known');
  const bytes = sealed === undefined ? undefined : parts.sealer.open('known-browser', sealed);
  if (bytes === undefined || bytes.length % ENTRY !== 0) return [];
  return Array.from({ length: bytes.length / ENTRY }, (_, at) =>
    bytes.subarray(at * ENTRY, (at + 1) * ENTRY),
  );
}

/** Whether an account has signed in with the browser behind a request, whatever became of its sessions since. */
export const isAtHome = (request: FastifyRequest, parts: Parts, userId: string): boolean =>
  sealedEntries(request, parts).some((entry) => sameAccount(entry, headOf(userId, 0)));

const sinceOf = (entry: Buffer): Date => new Date(entry.readUInt32BE(HEAD) * 1000);

/** Since when an account has been at home in the browser behind a request; undefined when it is not. */
export async function knownSince(
  request: FastifyRequest,
  parts: Parts,
  userId: string,
): Promise<Date | undefined> {
  const epoch = await findBrowserEpoch(parts.database, userId);
  if (epoch === undefined) return undefined;
  const own = headOf(userId, epoch);
  const entry = sealedEntries(request, parts).find((known) => known.subarray(0, HEAD).equals(own));
  return entry && sinceOf(entry);
}

/**
 * Remembers that the account of a new session is at home in this browser.
 * @param begun `account`: the account began here, so it was never anywhere else; `password`: its new password, which has
 *   just ended all browsers, was set here, so this one goes on as it was
 * @returns whether it was already
 */
export function rememberBrowser(
  reply: FastifyReply,
  parts: Parts,
  { userId, browserEpoch }: StartedSession,
  begun?: 'account' | 'password',
): boolean {
  const head = headOf(userId, browserEpoch);
  const entries = sealedEntries(reply.request, parts);
  const find = (one: Buffer) => entries.find((entry) => entry.subarray(0, HEAD).equals(one));
  const known = find(head);
  const before = known ?? (begun === 'password' ? find(headOf(userId, browserEpoch - 1)) : undefined);
  const now = begun === 'account' ? new Date(0) : parts.now();
  const own = Buffer.concat([head, Buffer.alloc(ENTRY - HEAD)]);
  own.writeUInt32BE(Math.floor((before ? sinceOf(before) : now).getTime() / 1000), HEAD);
  const others = entries.filter((other) => !sameAccount(own, other));
  const sealed = parts.sealer.seal('known-browser', Buffer.concat([own, ...others].slice(0, MAX_KNOWN)));
  writeCookie(reply, 'known', sealed);
  return known !== undefined;
}

/** After a sign-in: tells the account's owner of it, unless it has signed in with this browser before. */
export async function noticeSignIn(
  reply: FastifyReply,
  parts: Parts,
  session: StartedSession,
): Promise<void> {
  const known = rememberBrowser(reply, parts, session);
  if (known || session.again) return;
  const kind = 'new_sign_in';
  await notify(parts, { kind, account: session.userId, ...fromOf(reply.request) }, parts.now());
}

/** Tokens in the cookie, the latest first: one for each account that asks this browser for its password alone. */
const MAX_TRUSTED = 5;
/** Between the tokens: nothing that one may hold. */
const SEPARATOR = '.';

const tokensOf = (request: FastifyRequest): string[] =>
  (readCookie(request, 'trusted')?.split(SEPARATOR) ?? [])
    .filter((token) => accountOfSecret(token) !== undefined)
    .slice(0, MAX_TRUSTED);

/** The digests of the tokens that a browser presents. */
export const trustedHashes = (request: FastifyRequest): Buffer[] =>
  tokensOf(request).map(trustedBrowserDigest);

/** Adds a token to the cookie, in place of one of the same account. */
export function keepTrust(reply: FastifyReply, token: string): void {
  const account = accountOfSecret(token);
  const others = tokensOf(reply.request).filter((other) => accountOfSecret(other) !== account);
  const tokens = [token, ...others].slice(0, MAX_TRUSTED);
  writeCookie(reply, 'trusted', tokens.join(SEPARATOR));
}
