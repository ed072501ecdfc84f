// The secrets of an application or an API: giving it a new one, showing that again for a while, how long those before go on,
// ending one.
import { clientSecretHash, formTokenDigest } from '../oauth/digests.ts';
import { SHOWN_SECRET } from '../oauth/lifetimes.ts';
import type { Sealer } from '../oauth/seal.ts';
import { apiSecretOf, clientSecretOf, newApiSecret, newClientSecret } from '../oauth/secrets.ts';
import type { Database, Queryable } from '../store/database.ts';
import { type Kind, lockForSecrets } from '../store/owned.ts';
import { endOwnSecret, expireFormerSecrets, findNewSecret, insertSecret } from '../store/secrets.ts';
import { requireSession } from '../store/session-locks.ts';
import { spendToken } from '../store/spent-tokens.ts';
import { about, note, type OneUseForm, type Owner } from './owner.ts';

/** How long the secrets before a new one may go on at most, in seconds (D28: 7 days). */
export const LONGEST_OVERLAP = 604_800;
/** The times that a form offers. */
export const OVERLAPS = ['0', '3600', '86400', '259200', '604800'] as const;

/**
 * The secret that a form makes: the same however often it is sent in the session that it was made for, so that it can be
 * shown again without being kept (ADR 11). Its 256 bits are a keyed hash of the form's 256 random ones.
 */
export const secretOfForm = (kind: Kind, sealer: Sealer, { sid }: Owner, id: string, form: string): string =>
  kind === 'application'
    ? clientSecretOf(sealer.mac('client secret', sid ?? '', id, form))
    : apiSecretOf(sealer.mac('api secret', sid ?? '', id, form));

/** A new secret, with its number; and the number alone where the form was used before and its secret can still be shown. */
type Rotated =
  | { outcome: 'rotated'; secret: string; number: number }
  | { outcome: 'usedBefore'; number: number | undefined };

/** A form with the secret that it makes (`secretOfForm`). */
export type SecretForm = OneUseForm & { secret: string };

/**
 * Gives an application or an API a new secret, once for each form where a form asks for it; the one before it ends after
 * `overlap` seconds, older ones now.
 * @returns undefined when it is not theirs or has no secrets
 */
export async function rotateSecret(
  kind: Kind,
  database: Database,
  owner: Owner,
  id: string,
  overlap: number,
  form: SecretForm | undefined,
  now: Date,
): Promise<Rotated | undefined> {
  return database.transaction(async (transaction) => {
    await requireSession(transaction, owner, now);
    if (!(await lockForSecrets(transaction, kind, owner.userId, id))) return undefined;
    const secret = form?.secret ?? (kind === 'application' ? newClientSecret() : newApiSecret());
    if (
      form &&
      !(await spendToken(transaction, { key: formTokenDigest('rotate', id, form.value), until: form.until }))
    )
      return { outcome: 'usedBefore', number: await newSecret(transaction, owner, id, secret, now) };
    const number = await insertSecret(transaction, kind, id, secret, now);
    await expireFormerSecrets(transaction, id, number, new Date(now.getTime() + overlap * 1000), now);
    const event = kind === 'application' ? 'secret_rotated' : 'api_secret_rotated';
    await note(transaction, event, owner, about(kind, id), now, { number, overlap });
    return { outcome: 'rotated', secret, number };
  });
}

/** The number of a secret that may still be shown to whoever made it. */
export const newSecret = (
  database: Queryable,
  { userId }: Owner,
  id: string,
  secret: string,
  now: Date,
): Promise<number | undefined> => {
  const hash = clientSecretHash(secret);
  const since = new Date(now.getTime() - SHOWN_SECRET * 1000);
  return findNewSecret(database, userId, id, { hash, since, copied: copiedKey(id, hash) }, now);
};

/**
 * The secret that a form made, for as long as it may be shown: to the session that made it, for ten minutes, until it is
 * said to be copied, and while it is in force.
 * @param form the value of that form
 */
export async function shownSecret(
  kind: Kind,
  { database, sealer }: { database: Database; sealer: Sealer },
  owner: Owner,
  id: string,
  number: number,
  form: string,
  now: Date,
): Promise<string | undefined> {
  const secret = secretOfForm(kind, sealer, owner, id, form);
  return (await newSecret(database, owner, id, secret, now)) === number ? secret : undefined;
}

/** Nothing shows this secret any more. @param id of the application or the API */
export async function markCopied(database: Database, id: string, secret: string, now: Date): Promise<void> {
  const until = new Date(now.getTime() + SHOWN_SECRET * 1000);
  await spendToken(database, { key: copiedKey(id, clientSecretHash(secret)), until });
}

const copiedKey = (id: string, hash: Buffer): Buffer =>
  formTokenDigest('copied', id, hash.toString('base64url'));

/** Ends one live secret now. False when it has ended already: what was asked for is so. */
export async function endSecret(
  kind: Kind,
  database: Database,
  owner: Owner,
  id: string,
  number: number,
  now: Date,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    await requireSession(transaction, owner, now);
    if (!(await endOwnSecret(transaction, owner.userId, id, number, now))) return false;
    const event = kind === 'application' ? 'secret_ended' : 'api_secret_ended';
    await note(transaction, event, owner, about(kind, id), now, { number });
    return true;
  });
}
