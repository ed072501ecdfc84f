// Taking an application that is on offer: what ends with its former owner, and whether its secrets and tokens end at once.
import { hash } from 'node:crypto';
import { countForAdding } from '../store/applications.ts';
import type { Database } from '../store/database.ts';
import { recordEvent } from '../store/events.ts';
import { changeOwner, findHandover, type Handover, lockApplication } from '../store/handover.ts';
import { ownSecrets } from '../store/own-secrets.ts';
import { forgetWhoseSecrets } from '../store/refusals.ts';
import { endAllServiceAccess } from '../store/service-access.ts';
import { applicationOffers } from '../store/transfer-offers.ts';
import { type Owner, requireSession } from './owner.ts';

/** What the new owner decided on the page that lists all that comes with the application. */
export interface Acceptance {
  /** The mark of what that page showed. */
  shown: string;
  /** Which of its callback URLs stay, by their places in the list. */
  keep: readonly number[];
  /** For how many seconds the former owner's secrets go on (D61: 0 to 7 days). */
  overlap: number;
}

/** A mark that is another one as soon as anything differs by which somebody can be the application. */
export const markOf = (handover: Handover): string => hash('sha256', JSON.stringify(handover), 'base64url');

/**
 * Takes an application that is on offer, as it was shown: keys and addresses of the former owner end with it, secrets
 * at the chosen time, what is added meanwhile included. Where they end now, or there are none, so does all that the
 * application was ever given: nothing but a secret keeps the former owner from using its refresh tokens.
 * @param limit how many applications an account may have
 * @returns `changed` when it is not what was shown any more: nothing has happened then
 */
export async function acceptTransfer(
  database: Database,
  owner: Owner,
  clientId: string,
  { shown, keep, overlap }: Acceptance,
  limit: number,
  now: Date,
): Promise<'accepted' | 'gone' | 'tooMany' | 'changed'> {
  const { userId, address } = owner;
  return database.transaction(async (transaction) => {
    await requireSession(transaction, owner, now);
    // Counted before the offer is used up, so that it still stands when there is room again.
    if ((await countForAdding(transaction, userId)) >= limit) return 'tooMany';
    await lockApplication(transaction, clientId);
    const handover = await findHandover(transaction, clientId, now);
    if (handover === undefined) return 'gone';
    if (!(await applicationOffers.findReceived(transaction, userId, clientId, now))) return 'gone';
    const kept = handover.redirectUris.filter((_, place) => keep.includes(place));
    if (markOf(handover) !== shown || kept.length === 0) return 'changed';
    const offer = await applicationOffers.take(transaction, userId, clientId, now);
    if (offer === undefined) return 'gone';
    const endTokens = overlap === 0 || handover.type === 'public';
    const ends = { from: offer.ownerId, to: userId };
    if (!(await changeOwner(transaction, clientId, ends, { kept, endTokens }))) return 'gone';
    await endAllServiceAccess(transaction, clientId);
    await ownSecrets.endAllAt(transaction, clientId, new Date(now.getTime() + overlap * 1000));
    await forgetWhoseSecrets(transaction, clientId);
    const kind = 'application_transferred';
    const detail = { name: offer.name, redirectUris: kept, overlap };
    const event = { kind, actorId: userId, userId: offer.ownerId, clientId, address, detail } as const;
    await recordEvent(transaction, event, now);
    return 'accepted';
  });
}
