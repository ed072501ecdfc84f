// Database-backed rate limits per account, mailbox and network.

import { normalizeIP } from '@fastify/rate-limit';
import type { MailServices } from '../mail/links.ts';
import { uuidFromHash } from '../oauth/uuid.ts';
import type { Queryable } from '../store/database.ts';
import { emailKey } from '../store/emails.ts';
import { returnToRateLimit, takeFromRateLimit } from '../store/throttling.ts';

/** Internet providers often assign a /56 network to each connection, so all its addresses share one limit. */
const IPV6_PREFIX_LENGTH = 56;

/** Returns the /56 network of an IPv6 address, or a single IPv4 address (ADR 4). */
export const getRateLimitedNetwork = (ip: string): string => normalizeIP(ip, IPV6_PREFIX_LENGTH);

type RateLimitServices = Pick<MailServices, 'sealer'> & { database: Queryable };
type ConfigurableServices = RateLimitServices & Pick<MailServices, 'config'>;

/** Per mailbox and notification group. */
const MAX_HOURLY_NOTIFICATIONS = 20;
const SECONDS_PER_DAY = 86_400;

async function takeFromLimit(
  { sealer, database }: RateLimitServices,
  keyParts: [string, ...string[]],
  limit: { max: number; period?: number },
  now: Date,
): Promise<boolean> {
  return (
    (await takeFromRateLimit(database, uuidFromHash(sealer.mac('limits', ...keyParts)), limit, now)) !==
    undefined
  );
}

const identity = (subject: string): string => subject;

/** Creates a function that checks an hourly limit. Each call counts toward the limit. */
const createHourlyLimit =
  (name: string, max: number, keyOf = identity) =>
  (services: RateLimitServices, subject: string, now: Date): Promise<boolean> =>
    takeFromLimit(services, [name, keyOf(subject)], { max }, now);

/** Like `createHourlyLimit`, but HOURLY_LIMITS=off disables the limit. */
const createOptionalHourlyLimit =
  (name: string, max: number, keyOf = identity) =>
  async (services: ConfigurableServices, subject: string, now: Date): Promise<boolean> =>
    !services.config.hourlyLimits || takeFromLimit(services, [name, keyOf(subject)], { max }, now);

const MAX_EMAILS_PER_MAILBOX = 5;
const MAX_EMAILS_PER_REQUESTER = 30;

// Rate limits per network.
export const mayRequestEmail = createOptionalHourlyLimit(
  'mail',
  MAX_EMAILS_PER_REQUESTER,
  getRateLimitedNetwork,
);
export const maySignUp = createOptionalHourlyLimit('sign-up', 20, getRateLimitedNetwork);

// Rate limits per mailbox. Each kind of email has its own limit.
export const maySendLinkTo = createOptionalHourlyLimit('mailbox', MAX_EMAILS_PER_MAILBOX, emailKey);
export const maySendEmailChangeTo = createOptionalHourlyLimit('change', MAX_EMAILS_PER_MAILBOX, emailKey);
export const maySendIdentitySignUpTo = createOptionalHourlyLimit(
  'identity sign-up',
  MAX_EMAILS_PER_MAILBOX,
  emailKey,
);
export const maySendSignInCodeTo = createOptionalHourlyLimit('sign-in', MAX_EMAILS_PER_MAILBOX, emailKey);

/** These alerts are sent at most once a day because an attacker may guess codes for weeks. */
const ONCE_A_DAY_ALERTS = ['codes_tried', 'codes_used_up', 'passkey_clone_suspected'];

/** All kinds of notification in a group share one limit. */
function getNotificationGroup(kind: string): string {
  if (/^api_access_(asked|granted|refused|ended)$/.test(kind)) return 'access';
  if (kind === 'account_deleted' || kind === 'password_guessed') return 'announcement';
  if (kind.startsWith('email_')) return 'address';
  return /^(password|app_|recovery_|passkey_|identity_)/.test(kind) ? 'takeover' : 'change';
}

export const mayNotify = (
  services: RateLimitServices,
  kind: string,
  email: string,
  now: Date,
): Promise<boolean> =>
  ONCE_A_DAY_ALERTS.includes(kind)
    ? takeFromLimit(services, ['notice', kind, emailKey(email)], { max: 1, period: SECONDS_PER_DAY }, now)
    : takeFromLimit(
        services,
        ['notice', getNotificationGroup(kind), emailKey(email)],
        { max: MAX_HOURLY_NOTIFICATIONS },
        now,
      );

// Rate limits per account.
export const mayRequestEmailAsUser = createOptionalHourlyLimit('code', MAX_EMAILS_PER_REQUESTER);
export const mayExport = createHourlyLimit('export', 5);
export const mayRequestApiAccess = createHourlyLimit('access', 20);
export const mayTryDeviceCode = createHourlyLimit('device', 20);
export const mayStartConnectionTest = createHourlyLimit('connection-test begin', 10);
export const mayTestProvider = createHourlyLimit('provider-test', 10);
export const mayStartTestSignIn = createHourlyLimit('test-sign-in', 20);
export const mayFinishConnectionTest = createHourlyLimit('connection-test end', 10);

export const mayReauthenticate = (
  services: RateLimitServices,
  session: Buffer,
  now: Date,
): Promise<boolean> => takeFromLimit(services, ['confirm', session.toString('base64')], { max: 20 }, now);

const mayMakeOffer = createOptionalHourlyLimit('offerer', MAX_EMAILS_PER_REQUESTER);
const mayReceiveOffer = createOptionalHourlyLimit('offer', MAX_EMAILS_PER_MAILBOX, emailKey);

export const maySendOfferTo = async (
  services: ConfigurableServices,
  { email, ownerId }: { email: string; ownerId: string },
  now: Date,
): Promise<boolean> =>
  (await mayMakeOffer(services, ownerId, now)) && (await mayReceiveOffer(services, email, now));

/** Per UTC day. */
const MAX_DAILY_WRONG_CODES = { email: 5, account: 10, network: 30 };

/**
 * Counts an attempt to enter an emailed code. Call this function before checking the code.
 * @param email ID of the email, if its code has a separate limit
 * @returns a function that undoes the count, for codes that were correct or not checked. Undefined if the limit is
 *   reached.
 */
export async function countCodeAttempt(
  { sealer, database }: RateLimitServices,
  { userId, ip, email }: { userId: string; ip: string; email: string | undefined },
  now: Date,
): Promise<(() => Promise<void>) | undefined> {
  const day = now.toISOString().slice(0, 10);
  // Each UTC day has its own keys, so the limits reset at midnight. `period` restores only one attempt in 24 hours, so
  // a limit hardly refills during the day.
  const limits = (
    email === undefined
      ? [
          { subject: getRateLimitedNetwork(ip), max: MAX_DAILY_WRONG_CODES.network },
          { subject: userId, max: MAX_DAILY_WRONG_CODES.account },
        ]
      : [{ subject: email, max: MAX_DAILY_WRONG_CODES.email }]
  ).map(({ subject, max }) => ({
    key: uuidFromHash(sealer.mac('limits', 'mailed codes', day, subject)),
    max,
    period: max * SECONDS_PER_DAY,
  }));
  const taken: typeof limits = [];
  const undo = async () => {
    for (const { key, ...limit } of taken) await returnToRateLimit(database, key, limit);
  };
  for (const limit of limits) {
    if ((await takeFromRateLimit(database, limit.key, limit, now)) === undefined) {
      await undo();
      return undefined;
    }
    taken.push(limit);
  }
  return undo;
}
