// Telling applications that a session is over (OpenID Connect Back-Channel Logout 1.0), for as long as the process serves.

import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { type SigningKeys, signLogoutToken } from '../keys/tokens.ts';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import { guardedRequest, type OffSlot, OutgoingFault, toldKind } from '../outgoing/guarded-request.ts';
import type { Database } from '../store/database.ts';
import {
  claimDeliveries,
  type DeliveryFault,
  type DueDelivery,
  settleDelivery,
} from '../store/logout-deliveries.ts';
import { type Repeated, repeat } from './repeat.ts';

const PAUSE = 2_000;
const AT_A_TIME = 10;
/** How long an application may take to answer; a claim lasts longer than that. */
const TIMEOUT = 5_000;
const LEASE = 60_000;
/** Minutes until the next attempt after each that failed: about a day in all. */
const BACKOFF_MINUTES = [1, 5, 15, 60, 180, 360, 720];

interface BackchannelParts {
  config: Pick<Config, 'baseUrl' | 'production' | 'backchannelAllow'>;
  database: Database;
  keys: SigningKeys;
  now: () => Date;
}

/** Starts delivering; stopping waits for the attempts in hand. */
export const startBackchannel = (parts: BackchannelParts, logger: Logger): Repeated =>
  repeat(async (offSlot) => {
    try {
      return (await deliverDue(parts, offSlot)) === AT_A_TIME ? 0 : PAUSE;
    } catch (error) {
      logger.warn({ err: error }, 'logouts could not be announced; it will be tried again');
      return PAUSE;
    }
  });

/**
 * Tells the applications whose turn it is.
 * @returns how many were tried
 */
export async function deliverDue(parts: BackchannelParts, offSlot: OffSlot): Promise<number> {
  const now = parts.now();
  const due = await claimDeliveries(parts.database, {
    now,
    leaseUntil: new Date(now.getTime() + LEASE),
    limit: AT_A_TIME,
  });
  await Promise.all(due.map((delivery) => deliver(parts, delivery, offSlot)));
  return due.length;
}

async function deliver(parts: BackchannelParts, delivery: DueDelivery, offSlot: OffSlot): Promise<void> {
  const { config, database, keys } = parts;
  const { uri, algorithm } = delivery;
  if (uri === null || algorithm === null)
    return settleDelivery(database, delivery, { fault: { kind: 'nobody' } });
  const fault = await attempt(uri, algorithm);
  const now = parts.now();
  if (fault === undefined) return settleDelivery(database, delivery, { deliveredAt: now });
  const minutes = BACKOFF_MINUTES[delivery.attempts - 1];
  const nextAttemptAt = minutes === undefined ? undefined : new Date(now.getTime() + minutes * 60_000);
  return settleDelivery(database, delivery, { nextAttemptAt, fault });

  async function attempt(address: string, algorithm: SigningAlgorithm): Promise<DeliveryFault | undefined> {
    try {
      const token = await signLogoutToken(
        keys,
        {
          issuer: config.baseUrl,
          clientId: delivery.clientId,
          userId: delivery.userId,
          sid: delivery.sid,
          issuedAt: Math.floor(parts.now().getTime() / 1000),
        },
        algorithm,
      );
      const status = await post(address, `logout_token=${token}`, config, offSlot);
      return status === 200 || status === 204 ? undefined : { kind: 'answered', detail: String(status) };
    } catch (problem) {
      if (!(problem instanceof OutgoingFault)) return { kind: 'ours' };
      const { kind, message } = problem;
      return kind === 'failed' ? { kind, detail: message } : { kind: toldKind(kind) };
    }
  }
}

/**
 * Posts a form to an address that its owner has chosen.
 * @returns the status of the answer
 * @throws OutgoingFault in words for the application's owner
 */
export async function post(
  address: string,
  body: string,
  { production, backchannelAllow }: Pick<Config, 'production' | 'backchannelAllow'>,
  offSlot: OffSlot,
): Promise<number> {
  const { status } = await guardedRequest(
    address,
    {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
      within: TIMEOUT,
      most: 0,
      until: () => true, // what it says beyond that is of no use
    },
    { production, allow: backchannelAllow },
    offSlot,
  );
  return status;
}
