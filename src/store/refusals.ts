// Refused requests, stored in batches and listed in groups.
import type { UriDifference } from '../oauth/refusal-reason.ts';
import type { Database } from './database.ts';
import { count, execute, findAll, findOne, toColumnArrays } from './query.ts';

/** Maximum number of stored refusals per client and per API. The same maximum applies to all refusals without a client or API. */
export const MAX_REFUSALS = 1000;
const MAX_GROUPS = 200;
const MAX_INCIDENTS = 50;
/** Maximum number of refusals that a page reads for an API. Anyone can cause refusals by registering agents. */
const MAX_READ_REFUSALS = 10 * MAX_REFUSALS;

export type RefusalFacts = Record<string, string | number | boolean | UriDifference[]>;

interface RefusalFields {
  /** Null if an API sent the request or the client is unknown. */
  clientId: string | null;
  /** The API that sent the request, or that the client wants to access. */
  apiId: string | null;
  authenticated: boolean;
  /** Whether an unauthenticated request contained a code, token or secret of the client or API. */
  hasCredential: boolean;
  endpoint: string;
  error: string;
  kind: string;
  facts: RefusalFacts;
}

export interface NewRefusal extends RefusalFields {
  ip: string;
  incident: string;
  at: Date;
}

export interface RefusalRow extends RefusalFields {
  /** IP of the latest request. Empty if the API's owner must not see the IP. */
  ip: string;
  incidents: string[];
  firstAt: Date;
  lastAt: Date;
  count: number;
}

const lockClients = findAll<{ id: string }, [clientIds: readonly string[]]>(
  'lock_refused_clients',
  `select c.client_id as id from clients c where c.client_id = any($1::text[])
  order by c.client_id for key share`,
);
const lockApis = findAll<{ id: string }, [apiIds: readonly string[]]>(
  'lock_refused_apis',
  'select a.api_id as id from apis a where a.api_id = any($1::text[]) order by a.api_id for key share',
);

const trimRefusals = execute<
  [added: readonly { clientId: string | null; apiId: string | null; count: number }[]]
>(
  'trim_refusals',
  `delete from refusals r using (
    select old.id from unnest($1::text[], $2::text[], $3::int[]) as n (client_id, api_id, added)
    cross join lateral (
      (select o.id from refusals o where o.client_id = n.client_id
        order by o.at desc, o.id desc offset greatest($4::int - n.added, 0))
      union all
      (select o.id from refusals o where o.client_id is null and o.api_id = n.api_id
        order by o.at desc, o.id desc offset greatest($4::int - n.added, 0))
      union all
      (select o.id from refusals o
        where n.client_id is null and n.api_id is null and o.client_id is null and o.api_id is null
        order by o.at desc, o.id desc offset greatest($4::int - n.added, 0))
    ) as old
  ) as surplus
  where r.id = surplus.id`,
  (added) => [...toColumnArrays(added, 'clientId', 'apiId', 'count'), MAX_REFUSALS],
);

const insertRefusals = execute<[refusals: readonly NewRefusal[]]>(
  'insert_refusals',
  `insert into refusals (client_id, api_id, authenticated, has_credential, endpoint, error, kind, facts, ip, incident, at)
  select b."clientId", b."apiId", b.authenticated, b."hasCredential", b.endpoint, b.error, b.kind, b.facts, b.ip, b.incident, b.at
  from jsonb_to_recordset($1::jsonb) as b ("clientId" text, "apiId" text, authenticated boolean, "hasCredential" boolean,
    endpoint text, error text, kind text, facts jsonb, ip text, incident text, at timestamptz)
  order by b.at`,
  (refusals) => [JSON.stringify(refusals)],
);

/** Skips deleted clients and APIs. First deletes the oldest refusals so that at most `MAX_REFUSALS` remain. */
export const insertRefusalBatch = (database: Database, refusals: readonly NewRefusal[]): Promise<void> =>
  database.transaction(async (transaction) => {
    // Locking clients before APIs prevents deadlocks.
    const clients = await lockExisting(lockClients, 'clientId');
    const apis = await lockExisting(lockApis, 'apiId');
    const existing = refusals.filter(
      ({ clientId, apiId }) =>
        (clientId === null || clients.has(clientId)) &&
        (clientId !== null || apiId === null || apis.has(apiId)),
    );
    const batch = existing.map((refusal) => ({
      ...refusal,
      apiId: refusal.apiId !== null && apis.has(refusal.apiId) ? refusal.apiId : null,
    }));
    await trimRefusals(transaction, countBySubject(batch));
    await insertRefusals(transaction, batch);

    async function lockExisting(lock: typeof lockClients, field: 'clientId' | 'apiId'): Promise<Set<string>> {
      const ids = new Set(refusals.flatMap((refusal) => refusal[field] ?? []));
      return new Set((await lock(transaction, [...ids])).map(({ id }) => id));
    }
  });

function countBySubject(refusals: readonly NewRefusal[]) {
  const subjects = Map.groupBy(refusals, ({ clientId, apiId }) =>
    JSON.stringify([clientId, clientId === null ? apiId : null]),
  );
  return [...subjects].map(([subject, { length: count }]) => {
    const [clientId, apiId] = JSON.parse(subject) as [string | null, string | null];
    return { clientId, apiId, count };
  });
}

/** Must be called before a transfer. The new owner must not see the names of the former owner's other resources. */
export const deleteRefusalsNamingSecretOwner = execute<[id: string]>(
  'delete_refusals_naming_secret_owner',
  `delete from refusals r where (r.client_id = $1::text or r.client_id is null and r.api_id = $1::text)
    and r.kind = 'secret_belongs_to_other_client'`,
);

