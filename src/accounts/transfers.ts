// Giving an application to another account: offered by its owner, taken by the other person, or not.

import { countForAdding } from '../store/applications.ts';
import type { Database } from '../store/database.ts';
import { recordEvent } from '../store/events.ts';
import {
  cancelOwnOffer,
  changeOwner,
  offerApplication,
  takeReceivedOffer,
} from '../store/transfer-offers.ts';
import type { Owner } from './applications.ts';

/** How long an offer stands, in milliseconds. */
const OFFER_LIFETIME = 7 * 24 * 3600 * 1000;

/** Offers an application to an email. Whether anybody has it is not revealed. False when it is not theirs. */
export async function offerTransfer(
  database: Database,
  { userId, address }: Owner,
  clientId: string,
  email: string,
  now: Date,
): Promise<boolean> {
  const expiresAt = new Date(now.getTime() + OFFER_LIFETIME);
  return database.transaction(async (transaction) => {
    if (!(await offerApplication(transaction, { ownerId: userId, clientId, email, now, expiresAt })))
      return false;
    const kind = 'application_transfer_offered';
    await recordEvent(
      transaction,
      { kind, actorId: userId, userId, clientId, address, detail: { email } },
      now,
    );
    return true;
  });
}

/** Takes an offer back. Gone already: what was asked for is so. */
export async function cancelTransfer(
  database: Database,
  { userId, address }: Owner,
  clientId: string,
  now: Date,
): Promise<void> {
  await database.transaction(async (transaction) => {
    if (!(await cancelOwnOffer(transaction, userId, clientId))) return;
    const kind = 'application_transfer_cancelled';
    await recordEvent(transaction, { kind, actorId: userId, userId, clientId, address }, now);
  });
}

/** Refuses an offer. Gone already: what was asked for is so. */
export async function declineTransfer(
  database: Database,
  { userId, address }: Owner,
  clientId: string,
  now: Date,
): Promise<void> {
  await database.transaction(async (transaction) => {
    const offer = await takeReceivedOffer(transaction, userId, clientId, now);
    if (offer === undefined) return;
    const kind = 'application_transfer_declined';
    await recordEvent(transaction, { kind, actorId: userId, userId: offer.ownerId, clientId, address }, now);
  });
}

/**
 * Takes an application that is on offer.
 * @param limit how many applications an account may have
 */
export async function acceptTransfer(
  database: Database,
  { userId, address }: Owner,
  clientId: string,
  limit: number,
  now: Date,
): Promise<'accepted' | 'gone' | 'tooMany'> {
  return database.transaction(async (transaction) => {
    // Counted before the offer is used up, so that it still stands when there is room again.
    if ((await countForAdding(transaction, userId)) >= limit) return 'tooMany';
    const offer = await takeReceivedOffer(transaction, userId, clientId, now);
    if (offer === undefined) return 'gone';
    if (!(await changeOwner(transaction, clientId, offer.ownerId, userId))) return 'gone';
    const kind = 'application_transferred';
    const detail = { name: offer.name };
    const event = { kind, actorId: userId, userId: offer.ownerId, clientId, address, detail } as const;
    await recordEvent(transaction, event, now);
    return 'accepted';
  });
}
