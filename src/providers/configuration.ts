// Discovers providers' endpoints and caches them (OpenID Connect Discovery 1.0).
import type { ClientAuth, ClientMetadata, Configuration } from 'openid-client';
import type { IdentityProvider } from '../oauth/identity-provider.ts';
import type { Sealer } from '../oauth/seal.ts';
import type { KeepAliveAgents, OutgoingPolicy, ReleasedSlotProof } from '../outgoing/guarded-request.ts';
import { createAppleSecret } from './apple.ts';
import { buildGitHubMetadata } from './github.ts';
import { getDiscoveryIssuer, MICROSOFT_ISSUER_TEMPLATE } from './microsoft.ts';
import { PRESETS } from './presets.ts';
import { ProviderError, toProviderError } from './provider-error.ts';
import { createProviderFetch } from './provider-fetch.ts';

const SEAL_PURPOSE = 'identity-provider';

export const sealProviderSecret = (sealer: Pick<Sealer, 'seal'>, secret: string): string =>
  sealer.seal(SEAL_PURPOSE, Buffer.from(secret));

/** Returns undefined if neither SECRET_KEY nor SECRET_KEY_PREVIOUS decrypts the secret. */
export const openProviderSecret = (
  sealer: Pick<Sealer, 'open'>,
  { sealedSecret }: Pick<IdentityProvider, 'sealedSecret'>,
): string | undefined => sealer.open(SEAL_PURPOSE, sealedSecret)?.toString('utf8');

/** Seconds. */
const CONFIGURATION_TTL = 3600;
/** Seconds. */
const CLOCK_TOLERANCE = 60;
const USERINFO_ALGORITHM = 'RS256';

export interface ConfigurationServices {
  config: { production: boolean };
  sealer: Pick<Sealer, 'open'>;
  now: () => Date;
  policy: OutgoingPolicy;
  connections?: KeepAliveAgents;
  createFetch?: typeof createProviderFetch;
}

interface CachedConfiguration {
  provider: IdentityProvider;
  configuration: Promise<Configuration>;
  expiresAt: number;
}

/**
 * Creates a function that returns a provider's configuration. openid-client caches the keys for five minutes. If it
 * finds an unknown `kid`, it fetches the keys earlier, but at most once a minute.
 */
export function createConfigurationFinder(services: ConfigurationServices) {
  const cache = new Map<string, CachedConfiguration>();

  return async (provider: IdentityProvider, slotProof: ReleasedSlotProof): Promise<Configuration> => {
    const now = services.now().getTime();
    const cached = cache.get(provider.providerId);
    if (cached !== undefined && cached.expiresAt > now && hasSameClient(cached.provider, provider))
      return cached.configuration;
    const configuration = discoverProvider(provider, services, slotProof);
    const entry = { provider, configuration, expiresAt: now + CONFIGURATION_TTL * 1000 };
    cache.set(provider.providerId, entry);
    configuration.catch(() => {
      if (cache.get(provider.providerId) === entry) cache.delete(provider.providerId);
    });
    return configuration;
  };
}

const hasSameClient = (a: IdentityProvider, b: IdentityProvider): boolean =>
  a.issuer === b.issuer &&
  a.clientId === b.clientId &&
  a.sealedSecret === b.sealedSecret &&
  JSON.stringify(a.options) === JSON.stringify(b.options);

/**
 * Fetches a provider's discovery document. Its endpoints are checked when they are used.
 * @throws ProviderError
 */
export async function discoverProvider(
  provider: IdentityProvider,
  services: ConfigurationServices,
  slotProof: ReleasedSlotProof,
): Promise<Configuration> {
  const client = await import('openid-client');
  const { preset, issuer, clientId } = provider;
  const metadata: Partial<ClientMetadata> = {
    [client.clockTolerance]: CLOCK_TOLERANCE,
    ...(PRESETS[preset].signsUserinfo && { userinfo_signed_response_alg: USERINFO_ALGORITHM }),
  };
  const authentication = await createClientAuthentication(provider, services);
  const { createFetch = createProviderFetch } = services;
  const send = createFetch(services.policy, slotProof, services.connections);
  const insecure = services.config.production ? [] : [client.allowInsecureRequests];
  try {
    const configuration =
      preset === 'github'
        ? new client.Configuration(buildGitHubMetadata(issuer), clientId, metadata, authentication)
        : await client.discovery(new URL(getDiscoveryIssuer(provider)), clientId, metadata, authentication, {
            execute: insecure,
            [client.customFetch]: send,
          });
    if (preset === 'github') for (const allow of insecure) allow(configuration);
    else requireSameIssuer(provider, configuration.serverMetadata().issuer);
    // Verify id_token signatures. OpenID Connect Core §3.1.3.7 makes this optional for the code flow.
    client.enableNonRepudiationChecks(configuration);
    const { jwks_uri: keysUrl, userinfo_endpoint: userinfoUrl } = configuration.serverMetadata();
    configuration[client.customFetch] = async (url, options) => {
      const step = url === keysUrl ? 'keys' : url === userinfoUrl ? 'profile' : 'token';
      const response = await send(url, options).catch((error) => {
        throw toProviderError(error, step);
      });
      if (step === 'keys' && response.status !== 200)
        throw new ProviderError('keys', `status ${response.status}`);
      return response;
    };
    configuration.timeout = undefined; // the guarded fetcher has its own timeout
    return configuration;
  } catch (error) {
    throw toProviderError(error, 'discovery');
  }
}

/**
 * Checks that the discovery document names the configured issuer (OpenID Connect Discovery §4.3). Otherwise, a provider
 * could assert another issuer's identities. The library skips this check for some URLs. Microsoft's shared document has
 * a template instead of an issuer, so the library checks the issuer of each id_token.
 * @throws ProviderError
 */
function requireSameIssuer(provider: IdentityProvider, discovered: string): void {
  const isTemplate =
    provider.preset === 'microsoft' &&
    discovered === MICROSOFT_ISSUER_TEMPLATE &&
    new URL(provider.issuer).origin === new URL(MICROSOFT_ISSUER_TEMPLATE).origin;
  if (discovered !== getDiscoveryIssuer(provider) && !isTemplate)
    throw new ProviderError('discovery', 'issuer_mismatch');
}

/** The `oidc` preset defaults to HTTP Basic (RFC 8414 §2). */
async function createClientAuthentication(
  provider: IdentityProvider,
  { sealer, now }: ConfigurationServices,
): Promise<ClientAuth> {
  const client = await import('openid-client');
  const secret = openProviderSecret(sealer, provider);
  if (secret === undefined) throw new ProviderError('token', 'secret_unreadable');
  if (provider.preset === 'apple')
    return client.ClientSecretPost(await createAppleSecret(provider, secret, now()));
  const basic = client.ClientSecretBasic(secret);
  const post = client.ClientSecretPost(secret);
  if (PRESETS[provider.preset].issuer !== undefined) return post;
  return (server, ...request) => {
    const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const method =
      provider.options.tokenEndpointAuthMethod ??
      (supported.includes('client_secret_basic') ? 'client_secret_basic' : 'client_secret_post');
    return (method === 'client_secret_basic' ? basic : post)(server, ...request);
  };
}
