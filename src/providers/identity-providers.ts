// Authorization requests to identity providers and their responses (OpenID Connect Core §3.1).
import { decodeProtectedHeader } from 'jose';
import type { Configuration, IDToken } from 'openid-client';
import { createKeyedQueue } from '../accounts/keyed-queue.ts';
import { getRateLimitedNetwork } from '../accounts/rate-limits.ts';
import type { ExternalProfile, IdentityProvider } from '../oauth/identity-provider.ts';
import { computeCodeChallenge } from '../oauth/pkce.ts';
import { createKeepAliveAgents, type ReleasedSlotProof } from '../outgoing/guarded-request.ts';
import type { Database } from '../store/database.ts';
import { listProviders } from '../store/identity-providers.ts';
import { readAppleName } from './apple.ts';
import { type ConfigurationServices, createConfigurationFinder } from './configuration.ts';
import { readGitHubProfile } from './github.ts';
import { ID_TOKEN_ALGORITHMS } from './keys.ts';
import { checkTenant } from './microsoft.ts';
import { PRESETS } from './presets.ts';
import { MAX_SUBJECT_LENGTH, type ProviderClaims, toExternalProfile } from './profile.ts';
import { ProviderError, toProviderError } from './provider-error.ts';
import { testProvider } from './provider-test.ts';
import type { TestFailure } from './provider-test-failure.ts';

/** Limits for concurrent code redemptions. Each provider has a separate queue per network. */
const NETWORK_QUEUE = { concurrency: 4, maxLength: 50 };
const PROVIDER_QUEUE = { concurrency: 10, maxLength: 200 };
/** Milliseconds. */
const CLOCK_TOLERANCE = 60_000;
/** 9999-12-31. PostgreSQL can't store all later times. */
const MAX_AUTH_TIME = 253_402_300_799;
/** Control and bidi characters, lone surrogates, and line separators. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

interface AuthenticationRequest {
  redirectUri: string;
  state: string;
  nonce: string;
  codeVerifier: string;
  /** Whether to send `prompt=login`, if the provider supports it. */
  login?: boolean | undefined;
  /** Maximum age of the sign-in at the provider, in seconds. */
  maxAge?: number | undefined;
  startedAt: Date;
}

interface LogoutRequest {
  idToken: string;
  redirectUri: string;
  state: string;
}

interface ProviderSignInResult {
  profile: ExternalProfile;
  /** The id_token, if signing out of this service must also end the session at the provider. */
  logoutHint: string | undefined;
}

export interface IdentityProviders {
  listEnabled(): Promise<IdentityProvider[]>;
  /** @throws ProviderError if the provider can't be reached */
  start(
    provider: IdentityProvider,
    request: Omit<AuthenticationRequest, 'startedAt'>,
    slotProof: ReleasedSlotProof,
  ): Promise<URL>;
  /**
   * Redeems an authorization code and returns the user's profile. No tokens are stored.
   * @param parameters the query of the authorization response
   * @throws ProviderError, or OAuthError `temporarily_unavailable` if too many codes are being redeemed
   */
  redeem(
    provider: IdentityProvider,
    parameters: URLSearchParams,
    request: AuthenticationRequest,
    ip: string,
    slotProof: ReleasedSlotProof,
  ): Promise<ProviderSignInResult>;
  /**
   * @returns undefined if the provider has no logout endpoint
   * @throws ProviderError if the provider can't be reached
   */
  buildLogoutUrl(
    provider: IdentityProvider,
    request: LogoutRequest,
    slotProof: ReleasedSlotProof,
  ): Promise<URL | undefined>;
  test(
    provider: IdentityProvider,
    redirectUri: string,
    slotProof: ReleasedSlotProof,
  ): Promise<TestFailure | undefined>;
}

export function createIdentityProviders(
  dependencies: Omit<ConfigurationServices, 'connections'> & { database: Database },
): IdentityProviders {
  const services = { ...dependencies, connections: createKeepAliveAgents() };
  const findConfiguration = createConfigurationFinder(services);
  const perNetwork = createKeyedQueue(NETWORK_QUEUE.concurrency, NETWORK_QUEUE.maxLength);
  const perProvider = createKeyedQueue(PROVIDER_QUEUE.concurrency, PROVIDER_QUEUE.maxLength);
  /** Callers have already released their slots. */
  const releaseSlot = <Result>(work: () => Promise<Result>) => work();

  return {
    listEnabled: async () =>
      (await listProviders(services.database)).filter(({ disabledAt }) => disabledAt === null),
    async start(provider, request, slotProof) {
      const { buildAuthorizationUrl } = await import('openid-client');
      const { preset } = provider;
      const { scope, parameters, loginPrompt, supportsMaxAge } = PRESETS[preset];
      const { redirectUri, state, nonce, codeVerifier, login, maxAge } = request;
      // A provider without support for `max_age` would accept a sign-in of any age, so require a new one.
      const mustSignIn = login || (maxAge !== undefined && !supportsMaxAge);
      const configuration = await findConfiguration(provider, slotProof);
      try {
        return buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope,
          ...parameters,
          state,
          ...(preset !== 'github' && { nonce }),
          code_challenge: computeCodeChallenge(codeVerifier),
          code_challenge_method: 'S256',
          ...(mustSignIn && loginPrompt && { prompt: loginPrompt }),
          ...(supportsMaxAge && maxAge !== undefined && { max_age: String(maxAge) }),
        });
      } catch (error) {
        throw toProviderError(error, 'discovery');
      }
    },
    async buildLogoutUrl(provider, { idToken, redirectUri, state }, slotProof) {
      const { buildEndSessionUrl } = await import('openid-client');
      const configuration = await findConfiguration(provider, slotProof);
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
      const parameters = { id_token_hint: idToken, post_logout_redirect_uri: redirectUri, state };
      try {
        const url = buildEndSessionUrl(configuration, parameters);
        // ProConnect doesn't document `client_id`, and the id_token identifies the client.
        url.searchParams.delete('client_id');
        return url;
      } catch (error) {
        throw toProviderError(error, 'discovery');
      }
    },
    test: (provider, redirectUri, slotProof) => testProvider(provider, redirectUri, services, slotProof),
    async redeem(provider, parameters, request, ip, slotProof) {
      const configuration = await findConfiguration(provider, slotProof);
      const { providerId } = provider;
      return perNetwork(`${providerId} ${getRateLimitedNetwork(ip)}`, releaseSlot, () =>
        perProvider(providerId, releaseSlot, () => redeemCode(provider, configuration, parameters, request)),
      );
    },
  };
}

