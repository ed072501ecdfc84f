// Registering client applications.
import { cleanName } from '../accounts/account-fields.ts';
import type { MailParts } from '../mail/links.ts';
import type { ClientType } from '../oauth/redirect-uri.ts';
import { SCOPES } from '../oauth/scopes.ts';
import { clientSecretOf, newClientId, newClientSecret } from '../oauth/secrets.ts';
import { alertOwner, note, type Owner } from '../ownership/owner.ts';
import { insertClient } from '../store/clients.ts';
import { type Queryable, rollback } from '../store/database.ts';
import { countForAdding } from '../store/owned.ts';
import { insertSecret } from '../store/secrets.ts';
import { requireSession } from '../store/session-locks.ts';
import { type OneUseForm, runOnce } from '../store/spent-tokens.ts';

export interface Application {
  ownerId: string;
  name: string;
  type: ClientType;
  redirectUris: string[];
  scopes: string[];
  standard: boolean;
  refreshGrace: number;
  /** Where people may return to after sign-out; nowhere unless told. */
  postLogoutRedirectUris?: string[];
}

/**
 * Registers an application whose fields were found good, in the transaction of whoever says who did it.
 * @returns its Client ID and, for a confidential one, the Client Secret: the only time it can be read
 */
export async function registerApplication(
  transaction: Queryable,
  application: Application,
  now: Date,
): Promise<{ clientId: string; clientSecret: string | undefined }> {
  const clientId = newClientId();
  const clientSecret = application.type === 'public' ? undefined : newClientSecret();
  await insertApplication(transaction, { clientId, clientSecret }, application, now);
  return { clientId, clientSecret };
}

async function insertApplication(
  transaction: Queryable,
  { clientId, clientSecret }: { clientId: string; clientSecret: string | undefined },
  application: Application,
  now: Date,
): Promise<void> {
  await insertClient(
    transaction,
    {
      ...application,
      clientId,
      name: cleanName(application.name),
      redirectUris: [...new Set(application.redirectUris)],
      postLogoutRedirectUris: [...new Set(application.postLogoutRedirectUris)],
      scopes: SCOPES.filter((scope) => application.scopes.includes(scope)),
    },
    now,
  );
  if (clientSecret !== undefined) await insertSecret(transaction, 'application', clientId, clientSecret, now);
}

/**
 * Registers an application whose fields were found good for a person, once for each form.
 * @param limit how many applications an account may have
 * @returns its Client ID, and its Client Secret as long as that may be shown
 */
export async function registerOwnApplication(
  parts: MailParts,
  owner: Owner,
  application: Omit<Application, 'ownerId'>,
  form: OneUseForm,
  limit: number,
  now: Date,
): Promise<'tooMany' | { clientId: string; clientSecret: string | undefined }> {
  const clientSecret = application.type === 'public' ? undefined : clientSecretOf(form.seed);
  const name = cleanName(application.name);
  const registered = await parts.database.transaction(async (transaction) => {
    await requireSession(transaction, owner, now);
    const number = await countForAdding(transaction, 'application', owner.userId);
    const { result, mayShow } = await runOnce(transaction, form, now, async () => {
      if (number >= limit) return rollback('tooMany');
      const clientId = newClientId();
      const fields = { ...application, ownerId: owner.userId };
      await insertApplication(transaction, { clientId, clientSecret }, fields, now);
      await note(transaction, 'application_registered', owner, { clientId }, now, {
        name,
        type: application.type,
      });
      if (clientSecret !== undefined)
        await alertOwner(parts, transaction, 'secret_created', owner, name, now);
      return { clientId };
    });
    return result === 'tooMany' ? result : { ...result, clientSecret: mayShow ? clientSecret : undefined };
  });
  parts.mailer.wake();
  return registered;
}
