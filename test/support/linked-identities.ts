// Adds identity providers and linked identities directly to the database.
import { linkIdentity } from '../../src/store/external-identities.ts';
import { findProvider, updateProvider } from '../../src/store/identity-providers.ts';
import { addProvider } from './identity-provider.ts';
import type { TestService } from './service.ts';

/** Adds a provider whose issuer URL has a host that doesn't exist. */
export const addUnreachableProvider = (
  service: TestService,
  providerId: string,
  name = providerId,
): Promise<void> => addProvider(service, { providerId, name, issuer: `https://${providerId}.example` });

/** @param disabledAt null to enable the provider */
export async function disableProvider(
  { services: { database, now } }: TestService,
  providerId: string,
  disabledAt: Date | null = now(),
): Promise<void> {
  const provider = await findProvider(database, providerId);
  if (provider === undefined || !(await updateProvider(database, { ...provider, disabledAt })))
    throw new Error(`no provider ${providerId}`);
}

/** Links an identity to the user. `label` is also the identity's subject. */
export async function addIdentity(
  { services: { database, now } }: TestService,
  userId: string,
  providerId: string,
  label = 'ada@provider.example',
): Promise<{ issuer: string; subject: string }> {
  const identity = { issuer: `https://${providerId}.example`, subject: label };
  const linked = await database.transaction((transaction) =>
    linkIdentity(transaction, userId, { ...identity, providerId, label }, now()),
  );
  if (!linked) throw new Error('the identity is already linked');
  return identity;
}
