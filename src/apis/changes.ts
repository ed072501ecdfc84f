// What owners change about an API beside its scopes and credentials.
import { cleanName } from '../accounts/account-fields.ts';
import { note, type Owner, requireSession } from '../ownership/owner.ts';
import type { Queryable } from '../store/database.ts';
import { type ApiSettings, changeOwnApi, lockOwnApi } from '../store/own-apis.ts';

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
