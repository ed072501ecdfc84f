// Registers APIs.
import { cleanName } from '../accounts/account-fields.ts';
import type { AllowedClients } from '../oauth/api.ts';
import { newApiId } from '../oauth/secrets.ts';
import { type Owner, recordOwnerEvent } from '../ownership/owner.ts';
import { insertApi } from '../store/apis.ts';
import { type Database, type Queryable, rollback } from '../store/database.ts';
import { lockOwnerAndCount } from '../store/owned-resources.ts';
import { requireLiveSession } from '../store/session-locks.ts';
import { runOnce, type SingleUseToken } from '../store/used-tokens.ts';
import { cleanDescription } from './settings-fields.ts';

export interface ApiRegistration {
  identifier: string;
  name: string;
  descriptionFr: string;
  descriptionEn: string;
  allowedClients: AllowedClients;
  tokenLifetime: number;
}

/** @returns the API's ID, or undefined if the identifier is taken */
export async function registerApi(
  transaction: Queryable,
  owner: Owner,
  { identifier, allowedClients, tokenLifetime, ...text }: ApiRegistration,
  now: Date,
): Promise<string | undefined> {
  const apiId = newApiId();
  const name = cleanName(text.name);
  const descriptionFr = cleanDescription(text.descriptionFr);
  const descriptionEn = cleanDescription(text.descriptionEn);
  const { userId: ownerId } = owner;
  const row = {
    apiId,
    ownerId,
    identifier,
    name,
    descriptionFr,
    descriptionEn,
    allowedClients,
    tokenLifetime,
    scopes: [],
  };
  if (!(await insertApi(transaction, row, now))) return undefined;
  await recordOwnerEvent(transaction, 'api_registered', owner, { apiId }, now, { name, identifier });
  return apiId;
}

/**
 * Submitting the form again doesn't register a second API.
 * @param limit maximum number of APIs per account
 */
export const registerOwnedApi = (
  database: Database,
  owner: Owner,
  api: ApiRegistration,
  form: SingleUseToken,
  limit: number,
  now: Date,
): Promise<'tooMany' | 'taken' | { apiId: string }> =>
  database.transaction(async (transaction) => {
    await requireLiveSession(transaction, owner, now);
    const apiCount = await lockOwnerAndCount(transaction, 'api', owner.userId);
    const { result } = await runOnce(transaction, form, now, async () => {
      if (apiCount >= limit) return rollback('tooMany');
      const apiId = await registerApi(transaction, owner, api, now);
      return apiId === undefined ? rollback('taken') : { apiId };
    });
    return result;
  });
