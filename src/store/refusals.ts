// Refused requests of clients and APIs: written in batches, read grouped by what they have in common.
import type { Difference } from '../oauth/reason.ts';
import type { Database } from './database.ts';
import { columnsOf, count, execute, findAll, findOne } from './query.ts';

/** Refusals that are kept of one client, of one API that was refused itself, and of neither; the oldest beyond it are deleted. */
export const QUOTA = 1000;
/** Groups of equal refusals that a list holds. */
const MAX_GROUPS = 200;
/** Incident codes that a group holds. */
const MAX_INCIDENTS = 50;

/** What a reason says besides its kind: names, numbers and times (ISO 8601) that the words need. */
export type Facts = Record<string, string | number | boolean | Difference[]>;

interface RefusalFields {
  /** Null where an API was refused, or no client is known. */
  clientId: string | null;
  /** The API that was refused, or that the client's request was about. */
  apiId: string | null;
  /** The client or API had authenticated. */
  authenticated: boolean;
  /** It had not, but presented a code, token or secret of the client or API. */
  held: boolean;
  endpoint: string;
  error: string;
  kind: string;
  facts: Facts;
}

export interface NewRefusal extends RefusalFields {
  address: string;
  incident: string;
  at: Date;
}

export interface RefusalRow extends RefusalFields {
  /** The client IP of the latest; empty where it is not shown. */
  address: string;
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

// One of the two ids is null, or both are.
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
  (added) => [...columnsOf(added, 'clientId', 'apiId', 'count'), QUOTA],
);

const insertRefusals = execute<[refusals: readonly NewRefusal[]]>(
  'insert_refusals',
  `insert into refusals (client_id, api_id, authenticated, held, endpoint, error, kind, facts, address, incident, at)
  select b."clientId", b."apiId", b.authenticated, b.held, b.endpoint, b.error, b.kind, b.facts, b.address, b.incident, b.at
  from jsonb_to_recordset($1::jsonb) as b ("clientId" text, "apiId" text, authenticated boolean, held boolean,
    endpoint text, error text, kind text, facts jsonb, address text, incident text, at timestamptz)
  order by b.at`,
  (refusals) => [JSON.stringify(refusals)],
);

/** Writes refusals, and deletes the oldest beyond the quota. Those of deleted clients and APIs are left out. */
export const writeRefusals = (database: Database, refusals: readonly NewRefusal[]): Promise<void> =>
  database.transaction(async (transaction) => {
    // Locked first and in one order, so that processes and deletions never wait for each other in a circle.
    const clients = await known(lockClients, 'clientId');
    const apis = await known(lockApis, 'apiId');
    const kept = refusals.filter(
      ({ clientId, apiId }) =>
        (clientId === null || clients.has(clientId)) &&
        (clientId !== null || apiId === null || apis.has(apiId)),
    );
    const batch = kept.map((one) => ({
      ...one,
      apiId: one.apiId !== null && apis.has(one.apiId) ? one.apiId : null,
    }));
    await trimRefusals(transaction, countBySubject(batch));
    await insertRefusals(transaction, batch);

    async function known(lock: typeof lockClients, key: 'clientId' | 'apiId'): Promise<Set<string>> {
      const ids = new Set(refusals.flatMap((one) => one[key] ?? []));
      return new Set((await lock(transaction, [...ids])).map(({ id }) => id));
    }
  });

/** How many refusals there are of each client, of each API that was refused itself, and of neither. */
function countBySubject(refusals: readonly NewRefusal[]) {
  const subjects = Map.groupBy(refusals, ({ clientId, apiId }) =>
    JSON.stringify([clientId, clientId === null ? apiId : null]),
  );
  return [...subjects].map(([subject, { length: count }]) => {
    const [clientId, apiId] = JSON.parse(subject) as [string | null, string | null];
    return { clientId, apiId, count };
  });
}

