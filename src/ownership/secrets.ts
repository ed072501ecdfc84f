// The secrets of an application or an API: rotating and ending them.
import { randomBytes } from 'node:crypto';
import { apiSecretOf, clientSecretOf } from '../oauth/secrets.ts';
import type { Database } from '../store/database.ts';
import { type Kind, lockForSecrets } from '../store/owned.ts';
import { endOwnSecret, expireFormerSecrets, insertSecret } from '../store/secrets.ts';
import { requireSession } from '../store/session-locks.ts';
import { type OneUseForm, runOnce } from '../store/spent-tokens.ts';
import { about, note, type Owner } from './owner.ts';

/** How long the secrets before a new one may go on at most, in seconds (D28: 7 days). */
export const LONGEST_OVERLAP = 604_800;
/** The times that a form offers. */
export const OVERLAPS = ['0', '3600', '86400', '259200', '604800'] as const;

const secretOf = (kind: Kind, seed: Buffer): string =>
  kind === 'application' ? clientSecretOf(seed) : apiSecretOf(seed);

/** A new secret: its number, and itself as long as it may be shown. */
interface Rotated {
  number: number;
  secret: string | undefined;
  /** The form was sent twice. */
  again: boolean;
}

/**
 * Gives an application or an API a new secret, once for each form. The one before it ends after `overlap` seconds, older ones
 * now.
 * @param form undefined for the command line
 * @returns undefined when it is not theirs or has no secrets
 */
export async function rotateSecret(
  kind: Kind,
  database: Database,
  owner: Owner,
  id: string,
  overlap: number,
  form: OneUseForm | undefined,
  now: Date,
): Promise<Rotated | undefined> {
  return database.transaction(async (transaction) => {
    await requireSession(transaction, owner, now);
    if (!(await lockForSecrets(transaction, kind, owner.userId, id))) return undefined;
    const secret = secretOf(kind, form?.seed ?? randomBytes(32));
    const rotate = async () => {
      const number = await insertSecret(transaction, kind, id, secret, now);
      await expireFormerSecrets(transaction, id, number, new Date(now.getTime() + overlap * 1000), now);
      const event = kind === 'application' ? 'secret_rotated' : 'api_secret_rotated';
      await note(transaction, event, owner, about(kind, id), now, { number, overlap });
      return number;
    };
    if (form === undefined) return { number: await rotate(), secret, again: false };
    const { result: number, again, mayShow } = await runOnce(transaction, form, now, rotate);
    return { number, secret: mayShow ? secret : undefined, again };
  });
}

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
