// The yes of a consent form: remembered once, however often the form is sent (D7).

import { usedFormDigest } from '../oauth/digests.ts';
import { PENDING_LIFETIME } from '../oauth/pending-request.ts';
import { rememberConsent } from '../store/consents.ts';
import type { Database } from '../store/database.ts';
import { answerForm, type FormAnswer, findFormAnswer, useForm } from '../store/used-forms.ts';

/**
 * Remembers what a person agreed to, with the form that they agreed on. A form that was sent before changes nothing: a
 * consent that was withdrawn since stays withdrawn.
 * @param agreement `grantId` is the form's own; `startedAt` in milliseconds since 1970
 * @returns what the form is answered with, and whether it was answered before; undefined when the application or the
 *   account is gone
 */
export async function agree(
  database: Database,
  agreement: {
    grantId: string;
    startedAt: number;
    userId: string;
    clientId: string;
    scopes: readonly string[];
  },
  now: Date,
): Promise<(FormAnswer & { again: boolean }) | undefined> {
  const { grantId, startedAt, ...consent } = agreement;
  const key = usedFormDigest('consent', grantId);
  // The form can come for as long as its request is pending; the clocks of two hosts differ by less than that again.
  const until = new Date(startedAt + 2 * PENDING_LIFETIME);
  const first = await database.transaction(async (transaction) => {
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
