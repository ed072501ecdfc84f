// The yes of a consent form: remembered once, however often the form is sent (D7); and taking it back.

import { usedFormDigest } from '../oauth/digests.ts';
import { PENDING_REQUEST } from '../oauth/lifetimes.ts';
import { rememberConsent, withdrawConsent } from '../store/consents.ts';
import type { Database } from '../store/database.ts';
import { recordEvent } from '../store/events.ts';
import { holdSession } from '../store/session-locks.ts';
import { answerForm, type FormAnswer, findFormAnswer, useForm } from '../store/used-forms.ts';

/**
 * Remembers what a person agreed to, with the form that they agreed on. A form that was sent before changes nothing: a
 * consent that was withdrawn since stays withdrawn.
 * @param agreement `grantId` is the form's own; `startedAt` in milliseconds since 1970
 * @returns what the form is answered with, and whether it was answered before; undefined when the application, the
 *   account or the session is gone
 */
export async function agree(
  database: Database,
  agreement: {
    grantId: string;
    startedAt: number;
    userId: string;
    sid: string;
    clientId: string;
    scopes: readonly string[];
  },
  now: Date,
): Promise<(FormAnswer & { again: boolean }) | undefined> {
  const { grantId, startedAt, ...consent } = agreement;
  const key = usedFormDigest('consent', grantId);
  // The form can come for as long as its request is pending; the clocks of two hosts differ by less than that again.
  const until = new Date(startedAt + 2 * PENDING_REQUEST * 1000);
  const first = await database.transaction(async (transaction) => {
    if (!(await holdSession(transaction, agreement, now))) return undefined;
    // Another one at the same time waits here for the end of this transaction.
    if (!(await useForm(transaction, key, until))) return 'again';
    const epoch = await rememberConsent(transaction, { ...consent, now });
    if (epoch === undefined) return undefined;
    const answer = { answeredAt: now, epoch };
    await answerForm(transaction, key, answer);
    return answer;
  });
  if (first !== 'again') return first && { ...first, again: false };
  const answer = await findFormAnswer(database, key);
  return answer && { ...answer, again: true };
}

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
