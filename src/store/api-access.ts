// Who has access to an API, as its owner sees it, and whom the owner has cut off. What is decided here counts in `openApi`.
import { LIVE_GRANT } from './access-tokens.ts';
import { admitting, excluding } from './apis.ts';
import { COUNTED } from './counts.ts';
import type { Queryable } from './database.ts';
import { affects, count, findOne } from './query.ts';
import { statement } from './statement.ts';

/** An application or agent that has access to an API, or had it until it was cut off. */
export interface AccessRow {
  clientId: string;
  name: string;
  agent: boolean;
  redirectUris: string[];
  /** Live grants for the API, and how many people they are of. */
  grants: number;
  people: number;
  /** When the oldest of them began, and when tokens were last given for one; null where there are none. */
  since: Date | null;
  lastAt: Date | null;
  /** Whether the API's settings admit it now: until they do, its tokens count for nothing. */
  admitted: boolean;
  /** Whether the API's owner granted it access on its own account. */
  onItsOwn: boolean;
  /** Null while it is let in. */
  excludedAt: Date | null;
}

const MOST = 200;

// An agent that was cut off and then forgotten has only its address left, under which it may come back.
const IS_AGENT = `w.client_id like 'http%://%'`;
const NAMED = `coalesce(c.name, '') as name, c.owner_id is null as agent, coalesce(c.redirect_uris, '{}') as "redirectUris"`;

// The index finds an API's grants in no order: beyond this many, the rest are not looked at.
const LIST = statement(
  'list_access_to_api',
  `with seen as materialized (
    select g.client_id, g.user_id, g.created_at, g.advanced_at, g.revoked_at, g.epoch from grants g
    where g.apis @> array[$1::text] limit ${COUNTED + 1}
  ),
  live as (
    select g.client_id, count(*)::int as grants, count(distinct g.user_id)::int as people, min(g.created_at) as since,
      max(g.advanced_at) as last_at
    from seen g join users u on u.id = g.user_id join clients c on c.client_id = g.client_id
      join consents k on k.user_id = g.user_id and k.client_id = g.client_id
    where ${LIVE_GRANT} and g.advanced_at > $2::timestamptz and g.created_at > $3::timestamptz
      and not exists (select from api_exclusions x where x.api_id = $1::text and x.client_id = g.client_id
        and ${excluding('g.created_at')})
    group by g.client_id
  ),
  excluded as (
    select x.client_id, x.excluded_at from api_exclusions x where x.api_id = $1::text and x.lifted_at is null
  ),
  granted as (
    select w.client_id from api_service_access w where w.api_id = $1::text and w.granted_at is not null
  )
  select w.client_id as "clientId", ${NAMED},
    coalesce(live.grants, 0) as grants,
    coalesce(live.people, 0) as people, live.since, live.last_at as "lastAt", granted.client_id is not null as "onItsOwn",
    excluded.excluded_at as "excludedAt",
    coalesce((select ${admitting('c')} from apis a where a.api_id = $1::text), false) as admitted, (select count(*) > ${COUNTED} from seen) as capped
  from (select client_id from live union select client_id from excluded union select client_id from granted) as w
    left join clients c on c.client_id = w.client_id left join live on live.client_id = w.client_id
    left join excluded on excluded.client_id = w.client_id left join granted on granted.client_id = w.client_id
  where c.client_id is not null or ${IS_AGENT}
  order by excluded.excluded_at is not null, live.grants desc nulls last, c.name, w.client_id limit ${MOST}`,
);

/**
 * Lists who has access to an API, most grants first, then whom its owner has excluded.
 * @param after when grants must have been refreshed and made to be live
 * @returns whether there are more grants than were counted, too
 */
export async function listAccess(
  database: Queryable,
  apiId: string,
  after: { advanced: Date; created: Date },
): Promise<{ access: AccessRow[]; capped: boolean }> {
  const values = [apiId, after.advanced, after.created];
  const rows = await database.query<AccessRow & { capped: boolean }>(LIST, values);
  return { access: rows.map(({ capped: _, ...row }) => row), capped: rows[0]?.capped ?? false };
}

export type DecidedClient = Pick<AccessRow, 'clientId' | 'name' | 'agent' | 'redirectUris' | 'excludedAt'>;

export const findDecidedClient = findOne<DecidedClient, [apiId: string, clientId: string]>(
  'find_client_of_api',
  `select w.client_id as "clientId", ${NAMED}, x.excluded_at as "excludedAt"
  from (select $2::text as client_id) as w left join clients c on c.client_id = w.client_id
    left join api_exclusions x on x.api_id = $1::text and x.client_id = w.client_id and x.lifted_at is null
  where c.client_id is not null or x.client_id is not null and ${IS_AGENT}`,
);

/** Cuts an application off from an API: all that it was given before ends. False when it is so already, or not theirs to say. */
export const excludeClient = affects<
  [ownerId: string, access: { apiId: string; clientId: string }, now: Date]
>(
  'exclude_from_own_api',
  `insert into api_exclusions as x (api_id, client_id, excluded_at)
  select a.api_id, c.client_id, $4::timestamptz from apis a, clients c
  where a.owner_id = $1::uuid and a.api_id = $2::text and c.client_id = $3::text
  on conflict (api_id, client_id) do update set excluded_at = excluded.excluded_at, lifted_at = null
  where x.lifted_at is not null
  returning 1 as one`,
  (ownerId, { apiId, clientId }, now) => [ownerId, apiId, clientId, now],
);

/** Lets an application in again; what it was given before stays ended. False when it is let in, or not theirs to say. */
export const readmitClient = affects<
  [ownerId: string, access: { apiId: string; clientId: string }, now: Date]
>(
  'readmit_to_own_api',
  `update api_exclusions x set lifted_at = $4::timestamptz from apis a
  where a.api_id = x.api_id and a.owner_id = $1::uuid and x.api_id = $2::text and x.client_id = $3::text
    and x.lifted_at is null
  returning 1 as one`,
  (ownerId, { apiId, clientId }, now) => [ownerId, apiId, clientId, now],
);

/** Deletes a batch of exclusions of deleted applications; an agent may return. @returns how many */
export const pruneExclusions = count(
  'prune_exclusions',
  `with pruned as (
    delete from api_exclusions where (api_id, client_id) in (
      select w.api_id, w.client_id from api_exclusions w
      where not ${IS_AGENT} and not exists (select from clients c where c.client_id = w.client_id)
      order by w.api_id, w.client_id limit 1000)
    returning 1
  )
  select count(*)::int from pruned`,
);
