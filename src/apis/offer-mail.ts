// The mail to whoever an API is on offer to.
import { mayMailOffer } from '../accounts/limits.ts';
import type { ApiOfferWish } from '../mail/envelope.ts';
import type { MailParts } from '../mail/links.ts';
import type { Writer } from '../mail/mailer.ts';
import { findMailbox } from '../store/credentials.ts';
import { apiOffers } from '../store/transfer-offers.ts';

/** Writes it as that of an application (applications/offer-mail.ts): to no mailbox that has not answered. */
export async function writeApiOffer(
  parts: Pick<MailParts, 'config' | 'database' | 'sealer'>,
  { apiId, email, locale }: ApiOfferWish,
  now: Date,
): ReturnType<Writer> {
  const { config, database } = parts;
  const recipientId = await apiOffers.findRecipient(database, apiId, email, now);
  const mailbox = recipientId === undefined ? undefined : await findMailbox(database, recipientId);
  if (mailbox === undefined || !mailbox.emailVerified) return undefined;
  const offer = await apiOffers.findReceived(database, mailbox.userId, apiId, now);
  if (offer === undefined) return undefined;
  if (!(await mayMailOffer(parts, { email: mailbox.email, ownerId: offer.ownerId }, now))) return undefined;
  return async () => ({
    kind: 'api_offered',
    to: { name: mailbox.name, email: mailbox.email },
    locale: mailbox.locale ?? locale,
    api: offer.name,
    from: offer.ownerName,
    until: offer.expiresAt,
    link: `${config.baseUrl}/console/apis/${apiId}/transfer/accept`,
  });
}
