// Records which protocol features clients use, for the Diagnostics pages.
import type { Database } from './database.ts';
import { execute, findAll, toColumnArrays } from './query.ts';

export interface Observation {
  signal: string;
  firstAt: Date;
  lastAt: Date;
}

interface NewObservation {
  clientId: string;
  signal: string;
  at: Date;
}

const lockClients = findAll<{ clientId: string }, [clientIds: readonly string[]]>(
  'lock_observed_clients',
  `select c.client_id as "clientId" from clients c where c.client_id = any($1::text[])
  order by c.client_id for key share`,
);

const upsertObservations = execute<[observations: readonly NewObservation[]]>(
  'upsert_observations',
  `insert into client_observations as o (client_id, signal, first_at, last_at)
  select s.client_id, s.signal, s.at, s.at
  from unnest($1::text[], $2::text[], $3::timestamptz[]) as s (client_id, signal, at)
  order by s.client_id, s.signal
  on conflict (client_id, signal) do update set last_at = greatest(o.last_at, excluded.last_at)`,
  (observations) => toColumnArrays(observations, 'clientId', 'signal', 'at'),
);

/**
 * Skips deleted clients.
 * @param observations unique by client and signal
 */
export const upsertObservationBatch = (
  database: Database,
  observations: readonly NewObservation[],
): Promise<void> =>
  database.transaction(async (transaction) => {
    const locked = await lockClients(transaction, [...new Set(observations.map(({ clientId }) => clientId))]);
    const existingIds = new Set(locked.map(({ clientId }) => clientId));
    await upsertObservations(
      transaction,
      observations.filter(({ clientId }) => existingIds.has(clientId)),
    );
  });

export const listObservations = findAll<Observation, [clientId: string]>(
  'list_observations',
  `select o.signal, o.first_at as "firstAt", o.last_at as "lastAt"
  from client_observations o where o.client_id = $1::text order by o.signal`,
);