/** Deletes refusals that name another client or API of the owner: the next owner must not read them. */
export const forgetWhoseSecrets = execute<[id: string]>(
  'forget_whose_secrets_were_sent',
  `delete from refusals r where (r.client_id = $1::text or r.client_id is null and r.api_id = $1::text)
    and r.kind = 'secret_of_other'`,
);

const latest = (column: string): string => `(array_agg(${column} order by r.at desc, r.id desc))`;

/**
 * Groups refusals, the latest group first.
 * @param from the refusals that are read, as `r`
 * @param facts whether those of other facts are another group; else the group has the facts of the latest
 */
const grouped = (
  from: string,
  facts: 'by facts' | 'latest facts',
): string => `select r.client_id as "clientId",
    r.api_id as "apiId", r.authenticated, r.held, r.endpoint, r.error, r.kind, ${latest('r.facts')}[1] as facts,
    ${latest('r.address')}[1] as address, ${latest('r.incident')}[1:${MAX_INCIDENTS}] as incidents,
    min(r.at) as "firstAt", max(r.at) as "lastAt", count(*)::int as count
  from ${from}
  group by r.client_id, r.api_id, r.authenticated, r.held, r.endpoint, r.error, r.kind${facts === 'by facts' ? ', r.facts' : ''}
  order by max(r.at) desc, max(r.id) desc limit ${MAX_GROUPS}`;

/** The condition that a refusal is of what `$1` names, and of the incident if `$2` is one. */
const of = (column: string): string =>
  `r.${column} = $1::text and ($2::text is null or r.incident = $2::text)`;

/** Lists the refusals of a client, or those with an incident code. */
export const listRefusals = findAll<RefusalRow, [clientId: string, incident?: string]>(
  'list_refusals',
  grouped(`refusals r where ${of('client_id')}`, 'by facts'),
  (clientId, incident) => [clientId, incident],
);

const counting = (column: string) =>
  count<[id: string, since: Date]>(
    `count_refusals_by_${column}`,
    `select count(*)::int as refused from refusals r
    where r.${column} = $1::text and r.error <> '' and r.at > $2::timestamptz`,
  );
/** The number of a client's refused requests since a time, if they are still stored. */
export const countRefusals = counting('client_id');
/** The same of an API, and of clients about it. */
export const countRefusalsOfApi = counting('api_id');

/** Refusals as the owner of an API reads them: of the client that asked, its name; of its users, nothing. */
export interface ApiRefusalRow extends RefusalRow {
  /** Null where it was the API itself that was refused. */
  applicationName: string | null;
  agent: boolean;
  redirectUris: string[] | null;
}

/** Refusals about an API that are read for its list. */
const MAX_READ = 10 * QUOTA;

// Grouped without the facts, so a client that varies its requests doesn't push others out of the list.
// The IP is shown only where the API itself was refused: it is the client's, or a user's, otherwise.
/** Lists the refused requests of an API, and those of clients that were about it, or those with an incident code. */
export const listRefusalsOfApi = findAll<ApiRefusalRow, [apiId: string, incident?: string]>(
  'list_refusals_of_api',
  `select g."clientId", g."apiId", g.authenticated, g.held, g.endpoint, g.error,
    g.kind, g.facts, g.incidents, g."firstAt", g."lastAt", g.count, case when g."clientId" is null then g.address else '' end as address,
    c.name as "applicationName", c.client_id is not null and c.owner_id is null as agent,
    c.redirect_uris as "redirectUris"
  from (${grouped(`(select * from refusals r where ${of('api_id')} order by r.at desc limit ${MAX_READ}) as r`, 'latest facts')}) as g
    left join clients c on c.client_id = g."clientId"
  order by g."lastAt" desc`,
  (apiId, incident) => [apiId, incident],
);

export interface FoundIncident {
  /** Null where it was an API that was refused. */
  clientId: string | null;
  apiId: string | null;
  /** Of the client, or of the API where there is none. */
  name: string | null;
  /** What was refused, where it belongs to neither. */
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