async function redeemCode(
  provider: IdentityProvider,
  configuration: Configuration,
  parameters: URLSearchParams,
  { redirectUri, state, nonce, codeVerifier, login, maxAge, startedAt }: AuthenticationRequest,
): Promise<ProviderSignInResult> {
  const { authorizationCodeGrant } = await import('openid-client');
  const { preset } = provider;
  const isOidc = preset !== 'github';
  const response = new URL(`${redirectUri}?${parameters}`);
  const checks = {
    expectedState: state,
    pkceCodeVerifier: codeVerifier,
    ...(isOidc && { expectedNonce: nonce, idTokenExpected: true }),
    ...(PRESETS[preset].supportsMaxAge && maxAge !== undefined && { maxAge }),
  };
  let step: 'token' | 'profile' = 'token';
  try {
    const tokens = await authorizationCodeGrant(configuration, response, checks);
    const idToken = tokens.claims();
    if (isOidc) checkIdToken(provider, tokens.id_token ?? '', idToken);
    step = 'profile';
    if (idToken === undefined) {
      const claims = await readGitHubProfile(provider, configuration, tokens.access_token);
      const identity = { issuer: provider.issuer, subject: claims.sub };
      return { profile: toExternalProfile(provider, identity, claims), logoutHint: undefined };
    }
    const claims = await readClaims(configuration, tokens.access_token, idToken);
    const name = preset === 'apple' ? readAppleName(parameters.get('user')) : claims.name;
    const profile = toExternalProfile(
      provider,
      { issuer: idToken.iss, subject: idToken.sub },
      { ...claims, name },
    );
    if (login && profile.authTime !== undefined && isBefore(profile.authTime, startedAt))
      throw new ProviderError('id_token', 'auth_time_too_old');
    return { profile, logoutHint: PRESETS[preset].endsProviderSession && tokens.id_token };
  } catch (error) {
    throw toProviderError(error, step);
  }
}

const isBefore = (authTime: Date, startedAt: Date): boolean =>
  authTime.getTime() < startedAt.getTime() - CLOCK_TOLERANCE;

/** Checks what the library doesn't: the signature algorithm, `azp`, `sub`, `auth_time` and Microsoft's tenants. */
function checkIdToken(provider: IdentityProvider, idToken: string, claims: IDToken | undefined): void {
  if (claims === undefined) throw new ProviderError('id_token', 'id_token_missing');
  if (!ID_TOKEN_ALGORITHMS.includes(decodeProtectedHeader(idToken).alg ?? ''))
    throw new ProviderError('id_token', 'algorithm_not_allowed');
  if (claims.azp !== undefined && claims.azp !== provider.clientId)
    throw new ProviderError('id_token', 'OAUTH_JWT_CLAIM_COMPARISON_FAILED azp');
  if (claims.sub === '' || claims.sub.length > MAX_SUBJECT_LENGTH || UNPRINTABLE.test(claims.sub))
    throw new ProviderError('id_token', 'sub_malformed');
  if (claims.auth_time !== undefined && claims.auth_time > MAX_AUTH_TIME)
    throw new ProviderError('id_token', 'auth_time_malformed');
  if (provider.preset === 'microsoft') checkTenant(provider, claims);
}

/**
 * Uses the userinfo response if the id_token has no email address. Both must have the same `sub` (OpenID Connect Core
 * §5.3.2).
 */
async function readClaims(
  configuration: Configuration,
  accessToken: string,
  idToken: IDToken,
): Promise<ProviderClaims> {
  if (idToken.email !== undefined || configuration.serverMetadata().userinfo_endpoint === undefined)
    return idToken;
  const { fetchUserInfo } = await import('openid-client');
  const userinfo = await fetchUserInfo(configuration, accessToken, idToken.sub);
  return { ...userinfo, acr: idToken.acr, auth_time: idToken.auth_time };
}
