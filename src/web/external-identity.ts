// Passes an identity that a provider asserted to the page that creates or links an account.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../http/services.ts';
import type { ExternalProfile } from '../oauth/identity-provider.ts';
import { PROVIDER_SIGN_IN_TTL } from '../oauth/lifetimes.ts';
import { browserIdsOf } from './browser.ts';
import { deriveHolderId, ensureBrowserHolderId } from './csrf.ts';
import { type ReturnFields, type ReturnTo, returnFields } from './return-to.ts';

const PURPOSE = 'external-identity';

interface SealedIdentity {
  /** The browser that signed in to the provider. */
  holder: string;
  profile: Omit<ExternalProfile, 'authTime'> & { authTime: string | undefined };
  returnTo: ReturnFields;
  /** Milliseconds since 1970. */
  at: number;
}

/** Seals an identity for this browser. The result can be part of a URL. */
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
  return services.sealer.sealJson(PURPOSE, sealed);
}

/**
 * Opens a sealed identity. It doesn't expire at its first use, so callers must tolerate a repeated submission.
 * @returns `invalid` if it is malformed or was sealed for another browser
 */
export function openIdentity(
  request: FastifyRequest,
  { sealer, now }: Services,
  sealed: string | undefined,
): { profile: ExternalProfile; returnTo: ReturnFields } | 'expired' | 'invalid' {
  const opened = sealer.openJson<SealedIdentity>(PURPOSE, sealed);
  if (opened === undefined) return 'invalid';
  const { holder, profile, returnTo, at } = opened;
  if (!browserIdsOf(request).some((id) => deriveHolderId(sealer, id) === holder)) return 'invalid';
  if (at + PROVIDER_SIGN_IN_TTL * 1000 < now().getTime()) return 'expired';
  const authTime = profile.authTime === undefined ? undefined : new Date(profile.authTime);
  return { profile: { ...profile, authTime }, returnTo };
}
