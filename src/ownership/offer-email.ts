// Composes the email to the recipient of a transfer offer.
import { maySendOfferTo } from '../accounts/rate-limits.ts';
import type { EmailComposer } from '../mail/delivery.ts';
import type { MailServices } from '../mail/links.ts';
import type { DeferredOfferEmail } from '../mail/outbox-content.ts';
import { findActiveContact } from '../store/credentials.ts';
import { findReceivedOffer, findRecipient } from '../store/transfer-offers.ts';

/**
 * Returns undefined if the recipient has no verified account. The email contains names that the owner chose, so it isn't
 * sent to unverified addresses.
 */
export async function composeOfferEmail(
  services: Pick<MailServices, 'config' | 'database' | 'sealer'>,
  deferred: DeferredOfferEmail,
  now: Date,
): ReturnType<EmailComposer> {
  const { config, database } = services;
  const { id } = deferred;
  const recipientId = await findRecipient(database, id, deferred.email, now);
  const mailbox = recipientId ? await findActiveContact(database, recipientId) : undefined;
  if (mailbox === undefined || !mailbox.emailVerified) return undefined;
  const offer = await findReceivedOffer(database, mailbox.userId, id, now);
  if (offer === undefined) return undefined;
  if (!(await maySendOfferTo(services, { email: mailbox.email, ownerId: offer.ownerId }, now)))
    return undefined;
  const { kind, name, ownerName, expiresAt } = offer;
  return async () => ({
    kind: 'offered',
    what: kind,
    name,
    from: ownerName,
    until: expiresAt,
    link: `${config.baseUrl}/console/${kind === 'api' ? 'apis' : 'applications'}/${id}/transfer/accept`,
    to: { name: mailbox.name, email: mailbox.email },
    locale: mailbox.locale ?? deferred.locale,
  });
}
