// How often somebody may sign up and have mails sent: by the address they come from, and by the mailbox they go to.
import { normalizeIP } from '@fastify/rate-limit';
import type { MailParts } from '../mail/links.ts';
import { returnToLimit, takeFromLimit } from '../store/throttling.ts';
import { emailKey } from '../store/users.ts';

/** Mails about changes that a mailbox gets in an hour: an intruder must not be able to use them up beforehand. */
const NOTICES = 20;

/** What one household or one machine gets of IPv6 may be as much: it must not be 256 networks. */
const IPV6_NETWORK = 56;

/** The network that an address is held to account by: an IPv4 address, or the /56 of an IPv6 one (ADR 4). */
export const householdOf = (address: string): string => normalizeIP(address, IPV6_NETWORK);

type LimitParts = Pick<MailParts, 'config' | 'sealer' | 'database'>;

/** `perHour` 0: any number. */
async function take(
  { sealer, database }: Omit<LimitParts, 'config'>,
  of: [string, ...string[]],
  perHour: number,
  now: Date,
): Promise<boolean> {
  if (perHour === 0) return true;
  return (await takeFromLimit(database, sealer.mac('limits', ...of), { max: perHour }, now)) !== undefined;
}

/** Whether one more mail may go to a mailbox because somebody asked for it. */
export const mayMail = (parts: LimitParts, email: string, now: Date): Promise<boolean> =>
  take(parts, ['mailbox', emailKey(email)], parts.config.mailPerMailboxPerHour, now);

/** Whether one more mail may be asked for from an IP address. */
export const mayAskForMail = (parts: MailParts, address: string, now: Date): Promise<boolean> =>
  take(parts, ['mail', householdOf(address)], parts.config.mailPerAddressPerHour, now);

/** Whether an account may have one more email sent, from whichever IP address: it may name other people's mailboxes. */
export const mayAskAsAccount = (parts: MailParts, userId: string, now: Date): Promise<boolean> =>
  take(parts, ['code', userId], parts.config.mailPerAddressPerHour, now);

const DAY = 86_400;

/** Wrong codes from emails that are checked in a day (UTC), across all emails. No setting changes them. */
const CODE_GUESSES = { account: 10, network: 30 };

/**
 * Counts an attempt at a mailed code before it is checked, so that simultaneous ones see each other.
 * @returns what to call if the code was right, or was not checked; undefined if no more are checked today
 */
export async function takeCodeGuess(
  { sealer, database }: Omit<LimitParts, 'config'>,
  { userId, address }: { userId: string; address: string },
  now: Date,
): Promise<(() => Promise<void>) | undefined> {
  const day = now.toISOString().slice(0, 10);
  // The period is so long that none drains away within the day.
  const bounds = [
    { of: householdOf(address), max: CODE_GUESSES.network },
    { of: userId, max: CODE_GUESSES.account },
  ].map(({ of, max }) => ({ key: sealer.mac('limits', 'mailed codes', day, of), max, period: max * DAY }));
  const taken: typeof bounds = [];
  const giveBack = async () => {
    for (const { key, ...limit } of taken) await returnToLimit(database, key, limit);
  };
  for (const bound of bounds) {
    if ((await takeFromLimit(database, bound.key, bound, now)) === undefined) {
      await giveBack();
      return undefined;
    }
    taken.push(bound);
  }
  return giveBack;
}

/** Times an hour that the password may be tried in one session: whoever has stolen it does not know it (D60). */
const CONFIRMATIONS = 20;

/** Whether the password may be tried once more in a session, by its digest; another one has its own. */
export const mayConfirm = (parts: Omit<LimitParts, 'config'>, session: Buffer, now: Date): Promise<boolean> =>
  take(parts, ['confirm', session.toString('base64')], CONFIRMATIONS, now);

/** Times an hour that an account may take its data away: all of it is read for each. */
const EXPORTS = 5;

