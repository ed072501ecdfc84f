// What owners change about an API besides its scopes and secrets.

import type { JSONWebKeySet } from 'jose';
import { cleanName } from '../accounts/account-fields.ts';
import { note, type Owner } from '../ownership/owner.ts';
import type { Queryable } from '../store/database.ts';
import { type ApiSettings, changeOwnApi, lockOwnApi, setOwnKeys } from '../store/own-apis.ts';
import { requireSession } from '../store/session-locks.ts';

/** Gives an API settings that were found good. False when it is not theirs, or not there. */
export async function changeApi(
  transaction: Queryable,
  owner: Owner,
  apiId: string,
  wanted: ApiSettings,
  now: Date,
): Promise<boolean> {
  const settings: ApiSettings = {
    name: cleanName(wanted.name),
    wordsFr: cleanName(wanted.wordsFr),
    wordsEn: cleanName(wanted.wordsEn),
    admits: wanted.admits,
    tokenLifetime: wanted.tokenLifetime,
  };
  await requireSession(transaction, owner, now);
  const before = await lockOwnApi(transaction, owner.userId, apiId);
  if (before === undefined) return false;
  const names = Object.keys(settings) as (keyof ApiSettings)[];
  const changed = names.filter((name) => before[name] !== settings[name]);
  if (changed.length === 0) return true;
  await changeOwnApi(transaction, owner.userId, apiId, settings);
  const admits = changed.includes('admits') && { admits: settings.admits };
  await note(transaction, 'api_changed', owner, { apiId }, now, { changed, ...admits });
  return true;
}

/** Gives an API other public keys, or none, in a transaction. Returns false if it isn't the user's. */
export async function changeKeys(
  transaction: Queryable,
  owner: Owner,
  apiId: string,
  jwks: JSONWebKeySet | null,
  now: Date,
): Promise<boolean> {
  await requireSession(transaction, owner, now);
  if ((await lockOwnApi(transaction, owner.userId, apiId)) === undefined) return false;
  await setOwnKeys(transaction, owner.userId, apiId, jwks, now);
  const number = jwks?.keys.length ?? 0;
  await note(transaction, 'api_keys_changed', owner, { apiId }, now, { keys: number });
  return true;
}
