// Offering an application or an API to another account: offered by its owner, taken back, declined by the other person.
import type { Locale } from '../i18n/index.ts';
import type { MailParts } from '../mail/links.ts';
import { TRANSFER_OFFER } from '../oauth/lifetimes.ts';
import type { Database } from '../store/database.ts';
import { recordEvent } from '../store/events.ts';
import { type apiOffers, applicationOffers } from '../store/transfer-offers.ts';
import { note, type Owner, requireSession } from './owner.ts';

/** What is offered: applications, or APIs. The id is that of one of them. */
export interface Offering {
  kind: 'application' | 'api';
  offers: typeof applicationOffers | typeof apiOffers;
  /** As the audit log names it. */
  about: (id: string) => { clientId: string } | { apiId: string };
}

export const APPLICATION_OFFERS: Offering = {
  kind: 'application',
  offers: applicationOffers,
  about: (clientId) => ({ clientId }),
};

/**
 * Offers one to an email, and tells whoever has it. Whether anybody has is not revealed: the same is written for everybody.
 * @param locale the language of whoever offers it
 * @returns false when it is not theirs
 */
export async function offer(
  { kind, offers, about }: Offering,
  { database, mailer }: Pick<MailParts, 'database' | 'mailer'>,
  owner: Owner,
  id: string,
  { email, locale }: { email: string; locale: Locale },
  now: Date,
): Promise<boolean> {
  const expiresAt = new Date(now.getTime() + TRANSFER_OFFER * 1000);
  const { userId: ownerId } = owner;
  const offered = await database.transaction(async (transaction) => {
    await requireSession(transaction, owner, now);
    if (!(await offers.offer(transaction, id, { ownerId, email, now, expiresAt }))) return false;
    await note(transaction, `${kind}_transfer_offered`, owner, about(id), now, { email });
    const wish = { kind: 'wish', what: `${kind}_offered`, ...about(id), email, locale } as const;
    if (mailer.available) await mailer.send(wish, transaction);
    return true;
  });
  mailer.wake();
  return offered;
}

/** Takes an offer back; nothing happens where it is gone already. */
export async function cancelOffer(
  { kind, offers, about }: Offering,
  database: Database,
  owner: Owner,
  id: string,
  now: Date,
): Promise<void> {
  await database.transaction(async (transaction) => {
    if (await offers.cancelOwn(transaction, owner.userId, id))
      await note(transaction, `${kind}_transfer_cancelled`, owner, about(id), now);
  });
}

/** Declines an offer; nothing happens where it is gone already. */
export async function declineOffer(
  { kind, offers, about }: Offering,
  database: Database,
  { userId: actorId, address }: Owner,
  id: string,
  now: Date,
): Promise<void> {
  await database.transaction(async (transaction) => {
    const taken = await offers.take(transaction, actorId, id, now);
    if (taken === undefined) return;
    const event = { kind: `${kind}_transfer_declined`, actorId, userId: taken.ownerId, address } as const;
    await recordEvent(transaction, { ...event, ...about(id) }, now);
  });
}
