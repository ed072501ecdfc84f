// Registering a client application: from the command line, the console and the example's set-up.
import type { ClientType } from '../oauth/redirect-uri.ts';
import { MAX_REDIRECT_URIS, redirectUriFault } from '../oauth/redirect-uri.ts';
import { SCOPES } from '../oauth/scopes.ts';
import { newClientId, newClientSecret, sha256 } from '../oauth/secrets.ts';
import { expireClientSecrets, insertClient, insertClientSecret } from '../store/clients.ts';
import type { Database } from '../store/database.ts';
import { cleanName } from './account-fields.ts';

export interface Application {
  ownerId: string;
  name: string;
  type: ClientType;
  redirectUris: string[];
  scopes: string[];
  standard: boolean;
  refreshGrace: number;
}

/** What is wrong with an application's fields, a sentence each; empty when nothing is (D3, D4, D16). */
export function applicationFaults(application: Omit<Application, 'ownerId'>, production: boolean): string[] {
  const { redirectUris, scopes, refreshGrace, type } = application;
  const unknown = scopes.filter((scope) => !(SCOPES as readonly string[]).includes(scope));
  return [
    ...(cleanName(application.name) === '' ? ['The name is missing.'] : []),
    ...(redirectUris.length === 0 ? ['A callback URL is missing.'] : []),
    ...(redirectUris.length > MAX_REDIRECT_URIS ? [`At most ${MAX_REDIRECT_URIS} callback URLs.`] : []),
    ...redirectUris.flatMap((uri) => {
      const fault = redirectUriFault(uri, type, production);
      return fault === undefined ? [] : [`Callback URL ${JSON.stringify(uri.slice(0, 200))}: ${fault}`];
    }),
    ...(scopes.length === 0 ? [`Choose at least one scope out of ${SCOPES.join(', ')}.`] : []),
    ...unknown.map((scope) => `Unknown scope ${JSON.stringify(scope)}; there are ${SCOPES.join(', ')}.`),
    ...(Number.isInteger(refreshGrace) && refreshGrace >= 0 && refreshGrace <= 60
      ? []
      : ['The refresh grace is 0 to 60 seconds.']),
  ];
}

/**
 * Registers an application whose fields were found good.
 * @returns its Client ID and, for a confidential one, the Client Secret: the only time it can be read
 */
export async function registerApplication(
  database: Database,
  application: Application,
  now: Date,
): Promise<{ clientId: string; clientSecret: string | undefined }> {
  const clientId = newClientId();
  const clientSecret = application.type === 'confidential' ? newClientSecret() : undefined;
  await database.transaction(async (transaction) => {
    await insertClient(
      transaction,
      {
        ...application,
        clientId,
        name: cleanName(application.name),
        redirectUris: [...new Set(application.redirectUris)],
        scopes: SCOPES.filter((scope) => application.scopes.includes(scope)),
      },
      now,
    );
    if (clientSecret !== undefined)
      await insertClientSecret(transaction, clientId, sha256(clientSecret), now);
  });
  return { clientId, clientSecret };
}

/**
 * Gives an application a new secret; the present ones end after `overlap` seconds (D28: 0 to 7 days).
 * @returns the new secret: the only time it can be read
 */
export async function rotateSecret(
  database: Database,
  clientId: string,
  overlap: number,
  now: Date,
): Promise<string> {
  const clientSecret = newClientSecret();
  await database.transaction(async (transaction) => {
    await expireClientSecrets(transaction, clientId, new Date(now.getTime() + overlap * 1000));
    await insertClientSecret(transaction, clientId, sha256(clientSecret), now);
  });
  return clientSecret;
}
