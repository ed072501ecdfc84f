// Registering client applications.
import { cleanName } from '../accounts/account-fields.ts';
import { formTokenDigest } from '../oauth/digests.ts';
import type { ClientType } from '../oauth/redirect-uri.ts';
import { SCOPES } from '../oauth/scopes.ts';
import type { Sealer } from '../oauth/seal.ts';
import { newClientId, newClientSecret } from '../oauth/secrets.ts';
import { note, type OneUseForm, type Owner } from '../ownership/owner.ts';
import { newSecret, secretOfForm } from '../ownership/secrets.ts';
import { insertClient } from '../store/clients.ts';
import { type Database, type Queryable, rollback } from '../store/database.ts';
import { countForAdding } from '../store/owned.ts';
import { insertSecret } from '../store/secrets.ts';
import { requireSession } from '../store/session-locks.ts';
import { spendToken } from '../store/spent-tokens.ts';

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

/** The Client ID that a form makes: the same however often it is sent, and nobody else's. */
const clientIdOfForm = (sealer: Sealer, userId: string, form: OneUseForm): string =>
  `app_${sealer.mac('application form', userId, form.value).subarray(0, 15).toString('base64url')}`;

/** What a form comes to. A second use of it does nothing, and leads to what the first one made. */
type Registered =
  /** @param secret the number of its secret, as long as that can be shown; a public application has none */
  | { outcome: 'registered' | 'usedBefore'; clientId: string; secret: number | undefined }
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
  const clientSecret =
    application.type === 'public'
      ? undefined
      : secretOfForm('application', sealer, owner, clientId, form.value);
  const shown = async (transaction: Queryable) =>
    clientSecret === undefined ? undefined : newSecret(transaction, owner, clientId, clientSecret, now);
  return database.transaction(async (transaction) => {
    await requireSession(transaction, owner, now);
    const number = await countForAdding(transaction, 'application', owner.userId);
    if (!(await spendToken(transaction, { key: formTokenDigest('register', clientId), until: form.until })))
      return { outcome: 'usedBefore', clientId, secret: await shown(transaction) };
    // The form isn't used up: it can be sent again when there is room.
    if (number >= limit) return rollback({ outcome: 'tooMany' });
    const ownerId = owner.userId;
    await insertApplication(transaction, { clientId, clientSecret }, { ...application, ownerId }, now);
    await note(transaction, 'application_registered', owner, { clientId }, now, {
      name: cleanName(application.name),
      type: application.type,
    });
    return { outcome: 'registered', clientId, secret: await shown(transaction) };
  });
}
