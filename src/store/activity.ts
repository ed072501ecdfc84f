// Activity counts per client, day and hour (UTC). They contain no user ids.
import { execute, findAll, findValue, toColumnArrays } from './query.ts';

export type ServiceActivityKind = 'signed_in' | 'signed_up' | 'sign_in_failed' | 'refused';

export type ClientActivityKind = 'signed_in' | 'refreshed' | 'refused' | 'refused_others';

type ClientGauge = 'live_grants';

export type ProviderActivityKind = `provider:${string}`;

export interface DailyActivity<Kind> {
  kind: Kind;
  day: Date;
  total: number;
  /** One count per hour. Empty for `live_grants`. */
  hours: number[];
}

export interface ResponseTimes {
  route: string;
  day: Date;
  buckets: number[];
}

export interface ActivityRow {
  clientId: string | null;
  kind: string;
  day: Date;
  total: number;
  counts: readonly number[];
}

/**
 * Adds `rows` to the stored counts. Skips deleted clients.
 * @param rows unique by client, kind and day
 */
export const addActivity = execute<[rows: readonly ActivityRow[]]>(
  'add_activity',
  `insert into activity as a (client_id, kind, day, total, counts)
  select g.client_id, g.kind, g.day, g.total, g.counts::bigint[]
  from unnest($1::text[], $2::text[], $3::timestamptz[], $4::bigint[], $5::text[])
    as g (client_id, kind, day, total, counts)
  where g.client_id is null or exists (select from clients c where c.client_id = g.client_id)
  order by g.client_id, g.kind, g.day
  on conflict (client_id, kind, day) do update
  set total = a.total + excluded.total,
    counts = (select array_agg(coalesce(b.x, 0) + coalesce(b.y, 0) order by b.place)
      from unnest(a.counts, excluded.counts) with ordinality as b (x, y, place))`,
  (rows) => [
    ...toColumnArrays(rows, 'clientId', 'kind', 'day', 'total'),
    // Arrays are sent as text because `unnest` would flatten an array of arrays.
    rows.map(({ counts }) => `{${counts.join()}}`),
  ],
);

const MS_PER_DAY = 24 * 3600 * 1000;

/** Stores today's number of live grants per client. Clients that are no longer in `live` get 0. */
export const storeLiveGrants = execute<[day: Date, live: ReadonlyMap<string, number>]>(
  'store_live_grants',
  `insert into activity as a (client_id, kind, day, total, counts)
  select c.client_id, 'live_grants', $1::timestamptz, n.total, '{}'::bigint[]
  from (
    select g.client_id, g.total from unnest($2::text[], $3::bigint[]) as g (client_id, total)
    union all
    select distinct k.client_id, 0 from activity k
    where k.client_id is not null and k.kind = 'live_grants' and k.day >= $4::timestamptz and k.total > 0
      and k.client_id <> all ($2::text[])
  ) as n
  join clients c on c.client_id = n.client_id
  order by c.client_id
  on conflict (client_id, kind, day) do update set total = excluded.total where a.total <> excluded.total`,
  (day, live) => [day, [...live.keys()], [...live.values()], new Date(day.getTime() - MS_PER_DAY)],
);

// Excludes routes (`/…`) and identity providers (`provider:…`).
export const listServiceActivity = findAll<DailyActivity<ServiceActivityKind>, [from: Date, until: Date]>(
  'list_service_activity',
  `select a.kind, a.day, a.total::float8 as total, a.counts::float8[] as hours from activity a
  where a.client_id is null and a.kind !~ '[/:]' and a.day between $1::timestamptz and $2::timestamptz
  order by a.kind, a.day`,
);

export const listClientActivity = findAll<
  DailyActivity<ClientActivityKind | ClientGauge>,
  [clientId: string, from: Date, until: Date]
>(
  'list_client_activity',
  `select a.kind, a.day, a.total::float8 as total, a.counts::float8[] as hours from activity a
  where a.client_id = $1::text and a.day between $2::timestamptz and $3::timestamptz order by a.kind, a.day`,
);

export interface ClientSignIns {
  clientId: string;
  lastDay: Date;
  /** Days with sign-ins. `totals` has the number of sign-ins on each day. */
  days: Date[];
  totals: number[];
}

export const listClientSignIns = findAll<ClientSignIns, [clientIds: readonly string[], from: Date]>(
  'list_client_sign_ins',
  `select a.client_id as "clientId", max(a.day) as "lastDay",
    coalesce(array_agg(a.day order by a.day) filter (where a.day >= $2::timestamptz), '{}') as days,
    coalesce(array_agg(a.total::float8 order by a.day) filter (where a.day >= $2::timestamptz), '{}') as totals
  from activity a where a.client_id = any ($1::text[]) and a.kind = 'signed_in' and a.total > 0
  group by a.client_id`,
);

export const listProviderSignIns = findAll<{ providerId: string; signIns: number }, [from: Date]>(
  'list_provider_sign_ins',
  `select substr(a.kind, 10) as "providerId", sum(a.total)::float8 as "signIns" from activity a
  where a.client_id is null and a.kind like 'provider:%' and a.day >= $1::timestamptz group by a.kind`,
);

export const listResponseTimes = findAll<ResponseTimes, [from: Date, until: Date]>(
  'list_response_times',
  `select a.kind as route, a.day, a.counts::float8[] as buckets from activity a
  where a.client_id is null and a.kind like '/%' and a.day between $1::timestamptz and $2::timestamptz
  order by a.kind, a.day`,
);

export interface BusyClient {
  clientId: string;
  name: string;
  logo: string | null;
  signIns: number;
  refreshes: number;
  refusals: number;
}

export const listBusiestClients = findAll<BusyClient, [from: Date, until: Date, limit: number]>(
  'list_busiest_clients',
  `with busy as (
    select a.client_id, coalesce(sum(a.total) filter (where a.kind = 'signed_in'), 0)::float8 as sign_ins,
      coalesce(sum(a.total) filter (where a.kind = 'refreshed'), 0)::float8 as refreshes,
      coalesce(sum(a.total) filter (where a.kind in ('refused', 'refused_others')), 0)::float8 as refusals
    from activity a
    where a.client_id is not null and a.kind <> 'live_grants' and a.day between $1::timestamptz and $2::timestamptz
    group by a.client_id
    having sum(a.total) > 0
    order by sum(a.total) filter (where a.kind in ('signed_in', 'refreshed')) desc nulls last, a.client_id
    limit $3::int
  )
  select b.client_id as "clientId", c.name, c.logo, b.sign_ins as "signIns", b.refreshes, b.refusals
  from busy b join clients c on c.client_id = b.client_id
  order by b.sign_ins + b.refreshes desc, b.client_id`,
);

export const findFirstDayOfActivity = findValue<Date | null>(
  'find_first_day_of_activity',
  'select min(a.day) from activity a where a.client_id is null',
);
