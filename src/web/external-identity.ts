// Passes an identity from a provider to the page that creates or links an account.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PageError } from '../http/page-error.ts';
import { readQueryOrForm } from '../http/parameters.ts';
import type { Services } from '../http/services.ts';
import { invalidRequest, OAuthError } from '../oauth/errors.ts';
import type { ExternalProfile, IdentityProvider } from '../oauth/identity-provider.ts';
import { PROVIDER_SIGN_IN_TTL } from '../oauth/lifetimes.ts';
import { findProvider } from '../store/identity-providers.ts';
import { ensureBrowserHolderId, isBoundToBrowser } from './csrf.ts';
import { findEnabledProvider } from './identity-providers.ts';
import { openReturnTo, type ReturnFields, type ReturnTo, returnFields } from './return-to.ts';

export const LINK_IDENTITY_PATH = '/account/security/identities/link';

const SEAL_PURPOSE = 'external-identity';

interface SealedIdentity {
  holder: string;
  profile: Omit<ExternalProfile, 'authTime'> & { authTime: string | undefined };
  returnTo: ReturnFields;
  /** Milliseconds since 1970. */
  at: number;
}

/** Seals an identity for this browser. The result is safe to use in a URL. */
export function sealIdentity(
  reply: FastifyReply,
  services: Services,
  profile: ExternalProfile,
  returnTo: ReturnTo,
): string {
  const sealed: SealedIdentity = {
    holder: ensureBrowserHolderId(reply, services),
    profile: { ...profile, authTime: profile.authTime?.toISOString() },
    returnTo: returnFields(returnTo),
    at: services.now().getTime(),
  };
  return services.sealer.sealJson(SEAL_PURPOSE, sealed);
}

/**
 * An identity can be opened more than once, so callers must tolerate repeated submissions.
 * @returns undefined if the identity has expired or was sealed for another browser
 */
export function openIdentity(
  request: FastifyRequest,
  services: Services,
  sealed: string | undefined,
): (Pick<OpenedIdentity, 'profile'> & Pick<SealedIdentity, 'returnTo' | 'at'>) | undefined {
  const opened = services.sealer.openJson<SealedIdentity>(SEAL_PURPOSE, sealed);
  if (opened === undefined || !isBoundToBrowser(request, services, opened.holder)) return undefined;
  const { profile, returnTo, at } = opened;
  if (at + PROVIDER_SIGN_IN_TTL * 1000 < services.now().getTime()) return undefined;
  const authTime = profile.authTime === undefined ? undefined : new Date(profile.authTime);
  return { profile: { ...profile, authTime }, returnTo, at };
}

export interface OpenedIdentity {
  sealed: string;
  profile: ExternalProfile;
  provider: IdentityProvider;
  returnTo: ReturnTo;
}

/** @throws PageError if the identity has expired, belongs to another browser, or its provider is disabled */
export async function loadIdentity(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
): Promise<OpenedIdentity> {
  const sealed = readQueryOrForm(request).get('identity') ?? '';
  const opened = openIdentity(request, services, sealed);
  if (opened === undefined) throw identityExpiredError();
  const { profile, returnTo, at } = opened;
  const provider = await findProvider(services.database, profile.providerId);
  // A newer provider may have the same id.
  if (provider === undefined || at < provider.createdAt.getTime()) throw identityExpiredError();
  if (provider.disabledAt !== null) throw providerDisabledError(provider);
  return { sealed, profile, provider, returnTo: await openReturnTo(request, reply, services, returnTo) };
}

const identityExpiredError = (): PageError =>
  new PageError(
    'identityExpired',
    invalidRequest('The sign-in through the identity provider has expired. The user must sign in again.', {
      kind: 'page_form_invalid',
    }),
    { restartUrl: '/signin' },
  );

export const providerDisabledError = ({ name }: IdentityProvider, restartUrl = '/signin'): PageError =>
  new PageError(
    'providerDisabled',
    new OAuthError(403, 'access_denied', 'The identity provider is disabled.', { kind: 'page_form_invalid' }),
    { provider: name, restartUrl },
  );

/**
 * If the page at `next` links an identity to the account, finds the identity's provider. Returns undefined for other
 * pages and disabled providers.
 */
export async function findProviderToLink(
  request: FastifyRequest,
  services: Services,
  next: string | undefined,
): Promise<IdentityProvider | undefined> {
  const { pathname, searchParams } = new URL(next ?? '/', 'http://localhost');
  if (pathname !== LINK_IDENTITY_PATH) return undefined;
  const opened = openIdentity(request, services, searchParams.get('identity') ?? undefined);
  return opened && findEnabledProvider(services, opened.profile.providerId);
}
