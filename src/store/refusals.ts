// Refused requests of applications and of APIs, written in batches; and as their owners read them.

import type { Difference } from '../oauth/reason.ts';
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

/**
 * Refusals of an application, or of an API alone, that are kept: so many of its own, of holders of something of it, and of
 * strangers.
 */
export const QUOTA = 100;
/** Incident codes that are kept of refusals folded into one. */
export const INCIDENTS = 50;

/** What a reason says besides its kind: names, numbers and times (ISO 8601) that the words need. */
export type Facts = Record<string, string | number | boolean | Difference[]>;

/** One refusal, or several equal ones folded into it. */
export interface RefusalRow {
  /** Null where it was an API that was refused. */
  clientId: string | null;
  /** The API that was refused, or that what the application asked was about. */
  apiId: string | null;
  /** It came from the application or API, which had proved that. */
  authenticated: boolean;
  /** It did not, but held a code, a token or a secret of it. */
  held: boolean;
  endpoint: string;
  error: string;
  kind: string;
  facts: Facts;
  address: string;
  /** Newest first. */
  incidents: string[];
  firstAt: Date;
  lastAt: Date;
  count: number;
}

// Beyond the quota, of one application or of one API alone.
const surplusOf = (belongs: string): string =>
  `select o.id, o.fingerprint from refusals o
    where ${belongs} and o.authenticated = b.authenticated and o.held = b.held
    order by o.last_at desc, o.id desc offset $2::int`;

// Two processes lock the rows of a batch in the same order. Rows that the batch folds into are not trimmed: a
// statement may touch a row only once.
const WRITE = statement(
  'write_refusals',
  `with batch as (
    select b.client_id, b.api_id, b.authenticated, b.held, decode(b.fingerprint, 'hex') as fingerprint, b.endpoint, b.error,
      b.kind, b.facts, b.address, b.incidents, b.first_at, b.last_at, b.count
    from jsonb_to_recordset($1::jsonb) as b (client_id text, api_id text, authenticated boolean, held boolean,
      fingerprint text, endpoint text, error text, kind text, facts jsonb, address text, incidents text[],
      first_at timestamptz, last_at timestamptz, count int)
  ),
  known as (
    select c.client_id from clients c where c.client_id in (select client_id from batch)
    order by c.client_id for key share
  ),
  known_api as (
    select a.api_id from apis a where a.api_id in (select api_id from batch) order by a.api_id for key share
  ),
  trimmed as (
    delete from refusals r using (
      select old.id
      from (select distinct client_id, case when client_id is null then api_id end as api_id, authenticated, held
        from batch) as b
      cross join lateral (
        (${surplusOf('o.client_id = b.client_id')})
        union all
        (${surplusOf('o.client_id is null and o.api_id = b.api_id')})
      ) as old
      where b.authenticated or not exists (
        select from batch f
        where f.client_id is not distinct from b.client_id and not f.authenticated and f.fingerprint = old.fingerprint)
    ) as surplus
    where r.id = surplus.id
  )
  insert into refusals as r (client_id, api_id, authenticated, held, fingerprint, endpoint, error, kind, facts, address,
    incidents, first_at, last_at, count)
  select b.client_id, known_api.api_id, b.authenticated, b.held, b.fingerprint, b.endpoint, b.error, b.kind, b.facts,
    b.address, b.incidents, b.first_at, b.last_at, b.count
  from batch b left join known on known.client_id = b.client_id left join known_api on known_api.api_id = b.api_id
  where case when b.client_id is null then known_api.api_id is not null else known.client_id is not null end
  order by b.client_id, b.fingerprint, b.last_at
  on conflict (client_id, fingerprint) where not authenticated do update
  set count = r.count + excluded.count, last_at = greatest(r.last_at, excluded.last_at), address = excluded.address,
    incidents = (excluded.incidents || r.incidents)[1:${INCIDENTS}]`,
);

