// The secrets of an application: giving it a new one, showing that again for a while, how long those before go on, ending one.
import { clientSecretHash, usedFormDigest } from '../oauth/digests.ts';
import { SHOWN_SECRET } from '../oauth/lifetimes.ts';
import type { Sealer } from '../oauth/seal.ts';
import { clientSecretOf, newClientSecret } from '../oauth/secrets.ts';
import { lockOwnApplication } from '../store/applications.ts';
import { expireFormerSecrets, insertClientSecret } from '../store/clients.ts';
import type { Database, Queryable } from '../store/database.ts';
import { endOwnSecret, findNewSecret } from '../store/own-secrets.ts';
import { noteChange } from '../store/session-changes.ts';
import { useForm } from '../store/used-forms.ts';
import { note, type OneUseForm, type Owner, requireSession } from './owner.ts';

/** How long the secrets before a new one may go on at most, in seconds (D28: 7 days). */
export const LONGEST_OVERLAP = 604_800;
/** The times that a form offers. */
export const OVERLAPS = ['0', '3600', '86400', '259200', '604800'] as const;

/**
 * The secret that a form makes: the same however often it is sent in the session that it was made for, so that it can be
 * shown again without being kept (ADR 11). Its 256 bits are a keyed hash of the form's 256 random ones.
 */
export const secretOfForm = (sealer: Sealer, { sid }: Owner, clientId: string, form: string): string =>
  clientSecretOf(sealer.mac('client secret', sid ?? '', clientId, form));

/** A new secret, with its number; and the number alone where the form was used before and its secret can still be shown. */
type Rotated =
  | { outcome: 'rotated'; clientSecret: string; number: number }
  | { outcome: 'usedBefore'; number: number | undefined };

/** A form with the secret that it makes (`secretOfForm`). */
export type SecretForm = OneUseForm & { clientSecret: string };

/**
 * Gives an application a new secret, once for each form where a form asks for it; the one before it ends after `overlap`
 * seconds, older ones now.
 * @returns undefined when the application is not theirs or has no secrets
 */
export async function rotateSecret(
  database: Database,
  owner: Owner,
  clientId: string,
  overlap: number,
  form: SecretForm | undefined,
  now: Date,
): Promise<Rotated | undefined> {
  return database.transaction(async (transaction) => {
    await requireSession(transaction, owner, now);
    const application = await lockOwnApplication(transaction, owner.userId, clientId);
    if (application?.type !== 'confidential') return undefined;
    const clientSecret = form?.clientSecret ?? newClientSecret();
    if (form && !(await useForm(transaction, usedFormDigest('rotate', clientId, form.value), form.until)))
      return {
        outcome: 'usedBefore',
        number: await newSecret(transaction, owner, clientId, clientSecret, now),
      };
    const number = await insertClientSecret(transaction, clientId, clientSecret, now);
    await expireFormerSecrets(transaction, clientId, number, new Date(now.getTime() + overlap * 1000), now);
    await note(transaction, 'secret_rotated', owner, clientId, now, { number, overlap });
    await noteChange(transaction, owner, { kind: 'secret', clientId, detail: { number } }, now);
    return { outcome: 'rotated', clientSecret, number };
  });
}

/** The number of a secret that may still be shown to whoever made it. */
export const newSecret = (
  database: Queryable,
  { userId }: Owner,
  clientId: string,
  clientSecret: string,
  now: Date,
): Promise<number | undefined> => {
  const hash = clientSecretHash(clientSecret);
  const since = new Date(now.getTime() - SHOWN_SECRET * 1000);
  return findNewSecret(database, userId, clientId, { hash, since, copied: copiedKey(clientId, hash) }, now);
};

/**
 * The secret that a form made, for as long as it may be shown: to the session that made it, for ten minutes, until it is
 * said to be copied, and while it is in force.
 * @param form the value of that form
 */
export async function shownSecret(
  { database, sealer }: { database: Database; sealer: Sealer },
  owner: Owner,
  clientId: string,
  number: number,
  form: string,
  now: Date,
): Promise<string | undefined> {
  const clientSecret = secretOfForm(sealer, owner, clientId, form);
  return (await newSecret(database, owner, clientId, clientSecret, now)) === number
    ? clientSecret
    : undefined;
}

/** Nothing shows this secret any more. */
export async function markCopied(
  database: Database,
  clientId: string,
  clientSecret: string,
  now: Date,
): Promise<void> {
  const until = new Date(now.getTime() + SHOWN_SECRET * 1000);
  await useForm(database, copiedKey(clientId, clientSecretHash(clientSecret)), until);
}

const copiedKey = (clientId: string, hash: Buffer): Buffer =>
  usedFormDigest('copied', clientId, hash.toString('base64url'));

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
