// What people change about themselves, each change with its line in the audit log.
import type { Database } from '../store/database.ts';
import { recordOwnEvent } from '../store/events.ts';
import { changePicture, changeProfile, lockPicture, type Profile } from '../store/users.ts';
import { replacePicture } from './pictures.ts';

interface Own {
  userId: string;
  address: string;
}

/** Keeps a profile whose fields were found good. False when nothing of it was new, or the account is gone. */
export const keepProfile = (
  database: Database,
  { userId, address }: Own,
  profile: Profile,
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    const changes = await changeProfile(transaction, userId, profile, now);
    const changed = Object.entries(changes ?? {}).flatMap(([field, isNew]) => (isNew ? [field] : []));
    if (changed.length === 0) return false;
    const detail = { fields: changed };
    await recordOwnEvent(transaction, { kind: 'profile_changed', userId, address, detail }, now);
    return true;
  });

/** Gives a person another picture, encoded already, or takes theirs away (null). */
export const keepPersonsPicture = (
  database: Database,
  { userId, address }: Own,
  content: Buffer | null,
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    const before = await lockPicture(transaction, userId);
    if (before === undefined) return false;
    const hash = await replacePicture(transaction, userId, before.hash, content);
    const changed = await changePicture(transaction, userId, hash, now);
    const kind = hash === null ? 'picture_removed' : 'picture_changed';
    if (changed) await recordOwnEvent(transaction, { kind, userId, address }, now);
    return changed;
  });