/**
 * Writes refusals, adding those of whoever did not prove to be the application to equal ones, and lets the oldest
 * beyond the quota go. Those of applications and APIs that are gone are left out.
 * @param refusals of which no two without authentication have the same fingerprint
 */
export async function writeRefusals(
  database: Queryable,
  refusals: readonly (RefusalRow & { fingerprint: Buffer })[],
): Promise<void> {
  const batch = refusals.map((refusal) => ({
    client_id: refusal.clientId,
    api_id: refusal.apiId,
    authenticated: refusal.authenticated,
    held: refusal.held,
    fingerprint: refusal.fingerprint.toString('hex'),
    endpoint: refusal.endpoint,
    error: refusal.error,
    kind: refusal.kind,
    facts: refusal.facts,
    address: refusal.address,
    incidents: refusal.incidents,
    first_at: refusal.firstAt,
    last_at: refusal.lastAt,
    count: refusal.count,
  }));
  await database.query(WRITE, [JSON.stringify(batch), QUOTA]);
}

const FORGET = statement(
  'forget_whose_secrets_were_sent',
  `delete from refusals r where (r.client_id = $1::text or r.client_id is null and r.api_id = $1::text)
    and r.kind in ('secret_of_other', 'secret_of_other_api')`,
);

/** Forgets refusals of an application or API that name another one of its owner's: they are not for whoever has it next. */
export async function forgetWhoseSecrets(transaction: Queryable, id: string): Promise<void> {
  await transaction.query(FORGET, [id]);
}

const columns = (
  address: string,
) => `r.client_id as "clientId", r.api_id as "apiId", r.authenticated, r.held, r.endpoint, r.error, r.kind, r.facts,
    ${address} as address, r.incidents, r.first_at as "firstAt", r.last_at as "lastAt", r.count`;
const COLUMNS = columns('r.address');

const LIST = statement(
  'list_refusals',
  `select ${COLUMNS}
  from (values (true, false), (false, true), (false, false)) as w (authenticated, held)
  cross join lateral (
    select * from refusals o where o.client_id = $1::text and o.authenticated = w.authenticated and o.held = w.held
    order by o.last_at desc, o.id desc limit $2::int
  ) as r
  order by r.last_at desc, r.id desc`,
);

/** What is kept of an application's refused requests, latest first. */
export const listRefusals = (database: Queryable, clientId: string): Promise<RefusalRow[]> =>
  database.query<RefusalRow>(LIST, [clientId, QUOTA]);

const BY_INCIDENT = statement(
  'find_refusals_by_incident',
  `select ${COLUMNS} from refusals r where r.client_id = $1::text and r.incidents @> array[$2::text]
  order by r.last_at desc limit 1`,
);

/** The refusal that showed this incident code, if it is still kept. */
export const findRefusal = (database: Queryable, clientId: string, incident: string): Promise<RefusalRow[]> =>
  database.query<RefusalRow>(BY_INCIDENT, [clientId, incident]);

const COUNT = statement(
  'count_refusals_since',
  `select coalesce(sum(r.count), 0)::int as refused from refusals r
  where r.client_id = $1::text and r.error <> '' and r.last_at > $2::timestamptz
    and (r.authenticated or r.first_at > $2::timestamptz)`,
);

/**
 * How many requests of an application were refused since a moment, as far as they are kept. What was folded counts where all
 * of it is younger than that.
 */
export async function countRefusals(database: Queryable, clientId: string, since: Date): Promise<number> {
  const [row] = await database.query<{ refused: number }>(COUNT, [clientId, since]);
  return row?.refused ?? 0;
}

/** A refusal as the owner of an API reads it. Of an application that asked, who it is; of people on the way to it, nothing. */
export interface ApiRefusalRow extends RefusalRow {
  /** Null where it was the API itself that was refused. */
  applicationName: string | null;
  agent: boolean;
  redirectUris: string[] | null;
}

