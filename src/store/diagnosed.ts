// What the database knows more about refused requests: of whom they were, which secret it was, what became of the grant
// (oauth/diagnosis.ts).
import type { DiagnosedApi, DiagnosedClient, DiagnosedGrant, DiagnosedSecret } from '../oauth/diagnosis.ts';
import type { GrantPromise } from '../oauth/reason.ts';
import type { Queryable } from './database.ts';
import { findAll } from './query.ts';
import { statement } from './statement.ts';

/** The applications, and the APIs, that authenticate by these identifiers. */
export const findDiagnosedClients = findAll<DiagnosedClient, [clientIds: string[]]>(
  'diagnosed_clients',
  `select c.client_id as "clientId", c.owner_id as "ownerId", c.type, c.suspended_at is not null as suspended
  from clients c where c.client_id = any($1::text[])
  union all
  select a.api_id, a.owner_id, 'api', a.suspended_at is not null from apis a where a.api_id = any($1::text[])`,
);

/** The APIs of these identifiers, as those are compared. */
export const findDiagnosedApis = findAll<DiagnosedApi, [identifierKeys: string[]]>(
  'diagnosed_apis',
  `select a.api_id as "apiId", a.identifier_key as "identifierKey" from apis a where a.identifier_key = any($1::text[])`,
);

/** The secrets of these hashes, whoever they belong to. */
export const findDiagnosedSecrets = findAll<DiagnosedSecret, [hashes: Buffer[]]>(
  'diagnosed_secrets',
  `select s.holder as "clientId", coalesce(c.owner_id, a.owner_id) as "ownerId", coalesce(c.name, a.name) as name,
    s.secret_hash as hash, s.number, s.created_at as "createdAt", s.expires_at as "expiresAt"
  from secrets s left join clients c on c.client_id = s.client_id left join apis a on a.api_id = s.api_id
  where s.secret_hash = any($1::bytea[])`,
);

const GRANTS = statement(
  'diagnosed_grants',
  `with known as (
    select id, client_id, user_id, epoch, generation, revoked_at is not null as revoked, null::bytea as session_hash,
      null::timestamptz as issued_at
    from grants where id = any($1::uuid[])
  ),
  promised as (
    select p.id, p.client_id, p.user_id, p.epoch, 0, false, p.session_hash, p.issued_at
    from unnest($1::uuid[], $2::text[], $3::uuid[], $4::int[], $5::bytea[],
      $6::timestamptz[]) as p (id, client_id, user_id, epoch, session_hash, issued_at)
    where p.client_id is not null and not exists (select from known where known.id = p.id)
  )
  select g.id as "grantId", g.client_id as "clientId", g.generation, g.revoked,
    exists (
      select from users u, clients c, consents k
      where u.id = g.user_id and u.suspended_at is null and c.client_id = g.client_id
        and k.user_id = g.user_id and k.client_id = g.client_id and g.epoch = u.epoch + c.epoch + k.epoch)
    and (g.session_hash is null or exists (select from sessions s where s.user_id = g.user_id
      and coalesce(s.origin_hash, s.id_hash) = g.session_hash and s.expires_at > g.issued_at)) as valid
  from (select * from known union all select * from promised) as g`,
);

/** The grants of these ids, and those that were promised by a code and never written. */
export const findDiagnosedGrants = (
  database: Queryable,
  tickets: { grantId: string; promise?: GrantPromise | undefined }[],
): Promise<DiagnosedGrant[]> => {
  const column = (name: keyof GrantPromise) => tickets.map(({ promise }) => promise?.[name] ?? null);
  return database.query<DiagnosedGrant>(GRANTS, [
    tickets.map(({ grantId }) => grantId),
    column('clientId'),
    column('userId'),
    column('epoch'),
    column('sessionHash'),
    tickets.map(({ promise }) => promise && new Date(promise.issuedAt)),
  ]);
};
