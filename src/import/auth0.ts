// Converts users from an Auth0 export, which contains one JSON object per line.
import { isObject } from '../oauth/parse-json.ts';
import { AUTH0_ISSUERS } from './known-issuers.ts';
import { createRemark, type NoteCode, type Remark } from './row-remark.ts';
import type { UserConverter } from './source.ts';
import { asId, asObjects, asString, joinNames } from './values.ts';

/** Name of Auth0's built-in user database. The export contains the password hashes of its users. */
const DATABASE_PROVIDER = 'auth0';

export const convertAuth0User: UserConverter = (user) => {
  const notes: Remark<NoteCode>[] = [];
  const identities: object[] = [];
  for (const { provider, connection, user_id: subject, profileData } of asObjects(user.identities)) {
    const name = asString(provider) ?? '';
    if (name === DATABASE_PROVIDER) continue;
    const issuer = AUTH0_ISSUERS.get(name);
    const profile = isObject(profileData) ? profileData : {};
    const label = asString(profile.email) ?? asString(profile.name) ?? asString(user.email);
    if (issuer === undefined) notes.push(createRemark('identity_unmapped', asString(connection) ?? name));
    else identities.push({ issuer, subject: asId(subject), label });
  }
  const metadata = ['user_metadata', 'app_metadata'].filter((name) => hasMembers(user[name]));
  if (metadata.length > 0) notes.push(createRemark('attributes', metadata.join(', ')));
  if (Array.isArray(user.multifactor) && user.multifactor.length > 0)
    notes.push(
      createRemark('credentials', user.multifactor.filter((name) => typeof name === 'string').join(', ')),
    );
  const id = isObject(user._id) ? user._id.$oid : user._id;
  const name = asString(user.name) ?? joinNames(user.given_name, user.family_name) ?? asString(user.nickname);
  return {
    record: {
      sub: user.user_id ?? id,
      email: user.email,
      email_verified: user.email_verified,
      name,
      phone_number: user.phone_number,
      locale: user.locale,
      password_hash: user.passwordHash,
      suspended: user.blocked,
      created_at: isObject(user.created_at) ? user.created_at.$date : user.created_at,
      identities,
    },
    notes,
  };
};

const hasMembers = (value: unknown): boolean => isObject(value) && Object.keys(value).length > 0;
