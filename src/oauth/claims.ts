// What userinfo and id_tokens say about a person: the contract's fields, or the standard ones (D18, D19, D20, D57).
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
  if (!scopes.includes('profile') && !(standard && scopes.includes('openid')))
    throw insufficientScope(standard ? 'openid' : 'profile');
  return personClaims(person, scopes, standard, avatar);
}

/** What these scopes tell of a person (OpenID Connect Core §5.4), by the names of the application's mode (D19, D20). */
export function personClaims(
  person: Person,
  scopes: readonly Scope[],
  standard: boolean,
  avatar: string,
): Record<string, unknown> {
  const has = (scope: Scope) => scopes.includes(scope);
  const updatedAt = person.profileUpdatedAt;
  return {
    ...(has('openid') && { sub: person.userId }),
    ...(has('profile') && { name: person.name }),
    ...(has('profile') &&
      (standard
        ? { picture: avatar, updated_at: Math.floor(updatedAt.getTime() / 1000) }
        : { avatar, updated_at: updatedAt.toISOString() })),
    // There is no user name here: the email address stands in for it (D58).
    ...(standard && has('email') && { preferred_username: person.email }),
    ...(has('email') && { email: person.email, email_verified: person.emailVerified }),
    ...(has('phone') && person.phone !== null && { [standard ? 'phone_number' : 'phone']: person.phone }),
  };
}

const SOMEBODY: Person = {
  userId: '',
  name: '',
  email: '',
  emailVerified: true,
  phone: '',
  pictureHash: null,
  profileUpdatedAt: new Date(0),
};

/** The names of what these scopes can tell of a person. */
export const claimNames = (scopes: readonly Scope[], standard: boolean): string[] =>
  Object.keys(personClaims(SOMEBODY, scopes, standard, ''));
