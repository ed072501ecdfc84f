// The identity providers that pages offer, with the URLs that start a sign-in.
import type { Services } from '../http/services.ts';
import type { IdentityProvider } from '../oauth/identity-provider.ts';
import { listIdentities } from '../store/external-identities.ts';
import { findProvider } from '../store/identity-providers.ts';
import type { Session } from '../store/sessions.ts';
import type { ProviderLink } from './html/identity-providers.ts';
import { providerSignInUrl } from './provider-state.ts';
import type { ReturnTo } from './return-to.ts';

export async function findEnabledProvider(
  { database }: Pick<Services, 'database'>,
  providerId: string,
): Promise<IdentityProvider | undefined> {
  const provider = await findProvider(database, providerId);
  return provider?.disabledAt === null ? provider : undefined;
}

/** Returns the providers in the order set by administrators. */
export const providerLinksFor = async (
  { identityProviders }: Pick<Services, 'identityProviders'>,
  returnTo: ReturnTo,
  except?: IdentityProvider,
): Promise<ProviderLink[]> =>
  (await identityProviders.listEnabled())
    .filter(({ providerId }) => providerId !== except?.providerId)
    .map(({ providerId, name }) => ({ name, href: providerSignInUrl(providerId, returnTo) }));

/**
 * Returns an empty list if the user has a password or a passkey.
 * @param next the page to return to
 */
export async function reauthenticationLinks(
  { userId, hasPassword, passkeyMethods }: Pick<Session, 'userId' | 'hasPassword' | 'passkeyMethods'>,
  { database }: Pick<Services, 'database'>,
  next: string,
): Promise<ProviderLink[]> {
  if (hasPassword || passkeyMethods.length > 0) return [];
  const names = new Map<string, string>();
  for (const { enabled, providerId, providerName } of await listIdentities(database, userId))
    if (enabled) names.set(providerId, providerName);
  return [...names].map(([providerId, name]) => ({
    name,
    href: providerSignInUrl(providerId, { page: undefined, next }, 'reauthenticate'),
  }));
}
