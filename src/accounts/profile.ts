// Changes a user's profile and picture, and records the changes in the audit log.

import { recordOwnEvent } from '../store/audit-log.ts';
import type { Database } from '../store/database.ts';
import { lockUserPicture, type Profile, setUserPicture, updateProfile } from '../store/users.ts';
import { replacePicture } from './pictures.ts';

interface Actor {
  userId: string;
  ip: string;
}

export const saveProfile = (
  database: Database,
  { userId, ip }: Actor,
  profile: Profile,
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    const changes = await updateProfile(transaction, userId, profile, now);
    const changed = Object.entries(changes ?? {}).flatMap(([field, isNew]) => (isNew ? [field] : []));
    if (changed.length === 0) return false;
    const detail = { fields: changed };
    await recordOwnEvent(transaction, { kind: 'profile_changed', userId, ip, detail }, now);
    return true;
  });

export const saveUserPicture = (
  database: Database,
  { userId, ip }: Actor,
  content: Buffer | null,
  now: Date,
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    const before = await lockUserPicture(transaction, userId);
    if (before === undefined) return false;
    const hash = await replacePicture(transaction, userId, before.hash, content);
    const changed = await setUserPicture(transaction, userId, hash, now);
    const kind = hash === null ? 'picture_removed' : 'picture_changed';
    if (changed) await recordOwnEvent(transaction, { kind, userId, ip }, now);
    return changed;
  });
