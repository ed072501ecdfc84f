// The mail to whoever an application is on offer to.
import { mayMailOffer } from '../accounts/limits.ts';
import type { OfferWish } from '../mail/envelope.ts';
import type { MailParts } from '../mail/links.ts';
import type { Writer } from '../mail/mailer.ts';
import { findMailbox } from '../store/credentials.ts';
import { applicationOffers } from '../store/transfer-offers.ts';

/**
 * Writes it to whoever has the address; nobody is told that nobody has it, or that it is not verified. The names in it are
 * an owner's to choose, so it goes to no mailbox that has not answered.
 */
export async function writeOffer(
  parts: Pick<MailParts, 'config' | 'database' | 'sealer'>,
  { clientId, email, locale }: OfferWish,
  now: Date,
): ReturnType<Writer> {
  const { config, database } = parts;
  const recipientId = await applicationOffers.findRecipient(database, clientId, email, now);
  const mailbox = recipientId === undefined ? undefined : await findMailbox(database, recipientId);
  if (mailbox === undefined || !mailbox.emailVerified) return undefined;
  const offer = await applicationOffers.findReceived(database, mailbox.userId, clientId, now);
  if (offer === undefined) return undefined;
  if (!(await mayMailOffer(parts, { email: mailbox.email, ownerId: offer.ownerId }, now))) return undefined;
  return async () => ({
    kind: 'application_offered',
    to: { name: mailbox.name, email: mailbox.email },
    locale: mailbox.locale ?? locale,
    application: offer.name,
    from: offer.ownerName,
    until: offer.expiresAt,
    link: `${config.baseUrl}/console/applications/${clientId}/transfer/accept`,
  });
}
