// Records when redirect URIs and keys are added, so that recent additions can be removed.

/**
 * SQL that records the entries added to a list. It must be part of the statement that changes the list.
 * @param holder a client_id or api_id
 * @param before a query that returns the list's current entries in a column named `entry`
 * @param after a query that returns the list's new entries in a column named `entry`
 */
export const recordAddedEntriesSql = ({
  holder,
  before,
  after,
  now,
}: {
  holder: string;
  before: string;
  after: string;
  now: string;
}): string =>
  `insert into added_entries (holder, entry, added_at)
    select ${holder}::text, added.entry, ${now}::timestamptz
    from (${after} except ${before}) added
    on conflict (holder, entry) do update set added_at = excluded.added_at`;

export const urisAsEntriesSql = (list: string, from = ''): string =>
  `select unnest(${list}) as entry ${from}`;

/** SQL that selects the keys in a JWK Set (jsonb), one row per key. */
export const keysAsEntriesSql = (jwks: string, from = ''): string =>
  `select jsonb_array_elements(${jwks} -> 'keys')::text as entry ${from}`;

/**
 * SQL condition: the entry was added, or its client or API was created, after `since`.
 * @param resource SQL for the id and creation time of the client or API
 */
export const isAddedSinceSql = (
  resource: { id: string; createdAt: string },
  entry: string,
  since: string,
): string =>
  `(${resource.createdAt} >= ${since}::timestamptz or exists (select from added_entries e
    where e.holder = ${resource.id} and e.entry = ${entry} and e.added_at >= ${since}::timestamptz))`;
