// Registering client applications.
import { cleanName } from '../accounts/account-fields.ts';
import { clientSecretHash, usedFormDigest } from '../oauth/digests.ts';
import type { ClientType } from '../oauth/redirect-uri.ts';
import { SCOPES } from '../oauth/scopes.ts';
import type { Sealer } from '../oauth/seal.ts';
import { newClientId, newClientSecret } from '../oauth/secrets.ts';
import { countForAdding } from '../store/applications.ts';
import { insertClient, insertClientSecret } from '../store/clients.ts';
import type { Database, Queryable } from '../store/database.ts';
import { noteChange } from '../store/session-changes.ts';
import { useForm } from '../store/used-forms.ts';
import { note, type OneUseForm, type Owner, requireSession } from './owner.ts';

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
  const clientSecret = await insertApplication(transaction, clientId, application, now);
  return { clientId, clientSecret };
}

async function insertApplication(
  transaction: Queryable,
  clientId: string,
  application: Application,
  now: Date,
): Promise<string | undefined> {
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
  if (application.type === 'public') return undefined;
  const clientSecret = newClientSecret();
  await insertClientSecret(transaction, clientId, clientSecretHash(clientSecret), now);
  return clientSecret;
}

/** The Client ID that a form makes: the same however often it is sent, and nobody else's. */
const clientIdOfForm = (sealer: Sealer, userId: string, form: OneUseForm): string =>
  `app_${sealer.mac('application form', userId, form.value).subarray(0, 15).toString('base64url')}`;

/** What a form comes to. A second use of it does nothing, and leads to what the first one made. */
type Registered =
  | { outcome: 'registered'; clientId: string; clientSecret: string | undefined }
  | { outcome: 'usedBefore'; clientId: string }
  | { outcome: 'tooMany' };

/**
 * Registers an application whose fields were found good for a person, once for each form.
 * @param limit how many applications an account may have
 */
export async function registerOwnApplication(
  { database, sealer }: { database: Database; sealer: Sealer },
  owner: Owner,
  application: Omit<Application, 'ownerId'>,
  form: OneUseForm,
  limit: number,
  now: Date,
): Promise<Registered> {
  const clientId = clientIdOfForm(sealer, owner.userId, form);
  return database
    .transaction(async (transaction): Promise<Registered> => {
      await requireSession(transaction, owner, now);
      const number = await countForAdding(transaction, owner.userId);
      if (!(await useForm(transaction, usedFormDigest('register', clientId), form.until)))
        return { outcome: 'usedBefore', clientId };
      if (number >= limit) throw new TooMany();
      const ownerId = owner.userId;
      const clientSecret = await insertApplication(transaction, clientId, { ...application, ownerId }, now);
      await note(transaction, 'application_registered', owner, clientId, now, {
        name: cleanName(application.name),
        type: application.type,
      });
      await noteChange(transaction, owner, { kind: 'registered', clientId }, now);
      return { outcome: 'registered', clientId, clientSecret };
    })
    .catch((error): Registered => {
      if (error instanceof TooMany) return { outcome: 'tooMany' };
      throw error;
    });
}

/** Rolls the use of the form back: it can be sent again when there is room. */
class TooMany extends Error {}