// The address is shown where the API itself was refused: an application's, or a person's, is not the API's to know.
const API_COLUMNS = `${columns("case when r.client_id is null then r.address else '' end")},
    c.name as "applicationName", c.client_id is not null and c.owner_id is null as agent,
    c.redirect_uris as "redirectUris"`;

/** Refusals over an API that are looked at for those that are shown: the latest of each application before the next ones of any. */
const LOOKED_AT = 100 * QUOTA;

const LIST_OF_API = statement(
  'list_refusals_of_api',
  `select ${API_COLUMNS}
  from (values (true, false), (false, true), (false, false)) as w (authenticated, held)
  cross join lateral (
    (select o.*, 1::bigint as turn from refusals o
    where o.api_id = $1::text and o.client_id is null and o.authenticated = w.authenticated and o.held = w.held
    order by o.last_at desc, o.id desc limit $2::int)
    union all
    (select * from (
      select o.*, row_number() over (partition by o.client_id order by o.last_at desc, o.id desc) as turn from (
        select * from refusals o
        where o.api_id = $1::text and o.client_id is not null and o.authenticated = w.authenticated and o.held = w.held
        order by o.last_at desc, o.id desc limit ${LOOKED_AT}) as o
    ) as o order by o.turn, o.last_at desc, o.id desc limit $2::int)
  ) as r left join clients c on c.client_id = r.client_id
  order by r.last_at desc, r.id desc`,
);

/** What is kept of an API's own refused requests and of those of applications that were about it, latest first. */
export const listRefusalsOfApi = (database: Queryable, apiId: string): Promise<ApiRefusalRow[]> =>
  database.query<ApiRefusalRow>(LIST_OF_API, [apiId, QUOTA]);

const COUNT_OF_API = statement(
  'count_refusals_of_api_since',
  `select coalesce(sum(r.count), 0)::int as refused from refusals r
  where r.api_id = $1::text and r.error <> '' and r.last_at > $2::timestamptz
    and (r.authenticated or r.first_at > $2::timestamptz)`,
);

/** How many requests of an API, and of applications over it, were refused since a moment: counted as an application's. */
export async function countRefusalsOfApi(database: Queryable, apiId: string, since: Date): Promise<number> {
  const [row] = await database.query<{ refused: number }>(COUNT_OF_API, [apiId, since]);
  return row?.refused ?? 0;
}

const BY_INCIDENT_OF_API = statement(
  'find_refusals_of_api_by_incident',
  `select ${API_COLUMNS} from refusals r left join clients c on c.client_id = r.client_id
  where r.api_id = $1::text and r.incidents @> array[$2::text] order by r.last_at desc limit 1`,
);

/** The same of the one that showed this incident code, if it is still kept. */
export const findRefusalOfApi = (
  database: Queryable,
  apiId: string,
  incident: string,
): Promise<ApiRefusalRow[]> => database.query<ApiRefusalRow>(BY_INCIDENT_OF_API, [apiId, incident]);

/** Where an incident code was shown. */
export interface FoundIncident {
  /** Null where it was an API that was refused. */
  clientId: string | null;
  apiId: string | null;
  /** Of the application, or of the API where there is none. */
  name: string;
  lastAt: Date;
}

const ANYWHERE = statement(
  'find_incident',
  `select r.client_id as "clientId", r.api_id as "apiId", coalesce(c.name, a.name) as name, r.last_at as "lastAt"
  from refusals r left join clients c on c.client_id = r.client_id left join apis a on a.api_id = r.api_id
  where r.incidents @> array[$1::text] order by r.last_at desc limit 1`,
);

/** The application or API for which an incident code was shown, whichever it is: for operators. */
export async function findIncident(
  database: Queryable,
  incident: string,
): Promise<FoundIncident | undefined> {
  const [row] = await database.query<FoundIncident>(ANYWHERE, [incident]);
  return row;
}
