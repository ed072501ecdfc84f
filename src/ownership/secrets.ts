// The secrets of an application or an API: rotating and ending them.
import { randomBytes } from 'node:crypto';
import type { MailParts } from '../mail/links.ts';
import { apiSecretOf, clientSecretOf } from '../oauth/secrets.ts';
import type { Database, Queryable } from '../store/database.ts';
import { type Kind, lockForSecrets } from '../store/owned.ts';
import { endOwnSecret, expireFormerSecrets, insertSecret } from '../store/secrets.ts';
import { requireSession } from '../store/session-locks.ts';
import { type OneUseForm, runOnce } from '../store/spent-tokens.ts';
import { about, alertOwner, note, type Owner } from './owner.ts';

/** How long the secrets before a new one may go on at most, in seconds (D28: 7 days). */
export const LONGEST_OVERLAP = 604_800;
/** The times that a form offers. */
export const OVERLAPS = ['0', '3600', '86400', '259200', '604800'] as const;

const secretOf = (kind: Kind, seed: Buffer): string =>
  kind === 'application' ? clientSecretOf(seed) : apiSecretOf(seed);

/** What gets a new secret. The secret before it ends after `overlap` seconds, older ones now. */
interface Rotation {
  kind: Kind;
  id: string;
  overlap: number;
}

/**
 * Gives an application or an API a new secret.
 * @returns undefined if it isn't theirs or can't have secrets
 */
export const rotateSecret = (
  database: Database,
  owner: Owner,
  of: Rotation,
  now: Date,
): Promise<string | undefined> =>
  database.transaction(async (transaction) => {
    if ((await lockForSecrets(transaction, of.kind, owner.userId, of.id)) === undefined) return undefined;
    const secret = secretOf(of.kind, randomBytes(32));
    await rotate(transaction, owner, of, secret, now);
    return secret;
  });

/**
 * The same for a form, once, with a security alert.
 * @returns the number of the secret, and itself as long as it may be shown
 */
export async function rotateSecretByForm(
  parts: MailParts,
  owner: Owner,
  of: Rotation,
  form: OneUseForm,
  now: Date,
): Promise<{ number: number; secret: string | undefined } | undefined> {
  const { kind, id } = of;
  const secret = secretOf(kind, form.seed);
  const rotated = await parts.database.transaction(async (transaction) => {
    await requireSession(transaction, owner, now);
    const name = await lockForSecrets(transaction, kind, owner.userId, id);
    if (name === undefined) return undefined;
    const { result: number, mayShow } = await runOnce(transaction, form, now, async () => {
      const alert = kind === 'application' ? 'secret_created' : 'api_secret_created';
      await alertOwner(parts, transaction, alert, owner, name, now);
      return rotate(transaction, owner, of, secret, now);
    });
    return { number, secret: mayShow ? secret : undefined };
  });
  parts.mailer.wake();
  return rotated;
}

async function rotate(
  transaction: Queryable,
  owner: Owner,
  { kind, id, overlap }: Rotation,
  secret: string,
  now: Date,
): Promise<number> {
  const number = await insertSecret(transaction, kind, id, secret, now);
  await expireFormerSecrets(transaction, id, number, new Date(now.getTime() + overlap * 1000), now);
  const event = kind === 'application' ? 'secret_rotated' : 'api_secret_rotated';
  await note(transaction, event, owner, about(kind, id), now, { number, overlap });
  return number;
}

/** Ends one live secret now, in a transaction. Returns false if it has ended already. */
export async function endSecret(
  kind: Kind,
  transaction: Queryable,
  owner: Owner,
  id: string,
  number: number,
  now: Date,
): Promise<boolean> {
  await requireSession(transaction, owner, now);
  if (!(await endOwnSecret(transaction, owner.userId, id, number, now))) return false;
  const event = kind === 'application' ? 'secret_ended' : 'api_secret_ended';
  await note(transaction, event, owner, about(kind, id), now, { number });
  return true;
}
