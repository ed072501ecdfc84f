// Registering APIs.
import { cleanName } from '../accounts/account-fields.ts';
import type { Admission } from '../oauth/api.ts';
import { newApiId } from '../oauth/secrets.ts';
import { note, type Owner } from '../ownership/owner.ts';
import { insertApi } from '../store/apis.ts';
import { type Database, type Queryable, rollback } from '../store/database.ts';
import { countForAdding } from '../store/owned.ts';
import { requireSession } from '../store/session-locks.ts';
import { type OneUse, runOnce } from '../store/spent-tokens.ts';

/** An API as its owner describes it; its scopes follow. */
export interface Api {
  identifier: string;
  name: string;
  wordsFr: string;
  wordsEn: string;
  admits: Admission;
  tokenLifetime: number;
}

/**
 * Registers an API whose fields were found good, in a transaction.
 * @returns its id; undefined when its identifier is taken
 */
export async function registerApi(
  transaction: Queryable,
  owner: Owner,
  { identifier, admits, tokenLifetime, ...words }: Api,
  now: Date,
): Promise<string | undefined> {
  const apiId = newApiId();
  const name = cleanName(words.name);
  const [wordsFr, wordsEn] = [cleanName(words.wordsFr), cleanName(words.wordsEn)];
  const { userId: ownerId } = owner;
  const row = { apiId, ownerId, identifier, name, wordsFr, wordsEn, admits, tokenLifetime, scopes: [] };
  if (!(await insertApi(transaction, row, now))) return undefined;
  await note(transaction, 'api_registered', owner, { apiId }, now, { name, identifier });
  return apiId;
}

/**
 * Registers an API whose fields were found good for a person, once for each form.
 * @param limit how many APIs an account may have
 * @returns its id; `taken` if its identifier is somebody's
 */
export const registerOwnApi = (
  database: Database,
  owner: Owner,
  api: Api,
  form: OneUse,
  limit: number,
  now: Date,
): Promise<'tooMany' | 'taken' | { apiId: string }> =>
  database.transaction(async (transaction) => {
    await requireSession(transaction, owner, now);
    const number = await countForAdding(transaction, 'api', owner.userId);
    const { result } = await runOnce(transaction, form, now, async () => {
      if (number >= limit) return rollback('tooMany');
      const apiId = await registerApi(transaction, owner, api, now);
      return apiId === undefined ? rollback('taken') : { apiId };
    });
    return result;
  });
