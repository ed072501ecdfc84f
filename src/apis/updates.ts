// Updates the settings and public keys of an API.

import type { JSONWebKeySet } from 'jose';
import { cleanName } from '../accounts/account-fields.ts';
import { type Owner, recordOwnerEvent } from '../ownership/owner.ts';
import type { Queryable } from '../store/database.ts';
import { type ApiSettings, lockOwnedApi, setOwnedApiKeys, updateOwnedApi } from '../store/owned-apis.ts';
import { requireLiveSession } from '../store/session-locks.ts';
import { cleanDescription } from './settings-fields.ts';

export async function updateApi(
  transaction: Queryable,
  owner: Owner,
  apiId: string,
  input: ApiSettings,
  now: Date,
): Promise<boolean> {
  const settings: ApiSettings = {
    name: cleanName(input.name),
    descriptionFr: cleanDescription(input.descriptionFr),
    descriptionEn: cleanDescription(input.descriptionEn),
    allowedClients: input.allowedClients,
    tokenLifetime: input.tokenLifetime,
  };
  await requireLiveSession(transaction, owner, now);
  const before = await lockOwnedApi(transaction, owner.userId, apiId);
  if (before === undefined) return false;
  const names = Object.keys(settings) as (keyof ApiSettings)[];
  const changed = names.filter((name) => before[name] !== settings[name]);
  if (changed.length === 0) return true;
  await updateOwnedApi(transaction, owner.userId, apiId, settings);
  const allowedClients = changed.includes('allowedClients') && { allowedClients: settings.allowedClients };
  await recordOwnerEvent(transaction, 'api_changed', owner, { apiId }, now, { changed, ...allowedClients });
  return true;
}

export async function replaceApiKeys(
  transaction: Queryable,
  owner: Owner,
  apiId: string,
  jwks: JSONWebKeySet | null,
  now: Date,
): Promise<boolean> {
  await requireLiveSession(transaction, owner, now);
  if ((await lockOwnedApi(transaction, owner.userId, apiId)) === undefined) return false;
  await setOwnedApiKeys(transaction, owner.userId, apiId, jwks, now);
  const detail = { keys: jwks?.keys.length ?? 0 };
  await recordOwnerEvent(transaction, 'api_keys_changed', owner, { apiId }, now, detail);
  return true;
}
