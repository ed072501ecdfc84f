// Cookies for known browsers and remembered devices.
// Sign-ins from known browsers cause no alert. Sign-ins from remembered devices require no second factor.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notify } from '../accounts/notifications.ts';
import type { StartedSession } from '../credentials/session-start.ts';
import type { Services } from '../http/services.ts';
import { rememberedDeviceDigest } from '../oauth/digests.ts';
import { parseSecretUserId } from '../oauth/secrets.ts';
import { findBrowserEpoch } from '../store/users.ts';
import { requestContext } from './browser.ts';
import { readCookie, writeCookie } from './cookies.ts';

/** Adding another entry drops the oldest. */
const MAX_KNOWN_ENTRIES = 8;

/**
 * Bytes: account id (16), browser epoch (4), Unix time of the first sign-in (4). Incrementing the epoch makes all of
 * the account's browsers unknown.
 */
const ENTRY_LENGTH = 24;
const PREFIX_LENGTH = 20;
const entryPrefix = (userId: string, epoch: number): Buffer => {
  const prefix = Buffer.alloc(PREFIX_LENGTH);
  prefix.write(userId.replaceAll('-', ''), 'hex');
  prefix.writeUInt32BE(epoch, PREFIX_LENGTH - 4);
  return prefix;
};
const isSameAccount = (a: Buffer, b: Buffer): boolean => a.subarray(0, 16).equals(b.subarray(0, 16));

export const knownBrowserEntries = (request: FastifyRequest, services: Services): Buffer[] =>
  openEntries(request, services).map((entry) => entry.subarray(0, PREFIX_LENGTH));

function openEntries(request: FastifyRequest, services: Services): Buffer[] {
  const sealed = readCookie(request, 'known');
  const bytes = sealed === undefined ? undefined : services.sealer.open('known-browser', sealed);
  if (bytes === undefined || bytes.length % ENTRY_LENGTH !== 0) return [];
  return Array.from({ length: bytes.length / ENTRY_LENGTH }, (_, index) =>
    bytes.subarray(index * ENTRY_LENGTH, (index + 1) * ENTRY_LENGTH),
  );
}

/** Ignores the browser epoch. */
export const isKnownBrowser = (request: FastifyRequest, services: Services, userId: string): boolean =>
  openEntries(request, services).some((entry) => isSameAccount(entry, entryPrefix(userId, 0)));

const knownSinceOf = (entry: Buffer): Date => new Date(entry.readUInt32BE(PREFIX_LENGTH) * 1000);

/** Returns undefined if the browser is unknown. */
export async function findKnownSince(
  request: FastifyRequest,
  services: Services,
  userId: string,
): Promise<Date | undefined> {
  const epoch = await findBrowserEpoch(services.database, userId);
  if (epoch === undefined) return undefined;
  const prefix = entryPrefix(userId, epoch);
  const entry = openEntries(request, services).find((candidate) =>
    candidate.subarray(0, PREFIX_LENGTH).equals(prefix),
  );
  return entry && knownSinceOf(entry);
}

/**
 * @param cause `account`: the account is new, so the browser counts as known since 1970. `password`: a new password
 * incremented the browser epoch, but this browser stays known.
 * @returns whether the browser was already known
 */
export function addKnownBrowser(
  reply: FastifyReply,
  services: Services,
  { userId, browserEpoch }: StartedSession,
  cause?: 'account' | 'password',
): boolean {
  const prefix = entryPrefix(userId, browserEpoch);
  const entries = openEntries(reply.request, services);
  const findEntry = (wanted: Buffer) =>
    entries.find((entry) => entry.subarray(0, PREFIX_LENGTH).equals(wanted));
  const knownEntry = findEntry(prefix);
  const previousEntry =
    knownEntry ?? (cause === 'password' ? findEntry(entryPrefix(userId, browserEpoch - 1)) : undefined);
  const now = cause === 'account' ? new Date(0) : services.now();
  const newEntry = Buffer.concat([prefix, Buffer.alloc(ENTRY_LENGTH - PREFIX_LENGTH)]);
  newEntry.writeUInt32BE(
    Math.floor((previousEntry ? knownSinceOf(previousEntry) : now).getTime() / 1000),
    PREFIX_LENGTH,
  );
  const others = entries.filter((other) => !isSameAccount(newEntry, other));
  const sealed = services.sealer.seal(
    'known-browser',
    Buffer.concat([newEntry, ...others].slice(0, MAX_KNOWN_ENTRIES)),
  );
  writeCookie(reply, 'known', sealed);
  return knownEntry !== undefined;
}

/** Also adds the browser to the account's known browsers. */
export async function notifyNewSignIn(
  reply: FastifyReply,
  services: Services,
  session: StartedSession,
): Promise<void> {
  const wasKnown = addKnownBrowser(reply, services, session);
  if (wasKnown || session.isRepeat) return;
  const kind = 'new_sign_in';
  await notify(services, { kind, account: session.userId, ...requestContext(reply.request) }, services.now());
}

/** One token per account. Adding another drops the oldest. */
const MAX_REMEMBERED_TOKENS = 5;
const SEPARATOR = '.';

const tokensOf = (request: FastifyRequest): string[] =>
  (readCookie(request, 'trusted')?.split(SEPARATOR) ?? [])
    .filter((token) => parseSecretUserId(token) !== undefined)
    .slice(0, MAX_REMEMBERED_TOKENS);

export const rememberedDeviceHashes = (request: FastifyRequest): Buffer[] =>
  tokensOf(request).map(rememberedDeviceDigest);

/** Replaces the account's previous token. */
export function addRememberedDevice(reply: FastifyReply, token: string): void {
  const account = parseSecretUserId(token);
  const others = tokensOf(reply.request).filter((other) => parseSecretUserId(other) !== account);
  const tokens = [token, ...others].slice(0, MAX_REMEMBERED_TOKENS);
  writeCookie(reply, 'trusted', tokens.join(SEPARATOR));
}
