// What applications were seen doing, written in batches; and as their owners read it.
import { columnsOf, execute, findAll } from './query.ts';

export interface Observation {
  signal: string;
  firstAt: Date;
  lastAt: Date;
}

/** Notes what applications were seen doing; no two entries are about the same. */
export const writeObservations = execute<[seen: readonly { clientId: string; signal: string; at: Date }[]]>(
  'write_observations',
  `with seen as (
    select * from unnest($1::text[], $2::text[], $3::timestamptz[]) as s (client_id, signal, at)
  ),
  known as (
    select c.client_id from clients c where c.client_id in (select client_id from seen)
    order by c.client_id for key share
  )
  insert into client_observations as o (client_id, signal, first_at, last_at)
  select s.client_id, s.signal, s.at, s.at from seen s join known on known.client_id = s.client_id
  order by s.client_id, s.signal
  on conflict (client_id, signal) do update set last_at = greatest(o.last_at, excluded.last_at)`,
  (seen) => columnsOf(seen, 'clientId', 'signal', 'at'),
);

export const listObservations = findAll<Observation, [clientId: string]>(
  'list_observations',
  `select o.signal, o.first_at as "firstAt", o.last_at as "lastAt"
  from client_observations o where o.client_id = $1::text order by o.signal`,
);
