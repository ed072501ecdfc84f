// Bulk inserts of imported accounts. On Citus, these statements use several shards.
import type { Locale } from '../i18n/index.ts';
import type { ExternalIdentity } from '../oauth/identity-provider.ts';
import type { Queryable } from './database.ts';
import { emailKey } from './emails.ts';
import { initialEpochSql } from './epochs.ts';
import { identityKey } from './external-identities.ts';
import { execute, findAll, toColumnArrays } from './query.ts';

export interface ImportedUser {
  id: string;
  email: string;
  emailVerified: boolean;
  name: string;
  phone: string | null;
  locale: Locale | null;
  passwordHash: string | null;
  sealedTotpSecret: string | null;
  suspended: boolean;
  createdAt: Date;
  identities: readonly (ExternalIdentity & { providerId: string; label: string })[];
  passkeys: readonly ImportedPasskey[];
  recoveryCodes: readonly { hash: Buffer; createdAt: Date; usedAt: Date | null }[];
}

interface ImportedPasskey {
  credentialId: Buffer;
  publicKey: Buffer;
  counter: number;
  transports: readonly string[];
  synced: boolean;
  backedUp: boolean;
  aaguid: string;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}

export interface ImportOrigin {
  actorId?: string | undefined;
  from: string;
}

interface IdentifierOwner {
  key: string;
  userId: string;
}

const findTakenEmails = findAll<IdentifierOwner, [keys: readonly string[]]>(
  'find_taken_emails',
  'select e.email_key as key, e.user_id as "userId" from emails e where e.email_key = any($1::text[])',
);
// Finds accounts that may have been created with another person's email address (ADR 21).
const findUnverifiedIds = findAll<{ id: string }, [ids: readonly string[]]>(
  'find_taken_by_unverified',
  `select u.id from users u
  where u.id = any($1::uuid[]) and not u.email_verified and u.imported_at is null and u.invited_at is null
    and not u.is_admin`,
);
const findTakenUserIds = findAll<{ id: string }, [ids: readonly string[]]>(
  'find_taken_user_ids',
  'select u.id from users u where u.id = any($1::uuid[])',
);
const findTakenIdentities = findAll<IdentifierOwner, [keys: readonly Buffer[]]>(
  'find_taken_identities',
  `select encode(k.identity_key, 'hex') as key, k.user_id as "userId"
  from external_identity_keys k where k.identity_key = any($1::bytea[])`,
);

export const identityHex = (identity: ExternalIdentity): string => identityKey(identity).toString('hex');

/**
 * Identifiers of existing accounts. `emails` maps each `emailKey` to a user id. `identities` has `identityHex` values.
 */
export interface TakenIdentifiers {
  emails: ReadonlyMap<string, string>;
  /** Accounts from sign-ups whose email address was never verified. */
  unverified: ReadonlySet<string>;
  ids: ReadonlySet<string>;
  identities: ReadonlySet<string>;
}

export async function findTakenIdentifiers(
  database: Queryable,
  { emails, ids, identities }: { emails: string[]; ids: string[]; identities: ExternalIdentity[] },
): Promise<TakenIdentifiers> {
  // Email addresses are looked up last. Otherwise, an account created between the lookups would be found only by its
  // identity, and the user would be rejected.
  const foundIds = ids.length === 0 ? [] : await findTakenUserIds(database, ids);
  const foundIdentities =
    identities.length === 0 ? [] : await findTakenIdentities(database, identities.map(identityKey));
  const foundEmails = await findTakenEmails(database, emails.map(emailKey));
  const owners = foundEmails.map(({ userId }) => userId);
  const unverified = owners.length === 0 ? [] : await findUnverifiedIds(database, owners);
  return {
    emails: new Map(foundEmails.map(({ key, userId }) => [key, userId])),
    unverified: new Set(unverified.map(({ id }) => id)),
    ids: new Set(foundIds.map(({ id }) => id)),
    identities: new Set(foundIdentities.map(({ key }) => key)),
  };
}

// Inserts rows in key order so that concurrent imports don't deadlock.
const claimEmails = findAll<{ one: number }, [owners: readonly IdentifierOwner[]]>(
  'claim_imported_emails',
  `insert into emails (email_key, user_id)
  select g.key, g.user_id from unnest($1::text[], $2::uuid[]) g (key, user_id) order by g.key
  on conflict (email_key) do nothing returning 1 as one`,
  (owners) => toColumnArrays(owners, 'key', 'userId'),
);

const claimIdentities = findAll<{ one: number }, [rows: readonly { key: Buffer; userId: string }[]]>(
  'claim_imported_identities',
  `insert into external_identity_keys (identity_key, user_id)
  select g.key, g.user_id from unnest($1::bytea[], $2::uuid[]) g (key, user_id) order by g.key
  on conflict (identity_key) do nothing returning 1 as one`,
  (rows) => toColumnArrays(rows, 'key', 'userId'),
);

const insertUserRows = findAll<
  { one: number },
  [users: readonly (ImportedUser & { emailKey: string })[], now: Date]
