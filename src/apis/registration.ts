// Registering APIs.
import { cleanName } from '../accounts/account-fields.ts';
import type { Admission } from '../oauth/api.ts';
import { formTokenDigest } from '../oauth/digests.ts';
import type { Sealer } from '../oauth/seal.ts';
import { apiIdOf, newApiId } from '../oauth/secrets.ts';
import { note, type OneUseForm, type Owner } from '../ownership/owner.ts';
import { insertApi } from '../store/apis.ts';
import { type Database, type Queryable, rollback } from '../store/database.ts';
import { countForAdding } from '../store/owned.ts';
import { requireSession } from '../store/session-locks.ts';
import { spendToken } from '../store/spent-tokens.ts';

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
  api: Api,
  now: Date,
): Promise<string | undefined> {
  const apiId = newApiId();
  return (await insert(transaction, owner, apiId, api, now)) ? apiId : undefined;
}

async function insert(
  transaction: Queryable,
  owner: Owner,
  apiId: string,
  { identifier, admits, tokenLifetime, ...words }: Api,
  now: Date,
): Promise<boolean> {
  const name = cleanName(words.name);
  const [wordsFr, wordsEn] = [cleanName(words.wordsFr), cleanName(words.wordsEn)];
  const { userId: ownerId } = owner;
  const row = { apiId, ownerId, identifier, name, wordsFr, wordsEn, admits, tokenLifetime, scopes: [] };
  if (!(await insertApi(transaction, row, now))) return false;
  await note(transaction, 'api_registered', owner, { apiId }, now, { name, identifier });
  return true;
}

/** What a form comes to. A second use of it does nothing, and leads to what the first one made. */
type Registered =
  | { outcome: 'registered' | 'usedBefore'; apiId: string }
  /** The account has as many as it may; or the identifier is somebody's, whose is not said. */
  | { outcome: 'tooMany' }
  | { outcome: 'taken' };

/**
 * Registers an API whose fields were found good for a person, once for each form.
 * @param limit how many APIs an account may have
 */
export async function registerOwnApi(
  { database, sealer }: { database: Database; sealer: Sealer },
  owner: Owner,
  api: Api,
  form: OneUseForm,
  limit: number,
  now: Date,
): Promise<Registered> {
  const apiId = apiIdOf(sealer.mac('api form', owner.userId, form.value));
  return database.transaction(async (transaction) => {
    await requireSession(transaction, owner, now);
    const number = await countForAdding(transaction, 'api', owner.userId);
    if (!(await spendToken(transaction, { key: formTokenDigest('register', apiId), until: form.until })))
      return { outcome: 'usedBefore', apiId };
    // The form isn't used up: it can be sent again when the reason is gone.
    if (number >= limit) return rollback({ outcome: 'tooMany' });
    if (!(await insert(transaction, owner, apiId, api, now))) return rollback({ outcome: 'taken' });
    return { outcome: 'registered', apiId };
  });
}
