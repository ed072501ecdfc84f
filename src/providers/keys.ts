// Checks a provider's keys when an administrator tests the provider.
import { importJWK, type JWK } from 'jose';
import type { Configuration } from 'openid-client';
import { ProviderError, toProviderError } from './provider-error.ts';

/** `Ed25519` is the newer name of `EdDSA` (RFC 9864). */
export const ID_TOKEN_ALGORITHMS = ['RS256', 'ES256', 'EdDSA', 'Ed25519'];

/**
 * Returns the number of keys that can verify id_tokens.
 * @throws ProviderError if the keys can't be fetched or no key is usable
 */
export async function fetchKeys(configuration: Configuration): Promise<number> {
  const client = await import('openid-client');
  const url = configuration.serverMetadata().jwks_uri;
  if (url === undefined || !URL.canParse(url)) throw new ProviderError('keys', 'jwks_uri_missing');
  const options = { method: 'GET', headers: { accept: 'application/json' }, body: undefined } as const;
  try {
    const response = await configuration[client.customFetch]?.(url, { ...options, redirect: 'manual' });
    if (response?.status !== 200) throw new ProviderError('keys', `status ${response?.status}`);
    const { keys } = (await response.json()) as { keys?: unknown };
    const usable = await Promise.all((Array.isArray(keys) ? keys : []).map(isUsableKey));
    const count = usable.filter(Boolean).length;
    if (count === 0) throw new ProviderError('keys', 'no_usable_key');
    return count;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError)
      throw new ProviderError('keys', 'not_json');
    throw toProviderError(error, 'keys');
  }
}

async function isUsableKey(key: JWK | null): Promise<boolean> {
  if (key === null || (key.use !== undefined && key.use !== 'sig')) return false;
  const algorithm = key.alg ?? { RSA: 'RS256', EC: 'ES256', OKP: 'EdDSA' }[String(key.kty)];
  if (algorithm === undefined || !ID_TOKEN_ALGORITHMS.includes(algorithm)) return false;
  return importJWK(key, algorithm).then(
    () => true,
    () => false,
  );
}