>(
  'insert_imported_users',
  `insert into users (id, email, email_key, email_verified, name, phone, locale, password_hash, totp_secret, is_admin,
    suspended_at, created_at, profile_updated_at, totp_enabled_at, imported_at,
    passkey_count, epoch)
  select g.id, g.email, g.email_key, g.email_verified, g.name, g.phone, g.locale, g.password_hash, g.totp_secret, false,
    case when g.suspended then $1::timestamptz end, g.created_at, $1::timestamptz,
    case when g.totp_secret is not null then $1::timestamptz end, $1::timestamptz, g.passkey_count,
    ${initialEpochSql('$1')}
  from unnest($2::uuid[], $3::text[], $4::text[], $5::boolean[], $6::text[], $7::text[], $8::text[], $9::text[],
      $10::text[], $11::boolean[], $12::timestamptz[], $13::int[])
    g (id, email, email_key, email_verified, name, phone, locale, password_hash, totp_secret, suspended, created_at,
      passkey_count)
  on conflict (id) do nothing returning 1 as one`,
  (users, now) => [
    now,
    ...toColumnArrays(users, 'id', 'email', 'emailKey', 'emailVerified', 'name', 'phone', 'locale'),
    ...toColumnArrays(users, 'passwordHash', 'sealedTotpSecret', 'suspended', 'createdAt'),
    users.map(({ passkeys }) => passkeys.length),
  ],
);

const insertIdentities = execute<
  [
    rows: readonly { userId: string; issuer: string; subject: string; providerId: string; label: string }[],
    now: Date,
  ]
>(
  'insert_imported_identities',
  `insert into external_identities (user_id, issuer, subject, provider_id, label, created_at)
  select u.id, g.issuer, g.subject, g.provider_id, g.label, $1::timestamptz
  from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[])
    g (user_id, issuer, subject, provider_id, label) join users u on u.id = g.user_id`,
  (rows, now) => [now, ...toColumnArrays(rows, 'userId', 'issuer', 'subject', 'providerId', 'label')],
);

const insertPasskeys = execute<[rows: readonly (ImportedPasskey & { userId: string })[]]>(
  'insert_imported_passkeys',
  `insert into passkeys (user_id, credential_id, public_key, counter, transports, synced, backed_up, aaguid, name,
    created_at, last_used_at)
  select u.id, g.credential_id, g.public_key, g.counter, string_to_array(g.transports, ' '), g.synced, g.backed_up,
    g.aaguid, g.name, g.created_at, g.last_used_at
  from unnest($1::uuid[], $2::bytea[], $3::bytea[], $4::bigint[], $5::text[], $6::boolean[], $7::boolean[], $8::uuid[],
      $9::text[], $10::timestamptz[], $11::timestamptz[])
    g (user_id, credential_id, public_key, counter, transports, synced, backed_up, aaguid, name, created_at,
      last_used_at) join users u on u.id = g.user_id`,
  (rows) => [
    ...toColumnArrays(rows, 'userId', 'credentialId', 'publicKey', 'counter'),
    rows.map(({ transports }) => transports.join(' ')),
    ...toColumnArrays(rows, 'synced', 'backedUp', 'aaguid', 'name', 'createdAt', 'lastUsedAt'),
  ],
);

const insertRecoveryCodes = execute<
  [rows: readonly (ImportedUser['recoveryCodes'][number] & { userId: string })[]]
>(
  'insert_imported_recovery_codes',
  `insert into recovery_codes (user_id, hash, created_at, used_at)
  select u.id, g.hash, g.created_at, g.used_at
  from unnest($1::uuid[], $2::bytea[], $3::timestamptz[], $4::timestamptz[]) g (user_id, hash, created_at, used_at)
  join users u on u.id = g.user_id`,
  (rows) => toColumnArrays(rows, 'userId', 'hash', 'createdAt', 'usedAt'),
);

const insertEvents = execute<[userIds: readonly string[], origin: ImportOrigin, now: Date]>(
  'insert_import_events',
  `insert into events (at, kind, actor_id, user_id, detail)
  select $1::timestamptz, 'account_imported', $2::uuid, g.user_id, $3::jsonb from unnest($4::uuid[]) g (user_id)`,
  (userIds, { actorId, from }, now) => [now, actorId, JSON.stringify({ from }), userIds],
);

/**
 * Also inserts linked identities and audit events.
 * @returns false if an email address, id or identity is taken. The caller must then roll back.
 */
export async function insertImportedUsers(
  transaction: Queryable,
  users: readonly ImportedUser[],
  origin: ImportOrigin,
  now: Date,
): Promise<boolean> {
  const rows = users.map((user) => ({
    ...user,
    key: emailKey(user.email),
    emailKey: emailKey(user.email),
    userId: user.id,
  }));
  if ((await claimEmails(transaction, rows)).length < rows.length) return false;
  const identities = users.flatMap((user) =>
    user.identities.map((identity) => ({ ...identity, userId: user.id, key: identityKey(identity) })),
  );
  if (identities.length > 0 && (await claimIdentities(transaction, identities)).length < identities.length)
    return false;
  if ((await insertUserRows(transaction, rows, now)).length < rows.length) return false;
  if (identities.length > 0) await insertIdentities(transaction, identities, now);
  const passkeys = users.flatMap(({ id: userId, passkeys }) =>
    passkeys.map((passkey) => ({ ...passkey, userId })),
  );
  if (passkeys.length > 0) await insertPasskeys(transaction, passkeys);
  const codes = users.flatMap(({ id: userId, recoveryCodes }) =>
    recoveryCodes.map((code) => ({ ...code, userId })),
  );
  if (codes.length > 0) await insertRecoveryCodes(transaction, codes);
  await insertEvents(
    transaction,
    users.map(({ id }) => id),
    origin,
    now,
  );
  return true;
}
