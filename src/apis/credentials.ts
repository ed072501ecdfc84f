// By what an API authenticates where it asks about tokens (D56): its secrets, as those of applications, and its public keys.
import type { JSONWebKeySet } from 'jose';
import { note, type Owner, requireSession } from '../applications/owner.ts';
import type { SecretHolder } from '../applications/secrets.ts';
import { apiSecretOf, newApiSecret } from '../oauth/secrets.ts';
import type { Database } from '../store/database.ts';
import { lockOwnApi, setOwnKeys } from '../store/own-apis.ts';
import { ownApiSecrets } from '../store/own-secrets.ts';

/** APIs, each of which may have secrets. */
export const API_SECRETS: SecretHolder = {
  secretOfForm: (sealer, { sid }, apiId, form) =>
    apiSecretOf(sealer.mac('api secret', sid ?? '', apiId, form)),
  newSecret: newApiSecret,
  lock: async (transaction, ownerId, apiId) => (await lockOwnApi(transaction, ownerId, apiId)) !== undefined,
  secrets: ownApiSecrets,
  rotated: (transaction, owner, apiId, detail, now) =>
    note(transaction, 'api_secret_rotated', owner, { apiId }, now, detail),
  ended: (transaction, owner, apiId, detail, now) =>
    note(transaction, 'api_secret_ended', owner, { apiId }, now, detail),
};

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
