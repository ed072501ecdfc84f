// Taking back what was agreed with an application.
import { withdrawConsent } from '../store/consents.ts';
import type { Database } from '../store/database.ts';
import { recordEvent } from '../store/events.ts';

/** Withdraws a consent: every code and token between the two dies at once (D28). False when there was none. */
export const withdraw = (
  database: Database,
  { userId, clientId, address }: { userId: string; clientId: string; address: string },
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    const withdrawn = await withdrawConsent(transaction, userId, clientId, now);
    if (withdrawn)
      await recordEvent(
        transaction,
        { kind: 'consent_withdrawn', actorId: userId, userId, clientId, address },
        now,
      );
    return withdrawn;
  });
