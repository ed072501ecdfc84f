// Registers clients.
import { cleanName } from '../accounts/account-fields.ts';
import type { MailServices } from '../mail/links.ts';
import type { ClientType } from '../oauth/redirect-uri.ts';
import { SCOPES } from '../oauth/scopes.ts';
import { formatClientSecret, newClientId, newClientSecret } from '../oauth/secrets.ts';
import { alertOwner, type Owner, recordOwnerEvent } from '../ownership/owner.ts';
import { insertClient, insertClientWithId, type NewClient } from '../store/clients.ts';
import { type Queryable, rollback } from '../store/database.ts';
import { lockOwnerAndCount } from '../store/owned-resources.ts';
import { insertSecret } from '../store/secrets.ts';
import { requireLiveSession } from '../store/session-locks.ts';
import { runOnce, type SingleUseFormToken } from '../store/used-tokens.ts';

export interface ClientRegistration {
  ownerId: string;
  name: string;
  type: ClientType;
  redirectUris: string[];
  scopes: string[];
  standard: boolean;
  refreshGrace: number;
  postLogoutRedirectUris?: string[];
}

/**
 * The caller must record the audit event.
 * @returns the client_id and the only copy of the client secret, if any
 */
export async function registerClient(
  transaction: Queryable,
  client: ClientRegistration,
  now: Date,
): Promise<{ clientId: string; clientSecret: string | undefined }> {
  const clientId = newClientId();
  const clientSecret = client.type === 'public' ? undefined : newClientSecret();
  await insertClientWithSecret(transaction, { clientId, clientSecret }, client, now);
  return { clientId, clientSecret };
}

async function insertClientWithSecret(
  transaction: Queryable,
  { clientId, clientSecret }: { clientId: string; clientSecret: string | undefined },
  client: ClientRegistration,
  now: Date,
): Promise<void> {
  await insertClient(transaction, toNewClient(clientId, client), now);
  if (clientSecret !== undefined) await insertSecret(transaction, 'application', clientId, clientSecret, now);
}

const toNewClient = (clientId: string, client: ClientRegistration): NewClient => ({
  ...client,
  clientId,
  name: cleanName(client.name),
  redirectUris: [...new Set(client.redirectUris)],
  postLogoutRedirectUris: [...new Set(client.postLogoutRedirectUris)],
  scopes: SCOPES.filter((scope) => client.scopes.includes(scope)),
});

/**
 * Registers an imported client with its existing client_id and no secret. The caller must validate the fields
 * and record the audit event.
 * @returns false if the client_id is taken
 */
export const registerImportedClient = (
  transaction: Queryable,
  clientId: string,
  client: ClientRegistration,
  now: Date,
): Promise<boolean> => insertClientWithId(transaction, toNewClient(clientId, client), now);

/**
 * Submitting the form again doesn't register a second client.
 * @param limit maximum number of clients per account
 * @returns the client_id, and the client secret if it can still be shown
 */
export async function registerOwnedClient(
  services: MailServices,
  owner: Owner,
  client: Omit<ClientRegistration, 'ownerId'>,
  form: SingleUseFormToken,
  limit: number,
  now: Date,
): Promise<'tooMany' | { clientId: string; clientSecret: string | undefined }> {
  const clientSecret = client.type === 'public' ? undefined : formatClientSecret(form.seed);
  const name = cleanName(client.name);
  const registered = await services.database.transaction(async (transaction) => {
    await requireLiveSession(transaction, owner, now);
    const clientCount = await lockOwnerAndCount(transaction, 'application', owner.userId);
    const { result, canShowSecret } = await runOnce(transaction, form, now, async () => {
      if (clientCount >= limit) return rollback('tooMany');
      const clientId = newClientId();
      const fields = { ...client, ownerId: owner.userId };
      await insertClientWithSecret(transaction, { clientId, clientSecret }, fields, now);
      await recordOwnerEvent(transaction, 'application_registered', owner, { clientId }, now, {
        name,
        type: client.type,
      });
      if (clientSecret !== undefined)
        await alertOwner(services, transaction, 'secret_created', owner, name, now);
      return { clientId };
    });
    return result === 'tooMany'
      ? result
      : { ...result, clientSecret: canShowSecret ? clientSecret : undefined };
  });
  services.mailer.wake();
  return registered;
}
