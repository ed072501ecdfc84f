// The secrets of an application: giving it a new one, how long those before go on, ending one.
import { clientSecretHash, usedFormDigest } from '../oauth/digests.ts';
import { newClientSecret } from '../oauth/secrets.ts';
import { endOwnSecret, lockOwnApplication } from '../store/applications.ts';
import { expireFormerSecrets, insertClientSecret } from '../store/clients.ts';
import type { Database } from '../store/database.ts';
import { noteChange } from '../store/session-changes.ts';
import { useForm } from '../store/used-forms.ts';
import { note, type OneUseForm, type Owner, requireSession } from './owner.ts';

/** How long the secrets before a new one may go on at most, in seconds (D28: 7 days). */
export const LONGEST_OVERLAP = 604_800;
/** The times that a form offers. */
export const OVERLAPS = ['0', '3600', '86400', '259200', '604800'] as const;

/**
 * Gives an application a new secret, once for each form where a form asks for it; the one before it ends after `overlap`
 * seconds, older ones now.
 * @returns the new secret: the only time it can be read; undefined when the application is not theirs or has no secrets
 */
export async function rotateSecret(
  database: Database,
  owner: Owner,
  clientId: string,
  overlap: number,
  form: OneUseForm | undefined,
  now: Date,
): Promise<{ clientSecret: string } | 'usedBefore' | undefined> {
  return database.transaction(async (transaction) => {
    await requireSession(transaction, owner, now);
    const application = await lockOwnApplication(transaction, owner.userId, clientId);
    if (application?.type !== 'confidential') return undefined;
    if (form && !(await useForm(transaction, usedFormDigest('rotate', clientId, form.value), form.until)))
      return 'usedBefore';
    const clientSecret = newClientSecret();
    const number = await insertClientSecret(transaction, clientId, clientSecretHash(clientSecret), now);
    await expireFormerSecrets(transaction, clientId, number, new Date(now.getTime() + overlap * 1000), now);
    await note(transaction, 'secret_rotated', owner, clientId, now, { number, overlap });
    await noteChange(transaction, owner, { kind: 'secret', clientId, detail: { number } }, now);
    return { clientSecret };
  });
}

/** Ends one live secret now. False when it has ended already: what was asked for is so. */
export async function endSecret(
  database: Database,
  owner: Owner,
  clientId: string,
  number: number,
  now: Date,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    await requireSession(transaction, owner, now);
    if (!(await endOwnSecret(transaction, owner.userId, clientId, number, now))) return false;
    await note(transaction, 'secret_ended', owner, clientId, now, { number });
    return true;
  });
}
