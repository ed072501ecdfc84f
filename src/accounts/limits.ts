// Rate limits of accounts, mailboxes and networks, kept in the database.

import { normalizeIP } from '@fastify/rate-limit';
import type { MailParts } from '../mail/links.ts';
import { hashUuid } from '../oauth/uuid.ts';
import type { Queryable } from '../store/database.ts';
import { emailKey } from '../store/emails.ts';
import { returnToLimit, takeFromLimit } from '../store/throttling.ts';

/** Prefix length of an IPv6 network that one household or machine may have: it must not count as 256 networks. */
const IPV6_NETWORK = 56;

/** The network that an IP address counts for: itself, or the /56 of an IPv6 address (ADR 4). */
export const householdOf = (address: string): string => normalizeIP(address, IPV6_NETWORK);

type LimitParts = Pick<MailParts, 'sealer'> & { database: Queryable };
type SettingParts = LimitParts & Pick<MailParts, 'config'>;

/** Notifications per mailbox, group of kinds and hour. */
const ALERTS = 20;
const DAY = 86_400;

async function take(
  { sealer, database }: LimitParts,
  of: [string, ...string[]],
  limit: { max: number; period?: number },
  now: Date,
): Promise<boolean> {
  return (await takeFromLimit(database, hashUuid(sealer.mac('limits', ...of)), limit, now)) !== undefined;
}

const itself = (subject: string): string => subject;

/** Makes the check of a limit per hour: whether one more is allowed, which then counts. */
const perHour =
  (name: string, max: number, keyOf = itself) =>
  (parts: LimitParts, subject: string, now: Date): Promise<boolean> =>
    take(parts, [name, keyOf(subject)], { max }, now);

/** The same for a limit that HOURLY_LIMITS=off lifts. */
const ifLimited =
  (name: string, max: number, keyOf = itself) =>
  async (parts: SettingParts, subject: string, now: Date): Promise<boolean> =>
    !parts.config.hourlyLimits || take(parts, [name, keyOf(subject)], { max }, now);

/** Requested emails per hour to one mailbox, and from one network or account. */
const MAILBOX = 5;
const REQUESTER = 30;

// By network.
export const mayAskForMail = ifLimited('mail', REQUESTER, householdOf);
export const maySignUp = ifLimited('sign-up', 20, householdOf);

// By mailbox. Each kind of email has a limit to itself, so that none can be used up by asking for another.
export const mayMail = ifLimited('mailbox', MAILBOX, emailKey);
export const mayMailChange = ifLimited('change', MAILBOX, emailKey);
export const mayMailSignIn = ifLimited('sign-in', MAILBOX, emailKey);

/** One email a day, because codes may be tried for weeks. */
const DANGERS = ['codes_tried', 'codes_used_up', 'passkey_behind'];

/** Kinds of notifications that share a limit; no setting changes it. */
function notificationGroup(kind: string): string {
  if (/^api_access_(asked|granted|refused|ended)$/.test(kind)) return 'access';
  if (kind === 'account_deleted' || kind === 'password_guessed') return 'announcement';
  if (kind.startsWith('email_')) return 'address';
  return /^(password|app_|recovery_|passkey_)/.test(kind) ? 'takeover' : 'change';
}

/** Whether a mailbox may get one more notification of a kind. */
export const mayNotify = (parts: LimitParts, kind: string, email: string, now: Date): Promise<boolean> =>
  DANGERS.includes(kind)
    ? take(parts, ['notice', kind, emailKey(email)], { max: 1, period: DAY }, now)
    : take(parts, ['notice', notificationGroup(kind), emailKey(email)], { max: ALERTS }, now);

// By account.
export const mayAskAsAccount = ifLimited('code', REQUESTER);
export const mayExport = perHour('export', 5);
export const mayAskForAccess = perHour('access', 20);
export const mayTryDeviceCode = perHour('device', 20);
export const mayBeginConnectionTest = perHour('connection-test begin', 10);
export const mayEndConnectionTest = perHour('connection-test end', 10);

/** Whether the password may be tried once more in a session, by its digest: a thief of the session doesn't know it. */
export const mayConfirm = (parts: LimitParts, session: Buffer, now: Date): Promise<boolean> =>
  take(parts, ['confirm', session.toString('base64')], { max: 20 }, now);

const mayOffer = ifLimited('offerer', REQUESTER);
const mayMailOfferTo = ifLimited('offer', MAILBOX, emailKey);

/** Whether one more email about a transfer may be sent, by its sender and its mailbox. */
export const mayMailOffer = async (
  parts: SettingParts,
  { email, ownerId }: { email: string; ownerId: string },
  now: Date,
): Promise<boolean> => (await mayOffer(parts, ownerId, now)) && (await mayMailOfferTo(parts, email, now));

/** Wrong codes from emails that are checked in a day (UTC): of one email, or across all. No setting changes them. */
const CODE_GUESSES = { email: 5, account: 10, network: 30 };

/**
 * Counts an attempt at a mailed code before it is checked, so that simultaneous ones see each other.
 * @param email identifies the email whose code is limited separately
 * @returns what to call if the code was right, or was not checked; undefined if no more are checked today
 */
export async function takeCodeGuess(
  { sealer, database }: LimitParts,
  { userId, address, email }: { userId: string; address: string; email: string | undefined },
  now: Date,
): Promise<(() => Promise<void>) | undefined> {
  const day = now.toISOString().slice(0, 10);
  // The period is so long that none drains away within the day.
  const bounds = (
    email === undefined
      ? [
          { of: householdOf(address), max: CODE_GUESSES.network },
          { of: userId, max: CODE_GUESSES.account },
        ]
      : [{ of: email, max: CODE_GUESSES.email }]
  ).map(({ of, max }) => ({
    key: hashUuid(sealer.mac('limits', 'mailed codes', day, of)),
    max,
    period: max * DAY,
  }));
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
