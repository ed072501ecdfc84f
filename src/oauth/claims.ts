// Builds user claims for userinfo and id_tokens. Their names depend on the client's mode.
import { insufficientScope } from './errors.ts';
import type { Scope } from './scopes.ts';

export interface ClaimsSubject {
  userId: string;
  name: string;
  email: string;
  emailVerified: boolean;
  /** In E.164 format. */
  phone: string | null;
  pictureHash: string | null;
  profileUpdatedAt: Date;
}

/**
 * Builds the userinfo response.
 * @param standard whether the client uses standard OpenID Connect mode
 * @param avatar absolute URL of the user's picture
 * @throws OAuthError `insufficient_scope` without `profile`. In standard mode, `openid` is sufficient.
 */
export function buildUserinfoClaims(
  user: ClaimsSubject,
  scopes: readonly Scope[],
  standard: boolean,
  avatar: string,
): Record<string, unknown> {
  if (!scopes.includes('profile') && !(standard && scopes.includes('openid')))
    throw insufficientScope(standard ? 'openid' : 'profile');
  return buildUserClaims(user, scopes, standard, avatar);
}

export function buildUserClaims(
  user: ClaimsSubject,
  scopes: readonly Scope[],
  standard: boolean,
  avatar: string,
): Record<string, unknown> {
  const hasScope = (scope: Scope) => scopes.includes(scope);
  const updatedAt = user.profileUpdatedAt;
  return {
    ...(hasScope('openid') && { sub: user.userId }),
    ...(hasScope('profile') && { name: user.name }),
    ...(hasScope('profile') &&
      (standard
        ? { picture: avatar, updated_at: Math.floor(updatedAt.getTime() / 1000) }
        : { avatar, updated_at: updatedAt.toISOString() })),
    // Accounts have no usernames, so the email address is used.
    ...(standard && hasScope('email') && { preferred_username: user.email }),
    ...(hasScope('email') && { email: user.email, email_verified: user.emailVerified }),
    ...(hasScope('phone') && user.phone !== null && { [standard ? 'phone_number' : 'phone']: user.phone }),
  };
}

const SAMPLE_SUBJECT: ClaimsSubject = {
  userId: '',
  name: '',
  email: '',
  emailVerified: true,
  phone: '',
  pictureHash: null,
  profileUpdatedAt: new Date(0),
};

export const listClaimNames = (scopes: readonly Scope[], standard: boolean): string[] =>
  Object.keys(buildUserClaims(SAMPLE_SUBJECT, scopes, standard, ''));