/** Whether an account may take its data away once more. */
export const mayExport = (parts: Omit<LimitParts, 'config'>, userId: string, now: Date): Promise<boolean> =>
  take(parts, ['export', userId], EXPORTS, now);

/** Requests an hour that an account may make for access to APIs. */
const ACCESS_REQUESTS = 20;

/** Whether an account may ask once more for access to an API on an application's own account. */
export const mayAskForAccess = (
  parts: Omit<LimitParts, 'config'>,
  userId: string,
  now: Date,
): Promise<boolean> => take(parts, ['access', userId], ACCESS_REQUESTS, now);

/** Connection tests that an account may begin in an hour, and bring to an end: each calls a server of the person's choice. */
const CONNECTION_TESTS = 10;

/** Whether an account may begin one more connection test, or bring one to its end: what was begun once could be ended many times. */
export const mayTestConnection = (
  parts: Omit<LimitParts, 'config'>,
  userId: string,
  half: 'begin' | 'end',
  now: Date,
): Promise<boolean> => take(parts, ['connection-test', half, userId], CONNECTION_TESTS, now);

/** Whether one more mail about access to APIs may go to a mailbox: of its own, so that strangers who ask use up nothing else. */
export const mayMailAccess = (parts: LimitParts, email: string, now: Date): Promise<boolean> =>
  take(parts, ['access mail', emailKey(email)], NOTICES, now);

/** Whether one more account may be made from an IP address. */
export const maySignUp = (parts: LimitParts, address: string, now: Date): Promise<boolean> =>
  take(parts, ['sign-up', householdOf(address)], parts.config.signUpsPerHour, now);

/** The same for a mailbox that somebody wants to move to: what its account is sent must not show in it. */
export const mayMailChange = (parts: MailParts, email: string, now: Date): Promise<boolean> =>
  take(parts, ['change', emailKey(email)], parts.config.mailPerMailboxPerHour, now);

/** Whether one more mail may go out to confirm a sign-in: asking for other mails does not use it up. */
export const mayMailSignIn = (parts: LimitParts, email: string, now: Date): Promise<boolean> =>
  take(parts, ['sign-in', emailKey(email)], parts.config.mailPerMailboxPerHour, now);

/** Whether one more mail about an application on offer may go to a mailbox, and be asked for by an account. */
export const mayMailOffer = async (
  parts: LimitParts,
  { email, ownerId }: { email: string; ownerId: string },
  now: Date,
): Promise<boolean> =>
  (await take(parts, ['offerer', ownerId], parts.config.mailPerAddressPerHour, now)) &&
  (await take(parts, ['offer', emailKey(email)], parts.config.mailPerMailboxPerHour, now));

/** Codes of devices that an account may try in an hour: one is short, and lives for a quarter of one. */
const DEVICE_CODES = 20;

/** Whether an account may try one more code of a device. */
export const mayTryDeviceCode = (
  parts: Omit<LimitParts, 'config'>,
  userId: string,
  now: Date,
): Promise<boolean> => take(parts, ['device', userId], DEVICE_CODES, now);

/** Whether one more mail about a change may go to a mailbox; small changes do not use up the room of a takeover. */
export const mayNotify = (
  parts: MailParts,
  of: 'takeover' | 'address' | 'change',
  email: string,
  now: Date,
): Promise<boolean> => take(parts, ['notice', of, emailKey(email)], NOTICES, now);

/** Whether one more mail about the end of an account may go to a mailbox; notices cannot have used it up. */
export const mayAnnounce = (parts: LimitParts, email: string, now: Date): Promise<boolean> =>
  take(parts, ['announcement', emailKey(email)], NOTICES, now);

/** Whether one more mail may tell of a danger of some kind today: codes may be tried for weeks. */
export const mayAnnounceDanger = async (
  { sealer, database }: LimitParts,
  danger: string,
  email: string,
  now: Date,
): Promise<boolean> => {
  const key = sealer.mac('limits', danger, emailKey(email));
  return (await takeFromLimit(database, key, { max: 1, period: DAY }, now)) !== undefined;
};
