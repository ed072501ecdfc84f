// Telling applications that a session is over (OpenID Connect Back-Channel Logout 1.0), for as long as the process serves.

import { lookup as resolve } from 'node:dns/promises';
import { request as requestSecure } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { type SigningKeys, signLogoutToken } from '../keys/tokens.ts';
import { isPublicAddress, isWithin, rangesOf } from '../oauth/public-address.ts';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import type { Database } from '../store/database.ts';
import {
  announceMissed,
  claimDeliveries,
  type DueDelivery,
  settleDelivery,
} from '../store/logout-deliveries.ts';
import { type Repeated, repeat } from './repeat.ts';

// An import of it reads all that it exports, and so loads a whole WebSocket client: 40 ms of every start.
const { request: requestPlain } = process.getBuiltinModule('node:http');

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
  repeat(async () => {
    try {
      return (await deliverDue(parts)) === AT_A_TIME ? 0 : PAUSE;
    } catch (error) {
      logger.warn({ err: error }, 'logouts could not be announced; it will be tried again');
      return PAUSE;
    }
  });

/**
 * Tells the applications whose turn it is.
 * @returns how many were tried
 */
export async function deliverDue(parts: BackchannelParts): Promise<number> {
  const now = parts.now();
  await announceMissed(parts.database, now);
  const due = await claimDeliveries(parts.database, {
    now,
    leaseUntil: new Date(now.getTime() + LEASE),
    limit: AT_A_TIME,
  });
  await Promise.all(due.map((delivery) => deliver(parts, delivery)));
  return due.length;
}

async function deliver(parts: BackchannelParts, delivery: DueDelivery): Promise<void> {
  const { config, database, keys } = parts;
  const { uri, algorithm } = delivery;
  if (uri === null || algorithm === null)
    return settleDelivery(database, delivery.id, { error: 'there is nobody to tell any more' });
  const error = await attempt(uri, algorithm);
  const now = parts.now();
  if (error === undefined) return settleDelivery(database, delivery.id, { deliveredAt: now });
  const minutes = BACKOFF_MINUTES[delivery.attempts - 1];
  const nextAttemptAt = minutes === undefined ? undefined : new Date(now.getTime() + minutes * 60_000);
  return settleDelivery(database, delivery.id, { nextAttemptAt, error });

  async function attempt(address: string, algorithm: SigningAlgorithm): Promise<string | undefined> {
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
      const status = await post(address, `logout_token=${token}`, config);
      return status === 200 || status === 204 ? undefined : `it answered ${status} instead of 200`;
    } catch (problem) {
      return problem instanceof Error ? problem.message : String(problem);
    }
  }
}

/**
 * Posts a form to an address that its owner has chosen: over https, to the public internet, following nothing. The
 * addresses that the name stands for are checked by the very lookup that connects.
 * @returns the status of the answer
 * @throws Error in words for the application's owner
 */
export function post(
  address: string,
  body: string,
  config: Pick<Config, 'production' | 'backchannelAllow'>,
): Promise<number> {
  const url = new URL(address);
  const allowed = rangesOf(config.backchannelAllow);
  const mayCall = (ip: string) => isPublicAddress(ip) || isWithin(ip, allowed);
  if (url.protocol !== 'https:' && (config.production || url.protocol !== 'http:'))
    return Promise.reject(new Error('the address is not https'));
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !mayCall(host)) return Promise.reject(notPublic());

  const lookup: LookupFunction = (name, options, done) => {
    resolve(name, { ...options, all: true }).then(
      (found) => {
        const bad = found.length === 0 || found.some(({ address: ip }) => !mayCall(ip));
        if (bad) return done(notPublic(), '', 0);
        const [first] = found;
        if (options.all) done(null, found as never);
        else done(null, first?.address ?? '', first?.family);
      },
      () => done(new Error('its name is not known'), '', 0),
    );
  };
  const request = url.protocol === 'https:' ? requestSecure : requestPlain;
  return new Promise((answered, failed) => {
    const outgoing = request(
      url,
      {
        method: 'POST',
        lookup,
        agent: false,
        signal: AbortSignal.timeout(TIMEOUT),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': Buffer.byteLength(body),
        },
      },
      (response) => {
        answered(response.statusCode ?? 0);
        response.destroy(); // what it says beyond that is of no use
      },
    );
    outgoing.on('error', (error: NodeJS.ErrnoException) => failed(new Error(wordsFor(error))));
    outgoing.end(body);
  });
}

const notPublic = () => new Error('the address is not on the public internet');

function wordsFor(error: NodeJS.ErrnoException): string {
  if (error.name === 'AbortError' || error.name === 'TimeoutError')
    return 'it did not answer within 5 seconds';
  if (error.code === 'ECONNREFUSED') return 'nobody answers at the address';
  // What the other side had a part in is kept short, and free of what the database would refuse.
  const words = error.message || String(error.code);
  return words.replace(/[^\x20-\x7e]/g, '?').slice(0, 200);
}
