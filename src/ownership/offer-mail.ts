// The email about an offer, to its recipient.
import { mayMailOffer } from '../accounts/limits.ts';
import type { OfferWish } from '../mail/envelope.ts';
import type { MailParts } from '../mail/links.ts';
import type { Writer } from '../mail/mailer.ts';
import { findMailbox } from '../store/credentials.ts';
import { findReceivedOffer, findRecipient } from '../store/transfer-offers.ts';

/** Writes it to the account of the address, if there is one and its address is verified: owners choose the names in it. */
export async function writeOffer(
  parts: Pick<MailParts, 'config' | 'database' | 'sealer'>,
  wish: OfferWish,
  now: Date,
): ReturnType<Writer> {
  const { config, database } = parts;
  const { id } = wish;
  const recipientId = await findRecipient(database, id, wish.email, now);
  const mailbox = recipientId ? await findMailbox(database, recipientId) : undefined;
  if (mailbox === undefined || !mailbox.emailVerified) return undefined;
  const offer = await findReceivedOffer(database, mailbox.userId, id, now);
  if (offer === undefined) return undefined;
  if (!(await mayMailOffer(parts, { email: mailbox.email, ownerId: offer.ownerId }, now))) return undefined;
  const { kind, name, ownerName, expiresAt } = offer;
  return async () => ({
    kind: 'offered',
    what: kind,
    name,
    from: ownerName,
    until: expiresAt,
    link: `${config.baseUrl}/console/${kind === 'api' ? 'apis' : 'applications'}/${id}/transfer/accept`,
    to: { name: mailbox.name, email: mailbox.email },
    locale: mailbox.locale ?? wish.locale,
  });
}
