// Counts by day and hour (UTC), without users. Each statement takes any number of entries, and locks rows in the order of their
// keys.
import { columnsOf, execute, findAll, findValue } from './query.ts';

export type ServiceKind = 'signed_in' | 'signed_up' | 'sign_in_failed' | 'refused';

/** What is counted of an application; `refused_others`: of whoever did not prove to be it. */
export type ClientKind = 'signed_in' | 'renewed' | 'refused' | 'refused_others';

type ClientFigure = 'live_grants';

export interface DayOf<Kind> {
  kind: Kind;
  day: Date;
  total: number;
  /** One for each hour; none for a figure of the day. */
  hours: number[];
}

/** Response times of a route on a day: how many fell into each bucket of /metrics. */
export interface AnswerTimes {
  route: string;
  day: Date;
  buckets: number[];
}

/** A row of the table: of an application, or of the service (null), whose kinds include the routes. */
export interface ActivityRow {
  clientId: string | null;
  kind: string;
  day: Date;
  total: number;
  counts: readonly number[];
}

/** Adds to the counts; those of deleted applications are left out. @param rows no two of one key */
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
    ...columnsOf(rows, 'clientId', 'kind', 'day', 'total'),
    // A parameter that is an array of arrays would have to be rectangular.
    rows.map(({ counts }) => `{${counts.join()}}`),
  ],
);

const YESTERDAY = 24 * 3600 * 1000;

// What has not changed is not written again, because every process counts repeatedly.
/** Stores how many live grants each client has today; none for those that had some yesterday and are not among them. */
export const noteLiveGrants = execute<[day: Date, live: ReadonlyMap<string, number>]>(
  'note_live_grants',
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
  (day, live) => [day, [...live.keys()], [...live.values()], new Date(day.getTime() - YESTERDAY)],
);

// Kinds that are routes have response times.
export const listServiceActivity = findAll<DayOf<ServiceKind>, [from: Date, until: Date]>(
  'list_service_activity',
  `select a.kind, a.day, a.total::float8 as total, a.counts::float8[] as hours from activity a
  where a.client_id is null and a.kind not like '/%' and a.day between $1::timestamptz and $2::timestamptz
  order by a.kind, a.day`,
);

export const listClientActivity = findAll<
  DayOf<ClientKind | ClientFigure>,
  [clientId: string, from: Date, until: Date]
>(
  'list_client_activity',
  `select a.kind, a.day, a.total::float8 as total, a.counts::float8[] as hours from activity a
  where a.client_id = $1::text and a.day between $2::timestamptz and $3::timestamptz order by a.kind, a.day`,
);

export const listAnswerTimes = findAll<AnswerTimes, [from: Date, until: Date]>(
  'list_answer_times',
  `select a.kind as route, a.day, a.counts::float8[] as buckets from activity a
  where a.client_id is null and a.kind like '/%' and a.day between $1::timestamptz and $2::timestamptz
  order by a.kind, a.day`,
);

export interface BusyApplication {
  clientId: string;
  name: string;
  signIns: number;
  renewals: number;
  refusals: number;
}

/** The applications that gave people the most sign-ins and renewals, busiest first. */
export const listBusiest = findAll<BusyApplication, [from: Date, until: Date, limit: number]>(
  'list_busiest_applications',
  `with busy as (
    select a.client_id, coalesce(sum(a.total) filter (where a.kind = 'signed_in'), 0)::float8 as sign_ins,
      coalesce(sum(a.total) filter (where a.kind = 'renewed'), 0)::float8 as renewals,
      coalesce(sum(a.total) filter (where a.kind in ('refused', 'refused_others')), 0)::float8 as refusals
    from activity a
    where a.client_id is not null and a.kind <> 'live_grants' and a.day between $1::timestamptz and $2::timestamptz
    group by a.client_id
    order by sum(a.total) filter (where a.kind in ('signed_in', 'renewed')) desc nulls last, a.client_id
    limit $3::int
  )
  select b.client_id as "clientId", c.name, b.sign_ins as "signIns", b.renewals, b.refusals
  from busy b join clients c on c.client_id = b.client_id
  order by b.sign_ins + b.renewals desc, b.client_id`,
);

/** The first day of which there are counts; null before the first. */
export const firstDayOfActivity = findValue<Date | null>(
  'first_day_of_activity',
  'select min(a.day) from activity a where a.client_id is null',
);
