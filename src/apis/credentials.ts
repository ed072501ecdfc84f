// By what an API authenticates where it asks about tokens (D56): its secrets, as those of applications, and its public keys.
import type { JSONWebKeySet } from 'jose';
import { note, type Owner, requireSession } from '../ownership/owner.ts';
import type { Database } from '../store/database.ts';
import { lockOwnApi, setOwnKeys } from '../store/own-apis.ts';

/** Gives an API other public keys, or none. False when it is not theirs, or not there. */
export async function changeKeys(
  database: Database,
  owner: Owner,
  apiId: string,
  jwks: JSONWebKeySet | null,
  now: Date,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    await requireSession(transaction, owner, now);
    if ((await lockOwnApi(transaction, owner.userId, apiId)) === undefined) return false;
    await setOwnKeys(transaction, owner.userId, apiId, jwks, now);
    const number = jwks?.keys.length ?? 0;
    await note(transaction, 'api_keys_changed', owner, { apiId }, now, { keys: number });
    return true;
  });
}
