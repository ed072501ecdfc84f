// What userinfo says about a person: the contract's fields, or the standard ones (D18, D19, D20).
import { insufficientScope } from './errors.ts';
import type { Scope } from './scopes.ts';

/** A person as the database knows them. */
export interface Person {
  userId: string;
  name: string;
  email: string;
  emailVerified: boolean;
  /** E.164, or null when none is on file. */
  phone: string | null;
  /** Names the person's own picture; null where their initials stand for it. */
  pictureHash: string | null;
  profileUpdatedAt: Date;
}

/**
 * The userinfo body for the scopes of an access token.
 * @param standard whether the application is in standard OpenID Connect mode (D19)
 * @param avatar absolute address of the person's picture
 * @throws OAuthError `insufficient_scope` without `profile` (D18); in standard mode `openid` is enough
 */
export function userinfoClaims(
  person: Person,
  scopes: readonly Scope[],
  standard: boolean,
  avatar: string,
): Record<string, unknown> {
  const has = (scope: Scope) => scopes.includes(scope);
  if (!has('profile') && !(standard && has('openid')))
    throw insufficientScope(standard ? 'openid' : 'profile');
  const updatedAt = person.profileUpdatedAt;
  return {
    ...(has('openid') && { sub: person.userId }),
    ...(has('profile') && { name: person.name }),
    ...(has('profile') &&
      (standard
        ? { picture: avatar, updated_at: Math.floor(updatedAt.getTime() / 1000) }
        : { avatar, updated_at: updatedAt.toISOString() })),
    ...(has('email') && { email: person.email, email_verified: person.emailVerified }),
    ...(has('phone') && person.phone !== null && { [standard ? 'phone_number' : 'phone']: person.phone }),
  };
}
