// The mail to whoever an application or an API is on offer to.
import { mayMailOffer } from '../accounts/limits.ts';
import type { OfferWish } from '../mail/envelope.ts';
import type { MailParts } from '../mail/links.ts';
import type { Writer } from '../mail/mailer.ts';
import { findMailbox } from '../store/credentials.ts';
import { apiOffers, applicationOffers } from '../store/transfer-offers.ts';

/**
 * Writes it to whoever has the address; nobody is told that nobody has it, or that it is not verified. The names in it are
 * an owner's to choose, so it goes to no mailbox that has not answered.
 */
export async function writeOffer(
  parts: Pick<MailParts, 'config' | 'database' | 'sealer'>,
  wish: OfferWish,
  now: Date,
): ReturnType<Writer> {
  const { config, database } = parts;
  const [offers, id, section] =
    'apiId' in wish ? [apiOffers, wish.apiId, 'apis'] : [applicationOffers, wish.clientId, 'applications'];
  const recipientId = await offers.findRecipient(database, id, wish.email, now);
  const mailbox = recipientId === undefined ? undefined : await findMailbox(database, recipientId);
  if (mailbox === undefined || !mailbox.emailVerified) return undefined;
  const offer = await offers.findReceived(database, mailbox.userId, id, now);
  if (offer === undefined) return undefined;
  if (!(await mayMailOffer(parts, { email: mailbox.email, ownerId: offer.ownerId }, now))) return undefined;
  const letter = {
    to: { name: mailbox.name, email: mailbox.email },
    locale: mailbox.locale ?? wish.locale,
    from: offer.ownerName,
    until: offer.expiresAt,
    link: `${config.baseUrl}/console/${section}/${id}/transfer/accept`,
  };
  return async () =>
    'apiId' in wish
      ? { ...letter, kind: 'api_offered', api: offer.name }
      : { ...letter, kind: 'application_offered', application: offer.name };
}
