// Giving an API to another account: offered by its owner, taken by the other person, or not.
import { hash } from 'node:crypto';
import { type Owner, requireSession } from '../applications/owner.ts';
import type { Locale } from '../i18n/index.ts';
import type { MailParts } from '../mail/links.ts';
import { TRANSFER_OFFER } from '../oauth/lifetimes.ts';
import { type ApiHandover, changeApiOwner, findApiHandover, lockApi } from '../store/api-handover.ts';
import type { Database } from '../store/database.ts';
import { recordEvent } from '../store/events.ts';
import { countApisForAdding } from '../store/own-apis.ts';
import { ownApiSecrets } from '../store/own-secrets.ts';
import { noteChange } from '../store/session-changes.ts';
import { apiOffers } from '../store/transfer-offers.ts';
import { noteApi } from './audit.ts';

/**
 * Offers an API to an email, and tells whoever has it. Whether anybody has is not revealed: the same is written for
 * everybody.
 * @param locale the language of whoever offers it
 * @returns false when it is not theirs
 */
export async function offerApi(
  { database, mailer }: Pick<MailParts, 'database' | 'mailer'>,
  owner: Owner,
  apiId: string,
  { email, locale }: { email: string; locale: Locale },
  now: Date,
): Promise<boolean> {
  const expiresAt = new Date(now.getTime() + TRANSFER_OFFER * 1000);
  const { userId: ownerId, sid } = owner;
  const offered = await database.transaction(async (transaction) => {
    await requireSession(transaction, owner, now);
    if (!(await apiOffers.offer(transaction, apiId, { ownerId, sid, email, now, expiresAt }))) return false;
    await noteApi(transaction, 'api_transfer_offered', owner, apiId, now, { email });
    const wish = { kind: 'wish', what: 'api_offered', apiId, email, locale } as const;
    if (mailer.available) await mailer.send(wish, transaction);
    return true;
  });
  mailer.wake();
  return offered;
}

/** Takes an offer back. Gone already: what was asked for is so. */
export async function cancelApiOffer(
  database: Database,
  owner: Owner,
  apiId: string,
  now: Date,
): Promise<void> {
  await database.transaction(async (transaction) => {
    if (await apiOffers.cancelOwn(transaction, owner.userId, apiId))
      await noteApi(transaction, 'api_transfer_cancelled', owner, apiId, now);
  });
}

/** Refuses an offer. Gone already: what was asked for is so. */
export async function declineApi(
  database: Database,
  { userId, address }: Owner,
  apiId: string,
  now: Date,
): Promise<void> {
  await database.transaction(async (transaction) => {
    const offer = await apiOffers.take(transaction, userId, apiId, now);
    if (offer === undefined) return;
    const kind = 'api_transfer_declined';
    await recordEvent(transaction, { kind, actorId: userId, userId: offer.ownerId, apiId, address }, now);
  });
}

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
    const detail = { name: offer.name, overlap };
    const kind = 'api_transferred';
    const event = { kind, actorId: userId, userId: offer.ownerId, apiId, address, detail } as const;
    await recordEvent(transaction, event, now);
    const giver = { userId: offer.ownerId, sid: offer.sid ?? undefined };
    await noteChange(transaction, giver, { kind: 'api_given', apiId }, now);
    await noteChange(transaction, owner, { kind: 'api_received', apiId }, now);
    return 'accepted';
  });
}
