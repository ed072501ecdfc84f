// Seals the `state` parameter of sign-ins through identity providers instead of storing it.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../http/services.ts';
import { providerStateDigest } from '../oauth/digests.ts';
import type { IdentityProvider } from '../oauth/identity-provider.ts';
import { PROVIDER_SIGN_IN_TTL } from '../oauth/lifetimes.ts';
import { randomSecret } from '../oauth/secrets.ts';
import { NIL_USER_ID } from '../store/nil-user-id.ts';
import type { SingleUseToken } from '../store/used-tokens.ts';
import { ensureBrowserHolderId, isBoundToBrowser } from './csrf.ts';
import { loginUrl, type ReturnFields, type ReturnTo, returnFields } from './return-to.ts';

/** `test` is a sign-in by an administrator to check the provider's settings. */
export const PROVIDER_PURPOSES = ['sign-in', 'link', 'reauthenticate', 'test'] as const;
export type ProviderPurpose = (typeof PROVIDER_PURPOSES)[number];

export interface ProviderState extends ReturnFields {
  /** The browser that started the sign-in. The response must arrive in the same browser. */
  holder: string;
  providerId: string;
  purpose: ProviderPurpose;
  nonce: string;
  codeVerifier: string;
  /** Whether the provider must ask the user to sign in again (`prompt=login`). */
  login: boolean;
  /** Seconds. */
  maxAge: number | undefined;
  /** Milliseconds since 1970. */
  at: number;
}

const SEAL_PURPOSE = 'provider-state';

export const providerPath = (providerId: string): string =>
  `/signin/provider/${encodeURIComponent(providerId)}`;

export const providerSignInUrl = (
  providerId: string,
  returnTo: ReturnTo,
  purpose: ProviderPurpose = 'sign-in',
): string => loginUrl(providerPath(providerId), returnTo, purpose === 'sign-in' ? {} : { purpose });

/** Each provider has its own redirect URI (RFC 9700 §4.4). */
export const providerRedirectUri = (baseUrl: string, providerId: string): string =>
  `${baseUrl}${providerPath(providerId)}/callback`;

export function createProviderState(
  reply: FastifyReply,
  services: Services,
  request: Pick<ProviderState, 'providerId' | 'purpose' | 'login' | 'maxAge'>,
  returnTo: ReturnTo,
): ProviderState & { sealed: string } {
  const state: ProviderState = {
    ...request,
    ...returnFields(returnTo),
    holder: ensureBrowserHolderId(reply, services),
    nonce: randomSecret(),
    codeVerifier: randomSecret(),
    at: services.now().getTime(),
  };
  return { ...state, sealed: services.sealer.sealJson(SEAL_PURPOSE, state) };
}

/**
 * Returns undefined if the state has expired or belongs to another browser or provider. A provider that was removed and
 * added again is a different provider.
 */
export function openProviderState(
  request: FastifyRequest,
  services: Services,
  { providerId, createdAt }: IdentityProvider,
  sealed: string | undefined,
): ProviderState | undefined {
  const state = services.sealer.openJson<ProviderState>(SEAL_PURPOSE, sealed);
  if (state === undefined || state.providerId !== providerId || state.at < createdAt.getTime())
    return undefined;
  const isExpired = state.at + PROVIDER_SIGN_IN_TTL * 1000 < services.now().getTime();
  return isBoundToBrowser(request, services, state.holder) && !isExpired ? state : undefined;
}

/** Not tied to an account because the user isn't known yet. */
export const providerStateToken = (sealed: string, { at }: ProviderState): SingleUseToken => ({
  userId: NIL_USER_ID,
  key: providerStateDigest(sealed),
  until: new Date(at + PROVIDER_SIGN_IN_TTL * 1000),
});
