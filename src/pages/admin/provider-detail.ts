// Loads the identity provider whose id is in the URL.
import type { FastifyRequest } from 'fastify';
import type { Services } from '../../http/services.ts';
import { notFound } from '../../oauth/errors.ts';
import { type IdentityProvider, isProviderId } from '../../oauth/identity-provider.ts';
import { openProviderSecret } from '../../providers/configuration.ts';
import { findProvider } from '../../store/identity-providers.ts';
import { findProviderUsage, type ProviderUsage } from '../../store/provider-links.ts';
import { providerRedirectUri } from '../../web/provider-state.ts';

export type ProviderDetail = IdentityProvider &
  ProviderUsage & { redirectUri: string; isSecretReadable: boolean };

/** @throws OAuthError `not_found` if the provider does not exist */
export async function loadProvider(
  request: FastifyRequest,
  { config, database, sealer }: Pick<Services, 'config' | 'database' | 'sealer'>,
): Promise<ProviderDetail> {
  const { providerId = '' } = request.params as Record<string, string>;
  const provider = isProviderId(providerId) ? await findProvider(database, providerId) : undefined;
  if (provider === undefined) throw notFound();
  return {
    ...provider,
    ...(await findProviderUsage(database, providerId)),
    redirectUri: providerRedirectUri(config.baseUrl, providerId),
    isSecretReadable: openProviderSecret(sealer, provider) !== undefined,
  };
}
