// Transfers a client or an API to another account: offers it, cancels or declines the offer, accepts it.
import type { Locale } from '../i18n/index.ts';
import type { MailParts } from '../mail/links.ts';
import { TRANSFER_OFFER } from '../oauth/lifetimes.ts';
import type { Database, Queryable } from '../store/database.ts';
import { recordEvent } from '../store/events.ts';
import { changeOwner, countForAdding, type Kind, lockThing } from '../store/owned.ts';
import { forgetWhoseSecrets } from '../store/refusals.ts';
import { endAllSecrets } from '../store/secrets.ts';
import { endAllServiceAccess, endServiceAccessOfOwner } from '../store/service-access.ts';
import { requireSession } from '../store/session-locks.ts';
import { cancelOwnOffer, insertOffer, takeReceivedOffer } from '../store/transfer-offers.ts';
import { about, note, type Owner } from './owner.ts';

/**
 * Offers a client or an API to an email address in a transaction, and mails whoever has it. The result doesn't reveal whether anybody does.
 * @param locale the language of the owner
 * @returns false if it isn't the user's
 */
export async function offerTransfer(
  kind: Kind,
  { mailer }: Pick<MailParts, 'mailer'>,
  transaction: Queryable,
  owner: Owner,
  id: string,
  { email, locale }: { email: string; locale: Locale },
  now: Date,
): Promise<boolean> {
  const expiresAt = new Date(now.getTime() + TRANSFER_OFFER * 1000);
  await requireSession(transaction, owner, now);
  const offer = { ownerId: owner.userId, email, now, expiresAt };
  if (!(await insertOffer(transaction, kind, id, offer))) return false;
  await note(transaction, `${kind}_transfer_offered`, owner, about(kind, id), now, { email });
  const wish = { kind: 'wish', what: 'offered', id, email, locale } as const;
  if (mailer.available) await mailer.send(wish, owner.userId, transaction);
  return true;
}

/** Cancels an offer, if there is one. */
export async function cancelTransfer(
  kind: Kind,
  database: Database,
  owner: Owner,
  id: string,
  now: Date,
): Promise<void> {
  await database.transaction(async (transaction) => {
    if (!(await cancelOwnOffer(transaction, owner.userId, id))) return;
    const event = kind === 'application' ? 'application_transfer_cancelled' : 'api_transfer_cancelled';
    await note(transaction, event, owner, about(kind, id), now);
  });
}

/** Declines an offer, if there is one. */
export async function declineTransfer(
  kind: Kind,
  database: Database,
  { userId: actorId, address }: Owner,
  id: string,
  now: Date,
): Promise<void> {
  await database.transaction(async (transaction) => {
    await lockThing(transaction, kind, id);
    const offer = await takeReceivedOffer(transaction, actorId, id, now);
    if (offer === undefined) return;
    const event = { kind: `${kind}_transfer_declined`, actorId, userId: offer.ownerId, address } as const;
    await recordEvent(transaction, { ...event, ...about(kind, id) }, now);
  });
}

/**
 * Accepts an offer in a transaction. The former owner's secrets and keys end, and of a client the sign-out URLs, the access to
 * APIs on its own account, and the tokens of a public one, which need no secret. Of an API, the access of the former owner's
 * clients on their own account ends. Redirect URIs and other grants stay.
 * @param seen.urls the redirect URIs or the identifier that the recipient saw, separated by spaces
 * @param limit how many of the kind an account may own
 * @returns `changed` if the URLs are others now: the caller has to roll back
 */
export async function acceptTransfer(
  kind: Kind,
  transaction: Queryable,
  owner: Owner,
  seen: { id: string; urls: string },
  limit: number,
  now: Date,
): Promise<'accepted' | 'gone' | 'changed' | 'tooMany'> {
  const { id } = seen;
  const { userId, address } = owner;
  await requireSession(transaction, owner, now);
  await lockThing(transaction, kind, id);
  // Before the offer is used up, so that it can be accepted later.
  if ((await countForAdding(transaction, kind, userId)) >= limit) return 'tooMany';
  const offer = await takeReceivedOffer(transaction, userId, id, now);
  if (offer === undefined) return 'gone';
  if (offer.urls.join(' ') !== seen.urls) return 'changed';
  const { ownerId, name } = offer;
  if (!(await changeOwner(transaction, kind, id, { from: ownerId, to: userId }))) return 'gone';
  if (kind === 'application') await endAllServiceAccess(transaction, id);
  else await endServiceAccessOfOwner(transaction, id, ownerId);
  await endAllSecrets(transaction, id, now);
  await forgetWhoseSecrets(transaction, id);
  const event = { kind: `${kind}_transferred`, actorId: userId, userId: ownerId, address } as const;
  await recordEvent(transaction, { ...event, ...about(kind, id), detail: { name } }, now);
  return 'accepted';
}
