// Client and API secrets. Statements with an `ownerId` check ownership.
import { clientSecretHash } from '../oauth/digests.ts';
import { getSecretSuffix } from '../oauth/secrets.ts';
import type { Queryable } from './database.ts';
import { defineForResourceKinds, type ResourceKind } from './owned-resources.ts';
import { execute, findAll, findValue, hasRows } from './query.ts';

export interface SecretRow {
  number: number;
  lastCharacters: string;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

const takeNextSecretNumber = defineForResourceKinds(({ kind, table, id }) =>
  findValue<number, [holder: string]>(
    `take_secret_number_of_${kind}`,
    `update ${table} set secrets_issued = secrets_issued + 1 where ${id} = $1::text returning secrets_issued`,
  ),
);
const insertSecretRow = defineForResourceKinds(({ kind, id }) =>
  execute<[holder: string, number: number, secret: SecretDigest]>(
    `insert_secret_of_${kind}`,
    `insert into secrets (${id}, secret_hash, created_at, number, ending, expires_at)
    values ($1::text, $2::bytea, $3::timestamptz, $4::int, $5::text, $6::timestamptz)`,
    (holder, number, { hash, lastCharacters, createdAt, expiresAt }) => [
      ...[holder, hash, createdAt, number, lastCharacters, expiresAt],
    ],
  ),
);

export interface SecretDigest {
  hash: Buffer;
  lastCharacters: string;
  createdAt: Date;
  expiresAt: Date | null;
}

/** Returns the secret's number. Numbers start at 1 and aren't reused. */
export const insertSecret = (
  transaction: Queryable,
  kind: ResourceKind,
  holder: string,
  secret: string,
  now: Date,
): Promise<number> => {
  const hash = clientSecretHash(secret);
  const lastCharacters = getSecretSuffix(secret);
  return insertSecretDigest(transaction, kind, holder, {
    hash,
    lastCharacters,
    createdAt: now,
    expiresAt: null,
  });
};

export async function insertSecretDigest(
  transaction: Queryable,
  kind: ResourceKind,
  holder: string,
  secret: SecretDigest,
): Promise<number> {
  const number = await takeNextSecretNumber(transaction, kind, holder);
  if (number === undefined) throw new Error(`no client or API has the ID ${holder}`);
  await insertSecretRow(transaction, kind, holder, number, secret);
  return number;
}

const isSecretLiveSql = (now: string) => `(s.expires_at is null or s.expires_at > ${now}::timestamptz)`;
const IS_OWNER_SQL = `s.holder = $2::text and (exists (select from clients c where c.client_id = s.client_id and c.owner_id = $1::uuid)
    or exists (select from apis a where a.api_id = s.api_id and a.owner_id = $1::uuid))`;

export const listSecrets = findAll<SecretRow, [ownerId: string, holder: string, now: Date]>(
  'list_secrets',
  `select s.number, s.ending as "lastCharacters", s.created_at as "createdAt", s.expires_at as "expiresAt", s.last_used_at as "lastUsedAt"
  from secrets s where ${IS_OWNER_SQL} and ${isSecretLiveSql('$3')} order by s.number desc, s.created_at desc`,
);

export const revokeSecret = hasRows<[ownerId: string, holder: string, number: number, now: Date]>(
  'revoke_secret',
  `update secrets s set expires_at = $4::timestamptz where ${IS_OWNER_SQL} and s.number = $3::int and ${isSecretLiveSql('$4')}
  returning s.number`,
);

/** Of the secrets before `number`, the newest expires at `until`. All others expire now. */
export const expireOlderSecrets = execute<[holder: string, number: number, until: Date, now: Date]>(
  'expire_older_secrets',
  `update secrets s set expires_at = least(s.expires_at, case when s.number = (
      select max(l.number) from secrets l
      where l.holder = $1::text and l.number < $2::int and (l.expires_at is null or l.expires_at > $4::timestamptz))
    then $3::timestamptz else $4::timestamptz end)
  where s.holder = $1::text and s.number < $2::int and ${isSecretLiveSql('$4')}`,
);

export const revokeAllSecrets = execute<[holder: string, now: Date]>(
  'revoke_all_secrets',
  `update secrets s set expires_at = $2::timestamptz where s.holder = $1::text and ${isSecretLiveSql('$2')}`,
);

/** Lists clients and APIs whose last valid secret expires before the given time. */
export const listExpiringSecrets = findAll<
  { kind: ResourceKind; id: string; name: string; endsAt: Date },
  [ownerId: string, times: { now: Date; before: Date }]
>(
  'list_expiring_secrets',
  `select case when o.is_api then 'api' else 'application' end as kind, o.id, o.name, max(s.expires_at) as "endsAt"
  from (select client_id as id, name, false as is_api from clients where owner_id = $1::uuid
    union all select api_id, name, true from apis where owner_id = $1::uuid) o
  join secrets s on s.holder = o.id and ${isSecretLiveSql('$2')}
  group by o.id, o.name, o.is_api
  having max(coalesce(s.expires_at, 'infinity')) < $3::timestamptz
  order by o.is_api, 4, 2`,
  (ownerId, { now, before }) => [ownerId, now, before],
);

export const listClientsWithoutSecret = findAll<{ clientId: string }, [ownerId: string, now: Date]>(
  'list_clients_without_secret',
  `select c.client_id as "clientId" from clients c
  where c.owner_id = $1::uuid and c.type = 'confidential' and c.jwks is null
    and not exists (select from secrets s where s.holder = c.client_id and ${isSecretLiveSql('$2')})`,
);
