// Tests an identity provider's settings step by step, without a user.
import type { IdentityProvider } from '../oauth/identity-provider.ts';
import { parseJsonObject } from '../oauth/parse-json.ts';
import type { ReleasedSlotProof } from '../outgoing/guarded-request.ts';
import { type ConfigurationServices, discoverProvider, openProviderSecret } from './configuration.ts';
import { fetchKeys, ID_TOKEN_ALGORITHMS } from './keys.ts';
import { getDiscoveryIssuer } from './microsoft.ts';
import { ProviderError, toProviderError } from './provider-error.ts';
import { createProviderFetch } from './provider-fetch.ts';
import { explainError, type TestFailure, TestStepError } from './provider-test-failure.ts';

/** A provider rejects this code only after it has accepted the client's credentials. */
const INVALID_CODE = 'sesame-provider-test';
const INVALID_CODE_ERRORS = ['invalid_grant', 'invalid_request', 'bad_verification_code'];
const CODE_VERIFIER = 'sesame-provider-test-0123456789-0123456789-0123';

/**
 * Fetches the discovery document and keys without a cache, then tries the client's credentials.
 * @returns the failure of the first failed step, or undefined
 */
export async function testProvider(
  provider: IdentityProvider,
  redirectUri: string,
  services: ConfigurationServices,
  slotProof: ReleasedSlotProof,
): Promise<TestFailure | undefined> {
  try {
    if (openProviderSecret(services.sealer, provider) === undefined)
      throw new TestStepError('credentials', 'secretUnreadable');
    if (provider.preset !== 'github') await checkDiscoveryDocument(provider, services, slotProof);
    await checkKeysAndCredentials(provider, redirectUri, services, slotProof);
    return undefined;
  } catch (error) {
    if (error instanceof TestStepError) return error.failure;
    if (error instanceof ProviderError) return explainError(error);
    throw error;
  }
}

async function checkDiscoveryDocument(
  provider: IdentityProvider,
  { config, policy, createFetch = createProviderFetch }: ConfigurationServices,
  slotProof: ReleasedSlotProof,
): Promise<void> {
  const sendRequest = createFetch(policy, slotProof);
  const { preset, issuer } = provider;
  const url = `${getDiscoveryIssuer(provider).replace(/\/$/, '')}/.well-known/openid-configuration`;
  const options = { method: 'GET', headers: { accept: 'application/json' }, body: undefined } as const;
  const response = await sendRequest(url, { ...options, redirect: 'manual' }).catch((error) => {
    throw toProviderError(error, 'discovery');
  });
  if (response.status !== 200) throw new ProviderError('discovery', `status ${response.status}`);
  const document = parseJsonObject(await response.text());
  if (document === undefined)
    throw new TestStepError('document', 'notJson', response.headers.get('content-type') ?? '');

  // Microsoft's shared document contains a template instead of an issuer.
  if (document.issuer !== issuer && preset !== 'microsoft')
    throw new TestStepError('issuer', 'otherIssuer', formatValue(document.issuer));

  const endpoints = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'];
  const missing = endpoints.filter((name) => document[name] === undefined);
  if (missing.length > 0) throw new TestStepError('endpoints', 'endpointMissing', missing.join(', '));
  const invalid = endpoints.find((name) => !isValidEndpoint(document[name], config.production));
  if (invalid !== undefined)
    throw new TestStepError('endpoints', 'endpointInvalid', `${invalid}: ${formatValue(document[invalid])}`);

  const algorithms = document.id_token_signing_alg_values_supported;
  if (Array.isArray(algorithms) && !algorithms.some((name) => ID_TOKEN_ALGORITHMS.includes(name)))
    throw new TestStepError('algorithms', 'noAlgorithm', formatValue(algorithms));
}

function isValidEndpoint(value: unknown, production: boolean): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol } = new URL(value);
  return protocol === 'https:' || (protocol === 'http:' && !production);
}

const formatValue = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return ''; // too deeply nested
  }
};

async function checkKeysAndCredentials(
  provider: IdentityProvider,
  redirectUri: string,
  services: ConfigurationServices,
  slotProof: ReleasedSlotProof,
): Promise<void> {
  const configuration = await discoverProvider(provider, services, slotProof);
  if (provider.preset !== 'github') await fetchKeys(configuration);
  const error =
    provider.preset === 'github'
      ? await requestGitHubToken(provider, redirectUri, services, slotProof)
      : await requestToken(configuration, redirectUri);
  if (!INVALID_CODE_ERRORS.includes(error)) throw new ProviderError('token', error);
}

async function requestToken(
  configuration: Awaited<ReturnType<typeof discoverProvider>>,
  redirectUri: string,
): Promise<string> {
  const { genericGrantRequest } = await import('openid-client');
  try {
    await genericGrantRequest(configuration, 'authorization_code', {
      code: INVALID_CODE,
      redirect_uri: redirectUri,
      code_verifier: CODE_VERIFIER,
    });
    return 'code_accepted';
  } catch (thrown) {
    const error = toProviderError(thrown, 'token');
    if (error.step === 'token') return error.code;
    throw error;
  }
}

/** The library rejects GitHub's errors because they have status 200. */
async function requestGitHubToken(
  provider: IdentityProvider,
  redirectUri: string,
  { policy, sealer, createFetch = createProviderFetch }: ConfigurationServices,
  slotProof: ReleasedSlotProof,
): Promise<string> {
  const form = new URLSearchParams({
    client_id: provider.clientId,
    client_secret: openProviderSecret(sealer, provider) ?? '',
    code: INVALID_CODE,
    redirect_uri: redirectUri,
  });
  const sendRequest = createFetch(policy, slotProof);
  const headers = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' };
  const url = `${provider.issuer}/login/oauth/access_token`;
  const response = await sendRequest(url, {
    method: 'POST',
    headers,
    body: `${form}`,
    redirect: 'manual',
  }).catch((error) => {
    throw toProviderError(error, 'token');
  });
  if (response.status === 404) return 'invalid_client'; // unknown client ID
  const { error } = parseJsonObject(await response.text()) ?? {};
  return typeof error === 'string' && /^[a-z_]{1,60}$/.test(error) ? error : `status ${response.status}`;
}
