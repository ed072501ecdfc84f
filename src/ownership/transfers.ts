// Transfers the ownership of clients and APIs: offers, cancels, declines and accepts transfers.
import type { Locale } from '../i18n/index.ts';
import type { MailServices } from '../mail/links.ts';
import { TRANSFER_OFFER_TTL } from '../oauth/lifetimes.ts';
import { recordEvent } from '../store/audit-log.ts';
import type { Database, Queryable } from '../store/database.ts';
import { changeOwner, lockOwnerAndCount, lockResource, type ResourceKind } from '../store/owned-resources.ts';
import { deleteRefusalsNamingSecretOwner } from '../store/refusals.ts';
import { revokeAllSecrets } from '../store/secrets.ts';
import { revokeServiceAccessOfClient, revokeServiceAccessOfOwner } from '../store/service-access.ts';
import { requireLiveSession } from '../store/session-locks.ts';
import { cancelOffer, insertOffer, takeReceivedOffer } from '../store/transfer-offers.ts';
import { type Owner, recordOwnerEvent, toEventSubject } from './owner.ts';

/**
 * Offers a client or an API to the account with this email address. The result doesn't reveal whether that account
 * exists.
 * @param locale the owner's language
 * @returns false if the user doesn't own the client or API
 */
export async function offerTransfer(
  kind: ResourceKind,
  { mailer }: Pick<MailServices, 'mailer'>,
  transaction: Queryable,
  owner: Owner,
  id: string,
  { email, locale }: { email: string; locale: Locale },
  now: Date,
): Promise<boolean> {
  const expiresAt = new Date(now.getTime() + TRANSFER_OFFER_TTL * 1000);
  await requireLiveSession(transaction, owner, now);
  const offer = { ownerId: owner.userId, email, now, expiresAt };
  if (!(await insertOffer(transaction, kind, id, offer))) return false;
  await recordOwnerEvent(transaction, `${kind}_transfer_offered`, owner, toEventSubject(kind, id), now, {
    email,
  });
  const deferred = { kind: 'deferred', template: 'offered', id, email, locale } as const;
  if (mailer.available) await mailer.send(deferred, owner.userId, transaction);
  return true;
}

export async function cancelTransfer(
  kind: ResourceKind,
  database: Database,
  owner: Owner,
  id: string,
  now: Date,
): Promise<void> {
  await database.transaction(async (transaction) => {
    if (!(await cancelOffer(transaction, owner.userId, id))) return;
    const event = kind === 'application' ? 'application_transfer_canceled' : 'api_transfer_canceled';
    await recordOwnerEvent(transaction, event, owner, toEventSubject(kind, id), now);
  });
}

export async function declineTransfer(
  kind: ResourceKind,
  database: Database,
  { userId: actorId, ip }: Owner,
  id: string,
  now: Date,
): Promise<void> {
  await database.transaction(async (transaction) => {
    await lockResource(transaction, kind, id);
    const offer = await takeReceivedOffer(transaction, actorId, id, now);
    if (offer === undefined) return;
    const event = { kind: `${kind}_transfer_declined`, actorId, userId: offer.ownerId, ip } as const;
    await recordEvent(transaction, { ...event, ...toEventSubject(kind, id) }, now);
  });
}

/**
 * Accepts an offer. Redirect URIs and grants are kept. Secrets and keys are revoked.
 *
 * - A client loses its service access, verification and logout URIs. The tokens of a public client are revoked.
 * - Clients of an API's former owner lose their service access to the API.
 *
 * @param seen.urls the redirect URIs (separated by spaces) or the identifier, as shown to the recipient
 * @param limit maximum clients or APIs per account
 * @returns `changed` if the URLs have changed, in which case the caller must roll back
 */
export async function acceptTransfer(
  kind: ResourceKind,
  transaction: Queryable,
  owner: Owner,
  seen: { id: string; urls: string },
  limit: number,
  now: Date,
): Promise<'accepted' | 'notFound' | 'changed' | 'tooMany'> {
  const { id } = seen;
  const { userId, ip } = owner;
  await requireLiveSession(transaction, owner, now);
  await lockResource(transaction, kind, id);
  // Check the limit first so that the user can still accept the offer later.
  if ((await lockOwnerAndCount(transaction, kind, userId)) >= limit) return 'tooMany';
  const offer = await takeReceivedOffer(transaction, userId, id, now);
  if (offer === undefined) return 'notFound';
  if (offer.urls.join(' ') !== seen.urls) return 'changed';
  const { ownerId, name } = offer;
  if (!(await changeOwner(transaction, kind, id, { from: ownerId, to: userId }))) return 'notFound';
  if (kind === 'application') await revokeServiceAccessOfClient(transaction, id);
  else await revokeServiceAccessOfOwner(transaction, id, ownerId);
  await revokeAllSecrets(transaction, id, now);
  await deleteRefusalsNamingSecretOwner(transaction, id);
  const event = { kind: `${kind}_transferred`, actorId: userId, userId: ownerId, ip } as const;
  await recordEvent(transaction, { ...event, ...toEventSubject(kind, id), detail: { name } }, now);
  return 'accepted';
}
