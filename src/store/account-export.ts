// Reads all accounts and clients for `sesame export`, page by page.

import type { Queryable } from './database.ts';
import { NIL_USER_ID } from './nil-user-id.ts';
import { OWNED_CLIENT_COLUMNS, type OwnedClient } from './owned-clients.ts';
import { findAll } from './query.ts';
import type { SecretDigest } from './secrets.ts';

const PAGE_SIZE = 500;

export interface ExportedUser {
  userId: string;
  email: string;
  emailVerified: boolean;
  name: string;
  phone: string | null;
  locale: string | null;
  /** Null if the account has no password or its invitation is pending. */
  passwordHash: string | null;
  totpSecret: string | null;
  suspended: boolean;
  createdAt: Date;
  identities: ExportedIdentity[];
  passkeys: ExportedPasskey[];
  recoveryCodes: ExportedRecoveryCode[];
}

interface ExportedIdentity {
  userId: string;
  issuer: string;
  subject: string;
  label: string;
}

interface ExportedPasskey {
  userId: string;
  credentialId: Buffer;
  publicKey: Buffer;
  counter: number;
  transports: string[];
  synced: boolean;
  backedUp: boolean;
  aaguid: string;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}

interface ExportedRecoveryCode {
  userId: string;
  hash: Buffer;
  createdAt: Date;
  usedAt: Date | null;
}

const listUsers = findAll<
  Omit<ExportedUser, 'identities' | 'passkeys' | 'recoveryCodes'>,
  [after: string, limit: number]
>(
  'list_users_to_export',
  `select u.id as "userId", u.email, u.email_verified as "emailVerified", u.name, u.phone, u.locale,
    case when u.invited_at is null then u.password_hash end as "passwordHash", u.totp_secret as "totpSecret",
    u.suspended_at is not null as suspended, u.created_at as "createdAt"
  from users u where u.id > $1::uuid order by u.id limit $2::int`,
);

const listIdentities = findAll<ExportedIdentity, [userIds: readonly string[]]>(
  'list_identities_to_export',
  `select i.user_id as "userId", i.issuer, i.subject, i.label from external_identities i
  where i.user_id = any($1::uuid[]) order by i.user_id, i.issuer, i.subject`,
);

const listPasskeys = findAll<ExportedPasskey, [userIds: readonly string[]]>(
  'list_passkeys_to_export',
  `select p.user_id as "userId", p.credential_id as "credentialId", p.public_key as "publicKey",
    p.counter::float8 as counter, p.transports, p.synced, p.backed_up as "backedUp", p.aaguid, p.name,
    p.created_at as "createdAt", p.last_used_at as "lastUsedAt"
  from passkeys p where p.user_id = any($1::uuid[]) order by p.user_id, p.created_at, p.credential_id`,
);

const listRecoveryCodes = findAll<ExportedRecoveryCode, [userIds: readonly string[]]>(
  'list_recovery_codes_to_export',
  `select r.user_id as "userId", r.hash, r.created_at as "createdAt", r.used_at as "usedAt"
  from recovery_codes r where r.user_id = any($1::uuid[]) order by r.user_id, r.hash`,
);

export async function* readUsers(database: Queryable): AsyncGenerator<ExportedUser[]> {
  let after: string | undefined = NIL_USER_ID;
  while (after !== undefined) {
    const users = await listUsers(database, after, PAGE_SIZE);
    const ids = users.map(({ userId }) => userId);
    const identities = groupByUser(await listIdentities(database, ids));
    const passkeys = groupByUser(await listPasskeys(database, ids));
    const recoveryCodes = groupByUser(await listRecoveryCodes(database, ids));
    yield users.map((user) => ({
      ...user,
      identities: identities.get(user.userId) ?? [],
      passkeys: passkeys.get(user.userId) ?? [],
      recoveryCodes: recoveryCodes.get(user.userId) ?? [],
    }));
    after = users.length < PAGE_SIZE ? undefined : ids.at(-1);
  }
}

const groupByUser = <Row extends { userId: string }>(rows: readonly Row[]): Map<string, Row[]> =>
  Map.groupBy(rows, ({ userId }) => userId);

export interface ExportedClient extends OwnedClient {
  ownerEmail: string | null;
  secrets: ExportedSecret[];
}

interface ExportedSecret extends SecretDigest {
  clientId: string;
}

const listClients = findAll<OwnedClient & { ownerId: string }, [after: string, limit: number]>(
  'list_clients_to_export',
  `select ${OWNED_CLIENT_COLUMNS}, c.owner_id as "ownerId" from clients c
  where c.owner_id is not null and c.client_id > $1::text order by c.client_id limit $2::int`,
);

const listOwners = findAll<{ userId: string; email: string }, [userIds: readonly string[]]>(
  'list_owners_to_export',
  'select u.id as "userId", u.email from users u where u.id = any($1::uuid[])',
);

const listSecrets = findAll<ExportedSecret, [clientIds: readonly string[], now: Date]>(
  'list_secrets_to_export',
  `select s.client_id as "clientId", s.secret_hash as hash, s.ending as "lastCharacters", s.created_at as "createdAt",
    s.expires_at as "expiresAt"
  from secrets s where s.client_id = any($1::text[]) and (s.expires_at is null or s.expires_at > $2::timestamptz)
  order by s.client_id, s.number`,
);

export async function* readClients(database: Queryable, now: Date): AsyncGenerator<ExportedClient[]> {
  let after: string | undefined = '';
  while (after !== undefined) {
    const clients = await listClients(database, after, PAGE_SIZE);
    const ids = clients.map(({ clientId }) => clientId);
    const owners = await listOwners(database, [...new Set(clients.map(({ ownerId }) => ownerId))]);
    const emails = new Map(owners.map(({ userId, email }) => [userId, email]));
    const secrets = Map.groupBy(await listSecrets(database, ids, now), ({ clientId }) => clientId);
    yield clients.map(({ ownerId, ...client }) => ({
      ...client,
      ownerEmail: emails.get(ownerId) ?? null,
      secrets: secrets.get(client.clientId) ?? [],
    }));
    after = clients.length < PAGE_SIZE ? undefined : ids.at(-1);
  }
}
