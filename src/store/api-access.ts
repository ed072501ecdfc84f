// Lists, revokes and restores clients' access to an API.
import { LIVE_GRANT_SQL } from './access-tokens.ts';
import { MAX_COUNTED } from './admin-counts.ts';
import { isClientAllowedSql, isExcludedSql } from './apis.ts';
import type { Queryable } from './database.ts';
import { count, findOne, hasRows } from './query.ts';
import { statement } from './statement.ts';

export interface AccessRow {
  clientId: string;
  name: string;
  agent: boolean;
  redirectUris: string[];
  logo: string | null;
  grants: number;
  userCount: number;
  /** When the oldest live grant was created. Null if there are no live grants. */
  since: Date | null;
  lastAt: Date | null;
  /** If false, the client's tokens for the API are inactive. */
  isAllowed: boolean;
  hasServiceAccess: boolean;
  excludedAt: Date | null;
}

const MAX_LISTED_CLIENTS = 200;

// A deleted metadata client stays in the list because it may be stored again.
const IS_METADATA_CLIENT_SQL = `w.client_id like 'http%://%'`;
const CLIENT_COLUMNS = `coalesce(c.name, '') as name, c.owner_id is null as agent, coalesce(c.redirect_uris, '{}') as "redirectUris", c.logo`;

// The limit applies to unsorted rows because a GIN index returns rows in no particular order.
const LIST_ACCESS = statement(
  'list_api_access',
  `with seen as materialized (
    select g.client_id, g.user_id, g.created_at, g.rotated_at, g.revoked_at, g.epoch from grants g
    where g.apis @> array[$1::text] limit ${MAX_COUNTED + 1}
  ),
  live as (
    select g.client_id, count(*)::int as grants, count(distinct g.user_id)::int as "userCount", min(g.created_at) as since,
      max(g.rotated_at) as last_at
    from seen g join users u on u.id = g.user_id join clients c on c.client_id = g.client_id
      join consents k on k.user_id = g.user_id and k.client_id = g.client_id
    where ${LIVE_GRANT_SQL} and g.rotated_at > $2::timestamptz and g.created_at > $3::timestamptz
      and not exists (select from api_exclusions x where x.api_id = $1::text and x.client_id = g.client_id
        and ${isExcludedSql('g.created_at')})
    group by g.client_id
  ),
  excluded as (
    select x.client_id, x.excluded_at from api_exclusions x where x.api_id = $1::text and x.lifted_at is null
  ),
  granted as (
    select w.client_id from api_service_access w where w.api_id = $1::text and w.granted_at is not null
  )
  select w.client_id as "clientId", ${CLIENT_COLUMNS},
    coalesce(live.grants, 0) as grants,
    coalesce(live."userCount", 0) as "userCount", live.since, live.last_at as "lastAt", granted.client_id is not null as "hasServiceAccess",
    excluded.excluded_at as "excludedAt",
    coalesce((select ${isClientAllowedSql('c')} from apis a where a.api_id = $1::text), false) as "isAllowed", (select count(*) > ${MAX_COUNTED} from seen) as capped
  from (select client_id from live union select client_id from excluded union select client_id from granted) as w
    left join clients c on c.client_id = w.client_id left join live on live.client_id = w.client_id
    left join excluded on excluded.client_id = w.client_id left join granted on granted.client_id = w.client_id
  where c.client_id is not null or ${IS_METADATA_CLIENT_SQL}
  order by excluded.excluded_at is not null, live.grants desc nulls last, c.name, w.client_id limit ${MAX_LISTED_CLIENTS}`,
);

/**
 * Lists the clients with access to an API, most grants first. Clients whose access was revoked come last.
 * @param after grants that were last rotated or created at or before these times have expired
 * @returns `capped` is true if the API has more grants than were counted
 */
export async function listApiAccess(
  database: Queryable,
  apiId: string,
  after: { rotated: Date; created: Date },
): Promise<{ access: AccessRow[]; capped: boolean }> {
  const values = [apiId, after.rotated, after.created];
  const rows = await database.query<AccessRow & { capped: boolean }>(LIST_ACCESS, values);
  return { access: rows.map(({ capped: _, ...row }) => row), capped: rows[0]?.capped ?? false };
}

export type ApiClient = Pick<
  AccessRow,
  'clientId' | 'name' | 'agent' | 'redirectUris' | 'logo' | 'isAllowed' | 'hasServiceAccess' | 'excludedAt'
>;

export const findApiClient = findOne<ApiClient, [apiId: string, clientId: string]>(
  'find_api_client',
  `select w.client_id as "clientId", ${CLIENT_COLUMNS}, x.excluded_at as "excludedAt",
    coalesce((select ${isClientAllowedSql('c')} from apis a where a.api_id = $1::text), false) as "isAllowed",
    exists (select from api_service_access s where s.api_id = $1::text and s.client_id = w.client_id
      and s.granted_at is not null) as "hasServiceAccess"
  from (select $2::text as client_id) as w left join clients c on c.client_id = w.client_id
    left join api_exclusions x on x.api_id = $1::text and x.client_id = w.client_id and x.lifted_at is null
  where c.client_id is not null or x.client_id is not null and ${IS_METADATA_CLIENT_SQL}`,
);

export const revokeApiAccess = hasRows<
  [ownerId: string, access: { apiId: string; clientId: string }, now: Date]
>(
  'revoke_api_access',
  `insert into api_exclusions as x (api_id, client_id, excluded_at)
  select a.api_id, c.client_id, $4::timestamptz from apis a, clients c
  where a.owner_id = $1::uuid and a.api_id = $2::text and c.client_id = $3::text
  on conflict (api_id, client_id) do update set excluded_at = excluded.excluded_at, lifted_at = null
  where x.lifted_at is not null
  returning 1 as one`,
  (ownerId, { apiId, clientId }, now) => [ownerId, apiId, clientId, now],
);

/** Grants from before the revocation stay revoked. Returns false if nothing changed. */
export const restoreApiAccess = hasRows<
  [ownerId: string, access: { apiId: string; clientId: string }, now: Date]
>(
  'restore_api_access',
  `update api_exclusions x set lifted_at = $4::timestamptz from apis a
  where a.api_id = x.api_id and a.owner_id = $1::uuid and x.api_id = $2::text and x.client_id = $3::text
    and x.lifted_at is null
  returning 1 as one`,
  (ownerId, { apiId, clientId }, now) => [ownerId, apiId, clientId, now],
);

/** Deletes a batch of exclusions of deleted clients. Keeps exclusions of metadata clients. */
export const pruneExclusions = count(
  'prune_exclusions',
  `with pruned as (
    delete from api_exclusions where (api_id, client_id) in (
      select w.api_id, w.client_id from api_exclusions w
      where not ${IS_METADATA_CLIENT_SQL} and not exists (select from clients c where c.client_id = w.client_id)
      order by w.api_id, w.client_id limit 1000)
    returning 1
  )
  select count(*)::int from pruned`,
);
