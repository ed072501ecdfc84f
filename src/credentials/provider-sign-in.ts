// Signs users in through identity providers.
import type { AuthenticationMethod } from '../oauth/authentication-methods.ts';
import type { ExternalProfile, IdentityProvider } from '../oauth/identity-provider.ts';
import { findUserIdByIdentity, useIdentity } from '../store/external-identities.ts';
import { findFactorSecrets } from '../store/mfa-factors.ts';
import { recordReauthentication, type Session } from '../store/sessions.ts';
import {
  type RequestContext,
  type SessionServices,
  type StartedSession,
  startSession,
} from './session-start.ts';
import { PendingMfaSignIn } from './sign-in.ts';

/** Includes `mfa` if the provider returned an `acr` that an administrator has configured to count as MFA. */
const getAuthenticationMethods = (
  { options }: IdentityProvider,
  { acr }: ExternalProfile,
): readonly AuthenticationMethod[] =>
  acr !== undefined && options.acrs !== undefined && Object.hasOwn(options.acrs, acr)
    ? ['idp', 'mfa']
    : ['idp'];

/**
 * Starts a session for the account that the identity is linked to.
 * @param profile must not contain `authTime` if the provider was asked to sign the user in again
 * @param rememberedDevices hashes of remembered-device tokens
 * @returns `unknown` for an unlinked identity. `refused` if a concurrent request unlinked it or disabled the
 *   provider.
 */
export async function signInWithProvider(
  services: SessionServices,
  provider: IdentityProvider,
  profile: ExternalProfile,
  rememberedDevices: readonly Buffer[],
  request: RequestContext,
  now: Date,
): Promise<StartedSession | PendingMfaSignIn | 'unknown' | 'suspended' | 'refused'> {
  const { database } = services;
  const { issuer, subject, providerId } = profile;
  const userId = await findUserIdByIdentity(database, profile);
  if (userId === undefined) return 'unknown';
  const identity = { issuer, subject, providerId };
  const methods = getAuthenticationMethods(provider, profile);
  const proof = {
    by: 'provider',
    identity,
    rememberedDevices,
    allFactorsAt: profile.authTime ?? null,
  } as const;
  const session = await startSession(services, { userId, proof, methods }, request, now);
  if (session !== undefined) return session;
  const factors = await findFactorSecrets(database, userId);
  if (factors?.suspended) return 'suspended';
  if (!factors?.totpSecret) return 'refused';
  const signedInAt = profile.authTime?.getTime();
  return new PendingMfaSignIn(userId, { identity, methods, signedInAt });
}

/**
 * Re-authenticates a session with an identity.
 * @returns `mfaRequired` if the user must also enter an authenticator app code. `notLinked` if the identity isn't
 *   linked or its provider is disabled. `ownMfaRequired` if the user must use the account's own MFA instead.
 */
export async function reauthenticateWithProvider(
  { database }: SessionServices,
  { userId, idHash, hasPassword, requiresTotp, passkeyMethods }: Session,
  provider: IdentityProvider,
  profile: ExternalProfile,
  now: Date,
): Promise<'done' | 'mfaRequired' | 'notLinked' | 'ownMfaRequired'> {
  const hasOtherMfa = passkeyMethods.length > 0 || (hasPassword && requiresTotp);
  if (hasOtherMfa) return 'ownMfaRequired';
  if (!(await useIdentity(database, userId, profile, now))) return 'notLinked';
  const methods = requiresTotp ? (['idp'] as const) : getAuthenticationMethods(provider, profile);
  await recordReauthentication(database, { userId, idHash }, methods, now);
  return requiresTotp ? 'mfaRequired' : 'done';
}
