// Rotates and revokes the secrets of clients and APIs.
import { randomBytes } from 'node:crypto';
import type { MailServices } from '../mail/links.ts';
import { formatApiSecret, formatClientSecret } from '../oauth/secrets.ts';
import type { Database, Queryable } from '../store/database.ts';
import { lockResourceForSecrets, type ResourceKind } from '../store/owned-resources.ts';
import { expireOlderSecrets, insertSecret, revokeSecret } from '../store/secrets.ts';
import { requireLiveSession } from '../store/session-locks.ts';
import { runOnce, type SingleUseFormToken } from '../store/used-tokens.ts';
import { alertOwner, type Owner, recordOwnerEvent, toEventSubject } from './owner.ts';

/** How long the previous secret can stay valid, in seconds (7 days). */
export const MAX_OVERLAP = 604_800;
export const OVERLAP_OPTIONS = ['0', '3600', '86400', '259200', '604800'] as const;

const deriveSecret = (kind: ResourceKind, seed: Buffer): string =>
  kind === 'application' ? formatClientSecret(seed) : formatApiSecret(seed);

interface Rotation {
  kind: ResourceKind;
  id: string;
  /** Seconds until the previous secret expires. Older secrets expire immediately. */
  overlap: number;
}

/** Returns undefined if the user doesn't own the client or API, or if the client is public. */
export const rotateSecret = (
  database: Database,
  owner: Owner,
  rotation: Rotation,
  now: Date,
): Promise<string | undefined> =>
  database.transaction(async (transaction) => {
    if ((await lockResourceForSecrets(transaction, rotation.kind, owner.userId, rotation.id)) === undefined)
      return undefined;
    const secret = deriveSecret(rotation.kind, randomBytes(32));
    await rotate(transaction, owner, rotation, secret, now);
    return secret;
  });

export async function rotateSecretByForm(
  services: MailServices,
  owner: Owner,
  rotation: Rotation,
  form: SingleUseFormToken,
  now: Date,
): Promise<{ number: number; secret: string | undefined } | undefined> {
  const { kind, id } = rotation;
  const secret = deriveSecret(kind, form.seed);
  const rotated = await services.database.transaction(async (transaction) => {
    await requireLiveSession(transaction, owner, now);
    const name = await lockResourceForSecrets(transaction, kind, owner.userId, id);
    if (name === undefined) return undefined;
    const { result: number, canShowSecret } = await runOnce(transaction, form, now, async () => {
      const alert = kind === 'application' ? 'secret_created' : 'api_secret_created';
      await alertOwner(services, transaction, alert, owner, name, now);
      return rotate(transaction, owner, rotation, secret, now);
    });
    return { number, secret: canShowSecret ? secret : undefined };
  });
  services.mailer.wake();
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
  await expireOlderSecrets(transaction, id, number, new Date(now.getTime() + overlap * 1000), now);
  const event = kind === 'application' ? 'secret_rotated' : 'api_secret_rotated';
  await recordOwnerEvent(transaction, event, owner, toEventSubject(kind, id), now, { number, overlap });
  return number;
}

export async function revokeOwnSecret(
  kind: ResourceKind,
  transaction: Queryable,
  owner: Owner,
  id: string,
  number: number,
  now: Date,
): Promise<boolean> {
  await requireLiveSession(transaction, owner, now);
  if (!(await revokeSecret(transaction, owner.userId, id, number, now))) return false;
  const event = kind === 'application' ? 'secret_ended' : 'api_secret_ended';
  await recordOwnerEvent(transaction, event, owner, toEventSubject(kind, id), now, { number });
  return true;
}