const latestFirstSql = (column: string): string => `(array_agg(${column} order by r.at desc, r.id desc))`;

/**
 * SQL that groups refusals, latest group first.
 * @param from SQL for the refusals `r`
 * @param facts `by facts` also groups by facts. `latest facts` gives each group the facts of its latest refusal.
 */
const groupRefusalsSql = (
  from: string,
  facts: 'by facts' | 'latest facts',
): string => `select r.client_id as "clientId",
    r.api_id as "apiId", r.authenticated, r.has_credential as "hasCredential", r.endpoint, r.error, r.kind, ${latestFirstSql('r.facts')}[1] as facts,
    ${latestFirstSql('r.ip')}[1] as ip, ${latestFirstSql('r.incident')}[1:${MAX_INCIDENTS}] as incidents,
    min(r.at) as "firstAt", max(r.at) as "lastAt", count(*)::int as count
  from ${from}
  group by r.client_id, r.api_id, r.authenticated, r.has_credential, r.endpoint, r.error, r.kind${facts === 'by facts' ? ', r.facts' : ''}
  order by max(r.at) desc, max(r.id) desc limit ${MAX_GROUPS}`;

export interface RefusalFilter {
  incident?: string | undefined;
  kind?: string | undefined;
  endpoint?: string | undefined;
}

const toFilterValues = (id: string, { incident, kind, endpoint }: RefusalFilter = {}) => [
  id,
  incident,
  kind,
  endpoint,
];

/** `$1` is the client or API. `$2` is an incident code or null. */
const belongsToResourceSql = (column: string): string =>
  `r.${column} = $1::text and ($2::text is null or r.incident = $2::text)`;
const MATCHES_FILTER_SQL = `($3::text is null or r.kind = $3::text) and ($4::text is null or r.endpoint = $4::text)`;

export const listRefusals = findAll<RefusalRow, [clientId: string, filter?: RefusalFilter]>(
  'list_refusals',
  groupRefusalsSql(
    `refusals r where ${belongsToResourceSql('client_id')} and ${MATCHES_FILTER_SQL}`,
    'by facts',
  ),
  toFilterValues,
);

export const listRefusalKinds = findAll<RefusalKindRow, [clientId: string]>(
  'list_refusal_kinds',
  'select distinct r.kind, r.endpoint from refusals r where r.client_id = $1::text',
);

export interface RefusalKindRow {
  kind: string;
  endpoint: string;
}

const defineCountSince = (column: string) =>
  count<[id: string, since: Date]>(
    `count_refusals_by_${column}`,
    `select count(*)::int as refused from refusals r
    where r.${column} = $1::text and r.error <> '' and r.at > $2::timestamptz`,
  );
export const countRefusals = defineCountSince('client_id');
export const countApiRefusals = defineCountSince('api_id');

const defineCountPerResource = (column: string) =>
  findAll<{ id: string; count: number }, [ids: readonly string[], since: Date]>(
    `count_refusals_by_each_${column}`,
    `select ids.id, n.count from unnest($1::text[]) as ids (id)
    cross join lateral (select count(*)::int as count from (
      select from refusals r where r.${column} = ids.id and r.error <> '' and r.at > $2::timestamptz limit ${MAX_READ_REFUSALS}
    ) x) n
    where n.count > 0`,
  );
/** Counts at most `MAX_READ_REFUSALS` refusals per client. Omits clients without refusals. */
export const countRefusalsOfClients = defineCountPerResource('client_id');
export const countRefusalsOfApis = defineCountPerResource('api_id');

export interface ApiRefusalRow extends RefusalRow {
  clientName: string | null;
  agent: boolean;
  redirectUris: string[] | null;
  logo: string | null;
}

/**
 * Refusals aren't grouped by facts because a client could fill the list by varying its requests. The IP of a client's
 * request may be a user's IP and is omitted.
 */
export const listApiRefusals = findAll<ApiRefusalRow, [apiId: string, filter?: RefusalFilter]>(
  'list_api_refusals',
  `select g."clientId", g."apiId", g.authenticated, g."hasCredential", g.endpoint, g.error,
    g.kind, g.facts, g.incidents, g."firstAt", g."lastAt", g.count, case when g."clientId" is null then g.ip else '' end as ip,
    c.name as "clientName", c.client_id is not null and c.owner_id is null as agent,
    c.redirect_uris as "redirectUris", c.logo
  from (${groupRefusalsSql(`(select * from refusals r where ${belongsToResourceSql('api_id')} order by r.at desc limit ${MAX_READ_REFUSALS}) as r where ${MATCHES_FILTER_SQL}`, 'latest facts')}) as g
    left join clients c on c.client_id = g."clientId"
  order by g."lastAt" desc`,
  toFilterValues,
);

export const listApiRefusalKinds = findAll<RefusalKindRow, [apiId: string]>(
  'list_api_refusal_kinds',
  `select distinct r.kind, r.endpoint from (
    select r.kind, r.endpoint from refusals r where r.api_id = $1::text order by r.at desc limit ${MAX_READ_REFUSALS}
  ) as r`,
);

export interface FoundIncident {
  clientId: string | null;
  apiId: string | null;
  name: string | null;
  error: string;
  endpoint: string;
  description: string | null;
  lastAt: Date;
}

export const findIncident = findOne<FoundIncident, [incident: string]>(
  'find_incident',
  `select r.client_id as "clientId", r.api_id as "apiId", coalesce(c.name, a.name) as name, r.error, r.endpoint,
    r.facts ->> 'description' as description, r.at as "lastAt"
  from refusals r left join clients c on c.client_id = r.client_id left join apis a on a.api_id = r.api_id
  where r.incident = $1::text order by r.at desc limit 1`,
);
