// Taking an API that is on offer: what ends with its former owner.
import { hash } from 'node:crypto';
import type { Offering } from '../applications/offers.ts';
import { type Owner, requireSession } from '../applications/owner.ts';
import { type ApiHandover, changeApiOwner, findApiHandover, lockApi } from '../store/api-handover.ts';
import type { Database } from '../store/database.ts';
import { recordEvent } from '../store/events.ts';
import { countApisForAdding } from '../store/own-apis.ts';
import { ownApiSecrets } from '../store/own-secrets.ts';
import { forgetWhoseSecrets } from '../store/refusals.ts';
import { apiOffers } from '../store/transfer-offers.ts';

/** APIs on offer. */
export const API_OFFERS: Offering = { kind: 'api', offers: apiOffers, about: (apiId) => ({ apiId }) };

/** A mark that is another one as soon as anything differs by which somebody can be the API, or get tokens for it. */
export const markOf = (handover: ApiHandover): string =>
  hash('sha256', JSON.stringify(handover), 'base64url');

/**
 * Takes an API that is on offer, as it was shown: keys of the former owner end with it, secrets at the chosen time. What
 * people agreed to stays, and who may ask, though « own » means the new owner's applications from then on.
 * @param overlap for how many seconds the former owner's secrets go on (D61: 0 to 7 days)
 * @param limit how many APIs an account may have
 * @returns `changed` when it is not what was shown any more: nothing has happened then
 */
export async function acceptApi(
  database: Database,
  owner: Owner,
  apiId: string,
  { shown, overlap }: { shown: string; overlap: number },
  limit: number,
  now: Date,
): Promise<'accepted' | 'gone' | 'tooMany' | 'changed'> {
  const { userId, address } = owner;
  return database.transaction(async (transaction) => {
    await requireSession(transaction, owner, now);
    // Counted before the offer is used up, so that it still stands when there is room again.
    if ((await countApisForAdding(transaction, userId)) >= limit) return 'tooMany';
    await lockApi(transaction, apiId);
    const handover = await findApiHandover(transaction, apiId, now);
    if (handover === undefined) return 'gone';
    if (!(await apiOffers.findReceived(transaction, userId, apiId, now))) return 'gone';
    if (markOf(handover) !== shown) return 'changed';
    const offer = await apiOffers.take(transaction, userId, apiId, now);
    if (offer === undefined) return 'gone';
    if (!(await changeApiOwner(transaction, apiId, { from: offer.ownerId, to: userId }))) return 'gone';
    await ownApiSecrets.endAllAt(transaction, apiId, new Date(now.getTime() + overlap * 1000));
    await forgetWhoseSecrets(transaction, apiId);
    const detail = { name: offer.name, overlap };
    const kind = 'api_transferred';
    const event = { kind, actorId: userId, userId: offer.ownerId, apiId, address, detail } as const;
    await recordEvent(transaction, event, now);
    return 'accepted';
  });
}
