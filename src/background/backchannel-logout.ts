// Delivers logout tokens to clients (OpenID Connect Back-Channel Logout 1.0), with retries.

import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { type SigningKeys, signLogoutToken } from '../keys/tokens.ts';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import {
  OutgoingError,
  type ReleasedSlotProof,
  sendGuardedRequest,
  toPublicErrorKind,
} from '../outgoing/guarded-request.ts';
import type { Database } from '../store/database.ts';
import {
  claimDeliveries,
  type DeliveryError,
  type DueDelivery,
  recordDeliveryResult,
} from '../store/logout-deliveries.ts';
import { type BackgroundJob, repeat } from './repeat.ts';

const POLL_INTERVAL = 2_000;
const BATCH_SIZE = 10;
/** Milliseconds. Must be shorter than LEASE_DURATION. */
const REQUEST_TIMEOUT = 5_000;
const LEASE_DURATION = 60_000;
/** The last attempt is about a day after the first. */
const BACKOFF_MINUTES = [1, 5, 15, 60, 180, 360, 720];

interface BackchannelServices {
  config: Pick<Config, 'baseUrl' | 'production' | 'backchannelAllow'>;
  database: Database;
  keys: SigningKeys;
  now: () => Date;
}

export const startBackchannelLogout = (services: BackchannelServices, logger: Logger): BackgroundJob =>
  repeat(async (slotProof) => {
    try {
      return (await deliverDueLogouts(services, slotProof)) === BATCH_SIZE ? 0 : POLL_INTERVAL;
    } catch (error) {
      logger.warn({ err: error }, 'back-channel logout delivery failed, will retry');
      return POLL_INTERVAL;
    }
  });

/** @returns the number of attempts */
export async function deliverDueLogouts(
  services: BackchannelServices,
  slotProof: ReleasedSlotProof,
): Promise<number> {
  const now = services.now();
  const due = await claimDeliveries(services.database, {
    now,
    leaseUntil: new Date(now.getTime() + LEASE_DURATION),
    limit: BATCH_SIZE,
  });
  await Promise.all(due.map((delivery) => deliver(services, delivery, slotProof)));
  return due.length;
}

async function deliver(
  services: BackchannelServices,
  delivery: DueDelivery,
  slotProof: ReleasedSlotProof,
): Promise<void> {
  const { config, database, keys } = services;
  const { uri, algorithm } = delivery;
  if (uri === null || algorithm === null)
    return recordDeliveryResult(database, delivery, { error: { kind: 'no_uri' } });
  const error = await sendLogoutToken(uri, algorithm);
  const now = services.now();
  if (error === undefined) return recordDeliveryResult(database, delivery, { deliveredAt: now });
  const minutes = BACKOFF_MINUTES[delivery.attempts - 1];
  const nextAttemptAt = minutes === undefined ? undefined : new Date(now.getTime() + minutes * 60_000);
  return recordDeliveryResult(database, delivery, { nextAttemptAt, error });

  async function sendLogoutToken(
    url: string,
    algorithm: SigningAlgorithm,
  ): Promise<DeliveryError | undefined> {
    try {
      const token = await signLogoutToken(
        keys,
        {
          issuer: config.baseUrl,
          clientId: delivery.clientId,
          userId: delivery.userId,
          sid: delivery.sid,
          issuedAt: Math.floor(services.now().getTime() / 1000),
        },
        algorithm,
      );
      const status = await sendLogoutRequest(url, `logout_token=${token}`, config, slotProof);
      return status === 200 || status === 204 ? undefined : { kind: 'http_status', detail: String(status) };
    } catch (error) {
      if (!(error instanceof OutgoingError)) return { kind: 'internal' };
      const { kind, message } = error;
      return kind === 'failed' ? { kind, detail: message } : { kind: toPublicErrorKind(kind) };
    }
  }
}

/**
 * @returns the HTTP status
 * @throws OutgoingError with a message for the client's owner
 */
export async function sendLogoutRequest(
  url: string,
  body: string,
  { production, backchannelAllow }: Pick<Config, 'production' | 'backchannelAllow'>,
  slotProof: ReleasedSlotProof,
): Promise<number> {
  const { status } = await sendGuardedRequest(
    url,
    {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
      timeout: REQUEST_TIMEOUT,
      maxBytes: 0,
      stopWhen: () => true, // the response body is ignored
    },
    { production, allowedNetworks: backchannelAllow },
    slotProof,
  );
  return status;
}
